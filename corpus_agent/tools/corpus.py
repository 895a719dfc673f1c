"""What tools and answerers ask of a corpus: an index, or documents in memory."""

from __future__ import annotations

from typing import Protocol

from indexer import MAX_WINDOW_LINES, Coverage, Hit, Query, Window


class Readable(Protocol):
    """Documents that can be read: all of an index, or one that was read already."""

    def read(self, source: str, offset: int = 1, limit: int = MAX_WINDOW_LINES) -> Window:
        """A window of a document that is in the index."""
        ...


class CorpusView(Readable, Protocol):
    """A read-only view of one version of an index."""

    @property
    def version(self) -> int:
        """The index version that all calls of this object read."""
        ...

    def coverage(self) -> Coverage:
        """The numbers of files that are indexed, empty, failed and skipped."""
        ...

    def search(self, query: Query) -> list[Hit]:
        """Hits, best first; ties by source and ordinal."""
        ...
