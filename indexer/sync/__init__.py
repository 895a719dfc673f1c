"""A folder becomes an index. Doors import this package before the seal, so it loads nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.records import FileRow
    from indexer.sync.plan import Plan
    from indexer.sync.run import Progress


class RunDisplay:
    """What a person may be shown of a run while it goes on; this one shows nothing."""

    def start(self, todo: Plan, rebuilding: bool) -> None:
        """Called once, before anything is done; `rebuilding` in a full rebuild."""

    def advance(self, done: Progress) -> None:
        """Called after each file, before the first page that is recognised, and after each."""

    def problem(self, row: FileRow) -> None:
        """Called with each file that yields no text."""
