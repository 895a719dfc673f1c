"""The part of a passage most relevant to a query: whole sentences, as many as fit.

Pure text work in any language; does no search and knows no corpus.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter

from corpus_agent.text.tokens import same_word, terms

SNIPPET_CHARACTERS = 800
_ELLIPSIS = "…"
_UNIT = re.compile(
    r"[^\n]*?(?:[.!?…]+[\"'”’)\]]*(?=\s)|[。！？｡]+[」』”’）]*|।|\n|\Z)[ \t]*\n?", re.DOTALL
)


def snippet(text: str, query: str, limit: int = SNIPPET_CHARACTERS) -> str:
    """The window of `text` with the most of the query's words, at most `limit` characters.

    The whole text where it fits; else whole sentences or lines, with "…" where text was left out.
    """
    text = text.strip()
    if len(text) <= limit:
        return text
    start, end = _best_window(text, set(terms(query)), limit - 2 * (len(_ELLIPSIS) + 1))
    found = text[start:end]
    before = f"{_ELLIPSIS} " if start > 0 else ""
    after = f" {_ELLIPSIS}" if end < len(text) else ""
    return f"{before}{found.strip()}{after}"


def _best_window(text: str, wanted: set[str], limit: int) -> tuple[int, int]:
    """The consecutive pieces in which the distinct wanted words weigh most, half-open.

    A word weighs more the fewer pieces it is in; of equals those whose words are in their middle.
    """
    pieces = [
        piece
        for unit in _UNIT.finditer(text)
        for piece in _pieces(text, unit.start(), unit.end(), max(1, limit // 2))
    ]
    held = [_held(text[start:end], wanted) for start, end in pieces]
    spread = Counter(word for words in held for word in words)
    weights = {word: math.log1p(len(pieces) / count) for word, count in spread.items()}
    best, found, last = (-1.0, 0.0), (0, 0), 0
    for first, (start, _) in enumerate(pieces):
        last = max(last, first + 1)
        while last < len(pieces) and pieces[last][1] - start <= limit:
            last += 1
        end = pieces[last - 1][1]
        weight = sum(weights[word] for word in set().union(*held[first:last]))
        middles = [sum(pieces[n]) / 2 for n in range(first, last) for _ in held[n]]
        middle = sum(middles) / len(middles) if middles else start
        merit = (round(weight, 6), -abs(middle - (start + end) / 2) if middles else 0.0)
        if merit > best:
            best, found = merit, (start, end)
        if last == len(pieces):
            break  # what follows is only a part of this window
    return found


def _held(text: str, wanted: set[str]) -> set[str]:
    """The wanted words that a text has in any form."""
    there = set(terms(text))
    return {word for word in wanted if any(same_word(word, other) for other in there)}


def _pieces(text: str, start: int, end: int, size: int) -> list[tuple[int, int]]:
    """The range cut after white space where there is some, never before a combining mark."""
    pieces = []
    while end - start > size:
        cut = max(text.rfind(" ", start, start + size), text.rfind("\t", start, start + size)) + 1
        if cut <= start:
            cut = start + size
            while cut > start + 1 and unicodedata.category(text[cut]).startswith("M"):
                cut -= 1
        pieces.append((start, cut))
        start = cut
    return [*pieces, (start, end)] if end > start else pieces
