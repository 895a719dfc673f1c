"""Hands that make shards in this process, with an encoder that needs no weights.

What they stage can be altered as a process would that a document has taken over.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from indexer.store.staging import STAGING
from indexer.sync.shard_work import ShardWorker
from tests.support.fakes import ToyEncoder

Spoil = Callable[[Path], None]


class ToyHands:
    """Makes shards with ToyEncoder; `spoil` gets the folder of what was staged, `times` times."""

    def __init__(
        self,
        slots: int = 2,
        *,
        spoil: Spoil | None = None,
        times: int = 10**6,
        least_bytes: int = 2_000,
    ) -> None:
        self.slots = slots
        self.least_bytes = least_bytes
        self.where = f"toy:{slots}"
        self.model: Path | None = None
        self.egress: str | None = None
        self.orders: list[str] = []
        self._spoil = spoil
        self._times = times

    def work(self, opening, order: str, seconds: float, *, fresh: bool) -> str:
        """Make the shard here."""
        self.orders.append(order)
        with closing(ShardWorker(opening, lambda *_: ToyEncoder())) as worker:
            made = worker.make(order)
        if self._spoil is not None and self._times > 0:
            self._times -= 1
            self._spoil(Path(opening["store"], STAGING, made))
        return made

    def stop(self) -> None:
        """Nothing runs on."""

    def close(self) -> None:
        """Nothing is left."""
