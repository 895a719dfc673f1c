"""Whether the number that a line begins with goes on a sentence, or begins an item. Pure.

A paragraph is wrapped anywhere: "the year from" and then "1 April 2024." Called by sentences.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import regex

from corpus_agent.text.number_words import MONTHS, UNIT, listed
from corpus_agent.text.tokens import WANT_MORE, fold

# "(1)" and "1)" are those of items always.
_LEADING = regex.compile(
    r"\s*(?P<number>\d{1,3}(?:\.\d{1,3}){0,4})(?P<stop>\.?)\s+(?P<word>\p{L}[\p{L}\p{M}]*|[%‰€$£¥])?"
)
_LAST_WORD = regex.compile(r"(?<![\p{L}\p{M}])\p{L}[\p{L}\p{M}]*$")
_ENDS_OPEN = regex.compile(r"[\p{L}\p{M}\p{N}),]$")
_MONTHS = frozenset(map(fold, listed(MONTHS)))
_REACH = 12  # lines on either side, within which the item before or behind begins


def goes_on(lines: Sequence[str], index: int) -> bool:
    """Whether the number that a line begins with may belong to the sentence of the line before."""
    leading = _LEADING.match(lines[index])
    if leading is None:
        return False
    word = leading["word"] or ""
    if wants_more(lines[index - 1]):
        return fold(word) in _MONTHS or not _counts_up(lines, index, leading)
    if not _ENDS_OPEN.search(lines[index - 1].rstrip()):
        return False
    counted = word.islower() or fold(word) in UNIT
    named = fold(word) in _MONTHS or (counted and not leading["stop"])
    beside = (lines[index - 1], *lines[index + 1 : index + 2])
    return named and not any(_in_one_style(leading, line) for line in beside)


def wants_more(line: str) -> bool:
    """Whether a line ends with a word that ends no sentence, so that the next line goes on."""
    last = _LAST_WORD.search(line.rstrip())
    # "Part A" is a title.
    return (
        last is not None and (last[0].islower() or len(last[0]) > 1) and fold(last[0]) in WANT_MORE
    )


def _counts_up(lines: Sequence[str], index: int, leading: regex.Match[str]) -> bool:
    """Whether the number before or behind this one is that of an item near it."""
    *parts, last = leading["number"].split(".")
    earlier, later = (".".join([*parts, str(int(last) + step)]) for step in (-1, 1))
    before = (_in_one_style(leading, line) for line in lines[max(0, index - _REACH) : index])
    behind = (_in_one_style(leading, line) for line in lines[index + 1 : index + 1 + _REACH])
    return earlier in before or later in behind


def _in_one_style(leading: regex.Match[str], line: str) -> str:
    """The number that another line begins with, if it is written like this one: "1" or "1."."""
    other = _LEADING.match(line)
    return other["number"] if other is not None and other["stop"] == leading["stop"] else ""
