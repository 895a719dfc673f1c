"""The process that shows pages: draws one on request, and finds the places of a quotation on it.

Sealed like a parser, before it receives the first byte. What it sends are points and shares of a
page, never a file: `page_viewer`, its parent, makes the picture, enforces time from outside and
does not trust its replies.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any, Protocol

from indexer.errors import UnreadableDocument
from indexer.extract.ocr.pictures import ShownPicture
from indexer.extract.pdf.outline import Fractions, letters_of_words, outlined
from indexer.extract.pdf.showing import ShownPdf, with_remark
from indexer.extract.points import Points
from indexer.parsers import protocol
from indexer.parsers.child import MAX_DETAIL_CHARS, allow_memory, allow_time, begin, send
from indexer.parsers.limits import PAGE_CPU_SECONDS, worker_policy


class Shown(Protocol):
    """An opened document; pages are numbered from 1 to `count`."""

    count: int

    def points(self, number: int, width: int) -> Points:
        """A page as a picture."""
        ...

    def outline(
        self, number: int, quotation: str, near: float | None
    ) -> list[tuple[int, tuple[float, float, float, float]]]:
        """The places of a quotation, each with its page."""
        ...


def shown(data: bytes) -> Shown:
    """A PDF or a picture, opened; raises UnreadableDocument."""
    return ShownPdf(data) if data[:1024].find(b"%PDF-") >= 0 else ShownPicture(data)


def main(parent: int, *, confined: bool, show: Callable[[bytes], Shown] = shown) -> None:
    """Serve until the parent ends; the channel to it is standard input."""
    begin(parent, worker_policy if confined else None, lambda channel: _serve(channel, show))


def _serve(channel: socket.socket, show: Callable[[bytes], Shown]) -> None:
    opened: Shown | None = None
    while True:
        kind, payload, descriptor = protocol.receive_with_descriptor(channel)
        request = json.loads(payload)
        allow_time(PAGE_CPU_SECONDS)
        try:
            if kind == protocol.DOCUMENT:
                opened = None  # the one before makes room first
                allow_memory(request["memory_bytes"])
                with os.fdopen(descriptor, "rb", buffering=0) as file:
                    opened = show(file.readall())
                send(channel, protocol.OPENED, pages=opened.count)
            else:
                assert opened is not None, "a page of no document"
                _answer(channel, opened, kind, request)
        except UnreadableDocument as error:
            detail = error.detail[:MAX_DETAIL_CHARS]
            send(channel, protocol.UNREADABLE, reason=error.reason, detail=detail)
        except MemoryError:
            opened = None
            send(channel, protocol.UNREADABLE, reason="memory", detail="")


def _answer(channel: socket.socket, opened: Shown, kind: bytes, request: dict[str, Any]) -> None:
    if kind == protocol.POINTS:
        points = opened.points(request["number"], request["width"])
        if request["remark"]:
            points = with_remark(points, request["remark"])
        protocol.send(channel, protocol.POINTS, protocol.encoded_points(points))
    else:
        number, quotation, near = request["number"], request["quotation"], request["near"]
        if request["words"]:
            letters = letters_of_words(list(_lines(request["words"])))
            found = outlined(quotation, number, near, {number: letters}.get)
        else:
            found = opened.outline(number, quotation, near)
        boxes = [[page, *(round(share, 5) for share in box)] for page, box in found]
        send(channel, protocol.OUTLINE, boxes=boxes[: protocol.MAX_BOXES])


def _lines(words: Sequence[Sequence[Any]]) -> Iterator[list[tuple[str, Fractions]]]:
    """Recognised words line by line, each with its box."""
    for _, line in groupby(words, key=lambda word: word[0]):
        yield [(text, (left, top, right, bottom)) for _, left, top, right, bottom, text in line]
