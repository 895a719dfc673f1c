"""What a document says of itself: its date, author and tags. Pure.

Front matter of Markdown, keywords of Org, headers of a single mail, `#tags` in Markdown; for other
formats what its file keeps beside the text, as their extractors hand it out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from email.utils import parsedate_to_datetime

from indexer.records import MAX_AUTHOR_CHARS, Chunk, FileRow, Line

MAX_HEAD_LINES = 100
MAX_TAGS = 50
MAX_TAG_CHARS = 60
_MAILS = ("eml", "msg")
_DATES = ("date", "created", "published", "datum")
_AUTHORS = ("author", "authors", "from", "autor")
_TAGS = ("tags", "tag", "keywords", "filetags")
_FIELD = re.compile(r"([A-Za-z]{3,12})[ \t]*:[ \t]*(\S.*)?")
_ORG_FIELD = re.compile(r"#\+([A-Za-z]{3,12}):[ \t]*(\S.*)?")
_ITEM = re.compile(r"[ \t]*-[ \t]+(\S.*)")
_ISO = re.compile(r"\s*[\[<\"']?([0-9]{4}-[0-9]{2}-[0-9]{2})", re.ASCII)
_INLINE = re.compile(r"(?<![\w#&/.])#([^\W\d_][\w/-]*)")
_FENCE = ("```", "~~~")
_CODE = re.compile(r"(?<!`)(`{1,8})(?!`).*?(?<!`)\1(?!`)")


def with_properties(
    row: FileRow, lines: Sequence[Line], author: str = "", day: str = ""
) -> FileRow:
    """The row with what its document states in its text, else `author` and `day` of its file."""
    kind = (row.extractor or "").partition("/")[0]
    head = [line.text for line in lines[:MAX_HEAD_LINES]]
    fields: dict[str, list[str]] = {}
    if kind == "markdown":
        fields = _front_matter(head)
    elif kind == "org":
        fields = _fields(head, _ORG_FIELD)
    elif kind in _MAILS:
        fields = _headers(head)
    tags = [tag for key in _TAGS for value in fields.get(key, ()) for tag in _split(value)]
    if kind == "markdown":
        tags += _inline(line.text for line in lines)
    return replace(
        row,
        date=_day(fields) or day or None,
        author=_author(fields) or author or None,
        tags=" ".join(_bounded(tags)),
    )


def main_language(chunks: Iterable[Chunk]) -> str:
    """The language of most of a document's text; "" where none was told."""
    counts: Counter[str] = Counter()
    for chunk in chunks:
        counts[chunk.language] += len(chunk.text)
    counts.pop("", None)
    return max(sorted(counts), key=counts.__getitem__, default="")


def _front_matter(head: Sequence[str]) -> dict[str, list[str]]:
    """The fields between the two rulers at the top, each with its values."""
    if not head or head[0].rstrip() != "---":
        return {}
    ends = [number for number, line in enumerate(head[1:], 1) if line.rstrip() in ("---", "...")]
    return _fields(head[1 : ends[0]], _FIELD) if ends else {}


def _headers(head: Sequence[str]) -> dict[str, list[str]]:
    """The fields of a mail: its lines as far as the first that is none."""
    lines = [line for line in head if line.strip() and not line.startswith("---")]
    top = []
    for line in lines:
        if not re.match(r"[A-Za-z-]{2,12}:", line):
            break
        top.append(line)
    return _fields(top, _FIELD)


def _fields(lines: Iterable[str], pattern: re.Pattern[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    key = ""
    for line in lines:
        if field := pattern.match(line):
            key = field[1].casefold()
            found.setdefault(key, []).extend([field[2].strip()] if field[2] else [])
        elif key and (item := _ITEM.fullmatch(line)):
            found[key].append(item[1].strip())
    return found


def _split(value: str) -> list[str]:
    """The tags of one value: a list in brackets, with commas, with colons (Org), or one."""
    if value.startswith(":") and value.endswith(":"):
        return value.strip(":").split(":")
    return value.strip("[]").split(",")


def _inline(lines: Iterable[str]) -> list[str]:
    """The tags in lines that are no code: not within a fence, nor between backticks."""
    found: list[str] = []
    fenced = False
    for line in lines:
        if line.lstrip().startswith(_FENCE):
            fenced = not fenced
        elif not fenced and "#" in line and len(found) < MAX_TAGS:
            found += _INLINE.findall(_CODE.sub(" ", line))
    return found


def _bounded(tags: Iterable[str]) -> list[str]:
    """The tags in one form, each once, no more than a row may have."""
    plain = ("-".join(tag.strip(" \t\"'#").casefold().split()) for tag in tags)
    return list(dict.fromkeys(tag for tag in plain if 0 < len(tag) <= MAX_TAG_CHARS))[:MAX_TAGS]


def _author(fields: dict[str, list[str]]) -> str | None:
    for key in _AUTHORS:
        if values := fields.get(key):
            shown = ", ".join(value.strip("\"'[]") for value in values)
            return shown[:MAX_AUTHOR_CHARS].strip() or None
    return None


def _day(fields: dict[str, list[str]]) -> str | None:
    for key in _DATES:
        for value in fields.get(key, ()):
            if day := _parsed(value):
                return day
    return None


def _parsed(value: str) -> str | None:
    if iso := _ISO.match(value):
        try:
            return date.fromisoformat(iso[1]).isoformat()
        except ValueError:
            return None
    try:
        return parsedate_to_datetime(value[:100]).date().isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
