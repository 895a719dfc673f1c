"""The pages of searches and of pasted texts; and which documents any page looks at."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.responses import Response

from corpus_agent import render
from corpus_agent.service import places
from corpus_agent.text.sanitize import visible
from corpus_agent.text.wording import searched
from corpus_agent.web.marking import words_marked
from indexer import CorpusError, Query, UsageError

if TYPE_CHECKING:
    from starlette.requests import Request

    from corpus_agent.web.site import Site
    from indexer import Index


HITS, MOST_HITS = 10, 100
_MOST_DIGITS = 9


def search(site: Site, request: Request) -> Response:
    """The form and what it finds; with `part` the hits alone, for a page that is there already."""
    given = request.query_params
    chosen, query = Chosen.from_query(given), given.get("q", "").strip()
    limit = number(given.get("k", ""))
    found, left, problem, corpus = None, 0, "", site.service.corpus()
    if any(char.isalnum() for char in query):
        try:
            corpus = chosen.bounded(corpus)
            hits = corpus.search(Query(query, min(MOST_HITS, limit or HITS), None))
            shown = hits if limit else hits[: render.near(hits)]
            left = len(hits) - len(shown)
            seal = site.launch.seal.state
            found = render.search_object(query, shown, corpus.version, seal, corpus.notices)
        except CorpusError as error:
            problem = visible(str(error))
    results = found["results"] if found is not None else []
    return site.show(
        "hits.html" if given.get("part") == "1" else "search.html",
        query=visible(query),
        chosen=chosen,
        limit=limit,
        left=left,
        most=MOST_HITS,
        explain=bool(given.get("explain")),
        found=found,
        problem=problem,
        hits=[(hit, words_marked(hit["snippet"], query)) for hit in results],
        coverage=searched(corpus.coverage()),
    )


def number(text: str) -> int | None:
    """The number that a part of an address is; None for 0, for too many digits and for none."""
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS and int(text) else None


@dataclass(frozen=True, slots=True)
class Chosen:
    """The documents that are looked at, as typed: below paths, without others, by a filter."""

    path: str
    without: str
    where: str

    @classmethod
    def from_query(cls, given: Mapping[str, str]) -> Chosen:
        """The documents that an address asks for."""
        return cls(*(given.get(name, "").strip() for name in ("path", "not", "where")))

    def bounded(self, corpus: Index) -> Index:
        """The corpus with these documents; see places.bounded."""
        return places.bounded(corpus, _paths(self.path), _paths(self.without), self.where)

    @property
    def query(self) -> dict[str, str]:
        """The same as parts of an address."""
        return {"path": self.path, "not": self.without, "where": self.where}


def _paths(typed: str) -> list[str]:
    """Paths as in a shell: one with blanks stands between quotation marks. Raises UsageError."""
    try:
        return shlex.split(typed)
    except ValueError:
        raise UsageError(
            "A path has a quotation mark without its other half.", "Write 'a b' or a."
        ) from None


def check_text(site: Site, request: Request) -> Response:
    """The form; of a text that was sent its pieces with their marks, and each passage."""
    text = request.state.form.get("text", "").replace("\r\n", "\n")
    problem, shown = "", {}
    if text.strip():
        try:
            checked = site.service.check(text, site.service.corpus())
        except CorpusError as error:
            problem = visible(str(error))
        else:
            found = render.checked_object(checked, site.launch.seal.state)["check"]
            shown = {
                "pieces": list(render.marked_pieces(checked)),
                "findings": found["findings"],
                "foot": list(render.checked_foot(checked)),
            }
    return site.show("check.html", text=visible(text), problem=problem, shown=shown)
