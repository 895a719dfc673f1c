# ruff: noqa: E501 - a pattern or a list of words that is broken over lines is harder to read
"""The figures of a text, however they are written: numbers, dates, times, number words. Pure.

Two texts that say the same figures give the same set. Knows English, German, French and Spanish
words. Called by agreement.py, for which a claim's figures must all be in what supports it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from unicodedata import decimal

import regex

from corpus_agent.text.number_words import (
    CARDINALS,
    FRACTIONS,
    HUNDRED,
    MONTHS,
    ORDINALS,
    SCALES,
    UNIT,
    WEEKDAYS,
    by_word,
)
from corpus_agent.text.tokens import fold

_ONE = frozenset(
    ["one", "un", "une", "uno", "una", "ein", "eins", "eine", "einen", "einer"]
)  # only in a longer number
_JOINED = frozenset({"and", "y", "et", "und"})
_PARTS_OF = frozenset({"per", "pour", "por", "pro"})  # per cent, per mille, por mil
_DEFINITE = frozenset(
    [
        "the",
        "der",
        "die",
        "das",
        "dem",
        "den",
        "des",
        "le",
        "la",
        "les",
        "el",
        "los",
        "las",
        "its",
        "their",
    ]
)
# English words that are numbers elsewhere, and words that are a month only beside a figure.
_NOT_NUMBERS = frozenset({"once", "elf", "seize", "quince", "dix"})
_AMBIGUOUS = frozenset({"may", "mar", "mars", "jan", "dec", "sept", "march", "august", "mai"})
_BOTH = (2, "both beide beiden twice zweimal")
_MONTH, _WEEKDAY = by_word(MONTHS), by_word(WEEKDAYS)
_ORDINAL, _FRACTIONS = by_word(ORDINALS), by_word(FRACTIONS)
_EVERY_NUMBER = by_word(CARDINALS, (_BOTH, HUNDRED), SCALES)
_NUMBER = {word: n for word, n in _EVERY_NUMBER.items() if word not in _NOT_NUMBERS}

_GERMAN_ONES = "ein|zwei|drei|vier|funf|fuenf|sechs|sieben|acht|neun"
_GERMAN_TENS = (
    "zwanzig|dreissig|vierzig|funfzig|fuenfzig|sechzig|siebzig|achtzig|neunzig|zehn|elf|zwolf"
    "|zwoelf|dreizehn|vierzehn|funfzehn|fuenfzehn|sechzehn|siebzehn|achtzehn|neunzehn"
)
# zweihundert, funfundzwanzig, dreitausendzweihundert; and the Spanish ones in one word.
_GERMAN_NUMBER = re.compile(
    rf"(?:(?P<thousands>{_GERMAN_ONES}|{_GERMAN_TENS})?(?P<thousand>tausend))?"
    rf"(?:(?P<hundreds>{_GERMAN_ONES})?(?P<hundred>hundert))?(?:und)?"
    rf"(?:(?P<ones>{_GERMAN_ONES})(?:und(?P<tens>{_GERMAN_TENS}))?|(?P<teens>{_GERMAN_TENS}))?"
)
_SPANISH_NUMBER = re.compile(
    r"(?:(?P<hundreds>dos|tres|cuatro|quin|seis|sete|nove|ocho)(?:cient|ient)[oa]s)"
    r"|veinti(?P<ones>un|uno|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve)"
)
_SPANISH_STEMS = {"quin": 5, "sete": 7, "nove": 9}

# French and Spanish write months without a capital.
_LOWER_MONTHS = {word for word in _MONTH if len(word) > 4} | {
    "mai", "mars", "mayo", "juin", "aout", "june", "july"
} - {"march", "august"}  # fmt: skip

_SPACES = "\u00a0\u202f "
_DATE = regex.compile(r"(?<![\d.])(\d{4})-(\d{2})-(\d{2})(?!\d)")
_DOTTED_DATE = regex.compile(r"(?<![\d.])(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2})?(?![\d.])")
_TIME = regex.compile(r"(?<![\d.])(\d{1,2})[:.](\d{2})\s*(a\.?m|p\.?m)?\b(?!\d)", regex.IGNORECASE)
_HOUR = regex.compile(r"(?<![\d.:])(\d{1,2})\s*(a\.?m|p\.?m)\b", regex.IGNORECASE)
# Not behind a letter: C7 and E1042 are names.
_FIGURE = regex.compile(
    rf"(?<![[\p{{L}}\p{{N}}]--\p{{Han}}])(?:\d{{1,3}}(?:[.,'’{_SPACES}]\d{{3}})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)?)",
    regex.VERSION1,
)
_HAN_DIGITS = {
    char: n for n, chars in enumerate(("零〇", "一", "二两", *"三四五六七八九")) for char in chars
}
_HAN_POWERS = {"十": 10, "百": 100, "千": 1_000, "万": 10**4, "亿": 10**8}
_HAN = "".join([*_HAN_DIGITS, *_HAN_POWERS])
# One character alone is a number where it counts something: 五月, not 统一.
_HAN_NUMBER = regex.compile(
    rf"(?<![{_HAN}\d])(?:[{_HAN}]{{2,}}|[{_HAN}](?=[元个名天年月日号小周次倍岁吨米公升页章条楼]))"
)
_WORD = re.compile(r"[^\W\d_]+|[%‰€$£]")
_COUNTED_WITHIN = 2  # words behind a figure that may say what it counts
# What a figure is by, not of: 500 per month.
_LOOKED_AT = 80  # characters behind a figure
_DATED = ("month ", "day ", "weekday ")
_RATES = frozenset(["per", "pro", "par", "por", "je", "a", "im", "al", "each", "every", "an"])
_PER = regex.compile(r"(?i)\b(?:per|pour|por|pro)[ \u00a0-]?(?P<of>cent|ciento|mille|mil)\b")
_MONEY_BEFORE = regex.compile(r"(?i)(?P<money>[€$£]|\b(?:eur|usd|gbp|chf)|(?<=us)\$)[  ]?[-−]?$")
_SCALES = r"Tsd|Mio|Mrd|(?i:thousand|tausend|mille|mil|millions?|millionen|millon|millón|millones|mln|mn|billions?|milliarden?|milliards?|bn|bln|trillions?|billionen|billones)"
_SCALED = regex.compile(
    rf"(?<![\p{{L}}\p{{N}}])(?P<number>\d[\d.,'’]*\d|\d)\)?[{_SPACES}-]?(?P<scale>(?:{_SCALES})\b\.?|(?<=[€$£]\s?[\d.,]+\s?)(?:[mMkKbB]|bn)\b|[千万亿])"
)
_SYMBOL_SCALES = {"k": 1_000, "m": 10**6, "b": 10**9, "千": 1_000, "万": 10**4, "亿": 10**8}
# A dash that touches a figure and nothing before it is a sign; a bullet has a blank behind it.
_SIGN = regex.compile(
    r"(?i)(?:(?<![\p{L}\p{N}.,:)/–-])(?<!\p{N}\s)[-−](?:(?:eur|usd|gbp|chf)[  ]?|[€$£])?"
    r"|\b(?:minus|moins|menos)[  ](?:[€$£][  ]?)?)$"
)
_BELOW_ZERO = regex.compile(
    r"(?i)[  ]?(?:°[  ]?[cf]?|degrees|grad|degr[ée]s|grados)?[  ]?(?:below zero|unter null|sous z[ée]ro|bajo cero)"
)
_SLASH_DATE = regex.compile(r"(?<![\d/.-])(\d{1,2})([/-])(\d{1,2})\2(\d{4})(?![\d/-])")
_MONTH_YEAR = regex.compile(r"(?<![\d/.-])(0?[1-9]|1[0-2])/((?:19|20)\d{2})(?![\d/-])")


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as it stands in a text: half-open range of characters, and its values."""

    start: int
    end: int
    values: tuple[str, ...]


