"""The progress of an index run, of a look at every document and of an answer, on stderr.

A bar or a live display at a terminal, single lines elsewhere; no colour with NO_COLOR.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

import click

from corpus_agent import render
from corpus_agent.service.process import Onlooker
from corpus_agent.text.naming import called
from corpus_agent.text.sanitize import inert, one_line
from indexer import RunDisplay

if TYPE_CHECKING:
    from rich.live import Live
    from rich.progress import Progress as Bar
    from rich.text import Text

    from corpus_agent.answering.records import Answer
    from indexer import FileRow, Plan, Progress, ToRecognise

SECONDS_BETWEEN_LINES = 10.0  # where there is no bar
LONG_SECONDS = 60.0  # of recognition
LONGEST_STEP = 120.0  # seconds of one step that count: in a longer one the machine slept


class IndexProgress(RunDisplay):
    """The progress of an index run; with `verbose` a line for each file."""

    def __init__(self, bar: Bar | None, *, verbose: bool = False) -> None:
        self._bar = bar
        self._verbose = verbose
        self._task = bar.add_task("", total=None, files="") if bar else None
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
        self._worked += min(now - self._stepped_at, LONGEST_STEP)
        self._stepped_at = now
        recognising = bool(done.all_pages)
        made, every = (done.pages, done.all_pages) if recognising else (done.files, done.all_files)
        is_new = made > self._said
        if is_new and self._verbose and not recognising:
            self._print(f"{made:,}/{every:,} {called(done.source)}")
        if self._bar and self._task is not None:
            self._bar.update(
                self._task,
                completed=made if recognising else done.bytes,
                total=every if recognising else self._bar.tasks[0].total,
                description="Recognising" if recognising else "Reading",
                files=f"{made:,}/{every:,}",
            )
        elif is_new and made < every and now - self._said_at >= SECONDS_BETWEEN_LINES:
            self._said_at = now
            self._print(render.progress_line(done, self._worked))
        self._said = made

    def problem(self, row: FileRow) -> None:
        """Print one line on a file that yields no text, if every file is shown."""
        if self._verbose:
            self._print(render.problem_line(row))

    def _print(self, line: str) -> None:
        if self._bar:
            self._bar.console.print(line, markup=False, highlight=False, soft_wrap=True)
        else:
            click.echo(line, err=True)


def has_bar() -> bool:
    """Whether stderr is a terminal that can redraw a line."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


@contextmanager
def index_progress(*, verbose: bool = False) -> Iterator[IndexProgress]:
    """A progress display; with `verbose` a line for each file."""
    if not has_bar():
        yield IndexProgress(None, verbose=verbose)
        return
    with _bar("{task.description}", "{task.fields[files]}") as bar:
        yield IndexProgress(bar, verbose=verbose)


def _bar(before: str, behind: str, *, transient: bool = False) -> Bar:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(before), BarColumn(), TextColumn(behind), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=transient)


@contextmanager
def counted(what: str) -> Iterator[Callable[[int, int], None]]:
    """A function that shows at a terminal how many of how many are done, with the time left."""
    if not has_bar():
        yield lambda *_: None
        return
    with _bar(what, "{task.completed}/{task.total}", transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, every: bar.update(task, completed=done, total=every)


DRAFT_LINES = 8  # of the draft's end
DRAFT_CHARACTERS = 2_000
READING = "Found so far, while the model reads:"
PER_SECOND = 8  # times that the draft is drawn


class Watching:
    """A context manager, reusable for each answer; outside of it, nothing is shown.

    `quiet`: without a terminal, not even the line that says that a model is asked. `verbose`:
    there, too, each step.
    """

    def __init__(self, *, quiet: bool = False, verbose: bool = False) -> None:
        self._verbose = verbose
        self._shows = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._quiet = quiet
        self._passages = ""
        self._began = 0.0
        self._live: Live | None = None
        self._draft = ""

    def __enter__(self) -> Self:
        if self._shows:
            from rich.console import Console
            from rich.live import Live

            self._draft = self._passages = ""
            self._began = time.monotonic()
            console = Console(stderr=True, highlight=False)
            self._live = Live(
                console=console,
                transient=True,
                refresh_per_second=PER_SECOND,
                get_renderable=self._tail,
            )
            self._live.start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    @property
    def onlooker(self) -> Onlooker:
        """The callbacks of a question that is shown here."""
        return Onlooker(self.event, self.draft, self.passages)

    def event(self, line: str) -> None:
        """Show one line on the current step."""
        if self._live is not None:
            from rich.text import Text

            self._draft = ""
            self._live.console.print(Text(f"· {one_line(inert(line))}", "dim"), soft_wrap=True)
        elif self._verbose:
            print(f"· {one_line(inert(line))}", file=sys.stderr)  # noqa: T201 - progress, as below

    def passages(self, found: Answer) -> None:
        """Show what was found without the model, which is asked now."""
        if self._live is not None:
            if found.passages:
                lines = render.citation_lines(found.passages)
                self._passages = "\n".join([READING, *lines])
        elif not self._quiet:
            line = "Asking the model, which can take minutes."
            print(line, file=sys.stderr, flush=True)  # noqa: T201 - progress is this module's job

    def draft(self, text: str) -> None:
        """Show the draft so far."""
        self._draft = text[-DRAFT_CHARACTERS:]

    def _tail(self) -> Text:
        from rich.text import Text

        lines = inert(self._draft).splitlines()[-DRAFT_LINES:]
        seconds = int(time.monotonic() - self._began)
        waiting = f"… {seconds} s"
        above = [self._passages, ""] if self._passages else []
        return Text("\n".join([*above, waiting, *lines]), "dim italic")
