"""The process that recognises text: draws one page on request and returns its lines.

Sealed like a parser, with limits of its own. rapidocr, its models and the decoders of pictures are
loaded here and nowhere else, after the process is confined. Started by `recogniser`, which enforces
time from outside and does not trust its replies.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import resource
import socket
import sys

import numpy as np

from indexer.confine import confine, die_with_parent
from indexer.errors import SealUnavailable, UnreadableDocument
from indexer.extract.normalise import lines_of
from indexer.extract.ocr.engine import Engine, is_blank
from indexer.extract.ocr.pictures import Pages, Picture, opened
from indexer.extract.ocr.reading_order import UNREADABLE, lines_of_pieces
from indexer.parsers import protocol
from indexer.parsers.child import MAX_DETAIL_CHARS, open_channel, report_crash
from indexer.parsers.limits import OCR_CPU_SECONDS, ocr_policy


def main(parent: int, *, confined: bool) -> None:
    """Serve until the parent ends; the channel to it is standard input."""
    channel = open_channel()
    sys.excepthook = report_crash(channel)
    die_with_parent(parent)
    try:
        if confined:
            confine(ocr_policy())
    except SealUnavailable as error:
        _send(channel, protocol.UNSEALED, message=error.message, hint=error.hint)
        return
    _send(channel, protocol.READY, peak_kib=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    with contextlib.suppress(EOFError, ConnectionError):
        _Serving(channel).serve()


class _Serving:
    """One document at a time, and of it one page."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._engine = Engine(len(os.sched_getaffinity(0)))
        self._pages: Pages | None = None
        self._picture: Picture | None = None

    def serve(self) -> None:
        """Answer requests until the channel ends."""
        while True:
            kind, payload, descriptor = protocol.receive_with_descriptor(self._channel)
            _allow_more_time()
            try:
                self._answer(kind, json.loads(payload), descriptor)
            except UnreadableDocument as error:
                self._say_unreadable(error.reason, error.detail)
            except MemoryError:
                self._say_unreadable("memory", "")

    def _answer(self, kind: bytes, asked: dict[str, int], descriptor: int) -> None:
        if kind == protocol.DOCUMENT:
            self._pages = self._picture = None  # the one before makes room first
            with os.fdopen(descriptor, "rb", buffering=0) as file:
                self._pages = opened(file.readall())
            _send(self._channel, protocol.OPENED, pages=self._pages.count)
        elif kind == protocol.PAGE:
            self._draw(asked["number"])
        elif kind == protocol.LOOK:
            assert self._picture is not None, "a look at no page"
            _send(self._channel, protocol.LOOK, text=self._engine.shows_text(self._picture))
        elif kind == protocol.GREY:
            assert self._picture is not None, "the picture of no page"
            protocol.send(self._channel, protocol.GREY, _grey(self._picture))
        else:
            self._read()

    def _draw(self, number: int) -> None:
        assert self._pages is not None, "a page of no document"
        self._picture = None
        picture = self._picture = self._pages.picture(number)
        digest = hashlib.sha256(f"{picture.shape}".encode())
        digest.update(np.ascontiguousarray(picture))
        _send(self._channel, protocol.PAGE, sha256=digest.hexdigest(), blank=is_blank(picture))

    def _read(self) -> None:
        assert self._picture is not None, "the text of no page"
        recognition, self._picture = self._engine.read(self._picture)
        lines = [
            [text, round(line.confidence, 3)]
            for line in lines_of_pieces(recognition.pieces)
            for text in lines_of(line.text)
        ]
        content = {
            "lines": lines,
            "pieces": len(recognition.pieces),
            "confidence": _mean([piece.confidence for piece in recognition.pieces]),
            "unreadable": sum(text == UNREADABLE for text, _ in lines),
            "turned": recognition.turned_degrees,
            "skew": round(recognition.skew_degrees, 2),
        }
        protocol.send(self._channel, protocol.RECOGNISED, json.dumps(content).encode())

    def _say_unreadable(self, reason: str, detail: str) -> None:
        _send(
            self._channel,
            protocol.UNREADABLE,
            reason=reason,
            detail=detail[:MAX_DETAIL_CHARS],
        )


def _mean(numbers: list[float]) -> float:
    return round(sum(numbers) / len(numbers), 4) if numbers else 0.0


def _grey(picture: Picture) -> bytes:
    """The picture as a portable grey map, which needs no encoder here and hardly a decoder there."""
    weights = np.array([0.114, 0.587, 0.299], np.float32)
    grey = np.rint(picture.astype(np.float32) @ weights).astype(np.uint8)
    height, width = grey.shape
    return f"P5\n{width} {height}\n255\n".encode() + grey.tobytes()


def _allow_more_time() -> None:
    """Let the process have the processor time of one more page."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    until = math.ceil(used.ru_utime + used.ru_stime) + OCR_CPU_SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (until, resource.RLIM_INFINITY))


def _send(channel: socket.socket, kind: bytes, **values: object) -> None:
    protocol.send(channel, kind, json.dumps(values).encode())
