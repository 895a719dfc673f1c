"""Which former versions of an index are kept: the last few, or those of the last days. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from indexer.errors import UsageError

MAX_KEPT = 100  # versions; opening an index looks into the file of each
MAX_DAYS = 3_650
RECENT = timedelta(days=1)  # within which every version is kept, not only the last one of a day
_WRITTEN = re.compile(r"([0-9]{1,4})(d?)")


@dataclass(frozen=True, slots=True)
class Keep:
    """How many former versions are kept, or those of how many days; none with neither."""

    versions: int = 0
    days: int = 0

    def __str__(self) -> str:
        return f"{self.days}d" if self.days else str(self.versions)

    @classmethod
    def parse(cls, text: str) -> Keep:
        """What `30d`, `12` or `0` means; raises UsageError."""
        found = _WRITTEN.fullmatch(text.strip())
        number = int(found[1]) if found else 0
        most = MAX_DAYS if found and found[2] else MAX_KEPT
        if found is None or number > most:
            raise UsageError(
                f"{text[:40]!r} does not say which former versions are kept.",
                f"Write 30d (up to {MAX_DAYS:,} days), 12 (up to {MAX_KEPT} versions), or 0.",
            )
        return cls(days=number) if found[2] else cls(versions=number)


NOTHING = Keep()


def kept_versions(
    made: Sequence[tuple[int, datetime]], keep: Keep, now: datetime
) -> frozenset[int]:
    """The numbers of the former versions that are kept.

    `made` are the complete versions in order, the current one last, each with the time of its
    commit in the user's time zone. By days: what was current within them at the end of a day, and
    everything of the last 24 hours; never more than MAX_KEPT, the newest.
    """
    former = [number for number, _ in made[:-1]]
    if not keep.days:
        return frozenset(former[-keep.versions :] if keep.versions else ())
    since, recent = now - timedelta(days=keep.days), now - RECENT
    kept = [
        number
        for (number, begun), (_, ended) in pairwise(made)
        if ended > since and (ended > recent or begun.date() != ended.date())
    ]
    return frozenset(kept[-MAX_KEPT:])
