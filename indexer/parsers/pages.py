"""What pages show, even if the process that looks at them dies: recognised text and pictures.

A `Recogniser` asks for the jobs of `recognising`, where rapidocr is imported; a `PageViewer` for
those of `child`. What comes back is checked field by field; pictures are made here, of points, so
that what a viewer decodes was written by this program.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, TypeVar

from indexer.errors import Refused
from indexer.extract.ocr.reading_order import PlacedText
from indexer.parsers import limits, protocol, recogniser_version
from indexer.parsers.limits import DocumentLimits, limits_for
from indexer.parsers.process import Child, words_of
from indexer.parsers.tesseract import find_tesseract, tesseract_scripts
from indexer.parsers.worker import PARSER, Copy
from indexer.records import GREY_BYTES, Box, PagePicture, Points

_T = TypeVar("_T")


class PageReader(Child):
    """A process that does jobs of single pages, of the document that it was given last."""

    _held, pages = "", 0  # the hash of that document, and its pages

    def give(self, document: Copy, bounds: DocumentLimits) -> int:
        """The number of pages of a document, which the process has then; UnreadableDocument."""

        def number(said: dict[str, Any], _: bytes) -> int:
            if type(pages := said.get("pages")) is int and 0 < pages <= MAX_PAGES:
                return pages
            raise protocol.Malformed("no number of pages")

        self.new_task()
        if self._held != document.sha256 or not self.runs:
            self._held = ""
            self.pages = self.ask(number, "pages", bounds, document.descriptor)
            self._held = document.sha256
        return self.pages


# ---- Recognised text

RECOGNISING = "indexer.parsers.recognising"
VERSION = 2  # of what is written for a page; a change has every page read again
LABEL = f"ocr-{VERSION}"  # in the label of an extractor
MAX_PAGES = 100_000  # of a document
MAX_PAGE_LINES = 20_000
MAX_PAGE_WORDS = 20_000
OCR_LIMITS = DocumentLimits(
    limits.OCR_MEMORY_BYTES, limits.OCR_CPU_SECONDS, limits.OCR_WALL_SECONDS
)
# Memory of a page goes back to the system after it: else that of several adds up to over 1 GB.
_ENVIRONMENT = {"MALLOC_MMAP_THRESHOLD_": "4194304", "MALLOC_TRIM_THRESHOLD_": "67108864"}


@cache
def engine_version() -> str:
    """The engine whose results a kept page holds, as in "rapidocr-3.10.0/2"."""
    return f"rapidocr-{recogniser_version()}/{VERSION}"


@dataclass(frozen=True, slots=True)
class RecognisedPage:
    """The text of a page by its number: each line with its confidence, 0 to 1.

    `version` is the installation's that looked at it; `looked`: a first look showed no text, and no
    other was taken. `problem` is the reason for which it could not be read. `words` are those of
    the lines with their places. `by_tesseract`: it read them;
    `in_vain`: in how many scripts it was to read them, and did not.
    """

    number: int = 1
    version: str = ""
    lines: tuple[tuple[str, float], ...] = ()
    problem: str = ""
    words: tuple[PlacedText, ...] = ()
    looked: bool = False
    by_tesseract: bool = False
    in_vain: int | None = None


class Recogniser(PageReader):
    """The process that recognises text."""

    def __init__(self, program: str = RECOGNISING, bounds: DocumentLimits = OCR_LIMITS) -> None:
        """`program` is what the process does, `bounds` are those of a page."""
        super().__init__(program, _ENVIRONMENT)
        self._bounds = bounds

    def read(self, document: Copy, number: int, *, look: bool = False) -> RecognisedPage:
        """The text of a page; with `look`, none where a first look finds no lines on it."""
        self.give(document, self._bounds)
        seen, page = self.ask(_seen, "read", self._bounds, number=number, look=look)
        if seen == "suspect":  # in a script that rapidocr has no letters for
            page = self._by_tesseract() or replace(page, in_vain=len(tesseract_scripts()))
        return replace(page, number=number, version=engine_version())

    def _by_tesseract(self) -> RecognisedPage | None:
        """The page that was read last, by Tesseract; None where it reads none of it well."""
        if (found := find_tesseract()) is None:
            return None
        strip = self.ask(greyed, "picture", self._bounds, trial=True)
        tables = {script: found.table(strip, script, trial=True) for script in found.languages}
        judged = self.ask(lambda said, _: said.get("script"), "judge", self._bounds, tables=tables)
        if (script := str(judged)) not in tables:
            return None
        table = found.table(self.ask(greyed, "picture", self._bounds, trial=False), script)
        _, page = self.ask(_seen, "printed", self._bounds, table=table)
        return replace(page, by_tesseract=True)


def _seen(said: dict[str, Any], body: bytes) -> tuple[str, RecognisedPage]:
    seen = str(said.get("seen"))
    if seen in ("blank", "no text"):
        return seen, RecognisedPage(looked=seen == "no text")
    return seen, replace(
        page_of(protocol.parsed(body)), looked=False, by_tesseract=False, in_vain=None
    )


def greyed(said: dict[str, Any], body: bytes) -> Points:
    """The picture of a message, for Tesseract; raises Malformed for none, or for one in colours."""
    points = protocol.checked_points(said, body, MAX_WIDTH)
    if points.channels != GREY_BYTES:
        raise protocol.Malformed("a picture in colours")
    return points


def page_of(content: Any) -> RecognisedPage:  # noqa: ANN401 - as JSON has it
    """A page that an engine or an entry says was read; raises Malformed for none."""
    content = content if isinstance(content, dict) else {}
    lines, words, number = content.get("lines"), content.get("words"), content.get("number", 1)
    are_lines = isinstance(lines, list) and all(protocol.fit(x, "str", "float") for x in lines)
    are_words = isinstance(words, list) and all(map(_is_placed, words))
    if not (are_lines and are_words and len(lines) <= MAX_PAGE_LINES and type(number) is int):
        raise protocol.Malformed("a page that is none")
    version, problem = (words_of(content.get(name, "")) for name in ("version", "problem"))
    return RecognisedPage(
        number,
        version,
        tuple((text, sure) for text, sure in lines),
        problem,
        tuple(PlacedText(*entry) for entry in words[:MAX_PAGE_WORDS]),
        content.get("looked") is True,
        content.get("by_tesseract") is True,
        in_vain if type(in_vain := content.get("in_vain")) is int else None,
    )


def _is_placed(entry: object) -> bool:
    """Whether a value is a word: the number of its line, from 0, its place and its text."""
    match entry:
        case [int(line), *area, text] if 0 <= line <= MAX_PAGE_LINES:
            return protocol.is_area(area) and protocol.fit([text], "str")
    return False


# ---- Pictures

PICTURING = PARSER
MAX_WIDTH = 4_000  # of a picture, in points
MAX_QUOTATION_CHARS = 8_000  # that are looked for


class PageViewer:
    """The process that shows pages, with a thread that starts it: those of a server come and go."""

    def __init__(self, program: str = PICTURING, seconds: float = limits.PAGE_WALL_SECONDS) -> None:
        """`program` is what the process does, `seconds` the time for one request."""
        self._child, self._seconds = PageReader(program), seconds
        self._thread = ThreadPoolExecutor(1, "pages")

    def picture(self, document: Copy, number: int, width: int) -> PagePicture:
        """A page as a picture, at most `width` points wide."""
        if not 1 <= width <= MAX_WIDTH:
            message = f"A picture is 1 to {MAX_WIDTH:,} points wide, not {width:,}."
            raise Refused(message, code="bad_argument")

        check = partial(protocol.checked_points, width=width)
        points = self._asked(document, number, check, "points", width=width)
        return PagePicture(png_of(points), points.width, points.height)

    def outline(
        self,
        document: Copy,
        number: int,
        quotation: str,
        near: float | None = None,
        words: Sequence[PlacedText] = (),
    ) -> tuple[Box, ...]:
        """The boxes of a quotation; see indexer.extract.pdf.showing. Raises as `picture` does."""
        asked = {"quotation": quotation[:MAX_QUOTATION_CHARS], "near": near, "words": words}
        return self._asked(document, number, self._boxes, "outline", **asked)

    def close(self) -> None:
        """End the process and its thread, and wait until they have ended."""
        self._thread.submit(self._child.close)
        self._thread.shutdown()

    def _asked(
        self,
        document: Copy,
        number: int,
        check: Callable[[dict[str, Any], bytes], _T],
        job: str,
        **values: Any,  # noqa: ANN401
    ) -> _T:
        """The answer about a page; raises Refused where the document has none of that number."""

        def answer() -> _T:
            memory = limits_for(document.bytes).memory_bytes
            bounds = DocumentLimits(memory, limits.PAGE_CPU_SECONDS, self._seconds)
            pages = self._child.give(document, bounds)
            if not 1 <= number <= pages:
                has = f"{pages:,} page{'' if pages == 1 else 's'}"
                message = f"There is no page {number}: the document has {has}."
                raise Refused(message, code="beyond_end")
            return self._child.ask(check, job, bounds, number=number, **values)

        return self._thread.submit(answer).result()

    def _boxes(self, said: dict[str, Any], _: bytes) -> tuple[Box, ...]:
        """The boxes of an answer; raises Malformed for what no correct process sends."""
        boxes: Any = said.get("boxes")
        right = isinstance(boxes, list) and len(boxes) <= protocol.MAX_BOXES
        if not right or not all(is_box(box, self._child.pages) for box in boxes):
            raise protocol.Malformed("boxes that are none")
        return tuple(Box(*box) for box in boxes)


def is_box(values: Any, pages: int) -> bool:  # noqa: ANN401 - as JSON has it
    """Whether values are a page and a box on it, as a correct process returns them."""
    is_paged = isinstance(values, list) and protocol.fit(values[:1], "int")
    return is_paged and values[0] <= pages and protocol.is_area(values[1:])


@cache
def page_viewer() -> PageViewer:
    """That of this process, for all indices: pages are told apart by their bytes."""
    return PageViewer()


_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_LEVEL = 1  # of zlib: pages are mostly white, and the next ones take three times as long


def png_of(points: Points) -> bytes:
    """The picture as a PNG file of 8 bits a sample; see ISO 15948, 11.2."""
    row = points.width * points.channels
    rows = (points.data[at : at + row] for at in range(0, len(points.data), row))
    unfiltered = b"".join(part for each in rows for part in (b"\0", each))
    kind = 0 if points.channels == GREY_BYTES else 2  # grey, or red, green and blue
    header = struct.pack(">IIBBBBB", points.width, points.height, 8, kind, 0, 0, 0)
    data = zlib.compress(unfiltered, _LEVEL)
    png = [_SIGNATURE]
    for name, content in ((b"IHDR", header), (b"IDAT", data), (b"IEND", b"")):
        check = struct.pack(">I", zlib.crc32(name + content))
        png += [struct.pack(">I", len(content)), name, content, check]
    return b"".join(png)
