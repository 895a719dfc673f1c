"""The figures of a text, however they are written: numbers, dates, times, number words. Pure.

Two texts that say the same figures give the same set. Knows English, German, French and Spanish
words. Called by support.py, for which a claim's figures must all be in what supports it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from unicodedata import decimal

import regex

from corpus_agent.sentences.words import fold

_MONTHS = (
    "january januar jaenner janvier enero jan",
    "february februar fevrier febrero feb",
    "march marz maerz mars marzo mar mrz",
    "april avril abril apr",
    "may mai mayo",
    "june juni juin junio jun",
    "july juli juillet julio jul",
    "august aout agosto aug",
    "september septembre septiembre sep sept",
    "october oktober octobre octubre oct okt",
    "november novembre noviembre nov",
    "december dezember decembre diciembre dec dez",
)
_NUMBERS = (
    (2, "two zwei deux dos both beide beiden twice zweimal"),
    (3, "three drei trois tres"),
    (4, "four vier quatre cuatro"),
    (5, "five funf fuenf cinq cinco"),
    (6, "six sechs seis"),
    (7, "seven sieben sept siete"),
    (8, "eight acht huit ocho"),
    (9, "nine neun neuf nueve"),
    (10, "ten zehn dix diez"),
    (11, "eleven elf onze once"),
    (12, "twelve zwolf zwoelf douze doce"),
    (13, "thirteen dreizehn treize trece"),
    (14, "fourteen vierzehn quatorze catorce"),
    (15, "fifteen funfzehn fuenfzehn quinze quince"),
    (16, "sixteen sechzehn seize dieciseis"),
    (17, "seventeen siebzehn"),
    (18, "eighteen achtzehn"),
    (19, "nineteen neunzehn"),
    (20, "twenty zwanzig vingt veinte"),
    (30, "thirty dreissig trente treinta"),
    (40, "forty vierzig quarante cuarenta"),
    (50, "fifty funfzig fuenfzig cinquante cincuenta"),
)
# English words that are numbers elsewhere, and words that are a month only beside a figure.
_NOT_NUMBERS = frozenset({"once", "elf", "seize", "quince", "dix"})
_AMBIGUOUS = frozenset({"may", "mar", "mars", "jan", "dec", "sept", "march", "august", "mai"})
_MONTH = {fold(word): n for n, words in enumerate(_MONTHS, start=1) for word in words.split()}
_NUMBER = {
    fold(word): n for n, words in _NUMBERS for word in words.split() if word not in _NOT_NUMBERS
}

# French and Spanish write months without a capital.
_LOWER_MONTHS = {fold(w) for words in _MONTHS for w in words.split() if len(w) > 4} | {
    "mai", "mars", "mayo", "juin", "aout"
} - {"march", "august"}  # fmt: skip

# Words that a figure is measured in; those of a line mean the same.
_UNITS = (
    "second seconds sec secs sekunde sekunden seconde secondes segundo segundos",
    "minute minutes min mins minuten minuto minutos",
    "hour hours hr hrs h stunde stunden std heure heures hora horas",
    "day days tag tage tagen jour jours dia dias",
    "week weeks wk wks woche wochen semaine semaines semana semanas",
    "month months monat monate monaten mois mes meses",
    "year years yr yrs jahr jahre jahren annee annees ans ano anos",
    "percent per % prozent pct pour",
    "kg kilo kilos kilogram kilograms kilogramm",
    "g gram grams gramm",
    "km kilometre kilometres kilometer kilometers",
    "m metre metres meter meters",
    "cm centimetre centimetres centimeter centimeters zentimeter",
    "mm millimetre millimetres millimeter millimeters",
    "l litre litres liter liters",
    "mile miles mi",
)
_UNIT = {word: words for words in _UNITS for word in words.split()}

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
_WORD = re.compile(r"[^\W\d_]+|%")
_COUNTED_WITHIN = 2  # words behind a figure that may say what it counts


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
    for pattern, read in _READ:
        figures += [Figure(m.start(), m.end(), tuple(read(m))) for m in pattern.finditer(text)]
        text = pattern.sub(lambda match: "\x1f" * len(match[0]), text)
    return tuple(sorted(figures, key=lambda figure: figure.start))


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
    for figure in (*found(text), *found(_apart(text))):
        words = [fold(word) for word in _WORD.findall(text[figure.end :].partition(".")[0])]
        behind = [_UNIT.get(word, word) for word in words[:_COUNTED_WITHIN]]
        behind.sort(key=lambda word: " " not in word)
        for value in figure.values:
            counts[value] = (*counts.get(value, ()), *behind)
    return counts


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
        if behind and fold(behind[0]) in _UNIT:
            return text[figure.start : behind.end()]
    return None


def is_unit(word: str) -> bool:
    """Whether a word of `counted` is a unit of measure."""
    return " " in word


def _words(text: str) -> Iterator[Figure]:
    """Number words, and months; a month that is also another word only beside a figure."""
    for match in _WORD.finditer(text):
        word, (start, end) = match.group(), match.span()
        plain = fold(word)
        if plain in _NUMBER and not (plain == "sept" and word[0].isupper()):
            yield Figure(start, end, (str(_NUMBER[plain]),))
        beside = text[max(0, start - 5) : start] + text[end : end + 5]
        dated = plain not in _AMBIGUOUS or any(char.isdigit() for char in beside)
        if plain in _MONTH and (word[0].isupper() or plain in _LOWER_MONTHS) and dated:
            yield Figure(start, end, (f"month {_MONTH[plain]}",))


def _date(match: regex.Match[str]) -> list[str]:
    year, month, day = match.groups()
    return [year, f"month {int(month)}", str(int(day))]


def _dotted_date(match: regex.Match[str]) -> list[str]:
    day, month, year = match.groups()
    if not (1 <= int(day) <= 31 and 1 <= int(month) <= 12):
        return [number for number in match.groups() if number]
    long = year if not year or len(year) == 4 else f"20{year}"
    return [str(int(day)), f"month {int(month)}", *([long] if long else [])]


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
    said = match[0]
    if not any(char in _HAN_POWERS for char in said):
        return ["".join(str(_HAN_DIGITS[char]) for char in said)]
    whole = part = digit = 0
    for char in said:
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
    (_DOTTED_DATE, _dotted_date),
    (_TIME, _time),
    (_HOUR, _whole_hour),
    (_FIGURE, _number),
    (_HAN_NUMBER, _han_number),
)
