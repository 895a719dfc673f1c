"""The figures of a text, however they are written: numbers, dates, times, number words. Pure.

Two texts with the same figures give the same set. Words are those of number_words.toml.
"""
# ruff: noqa: E501 - a pattern or a list of words that is broken over lines is harder to read

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from unicodedata import decimal

import regex

from corpus_agent.text.dates import find_dates
from corpus_agent.text.number_words import (
    ANY_CASE_CODES,
    CARDINALS,
    CODES,
    FRACTIONS,
    HUNDRED,
    ORDINALS,
    PIECES,
    SCALES,
    SYMBOL,
    SYMBOLS,
    by_word,
    calendar_spans,
    line,
    listed,
    word_set,
)
from corpus_agent.text.tokens import fold, lazy

_SPACES = "\u00a0\u202f "
_DAY_AND_MONTH = lazy(r"(?<![\d.])(0?[1-9]|[12]\d|3[01])\.(0?[1-9]|1[0-2])\.(?![\d.])")
_TIME = lazy(r"(?i)(?<![\d.])(\d{1,2})[:.](\d{2})\s*(a\.?m|p\.?m)?\b(?!\d)")
_HOUR = lazy(r"(?i)(?<![\d.:])(\d{1,2})\s*(a\.?m|p\.?m)\b")
# Not behind a letter: C7 and E1042 are names.
_FIGURE = lazy(
    rf"(?V1)(?<![[\p{{L}}\p{{N}}]--\p{{Han}}])(?:\d{{1,2}}(?:,\d\d){{1,4}},\d{{3}}(?!\d)(?:\.\d+)?|\d{{1,3}}(?:[.,'’{_SPACES}]\d{{3}})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)?)"
)
_HAN_DIGITS = {
    char: n for n, chars in enumerate(("零〇", "一", "二两", *"三四五六七八九")) for char in chars
}
_HAN_POWERS = {"十": 10, "百": 100, "千": 1_000, "万": 10**4, "亿": 10**8}
_HAN = "".join([*_HAN_DIGITS, *_HAN_POWERS])
# One character alone is a number where it counts something: 五月, not 统一.
_HAN_NUMBER = lazy(
    rf"(?<![{_HAN}\d])(?:[{_HAN}]{{2,}}|[{_HAN}](?=[元个名天年月日号小周次倍岁吨米公升页章条楼])|(?<=分之)[{_HAN}])"
)
_SCALES = f"(?i:{'|'.join(sorted(listed(SCALES), key=len, reverse=True))})"
# Without a bound each comma of "1,1,1,…" would begin a search of the whole rest.
_SCALED = lazy(
    rf"(?<![\p{{L}}\p{{N}}])(?P<number>(?>\d[\d.,'’]{{0,40}}(?<=\d)))\)?[{_SPACES}-]?(?P<scale>(?:{_SCALES})\b\.?|(?<={SYMBOL}\s?[\d.,]{{1,40}}\s?)(?:[mMkKbB]|bn)\b|[千万亿])"
)
_SYMBOL_SCALES = {"k": 1_000, "m": 10**6, "b": 10**9, "千": 1_000, "万": 10**4, "亿": 10**8}
# A dash that touches a figure and nothing before it is a sign; a bullet has a blank behind it.
_SIGN = lazy(
    rf"(?i)(?:(?<![\p{{L}}\p{{N}}.,:)/–-])(?<!\p{{N}}\s)(?:[-−][*_`]{{0,3}}|−[{_SPACES}])(?:{ANY_CASE_CODES}[{_SPACES}]?|{SYMBOLS})?"
    rf"|\b(?:minus|moins|menos)[{_SPACES}](?:{SYMBOL}[{_SPACES}]?)?)$"
)
# Behind a sum, at the end of its line or cell; not in a sentence that goes on in the next line.
_MONEY = rf"(?:{CODES}|{SYMBOLS})"
_SIGN_BEHIND = lazy(
    rf"[{_SPACES}]?(?:{_MONEY}|%)(?:[-−](?=[^\S\n]*(?:$|[|\n]))|[{_SPACES}][-−](?=[^\S\n]*(?:$|[|]|\n(?!\s*\p{{Ll}}))))"
    rf"|[-−][{_SPACES}]?{_MONEY}(?![{_SPACES}]?\p{{N}})"
)
# Before a sum that is all that its cell says: "| - 2 eggs |" is an item.
_SIGN_OF_CELL = lazy(rf"\|[{_SPACES}]?-[{_SPACES}]$")
_CELL_ENDS = lazy(rf"[{_SPACES}]?(?:{_MONEY}|%)?[^\S\n]*(?:$|[|\n])")
_LONGEST_SIGN = 12  # characters, with what stands before it
_BELOW_ZERO = lazy(
    rf"(?i)[{_SPACES}]?(?:°[{_SPACES}]?[cf]?|degrees|grad|degr[ée]s|grados)?[{_SPACES}]?(?:below zero|unter null|sous z[ée]ro|bajo cero)"
)
_MONTH_YEAR = lazy(r"(?<![\d/.-])(0?[1-9]|1[0-2])/((?:19|20)\d{2})(?![\d/-])")


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as it stands in a text: half-open range of characters, and its values."""

    start: int
    end: int
    values: tuple[str, ...]


@lru_cache(maxsize=4096)
def found(text: str) -> tuple[Figure, ...]:
    """The figures of a text in order: "1130", "7.4", "22:30", "month 6".

    A separator before exactly three figures groups thousands, except behind a zero alone; any other
    is a decimal point. "One" is none, it says too little.
    """
    figures = list(_spelt_figures(text))
    ends_of_words = {figure.end for figure in figures}
    text = "".join(str(decimal(char)) if char.isdecimal() else char for char in text)
    whole = text
    for date in (dates := [*_dates(text)]):
        text = text[: date.start] + "\x1f" * (date.end - date.start) + text[date.end :]
    figures += dates
    for pattern, read in _READ:
        figures += [Figure(m.start(), m.end(), tuple(read(m))) for m in pattern.finditer(text)]
        text = pattern.sub(lambda match: "\x1f" * len(match[0]), text)
    negative = _accounting_brackets(whole, ends_of_words)
    signed = (_signed(figure, whole, negative) for figure in figures)
    return tuple(sorted(signed, key=lambda figure: figure.start))


def _signed(figure: Figure, text: str, negative: Sequence[tuple[int, int]]) -> Figure:
    """A figure with its sign, where it has one: -5, minus 5, 5 degrees below zero.

    `negative` are the brackets that say so, in order.
    """
    if len(figure.values) != 1 or not figure.values[0].replace(".", "").isdigit():
        return figure
    bracket = bisect_left(negative, (figure.start,)) - 1
    near = max(0, figure.start - _LONGEST_SIGN)
    if (
        (bracket >= 0 and figure.start < negative[bracket][1])
        or _SIGN.search(text, near, figure.start)
        or _BELOW_ZERO.match(text, figure.end)
        or _SIGN_BEHIND.match(text, figure.end)
        or (_SIGN_OF_CELL.search(text, near, figure.start) and _CELL_ENDS.match(text, figure.end))
    ):
        return replace(figure, values=(f"-{figure.values[0]}",))
    return figure


_BRACKETED = lazy(
    rf"\((?:{SYMBOLS}|(?:{CODES})\s)?(?!0|(?:19|20)\d\d\))\d[\d.,]{{2,}}(?:[%]|\s?(?:{SYMBOLS}))?\)(?!\s?\d)"
    rf"|(?<=[:|]\s?[*_]{{0,2}})\(\d[\d.,]{{2,}}\s(?:{CODES})\)(?!\s?\d)"
)


def _accounting_brackets(text: str, ends_of_words: Collection[int]) -> list[tuple[int, int]]:
    """The brackets in which a figure of three digits or more stands alone: (500) is -500.

    Not a year, not part of a telephone number, not where the same is in words before.
    """
    found = []
    for match in _BRACKETED.finditer(text):
        before = match.start()
        while before and text[before - 1].isspace():  # a copy of all before would cost its length
            before -= 1
        if before not in ends_of_words and not text[before - 1 : before].isdigit():
            found.append(match.span())
    return found


def figures(text: str) -> frozenset[str]:
    """The values of the figures of a text."""
    return frozenset(value for figure in found(text) for value in figure.values)


def readings(text: str) -> frozenset[str]:
    """The values in every way to read them: "12 130" is 12130, and 12 beside 130; 4/6 is June 4."""
    every = figures(text) | figures(apart(text))
    parts = (part for value in every if value.startswith("day ") for part in value[4:].split("/"))
    return every.union(*({part, f"month {part}"} for part in parts))


def apart(text: str) -> str:
    """The text with figures apart that a blank might join to one."""
    return re.sub(rf"(?<=\d)[{_SPACES}](?=\d)", ";", text)


def _dates(text: str) -> Iterator[Figure]:
    """The dates of figures alone; day and month in order where either may be the month."""
    places: dict[tuple[int, int], list[str]] = {}
    for date in find_dates(text):
        if not any(map(str.isalpha, date.text)):
            places.setdefault((date.start, date.end), []).append(date.normal)
    for (start, end), days in places.items():
        year, *rest = days[0].split("-")
        month, day = map(int, rest)
        own = (f"month {month}", str(day)) if len(days) == 1 else (f"day {month}/{day}",)
        yield Figure(start, end, (year, *own))


def _scaled(match: regex.Match[str]) -> list[str]:
    """A figure with the word or sign behind it that multiplies it: 1.2 million, 5万."""
    scale = fold(match["scale"].rstrip("."))
    times = _SYMBOL_SCALES.get(scale) or NUMBER_OF[scale]
    try:
        value = Decimal(_plain(match["number"])) * times
    except InvalidOperation:  # 1.2.3 is no number
        return [_plain(match["number"])]
    return [f"{value.normalize():f}"]


def _time(match: regex.Match[str]) -> list[str]:
    hour, minute, half = match.groups()
    if ":" not in match[0] and not half:
        return [_plain(f"{hour}.{minute}")]
    return [f"{_hour(hour, half)}:{minute}"]


def _hour(hour: str, half: str | None) -> int:
    """The hour of the day; `half` is a.m. or p.m."""
    number = int(hour)
    if not half:
        return number
    return number % 12 + (12 if half.lower().startswith("p") else 0)


def _han_number(match: regex.Match[str]) -> list[str]:
    """The value of Chinese numerals; digit by digit where no power is among them, as in a year."""
    numerals = match[0]
    if not any(char in _HAN_POWERS for char in numerals):
        return ["".join(str(_HAN_DIGITS[char]) for char in numerals)]
    whole = part = digit = 0
    for char in numerals:
        power = _HAN_POWERS.get(char)
        if power is None:
            digit = _HAN_DIGITS[char]
        elif power < 10_000:
            part, digit = part + (digit or 1) * power, 0
        else:
            whole, part, digit = (whole + part + digit or 1) * power, 0, 0
    return [str(whole + part + digit)]


def _plain(number: str) -> str:
    """A number without groups of thousands and needless zeros, with a point for a decimal sign."""
    if re.fullmatch(r"[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}(?:\.[0-9]+)?", number):  # 12,50,000
        number = number.replace(",", "")
    if re.fullmatch(r"0[.,][0-9]+", number):  # zero has no thousands: 0.125
        return number.replace(",", ".").rstrip("0").rstrip(".")
    parts = re.split(rf"[.,'’{_SPACES}]", number)
    groups = 1
    while groups < len(parts) and len(parts[groups]) == 3 and len(parts[0]) <= 3:
        groups += 1
    whole, rest = "".join(parts[:groups]), "".join(parts[groups:])
    if len(whole) < 3:  # more is a telephone number or a code
        whole = whole.lstrip("0") or "0"
    return f"{whole}.{rest}".rstrip("0").rstrip(".") if rest else whole


_READ: tuple[tuple[regex.Pattern[str], Callable[[regex.Match[str]], list[str]]], ...] = (
    (_MONTH_YEAR, lambda match: [f"month {int(match[1])}", match[2]]),
    (_DAY_AND_MONTH, lambda match: [str(int(match[1])), f"month {int(match[2])}"]),
    (_SCALED, _scaled),  # before a time of day: 9.78 billion
    (_TIME, _time),
    (_HOUR, lambda match: [f"{_hour(match[1], match[2])}:00"]),
    (_FIGURE, lambda match: [_plain(match[0])]),
    (_HAN_NUMBER, _han_number),
)


# ---- Figures in words: numbers, ordinals, fractions, weekdays, months

_ONE, _JOINED, _PARTS_OF, _DEFINITE, _NOT_NUMBERS, _FRENCH, _SHARES = (
    word_set("spelt", key)
    for key in ("one", "joined", "parts_of", "definite", "not_numbers", "french", "shares")
)
_ORDINAL, _FRACTIONS = by_word(ORDINALS), by_word(FRACTIONS)
_EVERY_NUMBER = by_word(CARDINALS, ((2, line("spelt", "both")), HUNDRED), SCALES)
NUMBER_OF = {word: n for word, n in _EVERY_NUMBER.items() if word not in _NOT_NUMBERS}

# A number in one word, as German and Spanish write it: vierhundertfunfzehn, veintidos.
_PIECES = {w: n for w, n in by_word(CARDINALS, (HUNDRED,)).items() if len(w) > 3} | by_word(PIECES)
_PIECE = re.compile("|".join(["und", *sorted(_PIECES, key=len, reverse=True)]))

WORD = re.compile(r"[^\W\d_]+|[%‰€$£]")
_THOUSAND = 1_000
_Word = tuple[int, int, str]


def _spelt_figures(text: str) -> Iterator[Figure]:
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
