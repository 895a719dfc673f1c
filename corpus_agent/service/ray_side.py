"""The process that speaks to a Ray cluster for `index --cluster`, and the task that Ray runs there.

Neither opens a document. This process is started before the seal and passes lines on: orders with
names, sizes and times to Ray, names of staged shards back. On a node the task keeps a sealed
process of indexer.sync.shard_child for each of its workers, which has no socket and no part in Ray.

    sealed driver <-pipes-> this process <-Ray-> task <-pipes-> sealed process of a shard
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
from typing import IO, Any

from corpus_agent.service.stdio import take_standard_streams
from indexer import CorpusError, Hand, ShardLost
from indexer.confine import die_with_parent

MAX_LINE_BYTES = 16 * 2**20
PATIENCE_SECONDS = 300.0  # beyond the time of a shard: until a worker and its process have started
CONNECT_SECONDS = 10.0
JOIN_SECONDS = 60.0  # Ray itself tries for ever where only one side speaks TLS
# Ray asks the network for nothing of its own accord.
QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_USAGE_STATS_PROMPT_ENABLED": "0",
    "RAY_DISABLE_IMPORT_WARNING": "1",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
}

_kept: dict[str, Hand] = {}  # of this worker: one, by what it was told at its start


def shard_task(opening: str, order: str, seconds: float, fresh: bool) -> dict[str, Any]:
    """Have a sealed process of this node make a shard; the name of what it staged, or why not."""
    if fresh or opening not in _kept:
        _end_kept()
    try:
        if opening not in _kept:
            _kept[opening] = Hand(json.loads(opening))
        return {"done": _kept[opening].make(order, seconds)}
    except ShardLost as lost:
        _end_kept()
        return {"lost": str(lost)}
    except CorpusError as error:
        _end_kept()
        kind = type(error).__name__
        return {"error": {"kind": kind, "message": error.message, "hint": error.hint}}


def _end_kept() -> None:
    for opening in [*_kept]:
        _kept.pop(opening).end()


def main() -> None:
    """Connect, say with how many slots, and pass orders on until standard input ends."""
    parent, address = sys.argv[1:3]
    die_with_parent(int(parent))
    orders, replies = take_standard_streams()
    os.environ.update(QUIET)
    desk = _RayDesk(replies)
    try:
        slots = desk.connect(address)
    except (ImportError, ConnectionError, OSError, RuntimeError, ValueError) as error:
        desk.send(refused=" ".join(str(error).split())[:500])
        os._exit(0)
    desk.send(slots=slots)
    while line := orders.readline(MAX_LINE_BYTES):
        threading.Thread(target=desk.pass_on, args=(json.loads(line),), daemon=True).start()
    os._exit(0)  # the cluster ends the tasks of a driver that is gone


class _RayDesk:
    """Passes orders to Ray and answers with what came of them."""

    def __init__(self, replies: IO[bytes]) -> None:
        self._replies = replies
        self._lock = threading.Lock()

    def connect(self, address: str) -> int:
        """Join the cluster; the number of its slots, one a core."""
        import ray

        host, _, port = address.rpartition(":")
        if host:  # which Ray would try for minutes
            socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
        late = threading.Timer(JOIN_SECONDS, self._give_up)
        late.start()
        ray.init(address, log_to_driver=False, configure_logging=False, namespace="corpus-agent")
        late.cancel()
        # A worker that dies takes its shard along, which the driver orders again.
        self._task = ray.remote(num_cpus=1, max_retries=0)(shard_task)
        return max(1, int(ray.cluster_resources().get("CPU", 1)))

    def _give_up(self) -> None:
        self.send(
            refused=f"no answer in {JOIN_SECONDS:.0f} s; is RAY_USE_TLS set on one side alone?"
        )
        os._exit(0)

    def pass_on(self, request: dict[str, Any]) -> None:
        """Run one task to its end and answer, whatever becomes of it."""
        import ray

        seconds = request["seconds"]
        reply: dict[str, Any] = {"lost": "could not be handed to the cluster"}
        try:
            task = self._task.remote(
                request["opening"], request["order"], seconds, request["fresh"]
            )
            try:
                reply = ray.get(task, timeout=seconds + PATIENCE_SECONDS)
            except ray.exceptions.RayError as error:  # its worker or its node died, or it is late
                reply = {"lost": f"{type(error).__name__} in the cluster"}
                ray.cancel(task, force=True)
        finally:  # somebody waits for it
            self.send(id=request["id"], reply=reply)

    def send(self, **content: object) -> None:
        """Send a line; for any thread."""
        with self._lock:
            self._replies.write(json.dumps(content).encode() + b"\n")
            self._replies.flush()


if __name__ == "__main__":
    main()
