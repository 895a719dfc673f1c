"""The page of searches: hits with their words marked, filters, and why a hit is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import Response

from corpus_agent import render
from corpus_agent.text.sanitize import visible
from corpus_agent.text.wording import searched
from corpus_agent.web.marking import words_marked
from corpus_agent.web.sought import MOST_HITS, Sought
from indexer import CorpusError

if TYPE_CHECKING:
    from starlette.requests import Request

    from corpus_agent.render.common import Object
    from corpus_agent.web.site import Site
    from indexer import Index


def search(site: Site, request: Request) -> Response:
    """The form and what it finds; with `part` the hits alone, for a page that is there already."""
    given = request.query_params
    sought = Sought.from_query(given)
    found, problem, corpus = None, "", site.service.corpus()
    if sought.has_words:
        try:
            corpus = sought.bounded(corpus)
            found = _found(site, corpus, sought)
        except CorpusError as error:
            problem = visible(str(error))
    hits = found["results"] if found is not None else []
    return site.show(
        "hits.html" if given.get("part") == "1" else "search.html",
        query=visible(sought.query),
        path=visible(sought.path),
        without=visible(sought.without),
        where=visible(sought.where),
        limit=sought.limit,
        most=MOST_HITS,
        explain=bool(given.get("explain")),
        found=found,
        problem=problem,
        hits=[(hit, words_marked(hit["snippet"], sought.query)) for hit in hits],
        coverage=searched(corpus.coverage()),
    )


def _found(site: Site, corpus: Index, sought: Sought) -> Object:
    hits = corpus.search(sought.asked())
    seal = site.launch.seal.state
    return render.search_object(sought.query, hits, corpus.version, seal, corpus.notices)
