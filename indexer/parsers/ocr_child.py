"""The process that recognises text: draws one page on request and returns its lines.

Sealed like a parser, with limits of its own. rapidocr, its models and the decoders of pictures are
loaded here and nowhere else, after the process is confined. Started by `recogniser`, which enforces
time from outside and does not trust its replies.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import socket
from collections.abc import Callable, Sequence
from dataclasses import astuple

import numpy as np

from indexer.errors import UnreadableDocument
from indexer.extract.normalise import lines_of
from indexer.extract.ocr.engine import RapidEngine, is_blank
from indexer.extract.ocr.figures import figures_of
from indexer.extract.ocr.pictures import Pages, Picture, opened
from indexer.extract.ocr.places import Sheet, words_of_pieces
from indexer.extract.ocr.reading_order import (
    Piece,
    certain_rows,
    is_suspect,
    lines_of_pieces,
)
from indexer.parsers import protocol
from indexer.parsers.child import MAX_DETAIL_CHARS, allow_time, begin, send
from indexer.parsers.limits import OCR_CPU_SECONDS, ocr_policy

STRIP_PIECES = 8  # shown to another engine before it is given the page


def main(
    parent: int, *, confined: bool, make_engine: Callable[[int], RapidEngine] = RapidEngine
) -> None:
    """Serve until the parent ends; the channel to it is standard input."""
    begin(
        parent,
        ocr_policy if confined else None,
        lambda channel: _Serving(channel, make_engine(len(os.sched_getaffinity(0)))).serve(),
    )


class _Serving:
    """One document at a time, and of it one page."""

    def __init__(self, channel: socket.socket, engine: RapidEngine) -> None:
        self._channel = channel
        self._engine = engine
        self._pages: Pages | None = None
        self._picture: Picture | None = None
        self._pieces: tuple[Piece, ...] = ()  # of the picture, once it was read

    def serve(self) -> None:
        """Answer requests until the channel ends."""
        while True:
            kind, payload, descriptor = protocol.receive_with_descriptor(self._channel)
            allow_time(OCR_CPU_SECONDS)
            try:
                self._answer(kind, json.loads(payload), descriptor)
            except UnreadableDocument as error:
                self._send_unreadable(error.reason, error.detail)
            except MemoryError:
                self._send_unreadable("memory", "")

    def _answer(self, kind: bytes, request: dict[str, int], descriptor: int) -> None:
        if kind == protocol.DOCUMENT:
            self._pages = self._picture = None  # the one before makes room first
            with os.fdopen(descriptor, "rb", buffering=0) as file:
                self._pages = opened(file.readall())
            send(self._channel, protocol.OPENED, pages=self._pages.count)
        elif kind == protocol.PAGE:
            self._draw(request["number"])
        elif kind == protocol.LOOK:
            assert self._picture is not None, "a look at no page"
            send(self._channel, protocol.LOOK, text=self._engine.shows_text(self._picture))
        elif kind == protocol.GREY:
            assert self._picture is not None, "the picture of no page"
            shown = _strip(self._picture, self._pieces) if request["strip"] else self._picture
            protocol.send(self._channel, protocol.GREY, _grey(shown))
        else:
            self._read()

    def _draw(self, number: int) -> None:
        assert self._pages is not None, "a page of no document"
        self._picture = None
        picture = self._picture = self._pages.picture(number)
        digest = hashlib.sha256(f"{picture.shape}".encode())
        digest.update(picture.tobytes())
        send(self._channel, protocol.PAGE, sha256=digest.hexdigest(), blank=is_blank(picture))

    def _read(self) -> None:
        assert self._picture is not None, "the text of no page"
        recognition, self._picture = self._engine.read(self._picture)
        self._pieces = recognition.pieces
        lines = [
            [text, round(line.confidence, 3)]
            for line in lines_of_pieces(recognition.pieces)
            for text in lines_of(line.text)
        ]
        angle = math.radians(recognition.skew_degrees)
        height, width = self._picture.shape[:2]
        sheet = Sheet(width, height, recognition.turned_degrees, angle)
        content = {
            "lines": lines,
            "words": words_of_pieces(certain_rows(recognition.pieces), sheet),
            "size": (width, height),
            "figures": [astuple(word) for word in figures_of(recognition.pieces, angle)],
            "suspect": is_suspect(recognition.pieces),
            "turned": recognition.turned_degrees,
            "skew": round(recognition.skew_degrees, 2),
        }
        protocol.send(self._channel, protocol.RECOGNISED, json.dumps(content).encode())

    def _send_unreadable(self, reason: str, detail: str) -> None:
        send(
            self._channel,
            protocol.UNREADABLE,
            reason=reason,
            detail=detail[:MAX_DETAIL_CHARS],
        )


def _strip(picture: Picture, pieces: Sequence[Piece]) -> Picture:
    """The pieces of a page that were read worst, one below the other, for a trial."""
    wide = [piece for piece in pieces if piece.right - piece.left > 2 * piece.height]
    worst = sorted(wide or pieces, key=lambda piece: (not piece.is_sparse, piece.confidence))
    cut = []
    for piece in worst[:STRIP_PIECES]:
        top, left = max(0, int(piece.top)), max(0, int(piece.left))
        crop = picture[top : int(piece.bottom) + 1, left : int(piece.right) + 1]
        if crop.size:
            cut.append(np.pad(crop, ((12, 12), (12, 12), (0, 0)), mode="edge"))
    if not cut:
        return picture
    width = max(crop.shape[1] for crop in cut)
    rest = [((0, 0), (0, width - crop.shape[1]), (0, 0)) for crop in cut]
    return np.concatenate(
        [np.pad(crop, pad, constant_values=255) for crop, pad in zip(cut, rest, strict=True)]
    )


def _grey(picture: Picture) -> bytes:
    """The picture as a portable grey map: simple to write here and to read there."""
    weights = np.array([0.114, 0.587, 0.299], np.float32)
    grey = np.rint(picture.astype(np.float32) @ weights).astype(np.uint8)
    height, width = grey.shape
    points: bytes = grey.tobytes()
    return f"P5\n{width} {height}\n255\n".encode() + points
