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

from corpus_agent import render
from corpus_agent.text.naming import called

SECONDS_BETWEEN_LINES = 10.0  # on pages, where there is no bar


class IndexProgress:
    """The progress of an index run; `show_problems` adds a line for each file without text."""

    def __init__(self, bar: Bar | None) -> None:
        self._bar = bar
        self._task = bar.add_task("", total=None, files="", rate="") if bar else None
        self._began = self._said_at = time.monotonic()
        self._said = 0

    def start(self, todo: Plan, rebuilding: bool) -> None:
        """Print the plan before the run."""
        for reason in todo.reasons:
            self._print(reason)
        if rebuilding:
            self._print("The old index answers until the new one is complete.")
        if self._bar and self._task is not None:
            total = sum(seen.bytes for seen in todo.work)
            self._bar.update(self._task, total=total, description="indexing")

    def waiting(self, pages: ToRecognise) -> None:
        """Print what is to be recognised and about how long it takes, before the first page."""
        self._print(render.waiting_line(pages))
        self._began = time.monotonic()

    def advance(self, done: Progress) -> None:
        """Move the bar; where there is none, print a line for every few pages recognised."""
        if done.all_pages:
            self._page(done)
            return
        if not self._bar or self._task is None:
            return
        elapsed = self._bar.tasks[0].elapsed or 0.0
        rate = f"{done.chunks / elapsed:,.0f} chunks/s" if elapsed and done.chunks else ""
        files = f"{done.files:,}/{done.all_files:,} files"
        self._bar.update(self._task, completed=done.bytes, files=files, rate=rate)

    def _page(self, done: Progress) -> None:
        if self._bar and self._task is not None:
            self._bar.update(
                self._task,
                completed=done.pages,
                total=done.all_pages,
                description="recognising",
                files=f"{done.pages:,}/{done.all_pages:,} pages",
                rate=called(done.source),
            )
        elif done.pages > self._said and time.monotonic() - self._said_at >= SECONDS_BETWEEN_LINES:
            elapsed = time.monotonic() - self._began
            self._print(render.page_line(done, elapsed))
            self._said, self._said_at = done.pages, time.monotonic()

    def problem(self, row: FileRow) -> None:
        """Print one line on a file that yields no text."""
        self._print(render.problem_line(row))

    def _print(self, line: str) -> None:
        if self._bar:
            self._bar.console.print(line, markup=False, highlight=False, soft_wrap=True)
        else:
            print(line, file=sys.stderr)  # noqa: T201 - progress is this module's job


@contextmanager
def index_progress() -> Iterator[IndexProgress]:
    """A progress display that is erased when the run is over."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield IndexProgress(None)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[files]}  {task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield IndexProgress(bar)


@contextmanager
def counted(what: str) -> Iterator[Callable[[int, int], None]]:
    """A function that shows how many of how many are done, with the time left, at a terminal."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield lambda *_: None
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
