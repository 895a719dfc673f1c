"""The passages for a question, with their sentences ranked: of its readings the best answered one.

A follow-up has several readings (follow_up.py). Called by extractive.py.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from corpus_agent.answering.confidence import comes_near
from corpus_agent.answering.follow_up import readings
from corpus_agent.answering.ranking import Ranking
from corpus_agent.text.patterns import lazy
from corpus_agent.text.sentences import asks, units
from corpus_agent.text.tokens import fold
from corpus_agent.text.when import with_spellings
from corpus_agent.tools import search
from corpus_agent.tools.result import ToolCall
from indexer import Query, file_stem

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
MOST_NAMED = 3  # documents that are searched before the others
_LONGEST_NAME = 4  # words
_WORD = lazy(r"[\p{L}\p{N}]+")
_OWN = lazy(r"['’]s\b")
_APART = lazy(r"[\W_]+")
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


def read(question: str, corpus: CorpusView, rank: Rank, history: Sequence[Turn] = ()) -> AskedAs:
    """The reading of a question that the passages answer best."""
    likeliest, *others = (
        _read(question, asked, corpus, rank) for asked in readings(question, history)
    )
    best = max(others, key=lambda each: each.ranking.confidence, default=likeliest)
    lead = best.ranking.confidence - likeliest.ranking.confidence
    return best if lead > LEAD_OF_LIKELIEST else likeliest


def _read(question: str, asked: str, corpus: CorpusView, rank: Rank) -> AskedAs:
    """One reading; of a question alone the sentence that asks counts, else all that was said.

    Where it names documents, these alone are searched first: what a report is called stands in all
    of its passages, and ranks none.
    """
    core = asking_sentence(asked) if asked == question else asked
    query = Query(with_spellings(asked), limit=NAMES_LOOKED_AT, per_source=None)
    hits = corpus.search(query)
    every = _ranked(asked, query.text, hits[:POOL], rank(core, hits[:POOL], ()))
    if not (named := named_documents(hits)):
        return every
    hits = corpus.search(replace(query, limit=NAMED_POOL, among=frozenset(named)))
    own = _ranked(asked, query.text, hits, rank(core, hits, named))
    return every if _is_elsewhere(own, every) else own


def _ranked(asked: str, query: str, hits: Sequence[Hit], ranking: Ranking) -> AskedAs:
    """A reading, with the record of its search for a receipt: the texts of the hits, in order."""
    text = "\n".join(f"{hit.chunk.source}:{hit.chunk.line_start}\n{hit.chunk.text}" for hit in hits)
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    call = ToolCall(search.NAME, json.dumps({"query": query}), digest, len(text))
    return AskedAs(asked, hits, [call], ranking)


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


# ---- The documents that a question names


def named_documents(hits: Iterable[Hit]) -> list[str]:
    """The sources of hits that the query names, of those likeliest meant; at most MOST_NAMED."""
    near = {hit.chunk.source: hit.named for hit in hits if hit.named}
    best = max(near.values(), default=0.0)
    return [source for source, chance in near.items() if chance == best][:MOST_NAMED]


def without_names(question: str, source: str) -> str:
    """The question without the words that name a document: each of its passages is about those."""
    called = _called(source)
    words = [*_WORD.finditer(question)]
    kept, at, number = [], 0, 0
    while number < len(words):
        run = [fold(word[0]) for word in words[number : number + _LONGEST_NAME]]
        sizes = range(0 if words[number][0][0].isdigit() else len(run), 0, -1)
        size = next((size for size in sizes if "".join(run[:size]) in called), 0)
        if size:
            kept.append(question[at : words[number].start()])
            end = words[number + size - 1].end()
            own = _OWN.match(question, end)
            at = own.end() if own else end
        number += size or 1
    return "".join(kept) + question[at:]


def _called(source: str) -> frozenset[str]:
    """The beginnings of a file name, word by word, each written together: bestbuy, bestbuy2017."""
    words = [word for word in _APART.split(fold(file_stem(source))) if word]
    return frozenset("".join(words[:n]) for n in range(1, min(len(words), _LONGEST_NAME) + 1))
