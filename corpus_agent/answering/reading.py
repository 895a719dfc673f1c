"""The passages for a question, with their sentences ranked: of its readings the best answered one.

A follow-up has several readings (follow_up.py). Called by extractive.py.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from corpus_agent.answering.confidence import comes_near
from corpus_agent.answering.follow_up import readings
from corpus_agent.answering.named_documents import named_documents
from corpus_agent.answering.ranking import Ranking
from corpus_agent.text.sentences import asks, units
from corpus_agent.text.when import with_spellings
from corpus_agent.tools import search
from corpus_agent.tools.result import ToolCall
from indexer import Query

if TYPE_CHECKING:
    from corpus_agent.answering.records import Turn
    from corpus_agent.tools.corpus import CorpusView
    from indexer import Hit

# Passages retrieved: PASSAGES_READ of them are read, all determine which words are rare. Ten
# contain the answer for .989 of the held-out questions, eight for .981.
POOL = 10
# Of documents that a question names, all are read: whose passages name it most says little there
# (cells of annual reports quoted with ten .464, with thirty .714).
NAMED_POOL = 30
NAMES_LOOKED_AT = 60  # hits, for those of documents that the question names
_COLON = re.compile(r"(?i):\s*(?=(?:what|when|where|who|which|why|how)\b)")
# A follow-up is read otherwise than with the questions before it if that is so much more confident.
LEAD_OF_LIKELIEST = 0.2

Rank = Callable[[str, Sequence["Hit"], Sequence[str]], Ranking]
"""The ranked sentences of the passages found for a question, and of the documents it names."""


@dataclass(frozen=True)
class AskedAs:
    """A question as it was searched for, its passages, the searches, and the ranked sentences."""

    asked: str
    hits: Sequence[Hit]
    calls: Sequence[ToolCall]
    ranking: Ranking


@dataclass(frozen=True)
class Searched:
    """The passages found, the searches, and the documents named, of which alone they are."""

    hits: Sequence[Hit]
    calls: Sequence[ToolCall]
    named: Sequence[str]


def read(question: str, corpus: CorpusView, rank: Rank, history: Sequence[Turn] = ()) -> AskedAs:
    """The reading of a question that the passages answer best."""
    likeliest, *others = (
        _read(question, asked, corpus, rank) for asked in readings(question, history)
    )
    best = max(others, key=lambda each: each.ranking.confidence, default=likeliest)
    lead = best.ranking.confidence - likeliest.ranking.confidence
    return best if lead > LEAD_OF_LIKELIEST else likeliest


def _read(question: str, asked: str, corpus: CorpusView, rank: Rank) -> AskedAs:
    """One reading; of a question alone the sentence that asks counts, else all that was said."""
    core = asking_sentence(asked) if asked == question else asked
    found = [
        AskedAs(asked, each.hits, each.calls, rank(core, each.hits, each.named))
        for each in _searched(asked, corpus)
    ]
    own, every = found[0], found[-1]
    return every if _is_elsewhere(own, every) else own


def _is_elsewhere(own: AskedAs, every: AskedAs) -> bool:
    """Whether others than the documents named answer, or do so far more surely."""
    lead = every.ranking.confidence - own.ranking.confidence
    silent = not comes_near(own.ranking.confidence)
    return comes_near(every.ranking.confidence) and (silent or lead > LEAD_OF_LIKELIEST)


def asking_sentence(question: str) -> str:
    """The only sentence of a text that asks, without what leads to it; else the whole text.

    "You are an analyst. From the balance sheet: what is the debt? Answer in dollars."
    """
    found = [question[unit.start : unit.end] for unit in units(question)]
    asking = [sentence for sentence in found if asks(sentence)]
    return _COLON.split(asking[0])[-1].strip() if len(asking) == 1 else question


def _searched(question: str, corpus: CorpusView) -> list[Searched]:
    """The passages for a question, and the search that found them.

    Where it names documents, first those of these alone, searched on their own: what a report is
    called stands in all of its passages, and ranks none.
    """
    query = Query(with_spellings(question), limit=NAMES_LOOKED_AT, per_source=None)
    hits = corpus.search(query)
    every = Searched(hits[:POOL], [_noted(query.text, hits[:POOL])], ())
    named = named_documents(hits)
    if not named:
        return [every]
    alone = corpus.search(replace(query, limit=NAMED_POOL, among=frozenset(named)))
    return [Searched(alone, [_noted(query.text, alone)], named), every]


def _noted(query: str, hits: Sequence[Hit]) -> ToolCall:
    """The record of a search for a receipt; its result is the texts of the hits, in order."""
    text = "\n".join(f"{hit.chunk.source}:{hit.chunk.line_start}\n{hit.chunk.text}" for hit in hits)
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    return ToolCall(search.NAME, json.dumps({"query": query}), digest, len(text))
