"""Restores the order of right-to-left letters where pdfium reverses it. Pure.

pdfium reverses right-to-left letters by their position on the page. It also reverses the letters of
one glyph (lam and alef, in every Arabic text) and those of ActualText, which the file already has
in reading order. The former share one box, the latter then run from left to right. Right-to-left
words within a line of another script are left from left to right.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from itertools import chain, groupby, pairwise

import regex

Box = tuple[float, ...]  # of a character; its left side first

# Arabic vowel signs are of no script of their own.
_LETTER = r"[\p{Arabic}\p{Hebrew}\p{Syriac}\p{Thaana}\p{Nko}\u064b-\u0655\u0670]"
_WORD = regex.compile(_LETTER + "+")
_PAIR = regex.compile(_LETTER + "{2}")
_PHRASE = regex.compile(f"{_LETTER}+(?: {_LETTER}+)+")


def has_words(text: str) -> bool:
    """Whether the text has anything to reorder."""
    return _PAIR.search(text) is not None


def reading_order(text: str, box: Callable[[int], Box]) -> list[int]:
    """The characters of `text` by their indices in reading order; `box` is where one stands."""
    order = list(range(len(text)))
    for match in _WORD.finditer(text):
        order[match.start() : match.end()] = _word(text, range(*match.span()), box)
    for match in _PHRASE.finditer(text):
        start, end = match.span()
        words = [range(start + w.start(), start + w.end()) for w in _WORD.finditer(match[0])]
        if _increase([min(box(index)[0] for index in word) for word in words]):
            turned = [order[word.start : word.stop] for word in reversed(words)]
            gaps = [order[word.stop : word.stop + 1] for word in reversed(words[:-1])]
            order[start:end] = chain(*chain(*zip(turned, [*gaps, []], strict=True)))
    return order


def _word(text: str, word: range, box: Callable[[int], Box]) -> list[int]:
    """The letters of a word in reading order."""
    if _increase([box(index)[0] for index in word if not unicodedata.combining(text[index])]):
        return list(reversed(word))
    return [index for _, same in groupby(word, key=box) for index in reversed(list(same))]


def _increase(numbers: Sequence[float]) -> bool:
    return len(numbers) > 1 and all(first < second for first, second in pairwise(numbers))


def places(text: str, codes: Sequence[int]) -> list[int] | None:
    """For each character of `text` its index in `codes`, some of which have no character.

    None if the two do not match.
    """
    found = []
    place = 0
    for char in text:
        while place < len(codes) and codes[place] != ord(char):
            place += 1
        found.append(place)
        place += 1
    return found if place <= len(codes) else None
