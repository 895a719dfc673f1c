"""Frames over a pipe: four bytes of length, then at most that many bytes of one JSON object.

Distrusts the other process: a frame that is too long or truncated raises `BadMessage`, and nothing
of it is kept. The caller validates the content of a frame.
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
    """The bytes violate the protocol; nothing more may be read from the other side."""


def packed(content: Mapping[str, Any]) -> bytes:
    """The frame of an object; a lone surrogate, which cannot be encoded, becomes "?"."""
    body = json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")
    return _LENGTH.pack(len(body)) + body


def read_frame(stream: BinaryIO, limit: int) -> bytes | None:
    """The body of the next frame; None if the pipe was closed between two frames.

    Raises BadMessage for anything else, without reading more than `limit` bytes.
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
    """Write every byte, also to an unbuffered stream, whose write() may be partial."""
    view = memoryview(data)
    while view:
        view = view[stream.write(view) :]
    stream.flush()
