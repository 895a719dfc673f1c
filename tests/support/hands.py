"""Hands that make shards in this process, with an encoder that needs no weights.

What they stage can be altered as a process would that a document has taken over.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from pathlib import Path

from indexer.errors import UnreadableDocument
from indexer.sync.sharded import ShardWorker
from indexer.sync.shards import STAGING
from tests.support.fakes import ToyEncoder

Spoil = Callable[[Path], None]


class ToyHands:
    """Makes shards with `encoder`; `spoil` gets the file that was staged, `times` times."""

    model: Path | None = None
    egress: str | None = None

    def __init__(
        self,
        slots: int = 2,
        *,
        spoil: Spoil | None = None,
        times: int = 10**6,
        least_bytes: int = 2_000,
        encoder: Callable[[], ToyEncoder] = ToyEncoder,
        **elsewhere: object,
    ) -> None:
        """What is given as `elsewhere` stands in the opening in place of what is told."""
        self.slots, self.least_bytes, self.where = slots, least_bytes, f"toy:{slots}"
        self.orders: list[str] = []
        self._spoil, self._times = spoil, times
        self._encoder, self._elsewhere = encoder, elsewhere

    def made(self, opening: str, orders: Sequence[tuple[str, str]]) -> Generator[tuple[int, str]]:
        """Make the shards here, the last one first."""
        told = json.loads(opening) | self._elsewhere
        with closing(ShardWorker(told, lambda *_: self._encoder())) as worker:
            for number, (name, order) in reversed(list(enumerate(orders))):
                self.orders.append(order)
                try:
                    worker.make(name, order)
                except UnreadableDocument as error:
                    yield number, str(error)
                    continue
                if self._spoil is not None and self._times > 0:
                    self._times -= 1
                    self._spoil(Path(told["store"], STAGING, name))
                yield number, ""
