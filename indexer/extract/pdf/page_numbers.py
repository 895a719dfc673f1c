"""The number of a page within the text of a row: in digits or Roman, alone or among words. Pure.

Called by running.py.
"""

from __future__ import annotations

from itertools import pairwise

import regex

_NUMBER = regex.compile(r"\d{1,4}(?!\d)")
_AROUND = "-–—.()[]|"  # page numbers
_LISTED = regex.compile(r"\w[.)]$")
_LABELLED = regex.compile(r"[A-Za-z]{1,4}[-–]\0")  # of a part: an appendix, the financial pages
_OF_ALL = regex.compile(r"\0\s*(?:/|\p{L}{1,4})\s*(\d+)\W*$")  # "5 of 60": a page of all pages
_ROMAN = regex.compile(r"(?i)^(?=[ivxlc])(?:c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})$")
_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


def numbers(text: str) -> frozenset[int]:
    """The numbers in digits, and those at either end that are Roman."""
    return frozenset(map(int, _NUMBER.findall(text))) - {0} | ends(text)


def ends(text: str) -> frozenset[int]:
    """The numbers that are the first or last word."""
    words = text.split(" ")
    first = words[0].strip(_AROUND)
    if len(words) > 1 and _LISTED.search(words[0]):
        first = ""  # "3. Notice": that of a clause
    both = (first, words[-1].strip(_AROUND))
    return frozenset(int(end) if _NUMBER.fullmatch(end) else _roman(end) for end in both) - {0}


def _roman(word: str) -> int:
    """The value of a Roman number; 0 if it is none."""
    if not _ROMAN.match(word):
        return 0
    values = [_VALUES[char] for char in word.lower()]
    return sum(
        -value if value < following else value for value, following in pairwise([*values, 0])
    )


def shape_without(text: str, value: int) -> str:
    """The text with its page's number blanked, the first of its kind: "Page 9 of 9"."""
    for match in _NUMBER.finditer(text):
        if int(match[0]) == value:
            return f"{text[: match.start()]}\0{text[match.end() :]}"
    words = text.split(" ")
    for place in (0, -1):
        if _roman(words[place].strip(_AROUND)) == value:
            words[place] = "\0"
            break
    return " ".join(words)


def is_bare(shape: str) -> bool:
    """Whether there is nothing in a row but its page's number, as in "5" or "V-5"."""
    return "\0" in shape and (
        not any(map(str.isalnum, shape)) or _LABELLED.fullmatch(shape) is not None
    )


def is_of_all(shape: str, number: int) -> bool:
    """Whether a row ends with its page's number and that of all pages."""
    found = _OF_ALL.search(shape)
    return found is not None and int(found[1]) >= number
