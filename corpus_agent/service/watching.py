"""`index --watch`: runs whenever files change; the embedding model stays loaded."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from corpus_agent.service import session
from corpus_agent.settings import Settings, existing_place
from corpus_agent.startup import for_indexing
from indexer import Choices, CorpusError, Encoder, Outcome, RunDisplay, StoreLocked
from indexer import watch as file_events

LOCKED_SECONDS = 1.0  # between two tries for a store that another process is writing


@dataclass(frozen=True, slots=True)
class Callbacks:
    """Callbacks of `watch`: for each outcome that changed the index, each notice, and each run."""

    outcome: Callable[[Outcome], None]
    notice: Callable[[str], None]
    display: Callable[[], AbstractContextManager[RunDisplay]] = lambda: nullcontext(RunDisplay())


def watch(
    settings: Settings,
    folder: Path | None,
    should_stop: Callable[[], bool],
    callbacks: Callbacks,
    choices: Choices | None = None,
    encoder: Encoder | None = None,
) -> None:
    """Update the index now and after every change, until `should_stop` returns true.

    `choices` are for the first run, whose errors are raised; later ones are notices.
    """
    if settings.root is None:  # called without a Launch
        settings = for_indexing(settings, folder, seal_off=True).settings
    store, root = existing_place(settings)
    watched = _identity(root)
    encoder = encoder or session.encoder_to_index(settings, store)
    look = partial(_look, settings, folder, encoder, should_stop, callbacks)
    moments = file_events.moments(root, store.resolve(), should_stop, callbacks.notice)
    with closing(moments) as due:
        next(due, None)
        version = look(choices=choices)
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
    choices: Choices | None = None,
) -> int | None:
    """The version of the index after one run; reported if it is not `known`."""
    waiting = False
    while not should_stop():
        try:
            with callbacks.display() as shown:
                outcome = session.index(
                    settings,
                    folder,
                    choices,
                    encoder=encoder,
                    display=shown,
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
