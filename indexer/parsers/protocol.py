"""The protocol between a parser process and its parent, and the encoding of extracted text.

A frame is a kind (1 byte), a length (4 bytes) and a payload. Lines are encoded as runs with the
same place (all fields of a line but its text), then one text. The peer is not trusted, since a
document may have taken it over: no pickle, every length is bounded, and undecodable data raises
Malformed.
"""

from __future__ import annotations

import json
import socket
import struct
import time
from collections.abc import Iterator, Sequence
from dataclasses import fields
from itertools import groupby
from typing import Any

from indexer.extract.normalise import MAX_LINE_CHARS, whole
from indexer.extract.points import COLOUR_BYTES, GREY_BYTES, MAX_POINTS, Points
from indexer.records import Line

# Parent to worker, then worker to parent.
DOCUMENT, MORE = b"D", b"M"
READY, CLAIMED, OPENED, LINES, END = b"R", b"C", b"O", b"L", b"E"
UNREADABLE, UNSEALED = b"U", b"N"
# To the process that recognises text and back: a page drawn, looked at, sent as a picture, read.
PAGE, LOOK, GREY, RECOGNISED = b"P", b"K", b"G", b"T"
# To the process that shows pages and back: a page's points, and the places of a quotation on it.
POINTS, OUTLINE = b"I", b"B"
_LARGE = (LINES, GREY, RECOGNISED, POINTS)

MAX_FRAME_BYTES = 16 * 2**20
MAX_RUNS_BYTES = 4 * 2**20  # of a frame of lines; a parsed one takes up to twenty times as much
MAX_WORDS_BYTES = 2**16  # of any other frame
MAX_BOXES = 1_000  # of a quotation on a page: as many lines as a frame holds
BATCH_LINES = 20_000
BATCH_CHARS = 2**20  # of text in one frame, which a last line may exceed

_HEAD = struct.Struct("=cI")
MAX_PAGE = 2**31 - 1  # what a row can hold

_PART = struct.Struct("=II")  # bytes of the runs, bytes of the text
_SIZE = struct.Struct("=III")  # of a picture: width, height, bytes of a point


class Malformed(ValueError):
    """The received data was not sent by a correct parser process."""


def send(channel: socket.socket, kind: bytes, payload: bytes = b"", descriptor: int = -1) -> None:
    """Send a frame whole, with a descriptor if one is given; raises OSError."""
    head = _HEAD.pack(kind, len(payload))
    if descriptor < 0:
        channel.sendall(head)
    else:
        socket.send_fds(channel, [head], [descriptor])
    channel.sendall(payload)


def receive(channel: socket.socket, deadline: float | None = None) -> tuple[bytes, bytes]:
    """The next frame's kind and payload.

    Raises EOFError, OSError, Malformed for a frame that is too long, and TimeoutError if it is not
    complete by `deadline` (of time.monotonic).
    """
    kind, length = _HEAD.unpack(_exactly(channel, _HEAD.size, deadline))
    if length > (MAX_FRAME_BYTES if kind in _LARGE else MAX_WORDS_BYTES):
        raise Malformed(f"a frame of {length:,} bytes")
    return kind, _exactly(channel, length, deadline)


def seconds_until(deadline: float) -> float:
    """The positive time until the deadline; raises TimeoutError after it.

    A timeout for each read alone would never end with a sender that keeps sending.
    """
    if (left := deadline - time.monotonic()) <= 0:
        raise TimeoutError
    return left


def receive_with_descriptor(channel: socket.socket) -> tuple[bytes, bytes, int]:
    """The next frame and the descriptor sent with it, -1 if none was."""
    head, descriptors, _, _ = socket.recv_fds(channel, _HEAD.size, 1, socket.MSG_CMSG_CLOEXEC)
    if not head:
        raise EOFError
    kind, length = _HEAD.unpack(head + _exactly(channel, _HEAD.size - len(head)))
    return kind, _exactly(channel, length), descriptors[0] if descriptors else -1


def _exactly(channel: socket.socket, length: int, deadline: float | None = None) -> bytes:
    received = bytearray(length)
    view, done = memoryview(received), 0
    while done < length:
        if deadline is not None:
            channel.settimeout(seconds_until(deadline))
        count = channel.recv_into(view[done:])
        if not count:
            raise EOFError
        done += count
    return bytes(received)


