"""A process that is asked about pages, as its parent sees it: what goes wrong has a reason.

Its replies are not trusted: `page_viewer` and `recogniser` check the values in them.
"""

from __future__ import annotations

import json
import os
import re
import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from indexer.errors import UnreadableDocument
from indexer.extract.normalise import whole
from indexer.parsers import protocol
from indexer.parsers.process import EXIT_SECONDS, RenewedProcess

_REASON = re.compile(r"[a-z_]{1,40}")
_PAGES = (protocol.PAGE, protocol.POINTS, protocol.OUTLINE)  # requests that take one more page


@dataclass(frozen=True, slots=True)
class Bounds:
    """What the process may take for a page, in seconds, and how many pages one process does.

    `near` is the share of its memory beyond which a process that ended had too little of it.
    """

    cpu_seconds: int
    near: float
    pages: int


def is_area(shares: Sequence[object]) -> bool:
    """Whether values are left, top, right and bottom of a part of a page, as shares of it."""
    places = [share for share in shares if isinstance(share, float | int)]
    # Compared, not asked whether finite: a whole number may be larger than any float.
    if len(places) != 4 or not all(0 <= place <= 1 for place in places):
        return False
    left, top, right, bottom = places
    return left < right and top < bottom


class PageProcess(RenewedProcess):
    """The process; `memory_bytes` is what it may have for the document that it holds.

    `what` says what the process does, for the message that it ended.
    """

    def __init__(
        self,
        module: str,
        seconds: float,
        bounds: Bounds,
        memory_bytes: int,
        what: str,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """`seconds` is the time for a page, `environment` that of `Process`."""
        super().__init__(module, environment)
        self.memory_bytes = memory_bytes
        self._seconds, self._bounds, self._what = seconds, bounds, what

    def renew(self) -> None:
        """End the process if it has done its pages."""
        if (self.documents or 0) >= self._bounds.pages:
            self.end()

    def opened(self, descriptor: int, **values: object) -> int:
        """The number of pages of a document that the process is given; raises as `frame` does."""
        pages = self.values(protocol.DOCUMENT, protocol.OPENED, descriptor, **values).get("pages")
        if type(pages) is not int or not 0 < pages <= protocol.MAX_PAGE:
            raise self.malformed("no number of pages")
        return pages

    def values(
        self, kind: bytes, expected: bytes, descriptor: int = -1, **values: object
    ) -> dict[str, Any]:
        """The values of the reply; raises as `frame` does."""
        return self._values(self.frame(kind, expected, descriptor, **values))

    def frame(self, kind: bytes, expected: bytes, descriptor: int = -1, **values: object) -> bytes:
        """The payload of the reply; raises UnreadableDocument, and then the process may be gone."""
        process = self.running()
        process.documents += kind in _PAGES
        try:
            deadline = time.monotonic() + self._seconds
            if descriptor >= 0:
                os.lseek(descriptor, 0, os.SEEK_SET)  # the process shares the position
            given, payload = process.ask(kind, deadline, descriptor, **values)
        except TimeoutError:
            self.end()
            detail = f"a page took more than {self._seconds:.0f} s"
            raise UnreadableDocument("timeout", detail) from None
        except (EOFError, ConnectionError):
            raise self._cause() from None
        except protocol.Malformed as error:
            raise self.malformed(str(error)) from None
        if given == expected:
            return payload
        raise self._reported(given, payload)

    def malformed(self, what: str) -> UnreadableDocument:
        """The error for a reply that no correct process sends; ends this one."""
        self.end()
        return UnreadableDocument("crashed", f"sent {what}")

    def _values(self, payload: bytes) -> dict[str, Any]:
        try:
            values = json.loads(payload)
        except (ValueError, RecursionError):
            values = None
        if not isinstance(values, dict):
            raise self.malformed("an answer that is none")
        return values

    def _reported(self, kind: bytes, payload: bytes) -> UnreadableDocument:
        """The error that the process reports."""
        values = self._values(payload) if kind == protocol.UNREADABLE else {}
        reason, detail = values.get("reason"), values.get("detail")
        if not isinstance(reason, str) or not _REASON.fullmatch(reason):
            return self.malformed("no reason")
        if reason in ("crashed", "memory"):
            self.end()
        shown = whole(detail).replace("\0", "") if isinstance(detail, str) else ""
        return UnreadableDocument(reason, " ".join(shown.split())[:300])

    def _cause(self) -> UnreadableDocument:
        """Why the process ended by itself."""
        if self.stopped:
            return UnreadableDocument("interrupted")
        code, peak = self.end(EXIT_SECONDS)
        if code == -signal.SIGXCPU:
            cpu_seconds = self._bounds.cpu_seconds
            return UnreadableDocument("timeout", f"{cpu_seconds} s of processor time")
        if code == -signal.SIGKILL or peak > self._bounds.near * self.memory_bytes:
            mib = self.memory_bytes // 2**20
            return UnreadableDocument("memory", f"{mib:,} MiB were not enough")
        return UnreadableDocument("crashed", f"{self._what} ended with {code}")
