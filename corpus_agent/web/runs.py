"""Index runs and the watch that a page begins: one at a time, with what there is to see of them.

Each goes on in a thread of the server, which is sealed and is told of no file event: its watch
looks at the folder every few seconds. Knows no HTTP. What a run does is the business of
service/session.py, what a watch does that of service/watching.py.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from corpus_agent import service
from corpus_agent.render import duration, index_lines, problem_line, waiting_line, watch_line
from corpus_agent.service.cancel import Cancel
from indexer import CorpusError, Progress, RunDisplay

if TYPE_CHECKING:
    from corpus_agent.settings import Settings
    from indexer import FileRow, Outcome, Plan, ToRecognise

SHOWN_PROBLEMS = 50
SHOWN_CHANGES = 20  # of a watch


@dataclass(slots=True)
class IndexRun(RunDisplay):
    """One run, as the display of itself: how far it is, what it met and how it ended."""

    began: float
    cancel: Cancel = field(default_factory=Cancel)
    done: Progress | None = None
    notes: list[str] = field(default_factory=list)
    outcome: Outcome | None = None
    error: CorpusError | None = None
    failed: bool = False  # by a fault of the program; its traceback is on the terminal
    ended: float | None = None
    changes: bool = False  # whether there is anything to do
    part_began: float | None = None  # when it began with what `share` is of

    @property
    def is_open(self) -> bool:
        """Whether it still runs."""
        return self.ended is None

    @property
    def share(self) -> float:
        """How much of it is done, 0 to 1: of the pages while scans are read, else of the bytes."""
        if self.done is None:
            return 0.0
        if self.done.all_pages:
            return self.done.pages / self.done.all_pages
        return min(1.0, self.done.bytes / self.done.all_bytes) if self.done.all_bytes else 0.0

    def progress(self) -> str:
        """How far it is, how fast, and about how long it will take where enough is done to say."""
        done, seconds = self.done, time.monotonic() - (self.part_began or self.began)
        if done is None:
            return "Looking at the folder …"
        if done.all_pages:
            parts = [f"{done.pages:,} of {done.all_pages:,} pages read"]
            if done.pages and seconds > 1:
                parts.append(f"{done.pages / seconds * 60:,.0f} a minute")
        else:
            parts = [f"{done.files:,} of {done.all_files:,} files"]
            if done.chunks and seconds > 1:
                parts.append(f"{done.chunks / seconds:,.0f} passages a second")
        if self.is_open and self.share > 0.02:
            parts.append(f"about {duration(seconds * (1 - self.share) / self.share)} left")
        return ", ".join(parts)

    def lines(self) -> list[str]:
        """The outcome as text."""
        return list(index_lines(self.outcome)) if self.outcome is not None else []

    # -- the display of the run

    def start(self, todo: Plan, rebuilding: bool) -> None:
        """The plan is made."""
        self.part_began = time.monotonic()
        self.changes = rebuilding or not todo.changes_nothing
        self.notes.extend(todo.reasons)
        if rebuilding:
            self.notes.append("The old index answers until the new one is complete.")

    def waiting(self, pages: ToRecognise) -> None:
        """Scans are read next."""
        self.part_began = time.monotonic()
        self.changes = True
        self.done = Progress(all_pages=pages.pages + pages.pictures)
        self.notes.append(waiting_line(pages))

    def advance(self, done: Progress) -> None:
        """A file or a page is done."""
        self.done = done

    def problem(self, row: FileRow) -> None:
        """A file gave no text."""
        if len(self.notes) < SHOWN_PROBLEMS:
            self.notes.append(problem_line(row))


@dataclass(slots=True)
class FolderWatch:
    """Runs one after the other, one whenever the folder is looked at; `lines` are their changes."""

    cancel: Cancel = field(default_factory=Cancel)
    run: IndexRun | None = None
    looked: float | None = None  # when a look ended last, as time.time()
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=SHOWN_CHANGES))
    error: CorpusError | None = None
    failed: bool = False  # by a fault of the program; its traceback is on the terminal
    ended: float | None = None

    @property
    def is_open(self) -> bool:
        """Whether it goes on."""
        return self.ended is None

    def note(self, line: str) -> None:
        """Keep a line with its time."""
        self.lines.appendleft(f"{time.strftime('%H:%M:%S')} {line}")


class IndexRuns:
    """The run and the watch of a server that go on, or went on last. Thread-safe."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._last: IndexRun | None = None
        self.watched: FolderWatch | None = None
        self.seen = 0  # counts what begins, changes and ends, for a page that follows it

    @property
    def shown(self) -> IndexRun | None:
        """The run that goes on with something to do, else the last one that had."""
        run = self.watched.run if self.watched is not None else None
        return run if run is not None and run.is_open and run.changes else self._last

    @property
    def problem(self) -> str:
        """Why the run or the watch failed that ended last; "" where it did not."""
        ended = [
            (each.ended, each)
            for each in (self.shown, self.watched)
            if each is not None and each.ended is not None
        ]
        if not ended:
            return ""
        _, last = max(ended, key=lambda pair: pair[0])
        if last.failed:
            return "It failed; the terminal of the server says why."
        return str(last.error or "")

    def begin(self) -> None:
        """Begin a run, unless one or the watch goes on."""
        with self._lock:
            if not self._is_busy():
                self._last = IndexRun(time.monotonic())
                self._start(self._index, self._last)

    def watch(self) -> None:
        """Begin to watch the folder, unless a run or the watch goes on."""
        with self._lock:
            if not self._is_busy():
                self.watched = FolderWatch()
                self._start(self._watch, self.watched)

    def stop(self) -> None:
        """Stop what goes on; what it has done is kept."""
        for each in (self._last, self.watched):
            if each is not None:
                each.cancel.set()

    def _is_busy(self) -> bool:
        return any(each is not None and each.is_open for each in (self._last, self.watched))

    def _start(self, work: Callable[..., None], of: IndexRun | FolderWatch) -> None:
        self.seen += 1
        threading.Thread(target=work, args=(of,), daemon=True).start()

    def _index(self, run: IndexRun) -> None:
        failed = True
        try:
            run.outcome = service.session.index(
                self._settings,
                None,
                display=run,
                should_stop=run.cancel.is_set,
            )
            failed = False
        except CorpusError as error:
            run.error, failed = error, False
        finally:  # of any other error a traceback is printed, and the page says that it failed
            run.failed = failed
            run.ended = time.monotonic()
            self.seen += 1

    def _watch(self, watch: FolderWatch) -> None:
        @contextmanager
        def look() -> Iterator[IndexRun]:
            watch.run = IndexRun(time.monotonic(), watch.cancel)
            try:
                yield watch.run
            finally:
                watch.run.ended = time.monotonic()
                watch.looked = time.time()

        def changed(outcome: Outcome) -> None:
            assert watch.run is not None
            watch.run.outcome = outcome
            self._last = watch.run
            noted(watch_line(outcome))

        def noted(line: str) -> None:
            watch.note(line)
            self.seen += 1

        failed = True
        try:
            service.watching.watch(
                self._settings,
                None,
                watch.cancel.is_set,
                service.watching.Callbacks(changed, noted, look),
                events=False,
            )
            failed = False
        except CorpusError as error:
            watch.error, failed = error, False
        finally:
            watch.failed = failed
            watch.ended = time.monotonic()
            self.seen += 1
