"""The types of the registry, the budget of documents within documents, and the marks of parts.

Does not parse. Imported by the registry and by every module of a format.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from indexer.errors import UnreadableDocument
from indexer.extract.hidden import bare, parted
from indexer.extract.normalise import lines_of, whole
from indexer.extract.own_properties import OwnProperties
from indexer.records import Line

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
# What an exception says to a person, by its name or a base's; the libraries' words are technical.
_SAYS = {
    "RecursionError": "nested too deeply",
    "NotImplementedError": "packed in a way that is not known",
    "UnicodeError": "characters that its encoding does not have",
    "EOFError": "it ends too early",
    "struct.error": "it ends too early",
    "PdfStreamError": "it ends too early",
    "zlib.error": "its compressed data is damaged",
    "LZMAError": "its compressed data is damaged",
    "BadZipFile": "its archive is damaged",
    "TarError": "its archive is damaged",
    "EmptyFileError": "there is nothing in it",
    "OSError": "its packed data is damaged",
}


def what_broke(error: BaseException) -> str:
    """What is wrong with a file at which a parser raised one of these, in plain words."""
    names = (
        f"{kind.__module__}.error" if kind.__name__ == "error" else kind.__name__
        for kind in type(error).mro()
    )
    return next((_SAYS[name] for name in names if name in _SAYS), "its structure is damaged")


Begins = Callable[[bytes, str], bool]  # of a file's first bytes (or all) and its suffix

MAX_PART_CHARS = 120  # of a name in a mark line: a sheet's, a chapter's


@dataclass(frozen=True, slots=True)
class Extraction:
    """A document's title, if any, its lines, lazily, and what it says of itself beside its text.

    `engines`, `unread` and `notes` are filled while the lines are read: names of second engines
    that were needed, parts that no engine could read, and other remarks.
    """

    title: str | None
    lines: Iterator[Line]
    engines: set[str] = field(default_factory=set)
    unread: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    own: OwnProperties = field(default_factory=OwnProperties)


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
    """One way from bytes to text. A change of what `read` yields is a new `version`.

    `kinds` are the results of `kind_of` that it reads; if empty, its files are text, told by
    their suffixes or by how they begin. `empty_reason` is the code for a file without text,
    `markdown` is set if headings in the lines are Markdown, `container` if other documents may
    stand in its files.
    """

    name: str
    version: int | str
    read: Callable[[bytes, Within], Extraction]
    kinds: tuple[str, ...] = ()
    suffixes: frozenset[str] = frozenset()
    begins: Begins = lambda sample, suffix: False
    empty_reason: str = "no_text"
    markdown: bool = False
    container: bool = False

    def claims(self, sample: bytes, suffix: str) -> bool:
        """Whether it reads a text with this suffix that begins so."""
        return not self.kinds and (suffix in self.suffixes or self.begins(sample, suffix))

    @property
    def label(self) -> str:
        """Name and version, as in "pdf/1"."""
        return f"{self.name}/{self.version}"


def words(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


def table(text: str) -> dict[str, str]:
    """The pairs of a text such as "ORG=Organisation, TEL=Phone"."""
    return dict(pair.split("=", 1) for pair in text.split(", "))


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
