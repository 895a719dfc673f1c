"""Whether the number that a line begins with goes on a sentence, or begins an item. Pure.

A paragraph is wrapped anywhere: "the year from" and then "1 April 2024." Called by sentences.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import regex

from corpus_agent.text.number_words import MONTHS, UNIT, listed
from corpus_agent.text.tokens import fold

# "(1)" and "1)" are those of items always.
_LEADING = regex.compile(
    r"\s*(?P<number>\d{1,3}(?:\.\d{1,3}){0,4})(?P<stop>\.?)\s+(?P<word>\p{L}[\p{L}\p{M}]*|[%‰€$£¥])?"
)
_LAST_WORD = regex.compile(r"(?<![\p{L}\p{M}])\p{L}[\p{L}\p{M}]*$")
_ENDS_OPEN = regex.compile(r"[\p{L}\p{M}\p{N}),]$")
_MONTHS = frozenset(map(fold, listed(MONTHS)))
# Articles, prepositions and conjunctions: no sentence and no title ends with one.
_WANT_MORE = frozenset(
    fold(
        "the a an of to from by until till before after between at for with within than about over"
        " under since during through and or nor per plus into on in as no least most every"
        " der die das den dem des ein eine einer eines einem einen und oder als vom von zum zu zur"
        " im am an auf aus bei mit nach für über unter durch bis ab seit vor zwischen pro je um"
        " mindestens höchstens etwa"
        " le la les un une du de et ou à au aux en dans sur avec pour par depuis avant après entre"
        " dès sous environ el los las y o con sin del al por para desde hasta"
        " il lo gli i di da dal dalla dello della dei e per tra fra entro alla ai nel nella"
        " os as um uma do dos das em na até com ao aos"
        " het een van op tot met voor bij vanaf binnen"
        " od w z za po с до по от и в на за från till och på av"
    ).split()
)
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
        last is not None and (last[0].islower() or len(last[0]) > 1) and fold(last[0]) in _WANT_MORE
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
