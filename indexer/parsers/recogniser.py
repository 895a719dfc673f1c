"""Pages in, recognised lines out, even if the process dies: the only caller of `ocr_child`.

One process, started when a page has to be read. What it returns is checked field by field, as a
parser's replies are. Where the script is one that rapidocr has no letters for, the page goes to
Tesseract, if there is one.
"""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cache

from indexer.extract.normalise import MAX_LINE_CHARS, whole
from indexer.extract.ocr.figures import FIGURE, PlacedWord
from indexer.extract.ocr.places import PlacedText, Sheet, words_of_lines
from indexer.extract.ocr.reading_order import UNREADABLE
from indexer.parsers import protocol, tesseract
from indexer.parsers.limits import OCR_CPU_SECONDS, OCR_MEMORY_BYTES, OCR_WALL_SECONDS
from indexer.parsers.page_process import Bounds, PageProcess, is_area

CHILD = "indexer.parsers.ocr_child"
VERSION = 2  # of what is written for a page; a change has every page read again
LABEL = f"ocr-{VERSION}"  # in the label of an extractor
MAX_PAGE_LINES = 20_000
MAX_PAGE_FIGURES = 20_000
MAX_PAGE_WORDS = 20_000
MAX_SIDE = 100_000  # of the picture of a page, in points
MAX_PLACE = 10**9  # of a word in a picture, in points
_SHA256 = re.compile(r"[0-9a-f]{64}")
PAGES_PER_PROCESS = 200  # then a new one takes its place: what leaks, ends with it
_BOUNDS = Bounds(OCR_CPU_SECONDS, near=1 / 3, pages=PAGES_PER_PROCESS)
# Memory of a page goes back to the system after it: else that of several adds up to over 1 GB.
_ENVIRONMENT = {"MALLOC_MMAP_THRESHOLD_": "4194304", "MALLOC_TRIM_THRESHOLD_": "67108864"}


@cache
def engine_version() -> str:
    """The engine whose results a cached page holds, as in "rapidocr-3.10.0/1"."""
    return f"rapidocr-{importlib.metadata.version('rapidocr')}/{VERSION}"


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


@dataclass(frozen=True, slots=True)
class DrawnPage:
    """A page as a picture in the process: the hash of its points, and whether it is empty."""

    sha256: str
    blank: bool


