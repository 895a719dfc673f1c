"""The part of a passage most relevant to a query: whole sentences, as many as fit.

Pure text work in any language; does no search and knows no corpus. Called by the search tool, the
command line and the answerers.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass

from corpus_agent.text.tokens import terms

SNIPPET_CHARACTERS = 800
_ELLIPSIS = "…"
_MIN_STEM = 4  # letters; below that, "car" would find "carpet"

_UNIT = re.compile(
    r"[^\n]*?(?:[.!?…]+[\"'”’)\]]*(?=\s)|[。！？｡]+[」』”’）]*|।|\n|\Z)[ \t]*\n?", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class _Unit:
    """A sentence, a line or a piece of one: half-open character range and the terms in it."""

    start: int
    end: int
    terms: Counter[str]


def snippet(text: str, query: str, limit: int = SNIPPET_CHARACTERS) -> str:
    """The window of `text` with the most of the query's words, at most `limit` characters.

    The whole text where it fits; else whole sentences or lines, with "…" where text was left out.
    """
    text = text.strip()
    if len(text) <= limit:
        return text
    margin = 2 * (len(_ELLIPSIS) + 1)
    start, end = best_span(text, query, limit - margin)
    before = f"{_ELLIPSIS} " if start > 0 else ""
    after = f" {_ELLIPSIS}" if end < len(text) else ""
    return f"{before}{text[start:end]}{after}"


def best_span(text: str, query: str, limit: int = SNIPPET_CHARACTERS) -> tuple[int, int]:
    """Characters of `text`, half-open, without white space at the ends, at most `limit` long.

    The window of consecutive units in which the distinct query words weigh most, a word weighing
    more the fewer units it is in; ties by how well the words stand in the middle, then the first.
    """
    units = _units(text, limit, terms(query))
    if not units:
        return 0, 0
    spread = Counter(term for unit in units for term in unit.terms)
    weights = {term: math.log1p(len(units) / count) for term, count in spread.items()}
    windows = _windows(units, limit)
    first, last = max(windows, key=lambda w: (*_merit(units[w[0] : w[1]], weights), -w[0]))
    start, end = units[first].start, units[last - 1].end
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _matches(word: str, term: str) -> bool:
    """Whether `word` is `term`, or one begins with the other as inflected forms do."""
    if word == term:
        return True
    short, long = sorted((word, term), key=len)
    return len(short) >= _MIN_STEM and long.startswith(short)


def _units(text: str, limit: int, asked: list[str]) -> list[_Unit]:
    """Consecutive pieces that cover `text`, each at most half a window long."""
    wanted = set(asked)
    units: list[_Unit] = []
    for match in _UNIT.finditer(text):
        for start, end in _pieces(text, match.start(), match.end(), max(1, limit // 2)):
            found = terms(text[start:end])
            counts = {term: sum(_matches(word, term) for word in found) for term in wanted}
            units.append(_Unit(start, end, Counter({t: n for t, n in counts.items() if n})))
    return units


def _pieces(text: str, start: int, end: int, size: int) -> list[tuple[int, int]]:
    """The range cut after white space where there is some, never before a combining mark."""
    pieces: list[tuple[int, int]] = []
    while end - start > size:
        cut = max(text.rfind(" ", start, start + size), text.rfind("\t", start, start + size)) + 1
        if cut <= start:
            cut = start + size
            while cut > start + 1 and unicodedata.category(text[cut]).startswith("M"):
                cut -= 1
        pieces.append((start, cut))
        start = cut
    return [*pieces, (start, end)] if end > start else pieces


def _windows(units: list[_Unit], limit: int) -> list[tuple[int, int]]:
    """The longest runs that fit into `limit`, by their first unit; indices, half-open."""
    windows: list[tuple[int, int]] = []
    last = 0
    for first, unit in enumerate(units):
        last = max(last, first + 1)
        while last < len(units) and units[last].end - unit.start <= limit:
            last += 1
        windows.append((first, last))
        if last == len(units):
            break  # what follows is only a part of this window
    return windows


def _merit(window: list[_Unit], weights: dict[str, float]) -> tuple[float, float]:
    """Weight of the distinct words in the window, and how near to its middle they are (<= 0)."""
    present = {term for unit in window for term in unit.terms}
    places = [(unit.start + unit.end) / 2 for unit in window for _ in unit.terms]
    middle = (window[0].start + window[-1].end) / 2
    distance = abs(sum(places) / len(places) - middle) if places else 0.0
    return round(sum(weights[term] for term in present), 6), -distance
