"""Figures that are written in words: numbers, ordinals, fractions, weekdays, months. Pure.

Knows English, German, French and Spanish words (number_words.py). Called by numbers.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from corpus_agent.text.number_words import (
    CARDINALS,
    FRACTIONS,
    HUNDRED,
    ORDINALS,
    PIECES,
    SCALES,
    by_word,
    word_set,
)
from corpus_agent.text.tokens import fold
from corpus_agent.text.when import calendar_spans

_ONE, _JOINED, _PARTS_OF, _DEFINITE, _NOT_NUMBERS, _FRENCH, _SHARES = (
    word_set("spelt", key)
    for key in ("one", "joined", "parts_of", "definite", "not_numbers", "french", "shares")
)
_BOTH = (2, "both beide beiden twice zweimal")
_ORDINAL, _FRACTIONS = by_word(ORDINALS), by_word(FRACTIONS)
_EVERY_NUMBER = by_word(CARDINALS, (_BOTH, HUNDRED), SCALES)
NUMBER_OF = {word: n for word, n in _EVERY_NUMBER.items() if word not in _NOT_NUMBERS}

# A number in one word, as German and Spanish write it: vierhundertfunfzehn, veintidos.
_PIECES = by_word(PIECES)
_PIECE = re.compile("|".join(["und", *sorted(_PIECES, key=len, reverse=True)]))

WORD = re.compile(r"[^\W\d_]+|[%‰€$£]")


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as it stands in a text: half-open range of characters, and its values."""

    start: int
    end: int
    values: tuple[str, ...]


def spelt_figures(text: str) -> Iterator[Figure]:
    """Number words, ordinals, fractions, weekdays and months."""
    words = [(match.start(), match.end(), fold(match[0])) for match in WORD.finditer(text)]
    french = any(word in _FRENCH for _, _, word in words)
    at = 0
    while at < len(words):
        read = _spelt(words, at, text, french) or _part(words, at, text)
        if read:
            figure, at = read
            yield figure
        else:
            at += 1
    for start, end, (kind, number) in calendar_spans(text):
        yield Figure(start, end, (f"{kind} {number}",))


_Word = tuple[int, int, str]


def _spelt(words: Sequence[_Word], at: int, text: str, french: bool) -> tuple[Figure, int] | None:
    """A number in words from a word on, and the word behind it; None where none begins there."""
    first = _word_value(words, at, text, french)
    if first is None:
        return None
    start, end = words[at][0], words[at][1]
    total, part = (0, first) if first < _THOUSAND else (first, 0)
    at += 1
    while at < len(words):
        behind = at + (words[at][2] in _JOINED and at + 1 < len(words))
        if any(
            text[words[n - 1][1] : words[n][0]].strip(" -\u00a0") for n in range(at, behind + 1)
        ):
            break
        value = _word_value(words, behind, text, french)
        word = words[behind][2]
        if value is None:
            value = 1 if word in _ONE else 10 if word == "dix" else None
        more = value and _more(total, part, value, joined=words[at][2] if behind > at else "")
        if not more:
            break
        total, part = more
        end, at = words[behind][1], behind + 1
    return Figure(start, end, (str(total + part),)), at


_THOUSAND = 1_000


def _more(total: int, part: int, value: int, joined: str) -> tuple[int, int] | None:
    """A number with one more word; None where the word is another number's."""
    if value >= _THOUSAND and not joined:
        if total > value:
            return (total + part * value, 0) if part else None
        return (total + part) * value, 0
    if value == 100 and not joined:
        return (total, part * 100) if 0 < part < 20 or not part else None
    ones, score = part % 10, part % 100
    if value == 20 and part == 4 and not joined:
        return total, 80  # quatre-vingts
    if score >= 20 and not ones and joined != "and":
        if value < 10 or (score in (60, 80) and value < 20):
            return total, part + value
        return None
    if not score and (part or total) and value < 100 and joined in ("", "and", "und"):
        return total, part + value
    return None


def _word_value(words: Sequence[_Word], at: int, text: str, french: bool) -> int | None:
    start, _, word = words[at]
    before = words[at - 1][2] if at else ""
    if before in _PARTS_OF and word in ("cent", "ciento", "mille", "mil"):
        return None
    if word in ("cent", "cents") and not french:
        return None
    if word == "sept" and text[start].isupper():
        return None
    value = NUMBER_OF.get(word) or compound(word)
    if value and value >= 100 and _is_behind_figure(text, start):
        return None  # read with the figure
    return value


def _is_behind_figure(text: str, at: int) -> bool:
    """Whether a digit stands before a character, and blanks and hyphens alone between."""
    while at and text[at - 1] in " \u00a0-":  # a copy of all before it would cost its length
        at -= 1
    return at > 0 and text[at - 1].isdecimal()


@lru_cache(maxsize=4096)
def compound(word: str) -> int | None:
    """The value of a number that German or Spanish writes in one word."""
    pieces = _PIECE.findall(word)
    if "".join(pieces) != word or (len(pieces) < 2 and _PIECES.get(word, 0) < 500):
        return None
    total = part = 0
    for value in (_PIECES[piece] for piece in pieces if piece != "und"):
        if value >= _THOUSAND:
            total, part = total + (part or 1) * value, 0
        else:
            part = (part or 1) * value if value == 100 else part + value
    return total + part if pieces[-1] != "und" else None


def _part(words: Sequence[_Word], at: int, text: str) -> tuple[Figure, int] | None:
    """An ordinal behind an article, or a fraction of something: the third, a third of."""
    start, end, word = words[at]
    before = words[at - 1][2] if at else ""
    behind = words[at + 1][2] if at + 1 < len(words) else ""
    share = word.endswith("el") or word in _SHARES
    if word in _FRACTIONS and (
        share
        or (before in (*_ONE, "a", "") and behind in ("of", "des", "de", "du"))
        or (word == "half" and behind in ("of", "the"))
    ):
        return Figure(start, end, (f"part {_FRACTIONS[word]}",)), at + 1
    behind_article = before in _DEFINITE and text[start].islower()
    if word in _ORDINAL and (behind_article or (not before and _ORDINAL[word] > 1)):
        return Figure(start, end, (str(_ORDINAL[word]),)), at + 1
    return None
