"""The documents that a question names, and the names of it that no passage has. Pure.

Called by extractive.py.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

import regex

from corpus_agent.text.tokens import fold, names_are_nouns, terms
from corpus_agent.text.when import calendar_names, names_of_dates
from indexer import file_stem

if TYPE_CHECKING:
    from indexer import Hit

MOST_NAMED = 3  # documents that are searched before the others
_LONGEST_NAME = 4  # words
_WORD = regex.compile(r"[\p{L}\p{N}]+")
_OWN = regex.compile(r"['’]s\b")
_APART = regex.compile(r"[\W_]+")
_PROPER = regex.compile(r"(?<![\p{L}\p{N}'’-])\p{Lu}\p{Ll}{3,}(?![\p{L}\p{N}-])")


def named_documents(hits: Iterable[Hit]) -> list[str]:
    """The sources of hits that the query names, of those likeliest meant; at most MOST_NAMED."""
    near = {hit.chunk.source: hit.named for hit in hits if hit.named}
    best = max(near.values(), default=0.0)
    return [source for source, chance in near.items() if chance == best][:MOST_NAMED]


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
