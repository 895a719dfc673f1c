"""What passes between a process that reads and its parent, and the encoding of extracted text.

A message is the length of its values (4 bytes), that of its body, the values as JSON, the body.
Lines are encoded as runs with the same place (all fields of a line but its text), then one text.
The peer is not trusted, since a document may have taken it over: no pickle, every length is
bounded, and undecodable data raises Malformed.
"""

from __future__ import annotations

import json
import socket
import struct
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import groupby
from operator import attrgetter
from typing import Any

from indexer.extract.normalise import MAX_LINE_CHARS, whole
from indexer.records import COLOUR_BYTES, GREY_BYTES, MAX_POINTS, Line, Points

MAX_VALUES_BYTES = 2**16
MAX_BODY_BYTES = 16 * 2**20
MAX_JSON_BYTES = 4 * 2**20  # parsed at once, which takes up to twenty times as much memory
MAX_PAGE = 2**31 - 1  # what a row can hold
MAX_BOXES = 1_000  # of a quotation on a page: as many lines as a message holds

_LENGTHS = struct.Struct("=II")  # of the values and the body
_PART = struct.Struct("=II")  # bytes of the runs, bytes of the text


class Malformed(ValueError):
    """The received data was not sent by a correct process."""


def send(
    channel: socket.socket, values: Mapping[str, Any], body: bytes = b"", descriptor: int = -1
) -> None:
    """Send a message whole, with a descriptor if one is given; raises OSError."""
    head = json.dumps(values).encode()
    lengths = _LENGTHS.pack(len(head), len(body))
    if descriptor < 0:
        channel.sendall(lengths)
    else:
        socket.send_fds(channel, [lengths], [descriptor])
    channel.sendall(head + body)


def receive(channel: socket.socket, deadline: float) -> tuple[dict[str, Any], bytes]:
    """The values and body of the next message of a process.

    Raises EOFError, OSError, Malformed for a message that no correct process sends, and
    TimeoutError if it is not complete by `deadline` (of time.monotonic).
    """
    lengths = _LENGTHS.unpack(_exactly(channel, _LENGTHS.size, deadline))
    if lengths[0] > MAX_VALUES_BYTES or lengths[1] > MAX_BODY_BYTES:
        raise Malformed(f"a message of {sum(lengths):,} bytes")
    values = parsed(_exactly(channel, lengths[0], deadline))
    if not isinstance(values, dict):
        raise Malformed("an answer that is none")
    return values, _exactly(channel, lengths[1], deadline)


def receive_job(channel: socket.socket) -> tuple[dict[str, Any], int]:
    """The values of the next message of the parent and the descriptor sent with it, -1 if none."""
    size = _LENGTHS.size
    head, descriptors, _, _ = socket.recv_fds(channel, size, 1, socket.MSG_CMSG_CLOEXEC)
    if not head:
        raise EOFError
    length, _ = _LENGTHS.unpack(head + _exactly(channel, size - len(head)))
    return json.loads(_exactly(channel, length)), descriptors[0] if descriptors else -1


def parsed(data: bytes) -> Any:  # noqa: ANN401 - every caller looks at what it is
    """What JSON of a process says; raises Malformed."""
    if len(data) > MAX_JSON_BYTES:
        raise Malformed(f"{len(data):,} bytes of values")
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"no JSON: {error}") from None


def seconds_until(deadline: float) -> float:
    """The time until the deadline, which a sender that keeps sending has too, or TimeoutError."""
    if (left := deadline - time.monotonic()) <= 0:
        raise TimeoutError
    return left


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


def answer_of(points: Points) -> tuple[dict[str, Any], bytes]:
    """A picture as a message."""
    return {"size": [points.width, points.height, points.channels]}, points.data


def checked_points(said: Mapping[str, Any], data: bytes, width: int) -> Points:
    """The picture of a message, at most `width` points wide; raises Malformed."""
    if fit(said.get("size"), "int", "int", "int"):
        across, down, channels = said["size"]
        count, right = across * down, across <= width and channels in (GREY_BYTES, COLOUR_BYTES)
        if right and count <= MAX_POINTS and len(data) == count * channels:
            return Points(across, down, channels, data)
    raise Malformed("a picture that is not of its size, or of none that was asked for")


# All of a line but its text, with the type of each value as annotated.
PLACE = {field.name: str(field.type) for field in fields(Line) if field.name != "text"}
_place = attrgetter(*PLACE)


def encoded(lines: Sequence[Line]) -> bytes:
    """The lines as bytes; concatenated encodings encode the concatenated lines."""
    runs = [[*place, sum(1 for _ in run)] for place, run in groupby(map(_place, lines))]
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
            at += _PART.size + head
            runs = parsed(bytes(view[at - head : at]))
            text = str(view[at : at + size], "utf-8")
        except (struct.error, UnicodeDecodeError) as error:
            raise Malformed(str(error)) from None
        at += size
        texts = text.split("\n")
        are_runs = isinstance(runs, list) and all(fit(run, *PLACE.values(), "int") for run in runs)
        agree = are_runs and sum(count for *_, count in runs) == len(texts)
        if not agree or "\0" in text or "\r" in text or at > len(view):
            raise Malformed("lines and their places do not agree")
        yield runs, texts


# --- What is right in an answer -------------------------------------------------------------------


def fit(values: object, *kinds: str) -> bool:
    """Whether values are a list with one of each kind, in their order."""
    if not isinstance(values, list) or len(values) != len(kinds):
        return False
    return all(map(_fits, values, kinds))


def is_area(values: Sequence[Any]) -> bool:
    """Whether values are left, top, right and bottom of a part of a page, as shares of it."""
    return fit(values, *["float"] * 4) and values[0] < values[2] and values[1] < values[3]


def _fits(value: object, kind: str) -> bool:
    """Whether a value is a number from 1, a text of one line, a share, yes or no."""
    if value is None:
        return kind.endswith("| None")
    if isinstance(value, str):
        ends = any(char in value for char in "\0\r\n")
        right = len(value) <= MAX_LINE_CHARS and not ends and whole(value) == value
    elif isinstance(value, float):
        right = 0 <= value <= 1  # not NaN either
    else:
        right = isinstance(value, bool) or (isinstance(value, int) and 0 < value <= MAX_PAGE)
    return right and type(value).__name__ == kind.removesuffix(" | None")
