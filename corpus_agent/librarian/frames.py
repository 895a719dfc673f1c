"""Frames over a pipe: four bytes of length, then at most that many bytes of one JSON object.

Reads what another process wrote and trusts none of it: a frame that is too long or cut off is a
`BadMessage`, and nothing of it is kept. What is in a frame is for the reader to judge.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any, BinaryIO

MAX_REQUEST_BYTES = 64 * 1024
MAX_REPLY_BYTES = 1024 * 1024
_LENGTH = struct.Struct(">I")


class BadMessage(Exception):
    """What came over the pipe is not what was agreed; the other side is not to be listened to."""


def packed(content: Mapping[str, Any]) -> bytes:
    """The frame of an object; half a surrogate pair, which no encoding has, becomes a "?"."""
    body = json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")
    return _LENGTH.pack(len(body)) + body


def read_frame(stream: BinaryIO, limit: int) -> bytes | None:
    """The body of the next frame; None where the pipe was closed between two frames.

    Raises BadMessage for anything else, before more than `limit` bytes were read.
    """
    head = stream.read(_LENGTH.size)
    if not head:
        return None
    if len(head) < _LENGTH.size:
        raise BadMessage("a frame that ends in its length")
    (length,) = _LENGTH.unpack(head)
    if length > limit:
        raise BadMessage(f"a frame of {length:,} bytes, more than {limit:,}")
    body = stream.read(length)
    if len(body) < length:
        raise BadMessage(f"{len(body):,} of {length:,} bytes")
    return body


def write_all(stream: BinaryIO, data: bytes) -> None:
    """Write every byte, also to an unbuffered stream, whose write() may take only some of them."""
    view = memoryview(data)
    while view:
        view = view[stream.write(view) :]
    stream.flush()
