"""What a command prints and the new files that it writes; its progress.

Data is on stdout, all else on stderr. Files are opened before the seal, which closes all but the
index. Progress is a bar or a live display at a terminal, single lines elsewhere.
"""

from __future__ import annotations

import codecs
import json
import os
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

import click

from corpus_agent import render, trust
from corpus_agent.render.common import advised
from corpus_agent.service.process import Onlooker
from corpus_agent.text.naming import called, quoted
from corpus_agent.text.sanitize import inert, one_line, visible
from indexer import RunDisplay, UsageError

if TYPE_CHECKING:
    from rich.live import Live
    from rich.progress import Progress as Bar
    from rich.text import Text

    from corpus_agent.answering.records import Answer
    from corpus_agent.render.answers import Sheet
    from indexer import FileRow, Index, Plan, Progress


def print_json(content: Mapping[str, object], corpus: Index | None = None) -> None:
    """Print one object, stamped with the state of the seal, and the stores if they are several."""
    launch = (click.get_current_context().obj or {}).get("launch")
    stamp = {"seal": launch.seal.state} if launch else {}
    if launch and launch.egress:
        stamp["egress"] = launch.egress
    stores = render.stores_read(corpus.stores) if corpus is not None else {}
    # JSON is UTF-8; a terminal of another encoding shows its escapes.
    encoding = getattr(sys.stdout, "encoding", None)  # there is no stream where it was closed
    utf8 = codecs.lookup(encoding or "utf-8").name == "utf-8"
    click.echo(json.dumps({**content, **stores, **stamp}, ensure_ascii=not utf8))


def print_lines(lines: Iterable[str], *, err: bool = False) -> None:
    """Print each line; on stderr with `err`."""
    for line in lines:
        click.echo(line, err=err)


def print_notes(notices: Iterable[str]) -> None:
    """Say on stderr what a person should know."""
    said = map(advised, map(visible, notices))
    print_lines((f"Note: {notice}" for notice in said), err=True)


def style(line: str, likely: bool) -> str:
    """A line of a passage at a terminal: bold if it is likely to answer, else dim."""
    if not sys.stdout.isatty() or "NO_COLOR" in os.environ:
        return line
    return click.style(line, bold=likely or None, dim=not likely or None)


def screen() -> Sheet:
    """What answers are written on: likely lines are told apart at a terminal."""
    return replace(render.SCREEN, style=style)


EXPORT = click.option(
    "--export",
    "export_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write it with its passages to a new FILE, as Markdown.",
)


def opened_new(file: Path | None) -> int | None:
    """A descriptor of a new file, None for none; opened before the seal.

    An empty one is as good as new: a run that ended with an error leaves it. No link is followed:
    whoever made it would choose the file that is overwritten.
    """
    if file is None:
        return None
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(file, flags, 0o600)
        found = os.fstat(descriptor)
    except OSError:
        message = f"{os.fspath(file)!r} cannot be written."
        raise UsageError(message, "Name a new file in a folder that you may write.") from None
    if not stat.S_ISREG(found.st_mode) or found.st_size or found.st_nlink > 1:
        os.close(descriptor)
        raise UsageError(
            f"{os.fspath(file)!r} is there already, and is not overwritten.", "Name a new file."
        )
    return descriptor


def check_apart(first: int | None, second: int | None) -> None:
    """Raise UsageError for two outputs that would be written into one file."""
    if first is not None and second is not None and os.path.sameopenfile(first, second):
        raise UsageError("Two outputs are to go into one file.", "Name a file for each.")


def write_text(descriptor: int | None, text: str) -> None:
    """Write a text to a descriptor of `opened_new`, if there is one, and close it."""
    if descriptor is not None:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)


def warn_of_index(file: Path | None, root: Path | None) -> None:
    """Say that a new file lies among the documents, so that the next run of `index` reads it.

    An answer that is a document is found before what it quotes, also when that has changed.
    """
    if file is not None and root is not None and root in trust.stores.absolute(file).parents:
        said = f"{quoted(file.name)} lies among your documents: the next index reads it as one."
        print_notes([f"{said} Write it elsewhere, or name it in .corpusignore."])


# ---- Progress


class IndexProgress(RunDisplay):
    """The progress of an index run, where there is a bar; with `verbose` a line for each file."""

    def __init__(self, bar: Bar | None, *, verbose: bool = False) -> None:
        self._bar, self._verbose = bar, verbose
        self._task = bar.add_task("", total=None, files="") if bar else None
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

    def advance(self, done: Progress) -> None:
        """Move the bar; print a line for each file, if they are shown."""
        pages = bool(done.all_pages)  # the run's second part
        made, every = (done.pages, done.all_pages) if pages else (done.files, done.all_files)
        is_new, self._said = made != self._said, made
        if is_new and self._verbose and not pages:
            self._print(f"{made:,}/{every:,} {called(done.source)}")
        if self._bar and self._task is not None:
            self._bar.update(
                self._task,
                completed=made if pages else done.bytes,
                total=every if pages else self._bar.tasks[0].total,
                description="Recognising" if pages else "Reading",
                files=f"{made:,}/{every:,}",
            )

    def problem(self, row: FileRow) -> None:
        """Print one line on a file that yields no text, if every file is shown."""
        if self._verbose:
            self._print(render.file_line(row))

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
        self._shows = has_bar()
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
                self._passages = "\n".join([READING, *render.answer_lines(found)])
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
