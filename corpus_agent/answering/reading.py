"""How a question is read: with what was asked before it or alone, of which documents, of all.

The likeliest reading counts unless another is answered better by LEAD_OF_LIKELIEST.
benchmarks/conversations.py has the figures.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import regex

from corpus_agent.answering.candidates import Candidate
from corpus_agent.text.number_words import with_spellings
from corpus_agent.text.tokens import STOP_WORDS, content_terms, fold, lazy, name_terms
from corpus_agent.tools import search
from corpus_agent.tools.corpus import ToolCall
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
_APART = lazy(r"[\W_]+")
_BETWEEN = r"[\W_]*"
# A follow-up is read otherwise than with the questions before it if that is so much more confident.
LEAD_OF_LIKELIEST = 0.2
FEW_WORDS = 1  # content words: a question with no more than this may be a follow-up
FEW_OF_CONNECTED = 2  # the same of one that begins with "and", and names something
MAX_CARRIED = 6  # words that are added from the questions before
_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_POINTS, _GOES_ON, _NOUN = (lazy("|".join(_WORDS[key])) for key in ("points", "goes_on", "noun"))
_ASKS_ALL = lazy(
    re.sub("@([a-z]+)@", lambda at: "|".join(_WORDS[at[1]].split()), "|".join(_WORDS["asks_all"]))
)

Rank = Callable[[str, Sequence["Hit"], Sequence[str]], Sequence[Candidate]]
"""The ranked sentences of the passages found for a question, and of the documents it names."""


@dataclass(frozen=True)
class AskedAs:
    """A question as it was searched for, its passages, the searches, and the ranked sentences."""

    asked: str
    hits: Sequence[Hit]
    calls: Sequence[ToolCall]
    sentences: Sequence[Candidate]

    @property
    def surest(self) -> float:
        """The highest probability of its passages; 0 if nothing is about the question."""
        return max((sentence.probability for sentence in self.sentences), default=0.0)


def read(question: str, corpus: CorpusView, rank: Rank, history: Sequence[Turn] = ()) -> AskedAs:
    """The likeliest reading of a question, or one that leads it by LEAD_OF_LIKELIEST."""
    likeliest, *others = (_read(asked, corpus, rank) for asked in readings(question, history))
    best = max(others, key=lambda each: each.surest, default=likeliest)
    lead = best.surest - likeliest.surest
    return best if lead > LEAD_OF_LIKELIEST else likeliest


def _read(asked: str, corpus: CorpusView, rank: Rank) -> AskedAs:
    """One reading of a question; where it names documents, these alone are searched first.

    What a report is called stands in all of its passages, and ranks none.
    """
    query = Query(with_spellings(asked), limit=NAMES_LOOKED_AT, per_source=None)
    hits = corpus.search(query)
    every = _ranked(asked, query.text, hits[:POOL], rank(asked, hits[:POOL], ()))
    if not (named := named_documents(hits)):
        return every
    hits = corpus.search(replace(query, limit=NAMED_POOL, among=frozenset(named)))
    own = _ranked(asked, query.text, hits, rank(asked, hits, named))
    leads = every.surest - own.surest > LEAD_OF_LIKELIEST or own.surest == 0
    return every if leads and every.surest > 0 else own


def _ranked(asked: str, query: str, hits: Sequence[Hit], found: Sequence[Candidate]) -> AskedAs:
    """A reading, with the record of its search for a receipt: the texts of the hits, in order."""
    text = "\n".join(f"{hit.chunk.source}:{hit.chunk.line_start}\n{hit.chunk.text}" for hit in hits)
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    call = ToolCall(search.NAME, json.dumps({"query": query}), digest, len(text))
    return AskedAs(asked, hits, [call], found)


# ---- The documents that a question names


def named_documents(hits: Iterable[Hit]) -> list[str]:
    """The sources of hits that the query names, of those likeliest meant; at most MOST_NAMED."""
    near = {hit.chunk.source: hit.named for hit in hits if hit.named}
    best = max(near.values(), default=0.0)
    return [source for source, chance in near.items() if chance == best][:MOST_NAMED]


def without_names(question: str, source: str) -> str:
    """The question without the words that name a document: each of its passages is about those.

    Whatever stands between the letters of its file's name: Best Buy 2017, BESTBUY_2017.
    """
    name = ""
    for word in reversed([*filter(None, _APART.split(file_stem(source)))][:_LONGEST_NAME]):
        spelt = _BETWEEN.join(map(regex.escape, word))
        name = rf"{spelt}(?:{_BETWEEN}{name})?(?![\p{{L}}\p{{N}}])"
    return regex.sub(rf"(?i)(?<![\p{{L}}\p{{N}}])(?!\p{{N}}){name}(?:['’]s\b)?", "", question)


# ---- Follow-ups, and questions about all documents


def readings(question: str, history: Sequence[Turn]) -> tuple[str, ...]:
    """What the question may mean, the likeliest first: with words of the questions before, alone.

    It has one reading where nothing in it points outside: then the topic before plays no part.
    """
    before: str | None = None
    for turn in history:
        before = carried_over(turn.question, before)
    return tuple(dict.fromkeys((carried_over(question, before), question)))


def carried_over(question: str, before: str | None) -> str:
    """The question, with the content words of the previous one if it is a follow-up.

    It is one if it has a pronoun that nothing before it in the question explains, begins with a
    connective ("and ...") or has hardly any content words.
    """
    if before is None or not leans(question):
        return question
    own = content_terms(question)
    words = [word for word in content_terms(before) if word not in own][:MAX_CARRIED]
    return f"{question} ({' '.join(words)})" if words else question


def leans(question: str) -> bool:
    """Whether a question points at something that it does not name itself."""
    own, named = set(content_terms(question)) - STOP_WORDS, bool(name_terms(question))
    if _GOES_ON.match(fold(question)):
        if len(own) <= FEW_OF_CONNECTED or not named:
            return True
    elif len(own) <= FEW_WORDS and not named:
        return True
    found = _POINTS.search(fold(question))  # a pronoun that nothing before it explains
    return found is not None and not _NOUN.search(question, 0, found.start())


def asks_all(question: str) -> bool:
    """Whether all documents are needed for an answer."""
    return bool(_ASKS_ALL.search(" ".join(fold(question).split())))