@lru_cache(maxsize=4096)
def found(text: str) -> tuple[Figure, ...]:
    """The figures of a text in order: "1130", "7.4", "22:30", "month 6".

    A separator before exactly three figures groups thousands; any other is a decimal point. "One"
    is none, it says too little.
    """
    figures = list(_words(text))
    text = "".join(str(decimal(char)) if char.isdecimal() else char for char in text)
    whole = text
    for pattern, read in _READ:
        figures += [Figure(m.start(), m.end(), tuple(read(m))) for m in pattern.finditer(text)]
        text = pattern.sub(lambda match: "\x1f" * len(match[0]), text)
    signed = (_signed(figure, whole) for figure in figures)
    return tuple(sorted(signed, key=lambda figure: figure.start))


def _signed(figure: Figure, text: str) -> Figure:
    """A figure with its sign, where it has one: -5, minus 5, 5 degrees below zero."""
    if len(figure.values) != 1 or not figure.values[0].replace(".", "").isdigit():
        return figure
    if _in_accounting_brackets(figure, text):
        return replace(figure, values=(f"-{figure.values[0]}",))
    if _SIGN.search(text, 0, figure.start) or _BELOW_ZERO.match(text, figure.end):
        return replace(figure, values=(f"-{figure.values[0]}",))
    return figure


