"""Looks at a folder again and again, and says when it should be indexed.

A look is the walk of `index`: names, sizes and times. Events of the kernel are not used: they are
dropped under load, do not come from another machine, and tell of files in any folder.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from pathlib import Path

from indexer.errors import CorpusError
from indexer.files.walk import CLOCK_TICK_NS, walk

LEAST_SECONDS = 1.0  # between two looks
CHANGING_SECONDS = 15.0  # at most, where each look finds a change
SHARE = 0.03  # of the time that looking may take, as far as MOST_SECONDS allow: 10,000 files 5 s
MOST_SECONDS = 60.0


def moments(
    root: Path, should_stop: Callable[[], bool], has_failed: Callable[[], bool] = lambda: False
) -> Generator[None]:
    """Yields whenever `root` should be indexed: at once, then after a change, until it should stop.

    Changes during a run yield once more afterwards, and so does a run that failed. Raises
    CorpusError once another folder is in its place, or none.
    """
    here, before, pause = _identity(root), None, LEAST_SECONDS
    while not should_stop():
        began = time.monotonic()
        now = picture(root)
        took = time.monotonic() - began
        if _identity(root) != here:
            raise CorpusError(
                f"The folder {str(root)!r} is gone, or another is in its place; "
                "the index is kept as it is.",
                "Restore or mount it, and start again.",
            )
        changed = now is None or now != before
        if changed:
            yield
        before, pause = None if has_failed() else now, next_pause(pause, changed=changed)
        sleep(max(pause, min(took / SHARE, MOST_SECONDS)), should_stop)


def picture(root: Path) -> object:
    """What a change of the folder changes; None where a file was written within a clock tick."""
    try:
        seen = walk(root)
    except CorpusError as error:  # of an ignore file, which the run reports
        return str(error)
    settled = all(abs(seen.started_ns - each.mtime_ns) > CLOCK_TICK_NS for each in seen.files)
    return (seen.files, seen.excluded, seen.mounts) if settled else None


def next_pause(pause: float, *, changed: bool) -> float:
    """Seconds until the next look: a folder that changes each time is looked at more seldom."""
    return min(2 * pause, CHANGING_SECONDS) if changed else LEAST_SECONDS


def _identity(folder: Path) -> tuple[int, int] | None:
    """Device and inode of a folder; None if it does not exist."""
    try:
        info = folder.stat()
    except OSError:
        return None
    return info.st_dev, info.st_ino


def sleep(seconds: float, should_stop: Callable[[], bool]) -> None:
    """Wait `seconds`, or until `should_stop` returns true."""
    until = time.monotonic() + seconds
    while not should_stop() and (left := until - time.monotonic()) > 0:
        time.sleep(min(left, 0.2))
