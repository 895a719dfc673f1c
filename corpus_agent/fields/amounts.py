# ruff: noqa: E501 - a pattern or a list of words that is broken over lines is harder to read
"""Money, durations, shares and numbers of a text, in one form for all spellings. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate

import regex

from corpus_agent.text.dates import near
from corpus_agent.text.number_words import CARDINALS, HUNDRED, ORDINALS, by_word, listed
from corpus_agent.text.numbers import figures
from corpus_agent.text.tokens import fold
from corpus_agent.text.values import Reading

_SIGNS = {
    "€": "EUR",
    "£": "GBP",
    "¥": "JPY",
    "₹": "INR",
    "₩": "KRW",
    "₽": "RUB",
    "₺": "TRY",
    "元": "CNY",
    "円": "JPY",
    "원": "KRW",
    "zł": "PLN",
    "Kč": "CZK",
    "$": "USD",
}
_DOLLARS = {
    "US$": "USD",
    "C$": "CAD",
    "A$": "AUD",
    "HK$": "HKD",
    "R$": "BRL",
    "NZ$": "NZD",
    "S$": "SGD",
}
_CODES = [
    "EUR",
    "USD",
    "GBP",
    "CHF",
    "JPY",
    "CNY",
    "RMB",
    "INR",
    "SEK",
    "NOK",
    "DKK",
    "PLN",
    "CZK",
    "HUF",
    "CAD",
    "AUD",
    "NZD",
    "HKD",
    "SGD",
    "BRL",
    "MXN",
    "ZAR",
    "TRY",
    "RUB",
    "KRW",
]
_NAMED = {
    "EUR": "euros? euro",
    "USD": "dollars? dólares dollari",
    "GBP": "pounds? livres? libras?",
    "CHF": "franken francs?",
    "JPY": "yen",
    "CNY": "yuan renminbi",
    "PLN": "złotych złoty",
    "SEK": "kronor",
}
_NAMES = [
    (regex.compile(rf"(?i)(?:{'|'.join(words.split())})$"), code) for code, words in _NAMED.items()
]
_WORDS = "|".join(word for words in _NAMED.values() for word in words.split())
_NUMBER = (
    r"(?:\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3}){1,6}(?!\d)(?:[.,]\d{1,2}(?!\d))?|\d+(?:[.,]\d+)?)"
)
_SCALE = r"(?:[\u00a0\u202f ]?(?:thousand|million|billion|mio|mrd|tsd|millionen|milliarden|millions|milliards|millones|mln|mn|bn|tausend)\b\.?)?"
_BEFORE = rf"(?:{'|'.join(map(regex.escape, [*_DOLLARS, *_SIGNS]))}|(?<!\p{{L}})(?:{'|'.join(_CODES)})(?!\p{{L}}))"
_DASH = "[-−–‐‑﹣－]"
# A minus stands before the amount of a label, a cell or a verb; behind another word it is a dash,
# as is a hyphen with a blank behind it. The currency may stand between.
_MINUS = regex.compile(
    rf"(?:^|[:|(=\n]|\b(?:is|was|of|to|by|at|ist|war|beträgt|est|es))[ ]{{0,3}}(?P<sign>(?:{_DASH}|−[ ]|(?i:minus)[ ])(?:{_BEFORE}[ ]?)?)$"
)
# Of a form or an account, alone behind its label or in its cell: less than nothing.
_BRACKET = regex.compile(rf"(?:^|[:|])[ ]{{0,3}}(?P<sign>(?:{_BEFORE}[ ]?)?\((?:{_BEFORE}[ ]?)?)$")
_BRACKET_ENDS = regex.compile(
    rf"(?:[ ]?{_BEFORE})?\)(?:[ ]?{_BEFORE})?(?=[ ]*+(?:\.[ ]*+)?(?:[|\n]|$))"
)
_ANY_SIGN = regex.compile(_BEFORE)
_REACH = 24  # characters on either side of an amount in which its sign stands
_MONEY = regex.compile(
    rf"(?<![\p{{L}}\p{{N}}])(?P<sign>{_BEFORE})[\u00a0\u202f ]?(?P<minus>{_DASH}(?=\d)|−[ ])?(?P<number>{_NUMBER}(?i:{_SCALE}))(?:(?:[,.][-–]|[,.]?[-–]{{2}})(?=\s|$))?(?:\s(?P<code>{'|'.join(_CODES)})(?!\p{{L}}))?"
    rf"|(?<![\p{{L}}\p{{N}}.,])(?P<number>{_NUMBER}(?i:{_SCALE}))(?:[,.][-–]{{1,2}})?[\u00a0\u202f ]?(?P<sign>{_BEFORE}|(?i:{_WORDS})(?!\p{{L}}))"
)
_PLAIN_SUM = regex.compile(
    rf"(?<![\p{{L}}\p{{N}}.,])(?<![\p{{L}}\p{{N}}.,/-]{_DASH}){_NUMBER}(?![\p{{L}}\p{{N}}%]|[.,]\d)"
)
_PERCENT = regex.compile(
    rf"(?<![\p{{N}}.,])(?P<number>{_NUMBER})\s?(?:%|per\s?cent\b|percent\b|prozent\b|pour\s?cent\b|por\s?ciento\b|procent\b)",
    regex.IGNORECASE,
)
_ANY_NUMBER = regex.compile(
    rf"(?<![\p{{L}}\p{{N}}.,/-])(?P<minus>{_DASH})?(?P<number>{_NUMBER})(?![\p{{L}}\p{{N}}/]|[.,]\d)"
)

# What makes an amount negative that was read without it, or may: a minus that touches it or stands
# alone in its cell, a word, a minus behind it, brackets around all that a cell or a label says.
_UNIT = r"(?:\p{Sc}|[A-Z]{3})"
_LEADS = r"\b(?:is|was|of|to|by|at|ist|war|beträgt|est|es)"
_ABOUT = r"about|around|roughly|some|approx(?:\.|imately)?|ca\.?|circa|rund|etwa|environ|unos"
_MINUS_BEFORE = regex.compile(
    rf"(?:(?:(?<![\p{{L}}\p{{N}})\]%./–-])(?:{_DASH}|[△▲➖‒⁻₋])|[|:=][^\S\n]*(?:{_DASH}[^\S\n]+|[—―][^\S\n]*)|(?<!\p{{N}}[^\S\n]?)−[^\S\n])(?:{_UNIT}[^\S\n]?)?"
    rf"|(?i:{_LEADS}\s{_DASH})\s(?:{_UNIT}[^\S\n]?)?|\./\.\s?(?:{_UNIT}[^\S\n]?)?"
    rf"|(?i:\b(?:minus|negativ(?:e[nmrs]?)?|moins|(?<!o\s)menos|meno)[\s:]{{1,3}}(?:(?:{_ABOUT})\s)?)(?:{_UNIT}[^\S\n]?)?)$"
)
_MINUS_BEHIND = regex.compile(
    rf"[^\S\n]?\([-−–]\)|[-−–][^\S\n]*(?:$|[|\n])|[^\S\n][-−][^\S\n]*(?:$|[|]|\n(?!\s*\p{{Ll}}))|[-−][^\S\n]?{_UNIT}(?![^\S\n]?\p{{N}})"
)
_BRACKET_BEFORE = regex.compile(
    rf"(?:(?:^|[|:=\n−-]|(?i:{_LEADS})\s|{_UNIT})[^\S\n]*|(?<=[^\S\n]{{2}}|\t))(?:{_UNIT}[^\S\n]?)?[(（][^\S\n]?(?:{_UNIT}[^\S\n]?)?$"
)
_BRACKET_BEHIND = regex.compile(rf"(?:[^\S\n]?(?:{_UNIT}|%))?[^\S\n]?[)）]")
# Emphasis, escapes and what nobody sees stand between a sign and its amount, and change nothing.
_MARKS = regex.compile(r"[*_`\\]|\p{Cf}")
_POSITIVE = regex.compile(r"(?:[A-Z]{3} )?[0-9.]+%?")


_MORE_CARDINALS = (  # Italian, Dutch, Portuguese
    (2, "due twee dois duas"),
    (3, "tre drie três"),
    (4, "quattro quatro"),
    (5, "cinque vijf"),
    (6, "sei zes"),
    (7, "sette zeven"),
    (8, "otto oito"),
    (9, "nove negen"),
    (10, "dieci tien dez"),
    (12, "dodici twaalf doze"),
    (14, "quattordici veertien"),
    (15, "quindici vijftien quinze"),
    (18, "diciotto achttien dezoito"),
    (20, "venti twintig vinte"),
    (30, "trenta dertig trinta"),
    (60, "sessanta zestig sessenta"),
    (90, "novanta negentig"),
)
_COUNT_OF = by_word(CARDINALS, (HUNDRED,), _MORE_CARDINALS) | {
    "one": 1,
    "a": 1,
    "an": 1,
    "ein": 1,
    "eine": 1,
    "einem": 1,
    "einer": 1,
    "eines": 1,
    "zweier": 2,
    "dreier": 3,
    "einen": 1,
    "un": 1,
    "une": 1,
    "uno": 1,
    "una": 1,
    "um": 1,
    "uma": 1,
    "een": 1,
}
_ORDINAL_OF = by_word(ORDINALS)
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_COUNT = rf"(?:(?:{_TENS})[- ]{'(?:one|two|three|four|five|six|seven|eight|nine)'}|{'|'.join(sorted({*listed(CARDINALS, (HUNDRED,), _MORE_CARDINALS), *_COUNT_OF}, key=len, reverse=True))})"
_UNITS = (
    (
        "Y",
        "years? yrs? jahre?[ns]? années? ans? años? anni anno anos? jaar lata? lat rok года? лет",
    ),
    ("M", "months? monate?[ns]? mois mes meses mesi mese mês maanden maand miesi[ęą]cy"),
    ("W", "weeks? wochen? semaines? semanas? settimane weken"),
    ("D", "days? tage?[ns]? jours? días? giorni dias? dagen dni"),
)
_UNIT_PATTERNS = [
    (code, regex.compile(rf"(?i)(?:{'|'.join(words.split())})$")) for code, words in _UNITS
]
_ANY_UNIT = "|".join(word for _, words in _UNITS for word in words.split())
_KIND_OF = r"(?:(?:full|calendar|consecutive|business|working|contract|volle?n?|ganze?n?)[\s-]+)*"
_DURATION = regex.compile(
    rf"(?i)(?<![\p{{L}}\p{{N}}.,$€£])(?:(?P<word>{_COUNT})(?!\p{{L}})(?:[\s-]*\(\s*(?P<figure>\d{{1,4}}|[Il])\s*\))?|(?P<figure>\d{{1,4}}))[\s-]*{_KIND_OF}(?P<unit>{_ANY_UNIT})(?!\p{{L}})"
)
_ADJECTIVES = {"jähr": "Y", "monat": "M", "wöch": "W", "täg": "D"}
_ADJECTIVE = regex.compile(
    rf"(?i)(?<![\p{{L}}\p{{N}}.,])(?:(?P<word>{_COUNT})|(?P<figure>\d{{1,3}})[\s-]?)(?P<unit>{'|'.join(_ADJECTIVES)})ig(?:e[nmrs]?)?(?!\p{{L}})"
)
_ADJECTIVE_UNIT = regex.compile(rf"(?i)(?:{'|'.join(_ADJECTIVES)})ig")
_UNIT_WORD = regex.compile(rf"(?i)(?:{_ANY_UNIT})(?!\p{{L}})")
_ANNIVERSARY_WORD = regex.compile(r"(?i)anniversary")
_ANNIVERSARY = regex.compile(
    rf"(?i)(?<!\p{{L}})(?:(?P<word>{'|'.join(listed(ORDINALS))})(?!\p{{L}})(?:\s*\(\s*\d+\s*(?:st|nd|rd|th)\s*\))?|(?P<figure>\d{{1,2}})\s?(?:st|nd|rd|th))\s+anniversary"
)

# What makes another span of one: its half, a range or a choice, a further unit, days of work alone.
_HALVES = r"(?:halbe?[nmrs]?|half|demie?|media?|medio|mezz[oa]|meia)(?!\p{L})"
_AND = r"(?:and|und|et|y|e|en|plus|\+|less|minus)"
_OR = r"(?:to|or|bis|oder|à|a|ou|o|of|tot|[-–—/])"
_MORE_BEFORE = regex.compile(
    rf"(?i)(?:(?<!\p{{L}}){_HALVES}[\s-]|[½¼¾]\s?|(?<!\p{{L}})(?:\p{{N}}|{_COUNT})(?:\s?(?:{_AND}|{_OR})\s?|[\s-](?:{_ANY_UNIT})[\s,]{{1,2}}(?:(?:{_AND}|{_OR})\s)?))$"
)
_MORE_BEHIND = regex.compile(
    rf"(?i)[\s,]{{0,2}}(?:(?:{_AND}|{_OR})\s?)?(?:(?:\d{{1,4}}|{_COUNT})[\s-]{_KIND_OF}(?:{_ANY_UNIT})(?!\p{{L}})|(?:an?\s|eine?[nm]?\s|une?\s)?{_HALVES})"
)
_OF_WORK = regex.compile(r"(?i)business|working")


def is_of_more(text: str, span: Reading) -> bool:
    """Whether a span of time of a text is not all that it says there: "half a year"."""
    before = _MORE_BEFORE.search(text[max(0, span.start - _REACH) : span.start])
    behind = _MORE_BEHIND.match(text[span.end : span.end + 2 * _REACH])
    return bool(before or behind or _OF_WORK.search(span.text))


def loses_its_sign(text: str, value: Reading) -> bool:
    """Whether an amount of a text was read without the minus that it has there, or may have."""
    if not _POSITIVE.fullmatch(value.normal):
        return False
    before = _MARKS.sub("", text[max(0, value.start - _REACH) : value.start])
    behind = _MARKS.sub("", text[value.end : value.end + _REACH])
    if _MINUS_BEFORE.search(before) or _MINUS_BEHIND.match(behind):
        return True
    return bool(_BRACKET_BEFORE.search(before) and _BRACKET_BEHIND.match(behind))


def find_money(text: str) -> list[Reading]:
    """The amounts with a currency: "EUR 1200", "EUR -30"."""
    found = []
    for match in _MONEY.finditer(text):
        value, minus = _value(match["number"]), "-" if match["minus"] else ""
        if value is not None:
            currency = match["code"] or _currency(match["sign"])
            found.append(_signed(text, _reading(match, f"{currency} {minus}{value}")))
    return found


def find_sums(text: str) -> list[Reading]:
    """The amounts of a text, with a currency or, in a table or a form, without."""
    return _with_bare(text, find_money(text))


def find_rates(text: str, *, bare: bool) -> list[Reading]:
    """The shares and the amounts of a text; with `bare` the amounts without a currency, too."""
    found = [*find_percentages(text), *find_money(text)]
    return _with_bare(text, found) if bare else sorted(found, key=_start)


def _with_bare(text: str, found: list[Reading]) -> list[Reading]:
    """What was found, and the plain amounts beside it, in order."""
    spans = sorted((one.start, one.end) for one in found)
    ends = list(accumulate((end for _, end in spans), max))
    bare = []
    for match in _PLAIN_SUM.finditer(text):
        before = bisect_left(spans, (match.end(),))  # those that begin before it ends
        if before and ends[before - 1] > match.start():
            continue
        if (value := _value(match[0])) is not None:
            bare.append(_signed(text, _reading(match, value)))
    return _in_brackets(text, sorted([*found, *bare], key=_start))


def _in_brackets(text: str, found: list[Reading]) -> list[Reading]:
    """The amounts of a form or an account, those that stand in brackets alone below zero."""
    return [_between(text, one) for one in found]


def _between(text: str, reading: Reading) -> Reading:
    begins = _BRACKET.search(text, max(0, reading.start - _REACH), reading.start)
    if not begins or "-" in reading.normal:
        return reading
    ends = _BRACKET_ENDS.match(text, reading.end, reading.end + _REACH)  # looks no further for ")"
    if not ends:
        return reading
    start, end = begins.start("sign"), ends.end()
    sign = None if " " in reading.normal else _ANY_SIGN.search(text, start, end)
    currency = f"{_currency(sign[0])} " if sign else ""
    return _below_zero(text, start, end, f"{currency}{reading.normal}")


def _signed(text: str, reading: Reading) -> Reading:
    """An amount with the minus before it, if there is one."""
    minus = _MINUS.search(text, max(0, reading.start - _REACH), reading.start)
    if not minus or "-" in reading.normal:
        return reading
    return _below_zero(text, minus.start("sign"), reading.end, reading.normal)


def _below_zero(text: str, start: int, end: int, normal: str) -> Reading:
    currency, blank, value = normal.rpartition(" ")
    return Reading(start, end, " ".join(text[start:end].split()), f"{currency}{blank}-{value}")


def _start(reading: Reading) -> int:
    return reading.start


def _currency(sign: str) -> str:
    if sign in _DOLLARS or sign in _SIGNS:
        return _DOLLARS.get(sign) or _SIGNS[sign]
    named = next((code for pattern, code in _NAMES if pattern.match(sign)), None)
    return named or ("CNY" if sign == "RMB" else sign)


def _value(number: str) -> str | None:
    """A number with its scale as a plain decimal; None if it is no one number."""
    values = figures(number.replace("\u00a0", " "))
    return next(iter(values)) if len(values) == 1 else None


def find_durations(text: str) -> list[Reading]:
    """The durations: "P3Y", "P18M"; an anniversary is as many years."""
    found = [
        _reading(match, f"P{count}{_unit(match['unit'])}")
        for start, end in near(_UNIT_WORD, text, 70, 0)
        for match in _DURATION.finditer(text, start, end)
        if (count := _count(match)) is not None
    ]
    found += [
        _reading(match, f"P{count}{_ADJECTIVES[match['unit'].lower()]}")
        for start, end in near(_ADJECTIVE_UNIT, text, 30, 5)
        for match in _ADJECTIVE.finditer(text, start, end)
        if (count := _count(match)) is not None
    ]
    for match in (
        match
        for start, end in near(_ANNIVERSARY_WORD, text, 50, 0)
        for match in _ANNIVERSARY.finditer(text, start, end)
    ):
        years = match["figure"] or _ORDINAL_OF.get(fold(match["word"] or ""))
        if years:
            found.append(_reading(match, f"P{int(years)}Y"))
    return sorted(found, key=lambda reading: reading.start)


def _count(match: regex.Match[str]) -> int | None:
    """How many units; the figure in brackets counts where there is one."""
    figure, word = match["figure"], match["word"]
    if figure and figure.isdecimal():
        return int(figure)
    parts = [_COUNT_OF.get(part) for part in fold(word or "").replace("-", " ").split()]
    known = [part for part in parts if part is not None]
    return sum(known) if known and len(known) == len(parts) else None


def _unit(word: str) -> str:
    return next(code for code, pattern in _UNIT_PATTERNS if pattern.match(word))


def find_percentages(text: str) -> list[Reading]:
    """The shares in per cent: "5.5%"."""
    return [
        _signed(text, _reading(match, f"{value}%"))
        for match in _PERCENT.finditer(text)
        if (value := _value(match["number"])) is not None
    ]


def find_numbers(text: str) -> list[Reading]:
    """The numbers, without those that are part of a name or a code."""
    return list(_numbers(text))


def _numbers(text: str) -> Iterator[Reading]:
    for match in _ANY_NUMBER.finditer(text):
        value, minus = _value(match["number"]), "-" if match["minus"] else ""
        if value is not None:
            yield _signed(text, _reading(match, f"{minus}{value}"))


def _reading(match: regex.Match[str], normal: str) -> Reading:
    return Reading(match.start(), match.end(), " ".join(match[0].split()), normal)