_BRACKETED = regex.compile(
    r"\((?:[€$£]|(?:EUR|USD|GBP|CHF)\s)?(?!0|(?:19|20)\d\d\))\d[\d.,]{2,}(?:[%]|\s?[€$£])?\)(?!\s?\d)"
)


def _in_accounting_brackets(figure: Figure, text: str) -> bool:
    """Whether a figure of three digits or more stands alone in brackets: (500) is -500.

    Not a year, not part of a telephone number, not where the same is in words before.
    """
    for match in _BRACKETED.finditer(text):
        if match.start() < figure.start < match.end():
            return not text[: match.start()].rstrip()[-1:].isdigit() and not any(
                word.end == len(text[: match.start()].rstrip()) for word in _words(text)
            )
    return False


def figures(text: str) -> frozenset[str]:
    """The values of the figures of a text."""
    return frozenset(value for figure in found(text) for value in figure.values)


def readings(text: str) -> frozenset[str]:
    """The values in every way to read them: "12 130" is 12130, and 12 beside 130."""
    return figures(text) | figures(_apart(text))


def _apart(text: str) -> str:
    return re.sub(rf"(?<=\d)[{_SPACES}](?=\d)", ";", text)


def counted(text: str) -> dict[str, tuple[str, ...]]:
    """For each value the folded words close behind it that may say what it counts.

    A unit of measure comes first and in one form for all its spellings.
    """
    counts: dict[str, tuple[str, ...]] = {}
    text = _PER.sub(lambda match: _per(match[0], match["of"]), text)
    for figure in (*found(text), *found(_apart(text))):
        if any(value.startswith(_DATED) for value in figure.values):
            continue  # a date counts nothing
        behind = _counted_behind(text, figure.end)
        money = _MONEY_BEFORE.search(text, 0, figure.start)
        if money:
            behind.insert(0, fold(money["money"]))
        counting = [UNIT.get(word, word) for word in behind]
        counting.sort(key=lambda word: " " not in word)
        for value in figure.values:
            counts[value] = (*counts.get(value, ()), *counting)
    return counts


_SAME_IN = (("year", "month", 12), ("week", "day", 7), ("hour", "minute", 60), ("minute", "second", 60), ("day", "hour", 24), ("kg", "g", 1000), ("km", "m", 1000), ("tonne", "kg", 1000), ("l", "ml", 1000), ("m", "cm", 100), ("cm", "mm", 10))  # fmt: skip
_SHARES = regex.compile(
    r"(?i)[%‰]|per\s?cent|percent|prozent|pour\s?cent|por\s?ciento|pct|promille|per\s?mille|百分|千分"
)


def shares(text: str) -> bool:
    """Whether a text speaks of per cent or per mille."""
    return _SHARES.search(text) is not None


def measures(word: str) -> bool:
    """Whether a folded word is one that a figure is measured in."""
    return word in UNIT


