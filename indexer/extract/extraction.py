"""The types of the registry: what a reader gives, properties, bounds, and the marks of parts.

Does not parse. Imported by the registry and by every module of a format.
"""

from __future__ import annotations

import re
import struct
import tomllib
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from indexer.errors import UnreadableDocument
from indexer.extract.hidden import bare, parted
from indexer.extract.normalise import lines_of, whole
from indexer.records import MAX_AUTHOR_CHARS, Line

BROKEN = (
    ValueError,  # Unicode errors among them
    LookupError,  # KeyError and IndexError
    ArithmeticError,
    EOFError,
    OSError,  # archives, also where no file is involved
    RuntimeError,  # RecursionError and NotImplementedError: an archive's compression
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)


def what_broke(error: BaseException) -> str:
    """What is wrong with a file at which a parser raised one of these, in plain words."""
    names = (
        f"{kind.__module__}.error" if kind.__name__ == "error" else kind.__name__
        for kind in type(error).mro()
    )
    says = table("broken", "what")
    return next((says[name] for name in names if name in says), "its structure is damaged")


@contextmanager
def readable(what: str, *errors: type[BaseException]) -> Iterator[None]:
    """Raise UnreadableDocument("malformed") for what is raised where such a file is damaged."""
    try:
        yield
    except errors as error:
        raise UnreadableDocument("malformed", f"{what}: {what_broke(error)}") from None


@cache
def _lists() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))


def words(section: str, name: str) -> frozenset[str]:
    """A list of words.toml."""
    return frozenset(_lists()[section][name].split())


def table(section: str, name: str) -> dict[str, str]:
    """A table of words.toml, in its order."""
    return dict(_lists()[section][name])


# --- What a file says of itself beside its text ---------------------------------------------------

MAX_TITLE_CHARS = 200
MAX_AUTHORS = 20
_LOOKED_AT = 2_000  # characters of a value; what is longer is cut
# What a program left behind in the place of a title or an author.
_NO_TITLE, _NO_AUTHOR = (
    re.compile("(?i)^(?:" + "|".join(words("left", name)) + ")$") for name in ("titles", "authors")
)
# The author and the day of a template that a program fills and never dates anew.
_TEMPLATES = frozenset({"python-docx"})
_DAY = re.compile(
    r"\s*(?:D:)?((?:1\d|20|21)\d\d)(-?)(\d\d)\2(\d\d)(?:(?![\d-])|(?<=\d{8})(?=\d\d))", re.ASCII
)
_UNSET = words("left", "days")


@dataclass(frozen=True, slots=True)
class OwnProperties:
    """What a file says of itself, "" where it says nothing; `date` is an ISO day."""

    title: str = ""
    author: str = ""
    date: str = ""


def own_properties(title: object = None, authors: object = None, *dates: object) -> OwnProperties:
    """The properties among values of any kind, placeholders left out; of the days the first.

    `authors` is a text or a list of them.
    """
    listed = [authors] if not isinstance(authors, list) else authors[:MAX_AUTHORS]
    named = [_on_one_line(each) for each in listed]
    author = ", ".join(dict.fromkeys(each for each in named if not _NO_AUTHOR.match(each)))
    if _TEMPLATES.intersection(named):
        dates = ()
    day = next((found for each in dates if (found := day_of(each))), "")
    return OwnProperties(usable_title(title) or "", author[:MAX_AUTHOR_CHARS].strip(), day)


def usable_title(title: object) -> str | None:
    """A title on one line; None for placeholders."""
    shown = _on_one_line(title)[:MAX_TITLE_CHARS].strip()
    return None if _NO_TITLE.match(shown) else shown


def day_of(value: object) -> str:
    """The day of a time in ISO form or as in a PDF ("D:20240312…"); "" for none, or one unset."""
    if (found := _DAY.match(_on_one_line(value))) is None:
        return ""
    day = f"{found[1]}-{found[3]}-{found[4]}"
    return day if is_day(day) and day not in _UNSET else ""


