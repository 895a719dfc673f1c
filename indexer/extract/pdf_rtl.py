"""The order of letters in right-to-left scripts, where pdfium turns round what is in order. Pure.

pdfium takes the letters of such a script from right to left as they stand on the page. With them it
turns round the letters that one glyph is (lam and alef, in every Arabic text), and those that a
stretch of the page says it is (ActualText), which the file has in reading order already. The first
share one box, the second stand from left to right then.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from itertools import groupby, pairwise

import regex

Box = tuple[float, ...]  # of a character; its left side first

# Arabic vowel signs are of no script of their own.
_WORD = regex.compile(r"[\p{Arabic}\p{Hebrew}\p{Syriac}\p{Thaana}\p{Nko}\u064b-\u0655\u0670]{2,}")


def has_words(text: str) -> bool:
    """Whether there is anything here to put in order."""
    return _WORD.search(text) is not None


def reading_order(text: str, box: Callable[[int], Box]) -> list[int]:
    """The characters of `text` by their indices in reading order; `box` is where one stands."""
    order = list(range(len(text)))
    for match in _WORD.finditer(text):
        word = range(*match.span())
        letters = [box(index)[0] for index in word if not unicodedata.combining(text[index])]
        if len(letters) > 1 and all(first < second for first, second in pairwise(letters)):
            order[word.start : word.stop] = reversed(word)
            continue
        for _, group in groupby(word, key=box):
            same = list(group)
            order[same[0] : same[-1] + 1] = reversed(same)
    return order


def places(text: str, codes: Sequence[int]) -> list[int] | None:
    """For each character of `text` its place in `codes`, of which some have no character.

    None where the two do not agree.
    """
    found = []
    place = 0
    for char in text:
        while place < len(codes) and codes[place] != ord(char):
            place += 1
        found.append(place)
        place += 1
    return found if place <= len(codes) else None
