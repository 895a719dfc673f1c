"""Pages in, recognised text or pictures out, even if the process dies.

The only caller of the jobs of `recognising`, and of those of `reading` that are about pages. What
comes back is checked field by field; pictures are made here, of points, so that what a viewer
decodes was written by this program.
"""

from __future__ import annotations

import importlib.metadata
import struct
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import cache
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

from indexer.errors import Refused
from indexer.extract.normalise import MAX_LINE_CHARS, whole
from indexer.extract.ocr.reading_order import UNREADABLE, PlacedText
from indexer.extract.points import GREY_BYTES, Points
from indexer.parsers import limits, protocol
from indexer.parsers.engines import find_tesseract
from indexer.parsers.limits import DocumentLimits, limits_for
from indexer.parsers.process import Child
from indexer.parsers.protocol import Malformed
from indexer.parsers.worker import Copy
from indexer.records import Box, PagePicture

RECOGNISING = "indexer.parsers.recognising"
PICTURING = "indexer.parsers.reading"
VERSION = 2  # of what is written for a page; a change has every page read again
LABEL = f"ocr-{VERSION}"  # in the label of an extractor
MAX_PAGE_LINES = 20_000
MAX_PAGE_WORDS = 20_000
MAX_WIDTH = 4_000  # of a picture, in points
MAX_QUOTATION_CHARS = 8_000  # that are looked for
OCR_LIMITS = DocumentLimits(
    limits.OCR_MEMORY_BYTES, limits.OCR_CPU_SECONDS, limits.OCR_WALL_SECONDS
)
# Memory of a page goes back to the system after it: else that of several adds up to over 1 GB.
_ENVIRONMENT = {"MALLOC_MMAP_THRESHOLD_": "4194304", "MALLOC_TRIM_THRESHOLD_": "67108864"}

_T = TypeVar("_T")
_Check = Callable[[dict[str, Any], bytes], _T]


# ---- Recognised text


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

    def draw(self, number: int) -> bool:
        """Have a page drawn, to be read; whether it is empty."""
        if not (self._is_open and self._child.runs):  # the one before may have died of a page
            self.count()
        self._child.tasks += 1
        return self._asked(lambda said, _: said.get("blank") is True, "draw", number=number)

    def shows_text(self) -> bool:
        """Whether a first look at the drawn page finds lines of text."""
        return self._asked(lambda said, _: said.get("text") is True, "look")

    def read(self) -> RecognisedPage:
        """The text of the drawn page. Raises UnreadableDocument with the reason.

        Where the script is one that rapidocr has no letters for, Tesseract reads it, if it is here.
        """
        page, suspect = self._asked(lambda said, body: (_page(body), said.get("suspect")), "read")
        found = find_tesseract()
        if found is not None and suspect is True:
            strip = self._asked(_body, "grey", strip=True)
            tables = {script: found.trial(strip, script) for script in found.languages}
            script = self._asked(lambda said, _: str(said.get("script")), "judge", tables=tables)
            if script in found.languages:
                table = found.table(self._asked(_body, "grey", strip=False), script)
                read = self._asked(lambda _, body: _page(body), "merge", table=table)
                return replace(read, engine="tesseract")
        return replace(page, engine="rapidocr")

    def _asked(self, check: _Check[_T], job: str, **values: object) -> _T:
        return self._child.ask(check, job, values, self._limits)


def _body(_: dict[str, Any], body: bytes) -> bytes:
    return body


def _page(body: bytes) -> RecognisedPage:
    return page_of(protocol.parsed(body))


def page_of(content: Any) -> RecognisedPage:  # noqa: ANN401 - as JSON has it
    """A page that an engine or an entry says was read; raises Malformed for none."""
    content = content if isinstance(content, dict) else {}
    lines, words = content.get("lines"), content.get("words")
    if not isinstance(lines, list) or len(lines) > MAX_PAGE_LINES or not all(map(is_line, lines)):
        raise Malformed("lines that are none")
    if not isinstance(words, list) or not all(map(_is_placed, words)):
        raise Malformed("words that are none")
    placed = tuple(PlacedText(*entry) for entry in words[:MAX_PAGE_WORDS])
    by, problem = (str(content.get(name, "")) for name in ("engine", "problem"))
    return RecognisedPage(tuple((text, float(sure)) for text, sure in lines), by, problem, placed)


