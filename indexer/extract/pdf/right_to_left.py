"""The order of letters in right-to-left scripts, where pdfium turns round what is in order. Pure.

pdfium takes the letters of such a script from right to left as they stand on the page. With them it
turns round the letters that one glyph is (lam and alef, in every Arabic text), and those that a
stretch of the page says it is (ActualText), which the file has in reading order already. The first
share one box, the second stand from left to right then. The words of such a script within a line
of another one it leaves from left to right.
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
    """Whether there is anything here to put in order."""
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
