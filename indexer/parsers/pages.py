"""Pages as pictures, and the places of a quotation on them, even if the process dies.

By the jobs of `child` that are about pages. What comes back is checked field by
field; pictures are made here, of points, so that what a viewer decodes was written by this program.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar

from indexer.errors import Refused
from indexer.extract.ocr import PlacedText
from indexer.parsers import limits, protocol
from indexer.parsers.limits import DocumentLimits, limits_for
from indexer.parsers.process import Child
from indexer.parsers.worker import PARSER, Copy
from indexer.records import GREY_BYTES, Box, PagePicture, Points

PICTURING = PARSER
MAX_WIDTH = 4_000  # of a picture, in points
MAX_QUOTATION_CHARS = 8_000  # that are looked for

_T = TypeVar("_T")
_Check = Callable[[dict[str, Any], bytes], _T]


class PageViewer:
    """The process that shows pages; for any number of threads, which take turns.

    It belongs to a thread of its own, since it ends with the thread that started it and those of a
    server come and go.
    """

    def __init__(self, program: str = PICTURING, seconds: float = limits.PAGE_WALL_SECONDS) -> None:
        """`program` is what the process does, `seconds` the time for one request."""
        self._child, self._seconds = Child(program), seconds
        self._held, self._pages = "", 0  # the hash of the document that is open, and its pages
        self._thread = ThreadPoolExecutor(1, "pages")

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
        self._thread.submit(self._child.close)
        self._thread.shutdown()

    def _asked(
        self, document: Copy, number: int, check: _Check[_T], job: str, **values: object
    ) -> _T:
        """What a job returns or raises in the thread of the process."""
        return self._thread.submit(self._shown, document, number, check, job, values).result()

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
            raise protocol.Malformed("no boxes")
        if not all(isinstance(box, list) and is_box(box, self._pages) for box in boxes):
            raise protocol.Malformed("a box that is none")
        return tuple(Box(*box) for box in boxes)


def is_box(values: list[object], pages: int) -> bool:
    """Whether values are a page and a box on it, as a correct process returns them."""
    page, *area = values or [0]
    return type(page) is int and 1 <= page <= pages and protocol.is_area(area)


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
