"""Runs tasks ahead of their consumer on several workers, in order and in bounded memory."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Protocol, TypeVar

MAX_WORKERS = 4
FILES_A_WORKER = 64
BYTES_A_WORKER = 2**18
# Results that wait for their turn. Enough for the embedding model to find its next batch ready, and
# the second bound is what the results of all workers may exceed by one document each.
AHEAD_ITEMS = 256
AHEAD_BYTES = 64 * 2**20

Item = TypeVar("Item")
Result = TypeVar("Result")


class Stoppable(Protocol):
    """A worker: `stop` ends its work at once, `close` waits until it has ended."""

    stop: Callable[[], None]
    close: Callable[[], None]


Worker = TypeVar("Worker", bound=Stoppable)


def worker_count() -> int:
    """The number of workers: one per core of this process, up to a maximum."""
    return min(MAX_WORKERS, len(os.sched_getaffinity(0)))


def workers_for(files: int, size: int) -> int:
    """The number of workers for so many files of so many bytes in all.

    To start a worker costs a tenth of a second of a core, in which one reads this much.
    """
    return min(worker_count(), 1 + files // FILES_A_WORKER + size // BYTES_A_WORKER)


@contextmanager
def in_order(
    task: Callable[[Worker, Item], Result],
    items: Sequence[Item],
    size: Callable[[Result], int],
    make_worker: Callable[[], Worker],
    workers: int | None = None,
) -> Iterator[Iterator[Result]]:
    """The results of `task` for the items, in their order, made ahead by several threads.

    Each thread has a worker, which starts a process on first use. `size` gives the bytes of a
    result. An exception of a task is raised at its result's turn. Leaving the block kills running
    tasks.
    """
    lent = [make_worker() for _ in range(max(1, min(workers or worker_count(), len(items))))]
    free: SimpleQueue[Worker] = SimpleQueue()
    for worker in lent:
        free.put(worker)
    changed = threading.Condition()
    taken = held = 0
    stopped = False

    def run(place: int, item: Item) -> Result:
        nonlocal held
        with changed:  # items begin in order, so the one that is waited for goes on: no lock-up
            changed.wait_for(lambda: stopped or place <= taken or held < AHEAD_BYTES)
        worker = free.get()
        try:
            result = task(worker, item)
        finally:
            free.put(worker)
        with changed:
            held += size(result)
        return result

    def results() -> Iterator[Result]:
        nonlocal held, taken
        waiting: deque[Future[Result]] = deque()
        coming = enumerate(items)
        for _ in items:
            while len(waiting) < AHEAD_ITEMS and (following := next(coming, None)) is not None:
                waiting.append(executor.submit(run, *following))
            result = waiting.popleft().result()
            with changed:
                held -= size(result)
                taken += 1
                changed.notify_all()
            yield result

    executor = ThreadPoolExecutor(len(lent), "reading")
    try:
        yield results()
    finally:
        with changed:
            stopped = True
            changed.notify_all()
        for worker in lent:
            worker.stop()
        executor.shutdown(cancel_futures=True)
        for worker in lent:
            worker.close()
