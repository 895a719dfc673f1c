"""A page in, a picture or boxes out, even if the process dies: the only caller of `page_child`.

One process, started with the first page. It belongs to a thread of its own, since it ends with the
thread that started it and those of a server come and go. What it returns is checked field by field,
as a parser's replies are; the pictures are made here, of points.
"""

from __future__ import annotations

import json
import os
import re
import signal
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

from indexer.errors import Refused, UnreadableDocument
from indexer.extract.normalise import whole
from indexer.extract.ocr.places import PlacedText
from indexer.extract.points import Points
from indexer.parsers import protocol
from indexer.parsers.limits import PAGE_CPU_SECONDS, PAGE_WALL_SECONDS, limits_for
from indexer.parsers.png import png_of
from indexer.parsers.process import EXIT_SECONDS, RenewedProcess
from indexer.records import Box

CHILD = "indexer.parsers.page_child"
PAGES_PER_PROCESS = 500  # then a new one takes its place: what leaks, ends with it
MAX_WIDTH = 4_000  # of a picture, in points
MAX_QUOTATION_CHARS = 8_000  # that are looked for; a frame holds as many, however they are written

_REASON = re.compile(r"[a-z_]{1,40}")

_T = TypeVar("_T")
_Jobs = SimpleQueue[Callable[[], None] | None]


@dataclass(frozen=True, slots=True)
class ShownDocument:
    """A document to be shown: a descriptor of its bytes, how many they are, and their hash."""

    descriptor: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class DrawnPicture:
    """A PNG file and its size."""

    png: bytes
    width: int
    height: int


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

    def picture(
        self, document: ShownDocument, number: int, width: int, remark: str = ""
    ) -> DrawnPicture:
        """A page as a picture, at most `width` points wide, with a remark at its top if one is due.

        Raises UnreadableDocument with the reason, and Refused for a page that is not there.
        """
        points = self._asked(lambda: self._showing.points(document, number, width, remark))
        return DrawnPicture(png_of(points), points.width, points.height)

    def outline(
        self,
        document: ShownDocument,
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
        self._seconds = seconds
        self._process = RenewedProcess(module)
        self._held: str | None = None  # the hash of the document that is open in it
        self._pages = 0

    def points(self, document: ShownDocument, number: int, width: int, remark: str) -> Points:
        """The points of a page."""
        if not 1 <= width <= MAX_WIDTH:
            raise Refused(
                f"A picture is 1 to {MAX_WIDTH:,} points wide, not {width:,}.", code="bad_argument"
            )
        payload = self._asked(document, number, protocol.POINTS, width=width, remark=remark)
        try:
            return protocol.checked_points(payload, width)
        except protocol.Malformed as error:
            raise self._malformed(str(error)) from None

    def boxes(
        self,
        document: ShownDocument,
        number: int,
        quotation: str,
        near: float | None,
        words: Sequence[PlacedText],
    ) -> tuple[Box, ...]:
        """The boxes of a quotation."""
        said = {"quotation": quotation[:MAX_QUOTATION_CHARS], "near": near, "words": words}
        boxes = self._values(self._asked(document, number, protocol.OUTLINE, **said)).get("boxes")
        if not isinstance(boxes, list) or len(boxes) > protocol.MAX_BOXES:
            raise self._malformed("no boxes")
        if not all(isinstance(box, list) and is_box(box, self._pages) for box in boxes):
            raise self._malformed("a box that is none")
        return tuple(Box(*box) for box in boxes)

    def end(self) -> None:
        """End the process and wait until it has ended."""
        self._held = None
        self._process.end()

    def _asked(self, document: ShownDocument, number: int, kind: bytes, **values: object) -> bytes:
        """The payload of the reply about a page of a document, which is opened if need be."""
        if (self._process.documents or 0) >= PAGES_PER_PROCESS:
            self.end()
        if self._held != document.sha256 or self._process.documents is None:
            self._open(document)
        if not 1 <= number <= self._pages:
            plural = "" if self._pages == 1 else "s"
            raise Refused(
                f"There is no page {number}: the document has {self._pages:,} page{plural}.",
                code="beyond_end",
            )
        return self._frame(kind, kind, document, {"number": number, **values})

    def _open(self, document: ShownDocument) -> None:
        self._held = None
        os.lseek(document.descriptor, 0, os.SEEK_SET)  # the process shares the position
        memory = limits_for(document.bytes).memory_bytes
        payload = self._frame(
            protocol.DOCUMENT,
            protocol.OPENED,
            document,
            {"memory_bytes": memory},
            document.descriptor,
        )
        pages = self._values(payload).get("pages")
        if type(pages) is not int or not 0 < pages <= protocol.MAX_PAGE:
            raise self._malformed("no number of pages")
        self._pages, self._held = pages, document.sha256

    def _frame(
        self,
        kind: bytes,
        expected: bytes,
        document: ShownDocument,
        values: Mapping[str, object],
        descriptor: int = -1,
    ) -> bytes:
        """The payload of the reply; raises UnreadableDocument, and then the process may be gone."""
        process = self._process.running()
        process.documents += 1
        try:
            deadline = time.monotonic() + self._seconds
            given, payload = process.ask(kind, deadline, descriptor, **values)
        except TimeoutError:
            self.end()
            detail = f"a page took more than {self._seconds:.0f} s"
            raise UnreadableDocument("timeout", detail) from None
        except (EOFError, ConnectionError):
            raise self._cause(document) from None
        except protocol.Malformed as error:
            raise self._malformed(str(error)) from None
        if given == expected:
            return payload
        raise self._reported(given, payload)

    def _values(self, payload: bytes) -> dict[str, Any]:
        try:
            values = json.loads(payload)
        except (ValueError, RecursionError):
            values = None
        if not isinstance(values, dict):
            raise self._malformed("an answer that is none")
        return values

    def _reported(self, kind: bytes, payload: bytes) -> UnreadableDocument:
        """The error that the process reports."""
        values = self._values(payload) if kind == protocol.UNREADABLE else {}
        reason, detail = values.get("reason"), values.get("detail")
        if not isinstance(reason, str) or not _REASON.fullmatch(reason):
            return self._malformed("no reason")
        if reason in ("crashed", "memory"):
            self.end()
        shown = whole(detail).replace("\0", "") if isinstance(detail, str) else ""
        return UnreadableDocument(reason, " ".join(shown.split())[:300])

    def _cause(self, document: ShownDocument) -> UnreadableDocument:
        """Why the process ended by itself."""
        self._held = None
        code, peak = self._process.end(EXIT_SECONDS)
        if code == -signal.SIGXCPU:
            return UnreadableDocument("timeout", f"{PAGE_CPU_SECONDS} s of processor time")
        most = limits_for(document.bytes).memory_bytes
        if code == -signal.SIGKILL or peak > most // 2:
            return UnreadableDocument("memory", f"{most // 2**20:,} MiB were not enough")
        return UnreadableDocument("crashed", f"the process that draws pages ended with {code}")

    def _malformed(self, what: str) -> UnreadableDocument:
        self.end()
        return UnreadableDocument("crashed", f"sent {what}")


def is_box(values: list[object], pages: int) -> bool:
    """Whether values are a page and a box on it, as a correct process returns them."""
    if len(values) != 5 or type(values[0]) is not int or not 1 <= values[0] <= pages:
        return False
    shares = [value for value in values[1:] if isinstance(value, float | int)]
    # Compared, not asked whether finite: a whole number may be larger than any float.
    if len(shares) != 4 or not all(0 <= share <= 1 for share in shares):
        return False
    left, top, right, bottom = shares
    return left < right and top < bottom
