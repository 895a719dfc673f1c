"""The progress of an index run, on stderr: a bar at a terminal, single lines elsewhere.

Never writes to stdout, and writes no bar and no colour where stderr is not a terminal or NO_COLOR
is set.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from indexer import FileRow, Plan, Progress, ToRecognise

import click

from corpus_agent import render
from corpus_agent.text.naming import called
from indexer import RunDisplay

SECONDS_BETWEEN_LINES = 10.0  # where there is no bar
LONG_SECONDS = 60.0  # of recognition
LONGEST_STEP = 120.0  # seconds of one step that count: in a longer one the machine slept


class IndexProgress(RunDisplay):
    """The progress of an index run; with `verbose` a line for each file."""

    def __init__(
        self,
        bar: Bar | None,
        *,
        verbose: bool = False,
        seconds: float = SECONDS_BETWEEN_LINES,
        longest_step: float = LONGEST_STEP,
    ) -> None:
        self._bar = bar
        self._seconds = seconds
        self._longest_step = longest_step
        self._verbose = verbose
        self._task = bar.add_task("", total=None, files="", rate="") if bar else None
        self._said_at = self._stepped_at = time.monotonic()
        self._worked = 0.0  # seconds
        self._said = 0

    def start(self, todo: Plan, rebuilding: bool) -> None:
        """Print the plan before the run."""
        for reason in todo.reasons:
            self._print(reason)
        if rebuilding:
            self._print("The old index answers until the new one is complete.")
        if self._bar and self._task is not None:
            total = sum(seen.bytes for seen in todo.work)
            self._bar.update(self._task, total=total, description="Reading")

    def waiting(self, pages: ToRecognise) -> None:
        """Print about how long recognition takes where somebody may not want to wait for it."""
        if pages.seconds > LONG_SECONDS:
            self._print(render.waiting_line(pages))
        self._said, self._worked, self._stepped_at = 0, 0.0, time.monotonic()

    def advance(self, done: Progress) -> None:
        """Move the bar; where there is none, print a line every ten seconds, or for each file."""
        now = time.monotonic()
        self._worked += min(now - self._stepped_at, self._longest_step)
        self._stepped_at = now
        if done.all_pages:
            self._page(done)
            return
        if self._verbose and done.files > self._said:
            self._said = done.files
            self._print(f"{done.files:,}/{done.all_files:,} {called(done.source)}")
        if not self._bar or self._task is None:
            if not self._verbose and done.files < done.all_files and self._is_time():
                self._print(render.file_progress_line(done, self._worked))
            return
        elapsed = self._bar.tasks[0].elapsed or 0.0
        rate = f"{done.chunks / elapsed:,.0f} passages/s" if elapsed and done.chunks else ""
        files = f"{done.files:,}/{done.all_files:,}"
        self._bar.update(self._task, completed=done.bytes, files=files, rate=rate)

    def _page(self, done: Progress) -> None:
        if self._bar and self._task is not None:
            self._bar.update(
                self._task,
                completed=done.pages,
                total=done.all_pages,
                description="Recognising",
                files=f"{done.pages:,}/{done.all_pages:,}",
                rate=called(done.source),
            )
        elif done.pages > self._said and (self._verbose or self._is_time()):
            self._print(render.page_line(done, self._worked))
            self._said = done.pages

    def _is_time(self) -> bool:
        """Whether the last line was printed long enough ago; the next one is printed now then."""
        if time.monotonic() - self._said_at < self._seconds:
            return False
        self._said_at = time.monotonic()
        return True

    def problem(self, row: FileRow) -> None:
        """Print one line on a file that yields no text, if every file is shown."""
        if self._verbose:
            self._print(render.problem_line(row))

    def _print(self, line: str) -> None:
        if self._bar:
            self._bar.console.print(line, markup=False, highlight=False, soft_wrap=True)
        else:
            print(line, file=sys.stderr)  # noqa: T201 - progress is this module's job


@contextmanager
def index_progress(*, verbose: bool = False) -> Iterator[IndexProgress]:
    """A progress display; with `verbose` a line for each file."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield IndexProgress(None, verbose=verbose)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[files]}  {task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        yield IndexProgress(bar, verbose=verbose)


@contextmanager
def counted(
    what: str, kept: str = "Texts that were read are kept"
) -> Iterator[Callable[[int, int], None]]:
    """A function that shows how many of how many are done, with the time left.

    If the user stops it, what was done and what is `kept` of it is said.
    """
    counts = [0, 0]
    with _shown_count(what) as show:

        def on_document(done: int, every: int) -> None:
            counts[:] = done, every
            show(done, every)

        try:
            yield on_document
        except KeyboardInterrupt:
            click.echo(
                f"{counts[0]:,} of {counts[1]:,} documents were looked at; nothing was written, "
                f"and the index is as it was. {kept} for the next time.",
                err=True,
            )
            raise


@contextmanager
def _shown_count(what: str) -> Iterator[Callable[[int, int], None]]:
    """The same without a word about a stop; outside of a terminal a line every few seconds."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        began = said_at = time.monotonic()

        def say(done: int, every: int) -> None:
            nonlocal said_at
            if time.monotonic() - said_at >= SECONDS_BETWEEN_LINES:
                said_at = time.monotonic()
                left = (said_at - began) * (every - done) / done if done else 0.0
                about = f", about {render.duration(left)} left" if done else ""
                print(f"{what} {done:,} of {every:,}{about}", file=sys.stderr, flush=True)  # noqa: T201

        yield say
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, every: bar.update(task, completed=done, total=every)
