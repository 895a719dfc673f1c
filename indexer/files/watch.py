"""File events -> the moments at which a folder should be scanned again.

Reports only that something below the root may have changed; what changed is found by scanning the
whole folder, with the plan that `index` makes. So nothing depends on kind, order or completeness of
events: the kernel drops events under load, and the library does not report it.

Not detected: changes by another machine on a network file system. They are found by the scan after
RENEW_SECONDS without events.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.files.ignore import IGNORE_FILES
from indexer.files.paths import never_a_document

if TYPE_CHECKING:
    from watchfiles import Change

QUIET_MS = 500  # an editor's new file, its rename and its change of mode are one moment
GATHER_MS = 2_000  # how long changes that do not pause are gathered
RENEW_SECONDS = 600.0  # watches are renewed and the folder is scanned, with or without events
# More changes at a time than this, and the kernel, whose queue holds 16,384 events by default,
# several for each change, may have dropped some, the birth of a folder among them.
BURST = 2_000
POLL_SECONDS = 2.0
POLL_SHARE = 0.1  # of the time that looking may take, up to MAX_POLL_SECONDS between two looks
MAX_POLL_SECONDS = 60.0


ShouldStop = Callable[[], bool]
"""Whether the stop flag is set; polled at least once a second."""


@dataclass(frozen=True, slots=True)
class _StopEvent:
    """The stop flag in the form that the library polls."""

    is_set: ShouldStop


def moments(
    root: Path,
    store: Path,
    should_stop: ShouldStop,
    on_notice: Callable[[str], None],
    *,
    renew_seconds: float = RENEW_SECONDS,
) -> Generator[None, None, None]:
    """Yields whenever `root` should be scanned, first as soon as the watches are set.

    Ends when `should_stop` is true. Changes during a scan yield once more afterwards. If the system
    provides no events, `on_notice` is called with the reason and the folder is polled.
    """
    while not should_stop():
        try:
            yield from _changes_below(root, store, should_stop, renew_seconds)
        except (OSError, RuntimeError) as error:  # the library's own error is a RuntimeError
            reason = " ".join(str(error).split(" about [")[0].split())
            on_notice(
                f"No file events ({reason}): looking every {POLL_SECONDS:.0f} s or more instead. "
                "Where a limit was reached: sysctl fs.inotify.max_user_watches (or _instances)."
            )
            yield from polled(should_stop)


def _changes_below(
    root: Path, store: Path, should_stop: ShouldStop, renew_seconds: float
) -> Iterator[None]:
    """Yields for kernel events from one set of watches."""
    from watchfiles import watch

    until = time.monotonic() + renew_seconds
    first = True
    events = watch(
        root,
        watch_filter=None,
        debounce=GATHER_MS,
        step=QUIET_MS,
        rust_timeout=1,  # an empty set after each step without a change
        yield_on_timeout=True,
        stop_event=_StopEvent(should_stop),
        force_polling=False,
        ignore_permission_denied=False,  # True leaves the folders after it unwatched, in silence
        debug=False,
    )
    for changes in events:
        if first or any(_concerns(root, store, Path(path)) for _, path in changes):
            first = False
            yield
        if time.monotonic() > until or _may_be_unwatched(changes):
            events.close()
            return


def _may_be_unwatched(changes: set[tuple[Change, str]]) -> bool:
    """Whether some folder may be unwatched: the library watches new folders if it can.

    It does not report reaching the limit of watches; setting all watches again raises then.
    """
    return len(changes) > BURST or any(
        change == change.added and Path(path).is_dir() for change, path in changes
    )


def _concerns(root: Path, store: Path, path: Path) -> bool:
    """Whether a change at `path` can matter; by name only, since the file may be gone."""
    if path.is_relative_to(store) or not path.is_relative_to(root):
        return False
    *folders, name = path.relative_to(root).parts or ("",)
    if any(never_a_document(folder, is_folder=True) for folder in folders):
        return False
    return name in IGNORE_FILES or not never_a_document(name, is_folder=False)


def polled(should_stop: ShouldStop) -> Generator[None, None, None]:
    """Yields at once, then at intervals long enough that scanning takes a small share of the time.

    Ends when `should_stop` is true. The shorter of the last two scans counts: what takes long once
    is the work on what was found.
    """
    before = 0.0
    while not should_stop():
        started = time.monotonic()
        yield
        took = time.monotonic() - started
        pause = min(max(POLL_SECONDS, min(before, took) / POLL_SHARE), MAX_POLL_SECONDS)
        before = took
        sleep(pause, should_stop)


def sleep(seconds: float, should_stop: ShouldStop) -> None:
    """Wait `seconds`, or until `should_stop` returns true."""
    until = time.monotonic() + seconds
    while not should_stop() and (left := until - time.monotonic()) > 0:
        time.sleep(min(left, 0.2))