def converted(text: str) -> dict[str, tuple[str, ...]]:
    """What `counted` says, and the same in other units: 24 months are 2 years, 0.5 is 50 %."""
    counts = counted(text)
    for value, words in list(counts.items()):
        for other, unit in _in_other_units(value, words):
            counts[other] = (*counts.get(other, ()), unit)
    return counts


def _in_other_units(value: str, words: Sequence[str]) -> Iterator[tuple[str, str]]:
    if value.startswith("part "):
        share = Decimal(1) / int(value[5:])
        yield f"{share.normalize():f}", ""
        yield f"{(share * 100).normalize():f}", UNIT["percent"]
        return
    try:
        number = Decimal(value)
    except InvalidOperation:
        return
    for large, small, times in _SAME_IN:
        if UNIT[small] in words and not number % times:
            yield f"{(number / times).normalize():f}", UNIT[large]
        if UNIT[large] in words:
            yield f"{(number * times).normalize():f}", UNIT[small]
    yield from _as_share(number, words)


def _as_share(number: Decimal, words: Sequence[str]) -> Iterator[tuple[str, str]]:
    if 0 < number < 1 and not any(" " in word for word in words):
        yield f"{(number * 100).normalize():f}", UNIT["percent"]
        for parts in (2, 3, 4, 5, 10):
            if number * parts == 1:
                yield f"part {parts}", ""
    if UNIT["percent"] in words:
        yield f"{(number / 100).normalize():f}", ""
        for parts in (2, 4, 5, 10):
            if number * parts == 100:
                yield f"part {parts}", ""


def _per(written: str, of: str) -> str:
    """A share in one word that is as long: its places stay."""
    return ("permille" if of.casefold().startswith("mil") else "percent").ljust(len(written))


def _counted_behind(text: str, end: int) -> list[str]:
    words: list[str] = []
    for word in _WORD.findall(text[end : end + _LOOKED_AT].partition(".")[0])[:_COUNTED_WITHIN]:
        if fold(word) in _RATES:
            break
        if fold(word) not in _MONTH and fold(word) not in _WEEKDAY:
            words.append(fold(word))
    return words


_LOW = (
    r"at\s+least|more\s+than|not?\s+(?:less|fewer|earlier)\s+than|not?\s+before|minimum(?:\s+of)?|over|above|after|since|starting"
    r"|mindestens|wenigstens|mehr\s+als|nicht\s+(?:weniger\s+als|vor)|fr[üu]e?hestens|nach|seit"
    r"|au\s+moins|au\s+minimum|plus\s+de|pas\s+moins\s+de|apr[èe]s|depuis|[àa]\s+partir\s+d[eu]"
    r"|al\s+menos|por\s+lo\s+menos|como\s+m[íi]nimo|m[áa]s\s+de|despu[ée]s\s+del?|desde"
    r"|最少|至少|不少于|不低于|超过"
)
_HIGH = (
    r"at\s+(?:the\s+)?(?:most|latest)|up\s+to|less\s+than|fewer\s+than|not?\s+(?:more|later)\s+than|not?\s+after"
    r"|maximum(?:\s+of)?|below|before|by|until|till|within"
    r"|h[öo]e?chstens|maximal|bis(?:\s+zu[mr]?)?|weniger\s+als|nicht\s+(?:mehr\s+als|nach)|sp[äa]e?testens|vor|binnen"
    r"|au\s+plus|au\s+maximum|jusqu['’](?:[àa]|au)|moins\s+de|pas\s+plus\s+de|avant"
    r"|a\s+lo\s+sumo|como\s+m[áa]ximo|hasta|menos\s+de|antes\s+del?|no\s+m[áa]s\s+de"
    r"|最多|至多|不超过|不多于"
)
# A bound before a figure, with an article or a currency between them at the most.
_BOUND_BEFORE = (
    rf"(?i)(?<![[\p{{L}}]--[\p{{Han}}]])(?:(?P<low>{_LOW})|(?P<high>{_HIGH}))(?:\s+(?:the|of|am|dem|den|der|le|la|el|einen?|an?)|[为是])?"
    rf"\s*(?:[€$£]|(?:EUR|USD|GBP|CHF)\s)?$"
)
_BOUND_BEHIND = (
    r"(?i)(?:\s*\p{Sc}|(?:\s+|-)?\p{L}{1,12})?\s*(?:"
    r"(?P<low>(?:or|oder|ou|o)\s+(?:more|longer|later|mehr|länger|später|plus|más)\b|at\s+(?:least|the\s+earliest)\b|以上|之后|以后)"
    r"|(?P<high>(?:or|oder|ou|o)\s+(?:less|fewer|earlier|weniger|moins|menos)\b|at\s+(?:the\s+)?(?:most|latest)\b|以下|以内|之前|以前))"
)


