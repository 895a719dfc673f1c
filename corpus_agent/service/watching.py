"""`watch`: keeps the index up to date with its folder until it is stopped.

One worker runs `index` whenever indexer/files/watch.py reports a change; changes during a run lead
to another run. The writer lock is held only while writing; the embedding model stays loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from corpus_agent.service import session
from corpus_agent.settings import Settings, existing_place
from corpus_agent.startup import for_indexing
from indexer import (
    CorpusError,
    Encoder,
    FileRow,
    Outcome,
    Plan,
    Progress,
    StoreLocked,
    ToRecognise,
)
from indexer import watch as file_events

LOCKED_SECONDS = 1.0  # between two tries for a store that another process is writing


class RunDisplay(Protocol):
    """The progress display of one run; see session.index for when each method is called."""

    def start(self, todo: Plan, rebuilding: bool) -> None:
        """Called with the plan, before anything is done."""
        ...

    def waiting(self, pages: ToRecognise) -> None:
        """Called with what is to be recognised, before the first page."""
        ...

    def advance(self, done: Progress) -> None:
        """Called after each file."""
        ...

    def problem(self, row: FileRow) -> None:
        """Called with each file that yields no text."""
        ...


@dataclass(frozen=True, slots=True)
class Callbacks:
    """Callbacks of `watch`: for each outcome that changed the index, each notice, and each run.

    `display` is a context manager that opens the progress display of a run and closes it.
    """

    outcome: Callable[[Outcome], None]
    notice: Callable[[str], None]
    display: Callable[[], AbstractContextManager[RunDisplay]]


def watch(
    settings: Settings,
    folder: Path | None,
    should_stop: Callable[[], bool],
    callbacks: Callbacks,
    *,
    force: bool = False,
    verify: bool = False,
    encoder: Encoder | None = None,
) -> None:
    """Update the index now and after every change, until `should_stop` returns true.

    The outcome of the first run is always reported; `force` and `verify` apply to it, and its
    errors are raised. Later errors are reported as notices, and the next change starts another
    run. `encoder` replaces the one that the settings name. Raises CorpusError if the folder was
    removed or replaced: neither the watches nor the seal cover its replacement.
    """
    if settings.root is None:  # called without a Launch
        settings = for_indexing(settings, folder, seal_off=True).settings
    store, root = existing_place(settings)
    watched = _identity(root)
    encoder = encoder or session.encoder_for(settings, store, bulk=True)
    look = partial(_look, settings, folder, encoder, should_stop, callbacks)
    with closing(file_events.moments(root, store.resolve(), should_stop, callbacks.notice)) as due:
        next(due, None)
        version = look(force=force, verify=verify)
        trouble = ""
        while not should_stop() and next(due, _END) is not _END:
            if _identity(root) != watched:
                raise CorpusError(
                    f"The folder {str(root)!r} is gone, or another is in its place; "
                    "the index is kept as it is.",
                    "Restore or mount it, and start again.",
                )
            try:
                version = look(known=version)
                trouble = ""
            except CorpusError as error:
                if trouble != str(error):
                    callbacks.notice(str(error))
                trouble = str(error)


_END = object()


def _identity(folder: Path) -> tuple[int, int] | None:
    """Device and inode of a folder; None if it does not exist."""
    try:
        info = folder.stat()
    except OSError:
        return None
    return info.st_dev, info.st_ino


def _look(
    settings: Settings,
    folder: Path | None,
    encoder: Encoder,
    should_stop: Callable[[], bool],
    callbacks: Callbacks,
    *,
    known: int | None = None,
    force: bool = False,
    verify: bool = False,
) -> int | None:
    """The version of the index after one run; reported if it is not `known`."""
    waiting = False
    while not should_stop():
        try:
            with callbacks.display() as shown:
                outcome = session.index(
                    settings,
                    folder,
                    force=force,
                    verify=verify,
                    encoder=encoder,
                    on_start=shown.start,
                    on_waiting=shown.waiting,
                    on_progress=shown.advance,
                    on_problem=shown.problem,
                    should_stop=should_stop,
                )
        except StoreLocked as error:
            if not waiting:
                callbacks.notice(f"Waiting: {error.message}")
            waiting = True
            file_events.sleep(LOCKED_SECONDS, should_stop)
            continue
        if outcome.version != known:
            callbacks.outcome(outcome)
        return outcome.version
    return known
