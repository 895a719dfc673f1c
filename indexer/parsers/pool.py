"""Runs tasks ahead of their consumer on several workers, in order and in bounded memory.

Independent of files and texts: a task is a function of a worker and an item.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Generic, TypeVar

from indexer.parsers.worker import Worker

MAX_WORKERS = 4
FILES_A_WORKER = 64
BYTES_A_WORKER = 2**18
# Results that wait for their turn. Enough for the embedding model to find its next batch ready, and
# the second bound is what the results of all workers may exceed by one document each.
AHEAD_ITEMS = 256
AHEAD_BYTES = 64 * 2**20

Item = TypeVar("Item")
Result = TypeVar("Result")
Task = Callable[[Worker, Item], Result]


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
    task: Task[Item, Result],
    items: Sequence[Item],
    size: Callable[[Result], int],
    make_worker: Callable[[], Worker] = Worker,
    workers: int | None = None,
) -> Iterator[Iterator[Result]]:
    """The results of `task` for the items, in their order, made ahead by several threads.

    Each thread has a worker, which starts a process on first use. `size` gives the bytes of a
    result. An exception of a task is raised at its result's turn or earlier. Leaving the block
    kills running tasks.
    """
    count = min(workers or worker_count(), len(items))
    ahead = _Ahead(task, items, size, [make_worker() for _ in range(count)])
    try:
        yield ahead.results()
    finally:
        ahead.stop()


class _Ahead(Generic[Item, Result]):
    """State shared by the threads: the next item, and the waiting results."""

    def __init__(
        self,
        task: Task[Item, Result],
        items: Sequence[Item],
        size: Callable[[Result], int],
        workers: Sequence[Worker],
    ) -> None:
        self._task = task
        self._items = items
        self._size = size
        self._workers = workers
        self._changed = threading.Condition()
        self._next = 0  # the first item that is not started
        self._taken = 0
        self._held = 0
        self._done: dict[int, Result] = {}
        self._stopped = False
        self._executor = ThreadPoolExecutor(max(1, len(workers)), "reading")
        self._threads: list[Future[None]] = []

    def results(self) -> Iterator[Result]:
        """Each item's result in turn; starts the threads."""
        self._threads = [self._executor.submit(self._work, worker) for worker in self._workers]
        for thread in self._threads:
            thread.add_done_callback(self._wake)
        for index in range(len(self._items)):
            with self._changed:
                while index not in self._done:
                    self._raise_what_went_wrong()
                    self._changed.wait()
                result = self._done.pop(index)
                self._held -= self._size(result)
                self._taken += 1
                self._changed.notify_all()
            yield result

    def stop(self) -> None:
        """End all workers and threads."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        for worker in self._workers:
            worker.stop()
        self._executor.shutdown()

    def _work(self, worker: Worker) -> None:
        try:
            while (index := self._begin()) is not None:
                result = self._task(worker, self._items[index])
                with self._changed:
                    self._done[index] = result
                    self._held += self._size(result)
                    self._changed.notify_all()
        finally:
            # In this thread, whose end would take the process along unwaited for.
            worker.close()

    def _wake(self, _: Future[None]) -> None:
        with self._changed:
            self._changed.notify_all()

    def _begin(self) -> int | None:
        """The next item's index, when there is room for its result; None when all are started."""
        with self._changed:
            while self._next < len(self._items) and not self._stopped and not self._has_room():
                self._changed.wait()
            if self._stopped or self._next == len(self._items):
                return None
            self._next += 1
            return self._next - 1

    def _has_room(self) -> bool:
        # Items begin in order, so the one that is waited for has begun: this cannot lock up.
        return self._next - self._taken < AHEAD_ITEMS and self._held < AHEAD_BYTES

    def _raise_what_went_wrong(self) -> None:
        for thread in self._threads:
            if thread.done() and (error := thread.exception()):
                raise error