@lru_cache
def _compiled(source: str) -> regex.Pattern[str]:
    """A pattern, compiled when it is first needed."""
    return regex.compile(source, regex.VERSION1)


def bounds(text: str) -> dict[str, frozenset[str]]:
    """For each value that a bound stands at whether it is "low" or "high": at least, before."""
    senses: dict[str, frozenset[str]] = {}
    for figure in found(text):
        start = max(0, figure.start - _LOOKED_AT)
        near = text[start : figure.start]
        # Of "not before" and "before", both of which end here, the one that begins first counts.
        for match in (
            _compiled(_BOUND_BEFORE).search(near),
            _compiled(_BOUND_BEHIND).match(text, figure.end),
        ):
            if match:
                sense = "low" if match["low"] else "high"
                for value in figure.values:
                    senses[value] = senses.get(value, frozenset()) | {sense}
    return senses


_MEASURED = regex.compile(
    r"(?i)\p{Sc}\s?\p{N}|\p{N}\s?(?:\p{Sc}|[%‰°％]|\p{Han}{1,4})|\b(?:EUR|USD|GBP|CHF)\s?\p{N}"
    r"|\p{N}\s?(?P<unit>(?!(?:of|in|on|to|and|or|at|by|the|von|und|in|im|de|et|y|a|à|en)\b)\p{L}[\p{L}\p{M}/²³]*)"
    r"|\p{N}{1,2}[:h.]\p{N}{2}\s?(?:[ap]\.?m|Uhr)|[一二三四五六七八九十百千万亿两]\p{Han}{1,4}"
)


def measured(text: str) -> str | None:
    """The first figure of a text with what it counts or is measured in; None where none has any."""
    if match := _MEASURED.search(text):
        return match[0]
    for figure in found(text):
        behind = _WORD.match(text, figure.end + 1)
        if behind and fold(behind[0]) in UNIT:
            return text[figure.start : behind.end()]
    return None


def is_unit(word: str) -> bool:
    """Whether a word of `counted` is a unit of measure."""
    return " " in word


def _words(text: str) -> Iterator[Figure]:
    """Number words, ordinals, fractions, weekdays and months.

    A month that is also another word only beside a figure.
    """
    words = [(match.start(), match.end(), fold(match[0])) for match in _WORD.finditer(text)]
    french = any(word in _FRENCH for _, _, word in words)
    at = 0
    while at < len(words):
        number = _spelt(words, at, text, french) or _part(words, at, text)
        if number:
            figure, at = number
            yield figure
            continue
        start, end, plain = words[at]
        at += 1
        small = text[start].islower()
        if plain in _WEEKDAY and small:
            yield Figure(start, end, (f"weekday {_WEEKDAY[plain]}",))
        beside = text[max(0, start - 5) : start] + text[end : end + 5]
        in_it = at > 1 and words[at - 2][2] in ("in", "of", "until", "since") and plain == "may"
        dated = plain not in _AMBIGUOUS or in_it or any(char.isdigit() for char in beside)
        if plain in _MONTH and (not small or in_it or plain in _LOWER_MONTHS) and dated:
            yield Figure(start, end, (f"month {_MONTH[plain]}",))


_Word = tuple[int, int, str]
_FRENCH = frozenset(["le", "la", "les", "des", "du", "est", "et", "sont", "dans", "jours", "euros"])


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
    value = _NUMBER.get(word) or compound(word)
    if value and value >= 100 and text[:start].rstrip(" \u00a0-")[-1:].isdecimal():
        return None  # read with the figure
    return value


