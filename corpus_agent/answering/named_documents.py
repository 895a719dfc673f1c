"""The documents that a question names, and the names of it that no passage has. Pure.

Called by extractive.py.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

import regex

from corpus_agent.answering.claims import names_are_nouns
from corpus_agent.text.calendar_names import calendar_names, names_of_dates
from corpus_agent.text.tokens import fold, terms
from indexer import Names
from indexer import file_stem as file_stem

MOST_NAMED = 3  # documents that are searched before the others
_WORD = regex.compile(r"[\p{L}\p{N}]+")
_PROPER = regex.compile(r"(?<![\p{L}\p{N}'’-])\p{Lu}\p{Ll}{3,}(?![\p{L}\p{N}-])")


def named_documents(question: str, sources: Iterable[str]) -> list[str]:
    """The sources that a question names, those of its year first; at most MOST_NAMED."""
    names = Names(sources)
    near = names.nearness(names.find(question).sources, question)
    best = max(near.values(), default=0.0)
    return [source for source in names.periods if near.get(source) == best][:MOST_NAMED]


def missing_names(question: str, texts: Collection[str]) -> list[str]:
    """The names of a question, as written, that no text has: what these say may be of another.

    A date has its month and its weekday. None of a German question, whose nouns are written like
    names.
    """
    if names_are_nouns(question):
        return []
    first = _WORD.search(question)
    together = " ".join("".join(terms(text)) for text in texts)
    missing = [
        word
        for word in dict.fromkeys(match[0] for match in _PROPER.finditer(question))
        if (first is None or word != first[0]) and fold(word) not in together
    ]
    asked = calendar_names(question) if missing else {}
    told = {name for text in texts for name in names_of_dates(text)} if asked else set()
    return [word for word in missing if asked.get(fold(word)) not in told]


def without_names(question: str, source: str) -> str:
    """The question without the words that name a document: each of its passages is about those."""
    found = Names([source]).find(question)
    for words in found.full or found.short:
        name = r"[\W_]+".join(map(re.escape, words.split()))
        question = re.sub(rf"(?<![^\W_]){name}(?:['’]s\b)?(?![^\W_])", "", question)
    return question
