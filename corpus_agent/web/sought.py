"""What addresses ask for: a number, a search, and of its hits the ones before and after a place."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus_agent.service import places
from corpus_agent.text.naming import unambiguous
from corpus_agent.text.sanitize import visible
from indexer import CorpusError, Query, UsageError

if TYPE_CHECKING:
    from indexer import Index

HITS, MOST_HITS = 10, 100
_MOST_DIGITS = 9

Address = dict[str, str | int]


def number(text: str) -> int | None:
    """The number that a part of an address is; None for 0, for too many digits and for none."""
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS and int(text) else None


@dataclass(frozen=True, slots=True)
class Sought:
    """A search: its words, its filters as typed, and how many hits."""

    query: str
    path: str
    without: str
    where: str
    limit: int

    @classmethod
    def from_query(cls, given: Mapping[str, str]) -> Sought:
        """What an address asks for; a number that is none counts as not given."""
        query, path, without, where = (
            given.get(name, "").strip() for name in ("q", "path", "not", "where")
        )
        limit = min(MOST_HITS, number(given.get("k", "")) or HITS)
        return cls(query, path, without, where, limit)

    @property
    def has_words(self) -> bool:
        """Whether there is anything to look for."""
        return any(char.isalnum() for char in self.query)

    def asked(self) -> Query:
        """The query."""
        return Query(self.query, self.limit, None)

    def address(self) -> Address:
        """The parts of an address that asks for it."""
        parts = {"q": self.query, "path": self.path, "not": self.without, "where": self.where}
        return {**parts, "k": self.limit if self.limit != HITS else ""}

    def bounded(self, corpus: Index, text: str = "") -> Index:
        """The documents that its filters leave; see places.bounded. Raises CorpusError."""
        paths, not_paths = _paths(self.path), _paths(self.without)
        return places.bounded(corpus, paths, not_paths, self.where)


def _paths(typed: str) -> list[str]:
    """Paths as in a shell: one with blanks stands between quotation marks. Raises UsageError."""
    try:
        return shlex.split(typed)
    except ValueError:
        raise UsageError(
            "A path has a quotation mark without its other half.", "Write 'a b' or a."
        ) from None


@dataclass(frozen=True, slots=True)
class Trail:
    """A hit among those of a search: its number, theirs, and the addresses of its neighbours.

    `here` is what an address needs to stay on the trail.
    """

    query: str
    number: int
    count: int
    here: Address
    results: Address
    before: Address | None
    after: Address | None


def trail(corpus: Index, given: Mapping[str, str]) -> Trail | None:
    """The trail that an address is on; None if it is on none, or its search cannot be repeated."""
    sought, at = Sought.from_query(given), number(given.get("hit", ""))
    if at is None or not sought.has_words:
        return None
    try:
        hits = sought.bounded(corpus).search(sought.asked())
    except CorpusError:
        return None  # the page of searches says why
    results = sought.address()

    def address(hit: int) -> Address | None:
        if not 1 <= hit <= len(hits):
            return None
        chunk = hits[hit - 1].chunk
        lines = {"line": chunk.line_start, "end": chunk.line_end}
        return {"source": unambiguous(chunk.source), **lines, **results, "hit": hit}

    here = {**results, "hit": at}
    neighbours = address(at - 1), address(at + 1)
    return Trail(visible(sought.query), at, len(hits), here, results, *neighbours)
