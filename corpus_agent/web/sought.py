"""What addresses ask for: a number, a search."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus_agent.service import places
from indexer import Query, UsageError

if TYPE_CHECKING:
    from indexer import Index

HITS, MOST_HITS = 10, 100
_MOST_DIGITS = 9


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

    def bounded(self, corpus: Index) -> Index:
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
