"""Pages in, recognised text out, even if a process dies.

The only caller of the jobs of `recognising`, where rapidocr is imported; what comes back is checked
field by field.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeVar

from indexer.extract.ocr import UNREADABLE, PlacedText
from indexer.parsers import limits, protocol
from indexer.parsers.installed import find_tesseract
from indexer.parsers.limits import DocumentLimits
from indexer.parsers.process import Child

RECOGNISING = "indexer.parsers.recognising"
VERSION = 2  # of what is written for a page; a change has every page read again
LABEL = f"ocr-{VERSION}"  # in the label of an extractor
MAX_PAGE_LINES = 20_000
MAX_PAGE_WORDS = 20_000
OCR_LIMITS = DocumentLimits(
    limits.OCR_MEMORY_BYTES, limits.OCR_CPU_SECONDS, limits.OCR_WALL_SECONDS
)
# Memory of a page goes back to the system after it: else that of several adds up to over 1 GB.
_ENVIRONMENT = {"MALLOC_MMAP_THRESHOLD_": "4194304", "MALLOC_TRIM_THRESHOLD_": "67108864"}

_T = TypeVar("_T")


@cache
def engine_version() -> str:
    """The engine whose results a cached page holds, as in "rapidocr-3.10.0/1"."""
    from importlib.metadata import version  # email and more

    return f"rapidocr-{version('rapidocr')}/{VERSION}"


@dataclass(frozen=True, slots=True)
class RecognisedPage:
    """The text of a page: each line with its confidence, 0 to 1.

    `engine` names what read it, "" for a blank page and for a picture that shows no text;
    `problem` is the reason for which it could not be read, "" if it could. `words` are those of the
    lines with their places, in their order; none on a page of which they were not kept.
    """

    lines: tuple[tuple[str, float], ...] = ()
    engine: str = ""
    problem: str = ""
    words: tuple[PlacedText, ...] = ()

    @property
    def has_text(self) -> bool:
        """Whether anything on it could be read."""
        return any(text != UNREADABLE for text, _ in self.lines)


class Recogniser:
    """The process that recognises text; for one thread, and `stop` for any."""

    def __init__(self, program: str = RECOGNISING, limits: DocumentLimits = OCR_LIMITS) -> None:
        """`program` is what the process does, `limits` are those of a page."""
        self._child = Child(program, _ENVIRONMENT)
        self._limits = limits
        self._document, self._is_open = -1, False  # a descriptor
        self.stop, self.close = self._child.stop, self._child.close

    def hold(self, descriptor: int) -> None:
        """Take the document that the next pages are of."""
        self._document, self._is_open = descriptor, False

    def count(self) -> int:
        """Give the process the document; how many pages it has. Raises UnreadableDocument."""
        self._child.new_task()
        pages = self._child.pages(self._document, self._limits)
        self._is_open = True
        return pages

    def read(self, number: int, *, look: bool = False) -> RecognisedPage | None:
        """The text of a page; with `look`, None where a first look finds no lines on it.

        Where the script is one that rapidocr has no letters for, Tesseract reads it, if it is here.
        Raises UnreadableDocument with the reason.
        """
        if not (self._is_open and self._child.runs):  # the one before may have died of a page
            self.count()
        self._child.tasks += 1
        seen, page = self._asked(_seen, "read", number=number, look=look)
        if seen == "suspect" and (read := self._by_tesseract()):
            return read
        if seen == "no text":
            return None
        return page if seen == "blank" else replace(page, engine="rapidocr")

    def _by_tesseract(self) -> RecognisedPage | None:
        """The page that was read last, by Tesseract; None where it reads none of it well."""
        if (found := find_tesseract()) is None:
            return None
        strip = self._asked(lambda _, body: body, "strip")
        tables = {script: found.trial(strip, script) for script in found.languages}
        script, picture = self._asked(_judged, "judge", tables=tables)
        if script not in found.languages:
            return None
        read = self._asked(_page, "merge", table=found.table(picture, script))
        return replace(read, engine="tesseract")

    def _asked(
        self, check: Callable[[dict[str, Any], bytes], _T], job: str, **values: object
    ) -> _T:
        return self._child.ask(check, job, values, self._limits)


def _seen(said: dict[str, Any], body: bytes) -> tuple[str, RecognisedPage]:
    seen = str(said.get("seen"))
    return seen, RecognisedPage() if seen in ("blank", "no text") else _page(said, body)


def _judged(said: dict[str, Any], body: bytes) -> tuple[str, bytes]:
    return str(said.get("script")), body


def _page(_: dict[str, Any], body: bytes) -> RecognisedPage:
    return page_of(protocol.parsed(body))


def page_of(content: Any) -> RecognisedPage:  # noqa: ANN401 - as JSON has it
    """A page that an engine or an entry says was read; raises Malformed for none."""
    content = content if isinstance(content, dict) else {}
    lines, words = content.get("lines"), content.get("words")
    if (
        not isinstance(lines, list)
        or len(lines) > MAX_PAGE_LINES
        or not all(map(protocol.is_line, lines))
    ):
        raise protocol.Malformed("lines that are none")
    if not isinstance(words, list) or not all(map(_is_placed, words)):
        raise protocol.Malformed("words that are none")
    placed = tuple(PlacedText(*entry) for entry in words[:MAX_PAGE_WORDS])
    by, problem = (str(content.get(name, "")) for name in ("engine", "problem"))
    return RecognisedPage(tuple((text, float(sure)) for text, sure in lines), by, problem, placed)


def _is_placed(entry: object) -> bool:
    """Whether a value is a word with its place, as a correct engine returns it."""
    match entry:
        case [line, *area, text]:
            known = type(line) is int and 0 <= line <= MAX_PAGE_LINES
            return known and protocol.is_line([text, 1]) and protocol.is_area(area)
    return False
