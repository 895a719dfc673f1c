"""The process that speaks to a Ray cluster for `index --cluster`, and the task that Ray runs there.

Neither opens a document. This process is started before the seal and hands the orders that it is
given, with names, sizes and times, to Ray, which schedules them and does again what a dead worker
or node has left. On a node the task keeps a sealed process that has no socket and no part in Ray.

    sealed driver <-pipes-> this process <-Ray-> task <-pipe-> sealed process of a shard
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import IO, Any

from corpus_agent.service.process import take_standard_streams
from indexer import CorpusError, ShardProcess
from indexer.confine import die_with_parent

CONNECT_SECONDS = 10.0
JOIN_SECONDS = 60.0  # Ray itself tries for ever where only one side speaks TLS
RETRIES = 5  # of a task whose worker or node died
AHEAD = 4  # tasks handed to Ray for each slot
# Ray asks the network for nothing of its own accord.
QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_USAGE_STATS_PROMPT_ENABLED": "0",
    "RAY_DISABLE_IMPORT_WARNING": "1",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
}

_kept: dict[str, ShardProcess] = {}  # of this worker: one, by what it was told at its start


def shard_task(opening: str, name: str, order: str) -> str:
    """Have a sealed process of this node make a shard; "" or why it is not."""
    try:
        if opening not in _kept:
            while _kept:
                _kept.popitem()[1].close()
            _kept[opening] = ShardProcess(opening)
        return _kept[opening].make(name, order)
    except CorpusError as error:
        return error.message


def main() -> None:
    """Connect, say with how many slots, and have the orders done that come until an empty line."""
    parent, address = sys.argv[1:3]
    die_with_parent(int(parent))
    given, replies = take_standard_streams()
    os.environ.update(QUIET)
    try:
        slots = _joined(address, replies)
    except (ImportError, ConnectionError, OSError, RuntimeError, ValueError) as error:
        _say(replies, refused=" ".join(str(error).split())[:500])
        os._exit(0)
    _say(replies, slots=slots)
    lines = [json.loads(line) for line in iter(given.readline, b"\n") if line or os._exit(0)]
    threading.Thread(target=_end_with, args=(given,), daemon=True).start()
    _work(lines[0], lines[1:], slots, replies)
    os._exit(0)  # the cluster ends the tasks of a driver that is gone


def _joined(address: str, replies: IO[bytes]) -> int:
    """The number of slots of the cluster, one a core."""
    import ray

    host, _, port = address.rpartition(":")
    if host:  # which Ray would try for minutes
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    late = threading.Timer(JOIN_SECONDS, _give_up, (replies,))
    late.start()
    ray.init(address, log_to_driver=False, configure_logging=False, namespace="corpus-agent")
    late.cancel()
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def _give_up(replies: IO[bytes]) -> None:
    why = f"no answer in {JOIN_SECONDS:.0f} s; is RAY_USE_TLS set on one side alone?"
    _say(replies, refused=why)
    os._exit(0)


def _end_with(given: IO[bytes]) -> None:
    """End this process when there is nobody any more who asked."""
    given.read()
    os._exit(0)


def _work(
    opening: str, orders: Sequence[Mapping[str, str]], slots: int, replies: IO[bytes]
) -> None:
    """Have Ray do the orders; answer with what came of each, in whatever order they end."""
    import ray

    task = ray.remote(num_cpus=1, max_retries=RETRIES)(shard_task)
    left = iter(enumerate(orders))
    running: dict[Any, int] = {}
    while True:
        while len(running) < AHEAD * slots and (following := next(left, None)) is not None:
            number, order = following
            running[task.remote(opening, **order)] = number
        if not running:
            return
        (done, *_), _ = ray.wait(list(running))
        try:
            why = ray.get(done)
        except ray.exceptions.RayError as error:
            why = f"{type(error).__name__} in the cluster"
        _say(replies, number=running.pop(done), why=why)


def _say(replies: IO[bytes], **content: object) -> None:
    replies.write(json.dumps(content).encode() + b"\n")
    replies.flush()


if __name__ == "__main__":
    main()
