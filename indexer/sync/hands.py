"""Who makes shards: an interface, and processes of this machine. Imported before the seal."""

from __future__ import annotations

import json
import threading
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Protocol

from indexer.confine import starting
from indexer.errors import CorpusError, UnreadableDocument
from indexer.parsers.limits import DocumentLimits
from indexer.parsers.process import Child
from indexer.sync.shard_child import OPENING
from indexer.sync.shards import LEAST_BYTES, ordered, seconds_for

TRIES = 3  # of a shard by one slot, before the writer reads its documents
# One thread each: there are as many processes as there is to be work at a time.
_ONE_THREAD = dict.fromkeys((*starting.THREADS, "TOKENIZERS_PARALLELISM"), "1")
_UNBOUNDED = 2**62  # bytes and seconds: the model and the parser have bounds of their own

Order = tuple[str, str]  # the name and the shard as JSON
Made = tuple[int, str]


class Hands(Protocol):
    """Has shards made, `slots` at a time.

    Shards of less than `least_bytes` are not worth handing over. `where` names the cluster, `model`
    is the folder of the embedding model, None for the packaged one. `egress` says what leaves this
    machine, None if nothing does.
    """

    slots: int
    least_bytes: int
    where: str
    model: Path | None
    egress: str | None

    def made(self, opening: str, orders: Sequence[Order]) -> Generator[Made]:
        """The place of each order, once it was done, and why nothing is staged, "" if it is.

        Closing the iterator ends all processes. Raises CorpusError where no cluster is there.
        """
        ...


class ShardProcess:
    """One sealed process that makes shards; ends with the thread that made it."""

    def __init__(self, opening: str) -> None:
        environment = {**starting.common_variables(), **_ONE_THREAD, OPENING: opening}
        confined = bool(json.loads(opening)["confined"])
        self._child = Child("indexer.sync.shard_child", environment, confined=confined)
        self.stop, self.close = self._child.stop, self._child.close

    def make(self, name: str, order: str) -> str:
        """Have a shard made, by a new process if one is lost; "" or why it is not."""
        limits = DocumentLimits(_UNBOUNDED, _UNBOUNDED // 2**32, seconds_for(ordered(order)))
        why = ""
        for _ in range(TRIES):
            try:
                self._child.ask(lambda *_: None, "make", {"name": name, "order": order}, limits)
            except (UnreadableDocument, CorpusError) as error:
                why = str(error)
            else:
                return ""
            if self._child.runs:  # it said so itself, and would again
                break
        return why


class LocalHands:
    """Processes of this machine, one for each of `slots`."""

    def __init__(self, slots: int, model: Path | None = None) -> None:
        self.slots = slots
        self.least_bytes = LEAST_BYTES
        self.model = model
        self.egress: str | None = None
        self.where = f"local:{slots}"

    def made(self, opening: str, orders: Sequence[Order]) -> Generator[Made]:
        """See Hands."""
        processes: dict[int, ShardProcess] = {}
        over = threading.Event()

        def make(number: int, order: Order) -> Made:
            mine = processes.setdefault(threading.get_ident(), ShardProcess(opening))
            return number, "was stopped" if over.is_set() else mine.make(*order)

        pool = ThreadPoolExecutor(self.slots, "shard")
        try:
            making = [pool.submit(make, number, order) for number, order in enumerate(orders)]
            yield from (made.result() for made in as_completed(making))
        finally:
            over.set()
            for process in list(processes.values()):
                process.stop()
            pool.shutdown(cancel_futures=True)
            for process in processes.values():
                process.close()