def is_day(text: str) -> bool:
    """Whether a text is a day of the calendar in ISO form, as "2024-03-12"."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _on_one_line(value: object) -> str:
    """A value without line ends and other control characters; "" if it is no text."""
    if not isinstance(value, str):
        return ""
    text = whole(value[:_LOOKED_AT])
    plain = (char if char.isprintable() or char.isspace() else " " for char in text)
    return " ".join("".join(plain).split())


# --- What readers give, and within which bounds ---------------------------------------------------

Begins = Callable[[bytes, str], bool]  # of a file's first bytes (or all) and its suffix

MAX_PART_CHARS = 120  # of a name in a mark line: a sheet's, a chapter's


@dataclass(slots=True)
class Extraction:
    """A document's title, if any, its lines, lazily, and what it says of itself beside its text.

    `engines`, `unread` and `notes` are filled while the lines are read: names of second engines
    that were needed, parts that no engine could read, and other remarks. `extractor`, the label of
    what reads it, and `remark` are the registry's, and final after the last line.
    """

    title: str | None
    lines: Iterator[Line]
    engines: set[str] = field(default_factory=set)
    unread: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    own: OwnProperties = field(default_factory=OwnProperties)
    extractor: str = ""
    remark: str = ""


MAX_MEMBERS = 2_000  # documents within one file that are looked at
MAX_TEXT_CHARS = 32 * 2**20  # of all of them; the one that is being read then is read to its end
MAX_PART_BYTES = 96 * 2**20  # of one, unpacked; its tree takes several times as much memory
MAX_UNPACKED_BYTES = 384 * 2**20  # of all of them
MAX_NESTING = 8  # of documents with documents in them: mails in mails, archives in archives


@dataclass(slots=True)
class Budget:
    """What the documents within one file may still cost, however deeply they are nested."""

    members: int = MAX_MEMBERS
    chars: int = MAX_TEXT_CHARS
    unpacked_bytes: int = MAX_UNPACKED_BYTES

    def most_bytes(self) -> int:
        """How many bytes the next document may have."""
        return min(MAX_PART_BYTES, self.unpacked_bytes)

    def spend(self, size: int) -> None:
        """Count the bytes of a document; raises UnreadableDocument("too_large_unpacked")."""
        if size > self.most_bytes():
            raise UnreadableDocument("too_large_unpacked")
        self.unpacked_bytes -= size


@dataclass(frozen=True, slots=True)
class Within:
    """Where a document stands: its name, how many documents are around it, and their budget."""

    name: str = ""
    depth: int = 0
    budget: Budget = field(default_factory=Budget)

    def inner(self, name: str) -> Within:
        """The place of a document in this one."""
        return Within(name, self.depth + 1, self.budget)


@dataclass(frozen=True, slots=True)
class Extractor:
    """One way from bytes to text. A change of what it yields is a new `version`.

    The reader is `read_NAME` of the module, imported when a file of that format is met. `kinds` are
    the results of `kind_of` that it reads; if empty, its files are text, told by their suffixes or
    by how they begin. `empty_reason` is the code for a file without text, `markdown` is set if
    headings in the lines are Markdown, `container` if other documents may stand in its files, whose
    reader is also given their budget.
    """

    name: str
    version: int
    module: str
    suffixes: str = ""
    kinds: str = ""
    begins: Begins | None = None
    empty_reason: str = "no_text"
    markdown: bool = False
    container: bool = False

    def read(self, data: bytes, within: Within) -> Extraction:
        """The document in these bytes; raises as its reader does."""
        module = import_module(f"indexer.extract.{self.module}")
        reader: Callable[..., Extraction] = getattr(module, f"read_{self.name}")
        return reader(data, within) if self.container else reader(data)

    def claims(self, sample: bytes, suffix: str) -> bool:
        """Whether it reads a text with this suffix that begins so."""
        begins = self.begins is not None and self.begins(sample, suffix)
        return not self.kinds and (suffix in self.suffixes.split() or begins)

    @property
    def label(self) -> str:
        """Name and version, as in "pdf/1"."""
        return f"{self.name}/{self.version}"


def plain_lines(texts: Iterable[str]) -> Iterator[Line]:
    """The lines of texts without parts."""
    for text in texts:
        for line, hidden in parted(text):
            yield Line(line, hidden=hidden)


def part_lines(
    kind: str, name: str | int, texts: Iterable[str], page: int | None = None, remark: str = ""
) -> Iterator[Line]:
    """One part of a document, "Sheet" and its name for example: its mark, then its lines.

    `page` is its number where parts are what a reader would call pages; `remark` follows the mark.
    """
    shown = " ".join(whole(bare(str(name))).replace("\0", "").split())[:MAX_PART_CHARS]
    shown = shown.replace("---", "--")
    part = next(lines_of(f"{kind} {shown}"))
    yield Line(f"--- {part} ---{f' ({remark})' if remark else ''}", page, part)
    for text in texts:
        for line, hidden in parted(text):
            yield Line(line, page, part, hidden)
