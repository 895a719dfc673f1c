"""Shared by all results: the schema version, and the form of names and places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from corpus_agent.text.naming import Breaking, called, unambiguous
from corpus_agent.text.sanitize import inert, one_line
from corpus_agent.text.wording import lacks, number_of
from indexer import file_stem

if TYPE_CHECKING:
    from corpus_agent.answering.records import Citation
    from indexer import Coverage, OpenStore

SCHEMA_VERSION = 1
_PART = re.compile(r"(File|Message|Sheet|Slide|Chapter|Contact|Note) \S")
# A command that reads or writes an index, among the program's own words: no name, which is quoted.
_ADVISED = re.compile(
    r"(?<![\w/'\"-])corpus-agent (?=(?:--model \w+ )?(ask|chat|check|files|forget|index|list|mcp"
    r"|open|read|search|status|table|timeline|web)(?![\w-]|\.\w| FOLDER))"
)
AGAIN: ContextVar[str] = ContextVar("again", default="")
"""The options by which the next command finds the same index: "-s notes ", or "" for none."""
AGES = {"newer": "the newer of two that differ", "older": "the older of two that differ"}

Object = dict[str, Any]
"""A JSON object; docs/json.md names its keys."""


def as_object(**content: Any) -> Object:  # noqa: ANN401
    """A JSON object with its schema version first."""
    return {"schema_version": SCHEMA_VERSION, **content}


def taken(record: object, names: str) -> Object:
    """Fields of a record under their own names, as JSON has them; see `plain`."""
    return {name: plain(getattr(record, name), name) for name in names.split()}


def plain(value: Any, name: str = "") -> Any:  # noqa: ANN401
    """A value as JSON has it, by the name of its field: texts cleaned, records as objects.

    A text is one line, but for those of documents and models.
    """
    if isinstance(value, str):
        if name in ("source", "changed"):
            return in_answer(value)
        return inert(
            value if name in ("quote", "above", "text", "unsupported") else one_line(value)
        )
    if isinstance(value, tuple | list):
        return [plain(each, name) for each in value]
    if is_dataclass(value):
        return taken(value, " ".join(field.name for field in fields(value)))
    return round(value, 4) if name == "probability" and value is not None else value


def stores_read(stores: Sequence[OpenStore]) -> Object:
    """The stores that were read together, part of each JSON object of them; nothing of one."""
    if not stores:
        return {}
    return {
        "stores": [
            {"name": one.name, "store": unambiguous(str(one.store)), "version": one.version}
            for one in stores
        ]
    }


def in_answer(source: str) -> str:
    """A source as shown in answers: in a form that no viewer renders as a link."""
    return inert(unambiguous(source))


def place(
    source: str,
    lines: tuple[int, int],
    page: int | None,
    breaking: Breaking = inert,
    *,
    again: bool = False,
) -> str:
    """The place of a passage, as in "notes/a.md:10-24" or "b.pdf:80, page 7"; see `called`."""
    start, end = lines
    named = f"{called(source, breaking, again=again)}:{start}"
    shown = (
        named + (f"-{end}" if end != start else "") + (f", page {page}" if page is not None else "")
    )
    return inert(shown) if breaking else shown


def place_of(citation: Citation, breaking: Breaking = inert, *, again: bool = False) -> str:
    """The place of a citation's first line."""
    lines = (citation.line_start,) * 2
    return place(citation.source, lines, citation.page, breaking, again=again)


def under(heading: str, source: str) -> str:
    """The nearest heading of a passage, behind the part of its file; "" for the file's own name."""
    *above, nearest = heading.split(" > ")
    return " > ".join([*filter(_PART.match, above), *([nearest] * (nearest != file_stem(source)))])


def advised(text: str, store: str = "") -> str:
    """The program's words with commands that work where the user stands.

    `store` is which of several is meant where a command takes one alone.
    """
    again = one = AGAIN.get()
    if again.count("-s ") > 1 or "--all-stores" in again:
        one = f"-s {store or 'NAME'} "
    return _ADVISED.sub(lambda f: f"{f[0]}{one if f[1] in ('forget', 'index') else again}", text)


def documents_searched(coverage: Coverage) -> str:
    """The footer of an answer: what was searched, and how much could not be."""
    searched = f"{number_of(coverage.searched, 'document')} searched"
    return ", ".join(filter(None, (searched, lacks(coverage))))


def since_indexed(
    changed: Sequence[str], breaking: Breaking = inert, *, again: bool = False
) -> Iterator[str]:
    """The line that says which files are not as they were indexed; none where all are."""
    if changed:
        more = [f"{len(changed) - 3:,} more"] if len(changed) > 3 else []
        named = ", ".join([*(called(one, breaking, again=again) for one in changed[:3]), *more])
        command = advised("corpus-agent index", changed[0].partition(":")[0])
        yield f"Changed or gone since the index was made: {named}. Run: {command}"


def qualified(citation: Citation) -> str:
    """What qualifies a citation: its verdict, if it does not just stand; recognised; hidden."""
    verdict = "" if citation.verdict == "verified" else citation.verdict.replace("_", " ")
    surely = citation.confidence
    recognised = "" if surely is None else f"recognised from a picture (confidence {surely:.2f})"
    hidden = "hidden in the document" if citation.hidden else ""
    struck = "struck out in the document" if citation.struck else ""
    return " · ".join(filter(None, (verdict, recognised, hidden, struck)))


def cited_place(citation: Citation) -> str:
    """Where a checked quotation stands, and what qualifies it, as in "a.md:3 · hidden in …"."""
    where = place(citation.source, (citation.line_start, citation.line_end), citation.page)
    return " · ".join(filter(None, (where, qualified(citation))))


def left_out(number: int, noun: str) -> str:
    """How many of what was read are not shown, for want of their quotation or of their sign."""
    whose, they = ("its", "it") if number == 1 else ("their", "they")
    sign = f", or {they} may be less than zero" if noun == "value" else ""
    return f"{number_of(number, noun)} left out, since {whose} quotation was not found whole{sign}"


def size_of(size: int) -> str:
    """A size in bytes, as in "1,234.5 MB" or "12 kB"."""
    return f"{size / 1e6:,.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"


def local_time(iso: str) -> str:
    """A time of a manifest or a record as people write it, to the minute, in this time zone."""
    try:
        return datetime.fromisoformat(iso).astimezone().strftime("%-d %B %Y, %H:%M")
    except (ValueError, OverflowError):  # of a store or a record that somebody wrote
        return "once"
