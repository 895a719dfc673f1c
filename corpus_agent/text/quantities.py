"""What the figures of a text count or measure: units, bounds. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation
from functools import cache

import regex

from corpus_agent.text.number_words import (
    ANY_CASE_CODES,
    CALENDAR_NAMES,
    SYMBOL,
    SYMBOLS,
    UNIT,
    line,
    table,
    word_set,
)
from corpus_agent.text.numbers import WORD, Figure, apart, found
from corpus_agent.text.tokens import fold, lazy, same_word

_COUNTED_WITHIN = 2  # words behind a figure that may say what it counts
_LOOKED_AT = 80  # characters behind a figure
_LONGEST_MONEY = 8  # characters of a currency before it, with what may not stand before that
_DATED = ("month ", "day ", "weekday ")
_RATES = word_set("spelt", "rates")
_IN_NAME = lazy(r"\p{L}-$")
_COUNTED = lazy(r"[\s-]\p{L}+")
_LABEL = lazy(r"(?P<by>\b\p{L}+(?=\s)|/|)\s?\b(?P<word>\p{L}+)[\s:.]{1,3}$")
_PER = lazy(r"(?i)\b(?:per|pour|por|pro)[ \u00a0-]?(?P<of>cent|ciento|mille|mil)\b")
_MONEY_BEFORE = lazy(rf"(?i)(?P<money>{SYMBOL}|\b{ANY_CASE_CODES})[  ]?[-−]?$")


def counted(text: str) -> dict[str, tuple[str, ...]]:
    """For each value the folded words close behind it that may say what it counts.

    A unit of measure comes first and in one form for all its spellings.
    """
    counts: dict[str, list[str]] = {}
    text = _PER.sub(lambda match: _per(match[0], match["of"]), text)
    for figure in (*found(text), *found(apart(text))):
        dated = any(value.startswith(_DATED) for value in figure.values)
        if dated or _is_in_name(text, figure):
            continue  # a date counts nothing, nor does "pg-01"
        behind = _counted_behind(text, figure.end)
        money = _MONEY_BEFORE.search(text, max(0, figure.start - _LONGEST_MONEY), figure.start)
        if money:
            behind.insert(0, fold(money["money"]))
        counting = [UNIT.get(word, word) for word in behind]
        counting.sort(key=lambda word: " " not in word)
        for value in figure.values:
            counts.setdefault(value, []).extend(counting)
    return {value: tuple(words) for value, words in counts.items()}


_SAME_IN = [(large, small, int(times)) for large, (small, times) in table("conversions").items()]


def _is_in_name(text: str, figure: Figure) -> bool:
    return bool(_IN_NAME.search(text, max(0, figure.start - 2), figure.start))


def is_label(claim: str, figure: Figure, text: str) -> bool:
    """Whether a text has a figure of a claim in a name, or behind what it counts: day 15."""
    said = _COUNTED.match(claim, figure.end)
    word = fold(said[0][1:]) if said else ""

    def labels(other: Figure) -> bool:
        named = [_is_in_name(text, other), _is_in_name(claim, figure)]
        led = _LABEL.search(text, max(0, other.start - _LOOKED_AT), other.start)
        behind = _COUNTED.match(text, other.end)
        if not led or (behind and same_word(fold(behind[0][1:]), word)):
            return named == [True, False]
        own, by = fold(led["word"]), fold(led["by"]) in ("/", *_RATES)
        is_same = same_word(own, word) or UNIT.get(own, own) == UNIT.get(word)
        return is_same and (by or len(own) < len(word))

    places = [other for other in found(text) if set(other.values) & set(figure.values)]
    return bool(places) and all(map(labels, places))


def converted(text: str) -> dict[str, tuple[str, ...]]:
    """What `counted` says, and the same in other units: 24 months are 2 years."""
    counts = counted(text)
    for value, words in list(counts.items()):
        for other, unit in _in_other_units(value, words):
            counts[other] = (*counts.get(other, ()), unit)
    return counts


def _in_other_units(value: str, words: Sequence[str]) -> Iterator[tuple[str, str]]:
    try:
        number = Decimal(value)
    except InvalidOperation:
        return
    for large, small, times in _SAME_IN:
        if UNIT[small] in words and not number % times:
            yield f"{(number / times).normalize():f}", UNIT[large]
        if UNIT[large] in words:
            yield f"{(number * times).normalize():f}", UNIT[small]


def _per(written: str, of: str) -> str:
    """A share in one word that is as long: its places stay."""
    return ("permille" if of.casefold().startswith("mil") else "percent").ljust(len(written))


def _counted_behind(text: str, end: int) -> list[str]:
    words: list[str] = []
    for word in WORD.findall(text[end : end + _LOOKED_AT].partition(".")[0])[:_COUNTED_WITHIN]:
        if fold(word) in _RATES:
            break
        if fold(word) not in CALENDAR_NAMES:
            words.append(fold(word))
    return words


@cache
def _bound(side: str) -> regex.Pattern[str]:
    """A bound before or behind a figure, compiled when it is first needed."""
    written = line("bounds", side)
    for name in ("low", "high"):
        written = written.replace(f"@{name}@", line("bounds", name))
    written = written.replace("@money@", rf"(?:{SYMBOLS}|{ANY_CASE_CODES}\s)?")
    return regex.compile(written, regex.VERSION1)


def bounds(text: str) -> dict[str, frozenset[str]]:
    """For each value that a bound stands at whether it is "low" or "high": at least, before."""
    senses: dict[str, frozenset[str]] = {}
    for figure in found(text):
        start = max(0, figure.start - _LOOKED_AT)
        near = text[start : figure.start]
        # Of "not before" and "before", both of which end here, the one that begins first counts.
        for match in (_bound("before").search(near), _bound("behind").match(text, figure.end)):
            if match:
                sense = "low" if match["low"] else "high"
                for value in figure.values:
                    senses[value] = senses.get(value, frozenset()) | {sense}
    return senses


def is_unit(word: str) -> bool:
    """Whether a word of `counted` is a unit of measure."""
    return " " in word