class Recogniser:
    """The process that recognises text; for one thread, and `stop` for any."""

    def __init__(self, module: str = CHILD, seconds: float = OCR_WALL_SECONDS) -> None:
        """`module` is what the process runs, `seconds` the time for a page."""
        self._process = PageProcess(
            module, seconds, _BOUNDS, OCR_MEMORY_BYTES, "the recognising process", _ENVIRONMENT
        )
        self._document: int | None = None  # a descriptor

    def open(self, descriptor: int) -> int:
        """Give the process a document; how many pages it has. Raises UnreadableDocument."""
        self._document = descriptor
        self._process.renew()
        return self._opened()

    def _opened(self) -> int:
        assert self._document is not None
        return self._process.opened(self._document)

    def draw(self, number: int) -> DrawnPage:
        """Have a page drawn, after which it can be read. Raises UnreadableDocument."""
        if self._process.documents is None:
            self._opened()  # the one before died of another page
        reply = self._process.values(protocol.PAGE, protocol.PAGE, number=number)
        sha256 = reply.get("sha256")
        if not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
            raise self._process.malformed("no hash of a page")
        return DrawnPage(sha256, reply.get("blank") is True)

    def shows_text(self) -> bool:
        """Whether a first look at the drawn page finds lines of text."""
        return self._process.values(protocol.LOOK, protocol.LOOK).get("text") is True

    def read(self) -> RecognisedPage:
        """The text of the drawn page. Raises UnreadableDocument with the reason."""
        reply = self._process.values(protocol.RECOGNISED, protocol.RECOGNISED)
        lines, words = self._checked(reply.get("lines")), self._checked_words(reply.get("words"))
        found = tesseract.find()
        if found is not None and reply.get("suspect") is True:
            language = found.language_of(
                self._process.frame(protocol.GREY, protocol.GREY, strip=True)
            )
            if language is not None:
                picture = self._process.frame(protocol.GREY, protocol.GREY, strip=False)
                figures = self._checked_figures(reply.get("figures"))
                sheet = self._checked_sheet(reply.get("size"), reply.get("turned"))
                read = found.read(picture, language, figures)
                lines = tuple(part for line in read for part in tesseract.shown(line))
                placed = tuple(filter(is_placed, words_of_lines(read, sheet)))
                return RecognisedPage(lines, "tesseract", words=placed[:MAX_PAGE_WORDS])
        return RecognisedPage(lines, "rapidocr", words=words)

    def stop(self) -> None:
        """Kill the process, even during a page; no other is started afterwards."""
        self._process.stop()

    def close(self) -> None:
        """End the process and wait until it has ended."""
        self._process.stop()
        self._process.end()

    def _checked(self, lines: object) -> tuple[tuple[str, float], ...]:
        """The lines of a reply; raises UnreadableDocument for what no correct process sends."""
        if not isinstance(lines, list) or len(lines) > MAX_PAGE_LINES:
            raise self._process.malformed("no lines")
        checked = []
        for entry in lines:
            if not isinstance(entry, list) or len(entry) != 2 or not is_line(*entry):
                raise self._process.malformed("a line that is none")
            checked.append((entry[0], float(entry[1])))
        return tuple(checked)

    def _checked_words(self, words: object) -> tuple[PlacedText, ...]:
        """The words of a reply; raises UnreadableDocument for what no correct process sends."""
        if not isinstance(words, list) or len(words) > MAX_PAGE_WORDS:
            raise self._process.malformed("no words")
        if not all(isinstance(entry, list) and is_placed(entry) for entry in words):
            raise self._process.malformed("a word that is none")
        return tuple(PlacedText(*entry) for entry in words)

    def _checked_sheet(self, size: object, turned: object) -> Sheet:
        """The size of the picture and how it was turned; raises UnreadableDocument."""
        if not isinstance(size, list) or len(size) != 2 or turned not in (0, 90, 180, 270):
            raise self._process.malformed("no sheet")
        if not all(type(side) is int and 0 < side <= MAX_SIDE for side in size):
            raise self._process.malformed("a sheet without a size")
        width, height = size
        return Sheet(width, height, turned)

    def _checked_figures(self, figures: object) -> list[PlacedWord]:
        """The figures of a reply; raises UnreadableDocument for what no correct process sends."""
        if not isinstance(figures, list) or len(figures) > MAX_PAGE_FIGURES:
            raise self._process.malformed("no figures")
        if not all(isinstance(entry, list) and is_word(*entry) for entry in figures):
            raise self._process.malformed("a figure that is none")
        return [PlacedWord(*entry) for entry in figures]


def is_line(text: object, confidence: object) -> bool:
    """Whether a value is a line of text with a confidence, as a correct engine returns it."""
    return (
        isinstance(text, str)
        and len(text) <= MAX_LINE_CHARS
        and not any(char in text for char in "\0\r\n")
        and whole(text) == text
        and isinstance(confidence, float | int)
        and 0 <= confidence <= 1
    )


def is_placed(values: Sequence[object]) -> bool:
    """Whether values are those of a word with its place, as a correct engine returns it."""
    if len(values) != len(PlacedText._fields):
        return False
    line, *places, text = values
    if type(line) is not int or not 0 <= line <= MAX_PAGE_LINES or not is_line(text, 1):
        return False
    return is_area(places)


def is_word(*values: object) -> bool:
    """Whether values are those of a figure, as a correct engine returns it."""
    if len(values) != len(fields(PlacedWord)):
        return False
    *places, text, confidence, figure, certain = values
    return (
        all(isinstance(place, float | int) and abs(place) <= MAX_PLACE for place in places)
        and isinstance(text, str)
        and len(text) <= MAX_LINE_CHARS
        and FIGURE.fullmatch(text) is not None
        and isinstance(confidence, float | int)
        and 0 <= confidence <= 1
        and figure is True
        and isinstance(certain, bool)
    )
