"""The process of a shard: sealed, it reads documents, cuts and embeds them, and stages the result.

Started by exec, with pipes as standard streams: a line of JSON each way. The first one says which
folder, store and model; every further one orders a shard (shards.py). Confines itself before it
imports anything that could start a thread or open a document: no socket, the documents and the
store to be read, the store's staging folder to be written, and no other file of the user's.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import queue
import sys
import threading
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from indexer.confine import (
    FileRule,
    Policy,
    check_alone,
    confine,
    die_with_parent,
    interpreter_files,
    sealed_calls,
    starting,
    system_files,
)
from indexer.errors import CorpusError
from indexer.sync.shards import ORDER_BYTES

WORK = "indexer.sync.shard_work"  # imported once the process is sealed: numpy starts threads
STAGING = "staging"
_FIRST_FREE = 3  # above the standard streams


def main() -> None:
    """Seal, report it, and serve until standard input ends; never returns."""
    die_with_parent(int(sys.argv[1]))
    os.closerange(_FIRST_FREE, os.sysconf("SC_OPEN_MAX"))
    orders, replies = _streams()
    opening = json.loads(orders.readline(ORDER_BYTES) or "{}")
    try:
        if opening["confined"]:
            check_alone()
            confine(shard_policy(opening))
        worker = import_module(WORK).ShardWorker(opening)
    except CorpusError as error:
        _send(replies, error=problem(error))
        os._exit(0)
    _send(replies, ready=os.getpid())
    _serve(worker, orders, replies)
    os._exit(0)  # the threads of libraries are not waited for


def shard_policy(opening: Mapping[str, Any]) -> Policy:
    """Documents, store and model to be read, staged shards to be written; no socket at all."""
    store = Path(opening["store"])
    rules = [
        FileRule(Path(opening["root"]), required=True, no_links=True),
        FileRule(store, required=True, no_links=True),
        FileRule(store / STAGING, "write", required=True, no_links=True),
    ]
    if opening["model"]:
        rules.append(FileRule(Path(opening["model"]), required=True))
    packages = [Path(starting.packages(), name) for name in ("corpus_agent", "indexer")]
    files = (*rules, *interpreter_files(*packages), *system_files())
    return Policy(calls=sealed_calls(), files=files)


def problem(error: CorpusError) -> dict[str, str]:
    """An error as it is reported."""
    return {"kind": type(error).__name__, "message": error.message, "hint": error.hint}


def _streams() -> tuple[IO[bytes], IO[bytes]]:
    """The standard streams, which what libraries print does not reach."""
    orders = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE)
    replies = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE)
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.close(null)
    return os.fdopen(orders, "rb"), os.fdopen(replies, "wb", buffering=0)


def _serve(worker: Any, orders: IO[bytes], replies: IO[bytes]) -> None:  # noqa: ANN401
    """Make one shard after the other; a shard that fails costs itself."""
    waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(orders, waiting), daemon=True).start()
    while True:
        try:
            made = worker.make(waiting.get())
        except CorpusError as error:
            _send(replies, error=problem(error))
        else:
            _send(replies, done=made)


def _listen(orders: IO[bytes], waiting: queue.SimpleQueue[bytes]) -> None:
    """Take orders, and end the process, also amid a shard, when there is nobody to give any."""
    while line := orders.readline(ORDER_BYTES):
        waiting.put(line)
    os._exit(0)


def _send(replies: IO[bytes], **content: object) -> None:
    with contextlib.suppress(BrokenPipeError):
        replies.write(json.dumps(content).encode() + b"\n")


if __name__ == "__main__":
    main()
