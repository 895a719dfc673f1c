"""Hands that make shards in this process, with an encoder that needs no weights."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from indexer.sync.shard_work import ShardWorker
from tests.support.fakes import ToyEncoder


class ToyHands:
    """Makes shards with ToyEncoder, and keeps the orders."""

    def __init__(self, slots: int = 2, *, least_bytes: int = 2_000) -> None:
        self.slots = slots
        self.least_bytes = least_bytes
        self.where = f"toy:{slots}"
        self.model: Path | None = None
        self.egress: str | None = None
        self.orders: list[str] = []

    def work(self, opening, order: str, seconds: float, *, fresh: bool) -> str:
        """Make the shard here."""
        self.orders.append(order)
        with closing(ShardWorker(opening, lambda *_: ToyEncoder())) as worker:
            return worker.make(order)

    def stop(self) -> None:
        """Nothing runs on."""

    def close(self) -> None:
        """Nothing is left."""
