"""A process that shows pages and does what its document says, as one would that it has taken over.

The document says what. What an attempt meets comes out as the points of a picture.
Called in the test's own process as the control.
"""

import json
import struct

from indexer.parsers import child, protocol
from indexer.records import GREY_BYTES, Points
from tests.attacks.obeying_worker import attempts, channel, done

POLICY = child.POLICY
ORDERS = {
    "die": ("crash", {}), "hang": ("wait", {}), "memory": ("memory", {"mib": 4_096}),
}  # fmt: skip


class Obeying:
    """A document of three pages that does what it says."""

    def __init__(self, data: bytes) -> None:
        self._order = data.decode()
        self.count = int(self._order[6:]) if self._order.startswith("pages ") else 3

    def points(self, number: int, width: int) -> Points:
        if self._order == "attack":
            return said(attempts())
        if self._order in ORDERS:
            action, values = ORDERS[self._order]
            done(action, **values)
        if self._order in FRAMES:
            done("send", frame=FRAMES[self._order].hex())
        return Points(1, 1, GREY_BYTES, b"\7")

    def outline(
        self, number: int, quotation: str, near: float | None
    ) -> list[tuple[int, tuple[float, float, float, float]]]:
        if self._order.startswith("{"):
            protocol.send(channel(), json.loads(self._order))
            done("wait")
        return [(number, (0.1, 0.1, 0.2, 0.2))]


class Jobs(child.Jobs):
    show = Obeying


def said(outcomes: dict[str, str]) -> Points:
    row = json.dumps(outcomes).encode()
    return Points(len(row), 1, GREY_BYTES, row)


def frame(width: int, height: int, channels: int, data: bytes, claimed: int | None = None) -> bytes:
    """A picture as it goes over the channel; `claimed` is the length that the message says."""
    return message(data, claimed, size=[width, height, channels])


def message(body: bytes, claimed: int | None = None, **values: object) -> bytes:
    length, said = len(body) if claimed is None else claimed, json.dumps(values).encode()
    return struct.pack("=II", len(said), length) + said + body


FRAMES = {
    "too wide": frame(101, 1, 1, b"x" * 101),
    "a message without an end": frame(10, 10, 1, b"", claimed=2**31),
    "no size": message(b"short"),
}