def encoded_points(points: Points) -> bytes:
    """A picture as the payload of a frame."""
    return _SIZE.pack(points.width, points.height, points.channels) + points.data


def checked_points(payload: bytes, width: int) -> Points:
    """The picture of a payload, at most `width` points wide; raises Malformed.

    Whatever bytes the points have, they are a picture of that size.
    """
    if len(payload) < _SIZE.size:
        raise Malformed("a picture without a size")
    width_sent, height, channels = _SIZE.unpack_from(payload)
    points = Points(width_sent, height, channels, payload[_SIZE.size :])
    if (
        not 0 < points.width <= width
        or points.height < 1
        or points.channels not in (GREY_BYTES, COLOUR_BYTES)
    ):
        raise Malformed("a picture of no such size")
    if points.width * points.height > MAX_POINTS:
        raise Malformed("a picture over the limit")
    if len(points.data) != points.width * points.height * points.channels:
        raise Malformed("a picture that is not of its size")
    return points


# All of a line but its text, with the type of each value as annotated.
PLACE = {field.name: str(field.type) for field in fields(Line) if field.name != "text"}


def _place(line: Line) -> tuple[int | str | None, ...]:
    return tuple(getattr(line, name) for name in PLACE)


def encoded(lines: Sequence[Line]) -> bytes:
    """The lines as bytes; concatenated encodings encode the concatenated lines."""
    runs = [[*place, sum(1 for _ in run)] for place, run in groupby(lines, key=_place)]
    head = json.dumps(runs, separators=(",", ":")).encode()
    text = "\n".join(line.text for line in lines).encode()
    return b"".join((_PART.pack(len(head), len(text)), head, text))


def decoded(encoding: bytes) -> Iterator[Line]:
    """The decoded lines; raises Malformed."""
    for runs, texts in _parts(encoding):
        start = 0
        for *place, count in runs:
            for text in texts[start : start + count]:
                yield Line(text, *place)
            start += count


def checked(encoding: bytes) -> tuple[int, int]:
    """How many lines an encoding holds and how many characters, line ends included.

    Raises Malformed for anything that no extractor produces: a line over the limit or with a line
    end in it, a page that is not a number, a lone surrogate.
    """
    lines = size = 0
    for _, texts in _parts(encoding):
        if max(map(len, texts)) > MAX_LINE_CHARS:
            raise Malformed("a line over the limit")
        lines += len(texts)
        size += sum(map(len, texts)) + len(texts)
    return lines, size


def _parts(encoding: bytes) -> Iterator[tuple[list[list[Any]], list[str]]]:
    """Each part's runs, as place and number of lines, and its lines."""
    view, at = memoryview(encoding), 0
    while at < len(view):
        try:
            head, size = _PART.unpack_from(view, at)
            if head > MAX_RUNS_BYTES:
                raise Malformed(f"{head:,} bytes of places")
            at += _PART.size + head
            runs = json.loads(bytes(view[at - head : at]))
            text = str(view[at : at + size], "utf-8")
        except (struct.error, ValueError, RecursionError) as error:
            raise Malformed(str(error)) from None
        at += size
        texts = text.split("\n")
        if not _agree(runs, texts) or "\0" in text or "\r" in text or at > len(view):
            raise Malformed("lines and their places do not agree")
        yield runs, texts


def _agree(runs: object, texts: list[str]) -> bool:
    """Whether the runs are valid and their numbers of lines add up."""
    if not isinstance(runs, list):
        return False
    total = 0
    for run in runs:
        if not isinstance(run, list) or len(run) != len(PLACE) + 1:
            return False
        *place, count = run
        if type(count) is not int or count < 1 or not all(map(_is_place, place, PLACE.values())):
            return False
        total += count
    return total == len(texts)


def _is_place(value: object, kind: str) -> bool:
    """Whether a value is valid for a place: a page number, a part's name, a share, yes or no."""
    if value is None:
        return kind.endswith("| None")
    if isinstance(value, str):
        right = len(value) <= MAX_LINE_CHARS and whole(value) == value
    elif isinstance(value, float):
        right = 0 <= value <= 1  # not NaN either
    else:
        right = isinstance(value, bool) or (isinstance(value, int) and 0 < value <= MAX_PAGE)
    return right and type(value).__name__ == kind.removesuffix(" | None")
