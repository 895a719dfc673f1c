"""Index runs that a page begins: one at a time, in a thread of the server. Knows no HTTP."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from corpus_agent import service
from corpus_agent.render import duration, problem_line, waiting_line
from corpus_agent.service.cancel import Cancel
from indexer import CorpusError, Progress, RunDisplay

if TYPE_CHECKING:
    from corpus_agent.settings import Settings
    from indexer import FileRow, Outcome, Plan, ToRecognise

SHOWN_PROBLEMS = 50


@dataclass(slots=True)
class IndexRun(RunDisplay):
    """One run, as the display of itself: how far it is, what it met and how it ended."""

    began: float
    cancel: Cancel = field(default_factory=Cancel)
    done: Progress | None = None
    notes: list[str] = field(default_factory=list)
    outcome: Outcome | None = None
    failure: str = ""
    ended: float | None = None
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
        """How far it is, and about how long it will take where enough is done to say."""
        done, seconds = self.done, time.monotonic() - (self.part_began or self.began)
        if done is None:
            return "Looking at the folder …"
        text = f"{done.files:,} of {done.all_files:,} files"
        if done.all_pages:
            text = f"{done.pages:,} of {done.all_pages:,} pages recognised"
        if self.is_open and self.share > 0.02:
            text += f", about {duration(seconds * (1 - self.share) / self.share)} left"
        return text

    # -- the display of the run

    def start(self, todo: Plan, rebuilding: bool) -> None:
        """The plan is made."""
        self.part_began = time.monotonic()
        self.notes.extend(todo.reasons)
        if rebuilding:
            self.notes.append("The old index answers until the new one is complete.")

    def waiting(self, pages: ToRecognise) -> None:
        """Scans are read next."""
        self.part_began = time.monotonic()
        self.done = Progress(all_pages=pages.pages + pages.pictures)
        self.notes.append(waiting_line(pages))

    def advance(self, done: Progress) -> None:
        """A file or a page is done."""
        self.done = done

    def problem(self, row: FileRow) -> None:
        """A file gave no text."""
        if len(self.notes) < SHOWN_PROBLEMS:
            self.notes.append(problem_line(row))


class IndexRuns:
    """The run of a server that goes on, or went on last. Thread-safe."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self.last: IndexRun | None = None
        self.seen = 0  # counts what begins and ends, for a page that follows it

    def begin(self) -> None:
        """Begin a run, unless one goes on."""
        with self._lock:
            if self.last is None or not self.last.is_open:
                self.last = IndexRun(time.monotonic())
                self.seen += 1
                threading.Thread(target=self._index, args=(self.last,), daemon=True).start()

    def stop(self) -> None:
        """Stop what goes on; what it has done is kept."""
        if self.last is not None:
            self.last.cancel.set()

    def _index(self, run: IndexRun) -> None:
        run.failure = "It failed; the terminal of the server says why."
        try:
            run.outcome = service.session.index(
                self._settings, None, display=run, should_stop=run.cancel.is_set
            )
            run.failure = ""
        except CorpusError as error:
            run.failure = str(error)
        finally:  # of any other error a traceback is printed
            run.ended = time.monotonic()
            self.seen += 1