def is_line(entry: object) -> bool:
    """Whether a value is a line of text with a confidence, as a correct engine returns it."""
    match entry:
        case [str(text), float() | int() as confidence]:
            ends = any(char in text for char in "\0\r\n")
            fits = len(text) <= MAX_LINE_CHARS and not ends and whole(text) == text
            return fits and 0 <= confidence <= 1
    return False


def _is_placed(entry: object) -> bool:
    """Whether a value is a word with its place, as a correct engine returns it."""
    match entry:
        case [line, *area, text]:
            known = type(line) is int and 0 <= line <= MAX_PAGE_LINES
            return known and is_line([text, 1]) and _is_area(area)
    return False


def is_box(values: list[object], pages: int) -> bool:
    """Whether values are a page and a box on it, as a correct process returns them."""
    page, *area = values or [0]
    return type(page) is int and 1 <= page <= pages and _is_area(area)


def _is_area(values: Sequence[object]) -> bool:
    """Whether values are left, top, right and bottom of a part of a page, as shares of it."""
    # Compared, not asked whether finite: a whole number may be larger than any float.
    shares = [share for share in values if isinstance(share, float | int) and 0 <= share <= 1]
    if not len(values) == len(shares) == 4:
        return False
    left, top, right, bottom = shares
    return left < right and top < bottom


# ---- Pictures


class PageViewer:
    """The process that shows pages; for any number of threads, which take turns.

    It belongs to a thread of its own, since it ends with the thread that started it and those of a
    server come and go.
    """

    def __init__(self, program: str = PICTURING, seconds: float = limits.PAGE_WALL_SECONDS) -> None:
        """`program` is what the process does, `seconds` the time for one request."""
        self._child, self._seconds = Child(program), seconds
        self._held, self._pages = "", 0  # the hash of the document that is open, and its pages
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = Thread(target=self._attend, daemon=True)
        self._thread.start()

    def picture(self, document: Copy, number: int, width: int) -> PagePicture:
        """A page as a picture, at most `width` points wide."""
        if not 1 <= width <= MAX_WIDTH:
            message = f"A picture is 1 to {MAX_WIDTH:,} points wide, not {width:,}."
            raise Refused(message, code="bad_argument")

        def check(_: dict[str, Any], body: bytes) -> Points:
            return protocol.checked_points(body, width)

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
        self._jobs.put(None)
        self._thread.join()

    def _attend(self) -> None:
        """In the thread: do one job after the other until there is None."""
        while (job := self._jobs.get()) is not None:
            job()
            del job  # what it holds may be waited for
        self._child.close()

    def _asked(
        self, document: Copy, number: int, check: _Check[_T], job: str, **values: object
    ) -> _T:
        """What a job returns or raises in the thread of the process."""
        answer: Future[_T] = Future()

        def do() -> None:
            try:
                answer.set_result(self._shown(document, number, check, job, values))
            except BaseException as error:  # noqa: BLE001 - the caller waits for it and raises it
                answer.set_exception(error)

        self._jobs.put(do)
        return answer.result()

    def _shown(
        self, document: Copy, number: int, check: _Check[_T], job: str, values: dict[str, object]
    ) -> _T:
        """The answer about a page; raises Refused where the document has none of that number."""
        memory = limits_for(document.bytes).memory_bytes
        bounds = DocumentLimits(memory, limits.PAGE_CPU_SECONDS, self._seconds)
        self._child.new_task()
        if self._held != document.sha256 or not self._child.runs:
            self._held = ""
            self._pages = self._child.pages(document.descriptor, bounds)
            self._held = document.sha256
        if not 1 <= number <= self._pages:
            plural = "" if self._pages == 1 else "s"
            message = f"There is no page {number}: the document has {self._pages:,} page{plural}."
            raise Refused(message, code="beyond_end")
        return self._child.ask(check, job, {"number": number, **values}, bounds)

    def _boxes(self, said: dict[str, Any], _: bytes) -> tuple[Box, ...]:
        """The boxes of an answer; raises Malformed for what no correct process sends."""
        boxes = said.get("boxes")
        if not isinstance(boxes, list) or len(boxes) > protocol.MAX_BOXES:
            raise Malformed("no boxes")
        if not all(isinstance(box, list) and is_box(box, self._pages) for box in boxes):
            raise Malformed("a box that is none")
        return tuple(Box(*box) for box in boxes)


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
    chunks = (b"IHDR", header), (b"IDAT", data), (b"IEND", b"")
    return _SIGNATURE + b"".join(_chunk(*chunk) for chunk in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    check = zlib.crc32(kind + data)
    return b"".join((struct.pack(">I", len(data)), kind, data, struct.pack(">I", check)))
