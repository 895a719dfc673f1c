"""A page in, a picture or boxes out, even if the process dies: the only caller of `page_child`.

One process, started with the first page. It belongs to a thread of its own, since it ends with the
thread that started it and those of a server come and go. What it returns is checked field by field,
as a parser's replies are; the pictures are made here, of points.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

from indexer.errors import Refused
from indexer.extract.ocr.places import PlacedText
from indexer.extract.points import Points
from indexer.parsers import protocol
from indexer.parsers.limits import PAGE_CPU_SECONDS, PAGE_WALL_SECONDS, limits_for
from indexer.parsers.page_process import Bounds, PageProcess, is_area
from indexer.parsers.png import png_of
from indexer.parsers.worker import Copy
from indexer.records import Box, PagePicture

CHILD = "indexer.parsers.page_child"
PAGES_PER_PROCESS = 500  # then a new one takes its place: what leaks, ends with it
MAX_WIDTH = 4_000  # of a picture, in points
MAX_QUOTATION_CHARS = 8_000  # that are looked for; a frame holds as many, however they are written

_BOUNDS = Bounds(PAGE_CPU_SECONDS, near=1 / 2, pages=PAGES_PER_PROCESS)

_T = TypeVar("_T")
_Jobs = SimpleQueue[Callable[[], None] | None]


class PageViewer:
    """The process that shows pages; for any number of threads, which take turns."""

    def __init__(self, module: str = CHILD, seconds: float = PAGE_WALL_SECONDS) -> None:
        """`module` is what the process runs, `seconds` the time for one request."""
        self._showing = _Showing(module, seconds)
        self._jobs: _Jobs = SimpleQueue()
        self._thread = Thread(target=_attend, args=(self._jobs, self._showing), daemon=True)
        self._thread.start()
        # Nobody has to close it: an index is handed on from version to version. A collection of
        # garbage may begin anywhere, so that what it calls must take no lock and wait for nothing.
        self._ended = weakref.finalize(self, self._jobs.put, None)

    def picture(self, document: Copy, number: int, width: int, remark: str = "") -> PagePicture:
        """A page as a picture, at most `width` points wide, with a remark at its top if one is due.

        Raises UnreadableDocument with the reason, and Refused for a page that is not there.
        """
        points = self._asked(lambda: self._showing.points(document, number, width, remark))
        return PagePicture(png_of(points), points.width, points.height)

    def outline(
        self,
        document: Copy,
        number: int,
        quotation: str,
        near: float | None = None,
        words: Sequence[PlacedText] = (),
    ) -> tuple[Box, ...]:
        """The boxes of a quotation; see indexer.extract.pdf.outline. Raises as `picture` does.

        `words` are those of the page where it was recognised.
        """
        return self._asked(lambda: self._showing.boxes(document, number, quotation, near, words))

    def close(self) -> None:
        """End the process and its thread, and wait until they have ended."""
        self._ended()
        self._thread.join()

    def _asked(self, question: Callable[[], _T]) -> _T:
        """What a question returns or raises in the thread of the process."""
        assert self._ended.alive, "closed"
        answer: Future[_T] = Future()

        def job() -> None:
            try:
                answer.set_result(question())
            except BaseException as error:  # noqa: BLE001 - the caller waits for it and raises it
                answer.set_exception(error)

        self._jobs.put(job)
        return answer.result()


def _attend(jobs: _Jobs, showing: _Showing) -> None:
    """Do one job after the other until there is None, then end the process."""
    while (job := jobs.get()) is not None:
        job()
        del job  # it holds the viewer, which ends when nothing does
    showing.end()


class _Showing:
    """The process and the document that it holds; for one thread."""

    def __init__(self, module: str, seconds: float) -> None:
        self._process = PageProcess(module, seconds, _BOUNDS, 0, "the process that draws pages")
        self._held: str | None = None  # the hash of the document that is open in it
        self._pages = 0

    def points(self, document: Copy, number: int, width: int, remark: str) -> Points:
        """The points of a page."""
        if not 1 <= width <= MAX_WIDTH:
            raise Refused(
                f"A picture is 1 to {MAX_WIDTH:,} points wide, not {width:,}.", code="bad_argument"
            )
        self._hold(document, number)
        points = protocol.POINTS
        payload = self._process.frame(points, points, number=number, width=width, remark=remark)
        try:
            return protocol.checked_points(payload, width)
        except protocol.Malformed as error:
            raise self._process.malformed(str(error)) from None

    def boxes(
        self,
        document: Copy,
        number: int,
        quotation: str,
        near: float | None,
        words: Sequence[PlacedText],
    ) -> tuple[Box, ...]:
        """The boxes of a quotation."""
        self._hold(document, number)
        said: dict[str, Any] = {"number": number, "near": near, "words": words}
        said["quotation"] = quotation[:MAX_QUOTATION_CHARS]
        boxes = self._process.values(protocol.OUTLINE, protocol.OUTLINE, **said).get("boxes")
        if not isinstance(boxes, list) or len(boxes) > protocol.MAX_BOXES:
            raise self._process.malformed("no boxes")
        if not all(isinstance(box, list) and is_box(box, self._pages) for box in boxes):
            raise self._process.malformed("a box that is none")
        return tuple(Box(*box) for box in boxes)

    def end(self) -> None:
        """End the process and wait until it has ended."""
        self._process.end()

    def _hold(self, document: Copy, number: int) -> None:
        """Open a document in the process, if it is not yet; raises Refused without that page."""
        self._process.renew()
        if self._held != document.sha256 or self._process.documents is None:
            self._open(document)
        if not 1 <= number <= self._pages:
            plural = "" if self._pages == 1 else "s"
            raise Refused(
                f"There is no page {number}: the document has {self._pages:,} page{plural}.",
                code="beyond_end",
            )

    def _open(self, document: Copy) -> None:
        self._held = None
        memory = self._process.memory_bytes = limits_for(document.bytes).memory_bytes
        self._pages = self._process.opened(document.descriptor, memory_bytes=memory)
        self._held = document.sha256


def is_box(values: list[object], pages: int) -> bool:
    """Whether values are a page and a box on it, as a correct process returns them."""
    if len(values) != 5 or type(values[0]) is not int or not 1 <= values[0] <= pages:
        return False
    return is_area(values[1:])
