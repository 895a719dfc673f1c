"""All that a tool or an answerer may ask of a corpus: search, read, coverage.

The real corpus is in `index.py`, the in-memory one in `tests/support/fakes.py`, and one contract
suite runs over both.
"""

from __future__ import annotations

from typing import Protocol

from indexer import MAX_WINDOW_LINES, Coverage, Hit, Query, Window


class CorpusView(Protocol):
    """A read-only view of one version of an index."""

    @property
    def version(self) -> int:
        """Number of the index version that every call of this object sees."""
        ...

    def coverage(self) -> Coverage:
        """How many files are indexed, empty, failed and skipped."""
        ...

    def search(self, query: Query) -> list[Hit]:
        """Hits, best first; ties by source and ordinal.

        Raises Refused where the query holds no text.
        """
        ...

    def read(self, source: str, offset: int = 1, limit: int = MAX_WINDOW_LINES) -> Window:
        """A window of a document that is in the index.

        Raises Refused for a source that is not in the index, a file that left the root, and
        numbers out of range.
        """
        ...
