"""Bytes in, text out, even if the parser dies; by jobs of `child`."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from indexer.errors import UnreadableDocument
from indexer.extract import is_cut_at_limit
from indexer.extract.extraction import is_day
from indexer.parsers import protocol
from indexer.parsers.limits import DocumentLimits, limits_for
from indexer.parsers.process import Child, label_of, words_of
from indexer.records import Line

PARSER = "indexer.parsers.child"

Enough = Callable[[int, int], bool]  # of so many lines and characters
Batch = tuple[int, int]  # lines and characters of text asked for at a time; a last line may exceed
WHOLE: Batch = (20_000, 2**20)
WINDOW: Batch = (2_000, 51_200)  # as much as one reading can show

MAX_WORKERS = 4
FILES_A_WORKER = 64
BYTES_A_WORKER = 2**18
# Of files that are read before their turn: enough for the embedding model to find its next batch
# ready. Beyond the second bound there is one for each worker.
AHEAD_FILES = 128
AHEAD_BYTES = 16 * 2**20

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Text:
    """Extracted text: `encoding` as in protocol.py, `lines` and `chars` its size.

    `complete` is set if it is the whole document; only then are `extractor`, a label, and `remark`,
    a message on unreadable parts, final. `author` and `date`, an ISO day, are what the file says of
    itself beside its text, "" where it says nothing.
    """

    extractor: str
    title: str
    encoding: bytes
    lines: int
    chars: int
    remark: str = ""
    complete: bool = True
    author: str = ""
    date: str = ""


SAID = ("extractor", "title", "remark", "author", "date")  # of a text that is complete


@dataclass(frozen=True, slots=True)
class Copy:
    """An immutable in-memory copy of a file: a descriptor, how many bytes, and their hash."""

    descriptor: int
    bytes: int
    sha256: str


class Worker(Child):
    """A parser's process. `program` is what it runs, `bounds` those for a file of so many bytes."""

    def __init__(
        self,
        program: str = PARSER,
        bounds: Callable[[int], DocumentLimits] = limits_for,
    ) -> None:
        super().__init__(program)
        self._bounds = bounds

    def read(
        self,
        descriptor: int,
        source: str,
        enough: Enough = lambda lines, chars: False,
        batch: Batch = WHOLE,
    ) -> Text:
        """The text of a document, in batches until there is `enough`, or UnreadableDocument.

        Whatever is raised, the worker is ready for the next document.
        """
        limits = self._bounds(os.fstat(descriptor).st_size)
        while True:
            is_first, label = self.new_task(), None
            try:
                label = self.ask(_label_said, "open", limits, descriptor, source=source)
                return self._text(label, limits, enough, batch)
            except UnreadableDocument as error:
                # What it parsed before may have broken it: then another is given the document.
                if is_first or self.runs or error.reason in ("timeout", "interrupted"):
                    error.extractor = error.extractor or label
                    raise

    def _text(self, label: str, limits: DocumentLimits, enough: Enough, batch: Batch) -> Text:
        """The text of the document that is open in the process, as this extractor reads it."""
        parts: list[bytes] = []
        lines = chars = 0
        while True:
            more = self.ask(text_said, "lines", max_lines=batch[0], max_chars=batch[1])
            label = more.extractor or label
            excess = _excess(lines + more.lines, chars + more.chars, limits)
            if excess and not (parts and is_cut_at_limit(label)):
                raise UnreadableDocument("output", f"{excess} of text")
            if excess:
                more = Text(label, "", b"", 0, 0, f"{excess}: the first {lines:,} lines are read")
            lines, chars = lines + more.lines, chars + more.chars
            parts.append(more.encoding)
            if more.complete or enough(lines, chars):
                whole = b"".join(parts)
                return replace(more, extractor=label, encoding=whole, lines=lines, chars=chars)


def _label_said(said: dict[str, Any], _: bytes) -> str:
    return label_of(said.get("extractor"))


def text_said(said: dict[str, Any], body: bytes) -> Text:
    """The text of a process or an entry, or a part: the last says what is of all. Malformed."""
    size = protocol.checked(body)
    if body and not said:
        return Text("", "", body, *size, complete=False)
    label, *words = map(said.get, SAID)
    title, remark, author, day = map(words_of, words)
    if day and not is_day(day):
        raise protocol.Malformed("a day that is none")
    return Text(label_of(label), title, body, *size, remark, author=author, date=day)


def _excess(lines: int, chars: int, limits: DocumentLimits) -> str:
    """Which limit that amount is beyond, as in "more than 2,000,000 lines"; "" if none."""
    if lines > limits.text_lines:
        return f"more than {limits.text_lines:,} lines"
    return f"more than {limits.text_chars:,} characters" if chars > limits.text_chars else ""


def parsed_lines(data: bytes, name: str, enough: Enough) -> tuple[list[Line], bool]:
    """The lines of a document, as they would be indexed, and whether they are complete."""
    descriptor = os.memfd_create("document", os.MFD_CLOEXEC)
    try:
        with os.fdopen(descriptor, "wb", closefd=False) as file:
            file.write(data)
        with closing(Worker()) as worker:
            text = worker.read(descriptor, name, enough, WINDOW)
    finally:
        os.close(descriptor)
    return list(protocol.decoded(text.encoding)), text.complete


# ---- Several at work


def worker_count() -> int:
    """The number of workers: one per core of this process, up to a maximum."""
    return min(MAX_WORKERS, len(os.sched_getaffinity(0)))


def workers_for(files: int, size: int) -> int:
    """The number of workers for so many files of so many bytes: starting one takes .1 s."""
    return min(worker_count(), 1 + files // FILES_A_WORKER + size // BYTES_A_WORKER)


@contextmanager
def in_order(
    task: Callable[[Worker, _Item], _Result],
    items: Sequence[_Item],
    sizes: Sequence[int],
    make_worker: Callable[[], Worker],
    workers: int,
) -> Iterator[Iterator[_Result]]:
    """The results of `task` for the items in their order, made ahead by threads with a worker each.

    `sizes` are the bytes of the items. Leaving the block kills running tasks.
    """
    lent = [make_worker() for _ in range(max(1, min(workers, len(items))))]
    free, own = [*lent], threading.local()

    def begin() -> None:
        own.worker = free.pop()

    def results() -> Iterator[_Result]:
        begun: deque[Future[_Result]] = deque()
        for first in range(len(items)):
            while (at := first + len(begun)) < len(items) and (
                len(begun) < len(lent)
                or (len(begun) < AHEAD_FILES and sum(sizes[first:at]) < AHEAD_BYTES)
            ):
                begun.append(executor.submit(lambda item: task(own.worker, item), items[at]))
            yield begun.popleft().result()

    executor = ThreadPoolExecutor(len(lent), "reading", begin)
    try:
        yield results()
    finally:
        for worker in lent:
            worker.stop()
        executor.shutdown(cancel_futures=True)
        for worker in lent:
            worker.close()
