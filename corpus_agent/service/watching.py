"""`watch`: the index follows its folder until somebody asks it to stop.

One worker looks whenever indexer/files/watch.py says so and does what `index` does; what happens
meanwhile is heard and looked at afterwards. The writer lock is held only while something is
written, the embedding model stays loaded.
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
from corpus_agent.startup import to_index
from indexer import (
    CorpusError,
    Encoder,
    FileRow,
    Outcome,
    Plan,
    Progress,
    StoreLocked,
    moments,
    sleep,
)

LOCKED_SECONDS = 1.0  # between two tries for a store that another process is writing


class RunDisplay(Protocol):
    """What one run is shown by; see session.index for when each is called."""

    def start(self, todo: Plan, rebuilding: bool) -> None:
        """Called with the plan, before anything is done."""
        ...

    def advance(self, done: Progress) -> None:
        """Called after each file."""
        ...

    def problem(self, row: FileRow) -> None:
        """Called with each file that yields no text."""
        ...


@dataclass(frozen=True, slots=True)
class Callbacks:
    """What `watch` calls: with each outcome that changed the index, each notice, and for each run.

    `display` opens what a run is shown by, and closes it when the run is over.
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
    """Look now and whenever something changed, until `should_stop` says so.

    The outcome of the first look is always told, and `force` and `verify` are for it. Its errors
    are raised; later ones are told, and the next change is looked at again. `encoder` is the
    settings' own unless given. Raises CorpusError when the folder is gone or another is in its
    place: neither the watches nor the seal would reach into that one.
    """
    if settings.root is None:  # called without a launch of its own
        settings = to_index(settings, folder, seal_off=True).settings
    store, root = existing_place(settings)
    watched = _identity(root)
    encoder = encoder or session.encoder_for(settings, store, bulk=True)
    look = partial(_look, settings, folder, encoder, should_stop, callbacks)
    with closing(moments(root, store.resolve(), should_stop, callbacks.notice)) as due:
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
    """What tells a folder from another of the same name; None where there is none."""
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
    """The version of the index after one run; one that is not `known` is told of."""
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
                    on_progress=shown.advance,
                    on_problem=shown.problem,
                    should_stop=should_stop,
                )
        except StoreLocked as error:
            if not waiting:
                callbacks.notice(f"Waiting: {error.message}")
            waiting = True
            sleep(LOCKED_SECONDS, should_stop)
            continue
        if outcome.version != known:
            callbacks.outcome(outcome)
        return outcome.version
    return known
