"""The documents that a question names, and the names of it that no passage has. Pure.

Called by extractive.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import regex

from corpus_agent.text.tokens import fold
from indexer import file_stem

if TYPE_CHECKING:
    from indexer import Hit

MOST_NAMED = 3  # documents that are searched before the others
_LONGEST_NAME = 4  # words
_WORD = regex.compile(r"[\p{L}\p{N}]+")
_OWN = regex.compile(r"['’]s\b")
_APART = regex.compile(r"[\W_]+")


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