@lru_cache(maxsize=4096)
def compound(word: str) -> int | None:
    """The value of a number that German or Spanish writes in one word."""
    if found := _SPANISH_NUMBER.fullmatch(word):
        if found["ones"]:
            return 20 + _NUMBER.get(found["ones"], 1)
        return 100 * _SPANISH_STEMS.get(found["hundreds"], _NUMBER.get(found["hundreds"], 0))
    parts = _GERMAN_NUMBER.fullmatch(word)
    if not parts or not (parts["thousand"] or parts["hundred"] or parts["tens"]):
        return None
    value = {name: _GERMAN.get(word, 0) for name, word in parts.groupdict().items() if word}
    thousands = (value.get("thousands") or 1) * 1_000 if parts["thousand"] else 0
    hundreds = (value.get("hundreds") or 1) * 100 if parts["hundred"] else 0
    return thousands + hundreds + sum(value.get(name, 0) for name in ("ones", "tens", "teens"))


_GERMAN = {**_NUMBER, "ein": 1, "elf": 11}


def _part(words: Sequence[_Word], at: int, text: str) -> tuple[Figure, int] | None:
    """An ordinal behind an article, or a fraction of something: the third, a third of."""
    start, end, word = words[at]
    before = words[at - 1][2] if at else ""
    behind = words[at + 1][2] if at + 1 < len(words) else ""
    share = word.endswith("el") or word in ("tiers", "tercio", "moitie", "mitad", "halfte")
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


def _date(match: regex.Match[str]) -> list[str]:
    year, month, day = match.groups()
    return [year, f"month {int(month)}", str(int(day))]


def _dotted_date(match: regex.Match[str]) -> list[str]:
    day, month, year = match.groups()
    if not (1 <= int(day) <= 31 and 1 <= int(month) <= 12):
        return [number for number in match.groups() if number]
    long = year if not year or len(year) == 4 else f"20{year}"
    return [str(int(day)), f"month {int(month)}", *([long] if long else [])]


def _slash_date(match: regex.Match[str]) -> list[str]:
    """Day and month in order where either may be the month."""
    first, second, year = int(match[1]), int(match[3]), match[4]
    if 12 < first <= 31 and second <= 12:
        return [year, f"month {second}", str(first)]
    if 12 < second <= 31 and first <= 12:
        return [year, f"month {first}", str(second)]
    if first == second:
        return [year, f"month {first}", str(first)]
    return [year, f"day {first}/{second}"]


def _month_year(match: regex.Match[str]) -> list[str]:
    return [f"month {int(match[1])}", match[2]]


def _scaled(match: regex.Match[str]) -> list[str]:
    """A figure with the word or sign behind it that multiplies it: 1.2 million, 5万."""
    scale = fold(match["scale"].rstrip("."))
    times = _SYMBOL_SCALES.get(scale) or _NUMBER[scale]
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


def _whole_hour(match: regex.Match[str]) -> list[str]:
    return [f"{_hour(match[1], match[2])}:00"]


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


def _number(match: regex.Match[str]) -> list[str]:
    return [_plain(match[0])]


def _plain(number: str) -> str:
    """A number without groups of thousands and needless zeros, with a point for a decimal sign."""
    parts = re.split(rf"[.,'’{_SPACES}]", number)
    groups = 1
    while groups < len(parts) and len(parts[groups]) == 3 and len(parts[0]) <= 3:
        groups += 1
    whole, rest = "".join(parts[:groups]), "".join(parts[groups:])
    if len(whole) < 3:  # more is a telephone number or a code
        whole = whole.lstrip("0") or "0"
    return f"{whole}.{rest}".rstrip("0").rstrip(".") if rest else whole


_READ = (
    (_DATE, _date),
    (_SLASH_DATE, _slash_date),
    (_MONTH_YEAR, _month_year),
    (_DOTTED_DATE, _dotted_date),
    (_TIME, _time),
    (_HOUR, _whole_hour),
    (_SCALED, _scaled),
    (_FIGURE, _number),
    (_HAN_NUMBER, _han_number),
)
