"""Money, spans of time, shares and numbers of a text, in one form for all spellings. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from operator import attrgetter

import regex

from corpus_agent.fields import lexicon
from corpus_agent.fields.lexicon import FieldType
from corpus_agent.text.dates import Reading, near
from corpus_agent.text.number_words import (
    CARDINALS,
    CODES,
    HUNDRED,
    MORE_CARDINALS,
    ORDINALS,
    SYMBOLS,
    by_word,
    listed,
    table,
)
from corpus_agent.text.numbers import figures
from corpus_agent.text.tokens import fold


def _any(words: Iterable[str]) -> str:
    """A pattern of any of these words, the longest first."""
    return "|".join(sorted(words, key=len, reverse=True))


NO_UNIT = "unit not known"  # of a sum in a report: 43.5 may be thousands, or millions
_CODE_OF = {sign: code for code, signs in table("currencies").items() for sign in signs}
_NAMES = table("currency_names")
_NAMED = _any(name for names in _NAMES.values() for name in names)
_NUMBER = (
    r"(?:\d{1,2}(?:,\d{2}){1,4},\d{3}(?!\d)(?:\.\d{1,2}(?!\d))?"  # 12,50,000
    r"|\d{1,3}(?:(?:[.,'’]\d{3}){1,6}|(?:[\u00a0\u202f ]\d{3}){1,6})(?!\d)(?:[.,]\d{1,2}(?!\d))?"
    r"|\d+(?:[.,]\d+)?)"
)
_PER, _SCALES, _LEADS = map(lexicon.piece, ("per", "scales", "leads"))
_SCALE = rf"(?:[\u00a0\u202f ]?(?:{_SCALES})\b(?:(?<=mio|mrd|tsd|mln|mn|bn)\.)?)?"
# Of a sum a letter is a scale, too: "£5m"; without its currency "5m" are five metres.
_SUM = rf"{_NUMBER}(?i:[mkb](?![\p{{L}}\p{{N}}])|{_SCALE})"
_CURRENCY = rf"(?:{SYMBOLS}|(?<!\p{{Latin}})(?:{CODES})(?!\p{{Latin}}))"
_DASH = "[-−–‐‑﹣－]"
_MONEY = regex.compile(
    rf"(?<![\p{{L}}\p{{N}}])(?P<sign>{_CURRENCY})[\u00a0\u202f ]?(?P<minus>{_DASH}(?=\d)|−[ ])?"
    rf"(?P<below>[(])?(?P<number>{_SUM})(?(below)[)])(?:(?:[,.][-–]|[,.]?[-–]{{2}})(?=\s|$))?"
    rf"(?:\s(?P<code>{CODES})(?!\p{{L}}))?(?i:{_PER})"
    rf"|(?<![\p{{L}}\p{{N}}.,])(?P<number>{_SUM})(?:[,.][-–]{{1,2}})?"
    rf"(?P<blank>[\u00a0\u202f ])?(?P<sign>{_CURRENCY}|(?i:{_NAMED})(?!\p{{L}}))"
    rf"(?(blank)(?!\d))(?i:{_PER})"  # "1 £46.50" is one of £46.50
)
_PERCENT = regex.compile(
    rf"(?i)(?<![\p{{N}}.,])(?P<number>{_NUMBER})\s?"
    r"(?:%|(?:per\s?cent|percent|prozent|pour\s?cent|por\s?ciento|procent)\b)"
)
_PLAIN = regex.compile(
    rf"(?<![\p{{L}}\p{{N}}.,/-])(?P<minus>{_DASH})?(?P<number>{_NUMBER}(?i:{_SCALE}))"
    r"(?:/(?:5|10|20|100)(?![\p{N}/]))?(?![\p{L}\p{N}/]|[.,]\d|\s?(?:%|per\s?cent\b|prozent\b))"
)
_READ: dict[FieldType, tuple[regex.Pattern[str], ...]] = {
    "money": (_MONEY,),
    "percent": (_PERCENT,),
    "rate": (_PERCENT, _MONEY),
    "number": (_MONEY, _PLAIN),
}
# A minus stands before the amount of a label, a cell or a verb; behind another word it is a dash,
# as is a hyphen with a blank behind it. The currency may stand between.
_MINUS = regex.compile(
    rf"(?:^|[:|(=\n]|{_LEADS})[ ]{{0,3}}"
    rf"(?P<sign>(?:{_DASH}|−[ ]|(?i:minus)[ ])(?:{_CURRENCY}[ ]?)?)$"
)
# What a column is in: "EUR million", "in thousands", "(€m)".
_UNIT = regex.compile(
    rf"(?P<named>{_CURRENCY}|(?i:(?<!\p{{L}})(?:{_NAMED})(?!\p{{L}})))"
    rf"|(?i:(?P<scale>(?<=\p{{Sc}}[\u00a0\u202f ]?)[mk](?!\p{{L}})"
    rf"|(?<!\p{{L}})(?:{_SCALES})(?=s?(?!\p{{L}})))s?)"
)
# What a heading may have between the words of its unit; anything else there is not shown.
_JOINS = regex.compile(r"(?i)\.?[\s,()\[\]]{0,3}(?:(?:of|in|de)\s|d['’])?(?:U\.?S\.?\s)?")
_BRACKETS = dict.fromkeys(map(ord, "()[]"), " ")
_REACH = 24  # characters on either side of an amount in which its sign stands


def find_amounts(text: str, kind: FieldType, *, bare: bool = False) -> list[Reading]:
    """The amounts of a type, in order: "EUR 1200", "5.5%"; with `bare` those without a currency."""
    found, rest = list[Reading](), text
    for pattern in (*_READ[kind], *([_PLAIN] if bare and kind in ("money", "rate") else [])):
        every = (_amount(text, match) for match in pattern.finditer(rest))
        sums = {one.start for one in found}  # "1 £46.50": how many there are is no sum
        found += [o for o in every if o and not (pattern is _PLAIN and o.end + 1 in sums)]
        rest = pattern.sub(lambda match: "x" * len(match[0]), rest)
    return sorted(found, key=attrgetter("start"))


def unit_of(text: str) -> dict[str, str]:
    """What a heading says that the figures below are in: currency ("named"), scale, as written."""
    found = [*_UNIT.finditer(text)]
    unit = {str(one.lastgroup): one[str(one.lastgroup)] for one in reversed(found)}
    if not found:
        return {}
    is_scale = found[0].lastgroup == "scale"
    written = f"in {found[0][0].lower()}" if is_scale else found[0][0]
    for one, after in pairwise(found):
        gap = text[one.end() : after.start()]
        written += (gap.translate(_BRACKETS) if _JOINS.fullmatch(gap) else ", ") + after[0]
    return unit | {"written": " ".join(written.split())}


def unit_and_number(normal: str) -> tuple[str, str]:
    """The currency of an amount in its normal form, or "%", and its number."""
    unit, _, number = normal.rpartition(" ")
    return ("%", number[:-1]) if number.endswith("%") else (unit, number)


def in_unit(value: Reading, unit: str) -> Reading:
    """A plain amount in the unit of its column: 190 under "EUR million"; else as it is."""
    own, _, number = value.normal.rpartition(" ")
    if not number.replace(".", "").lstrip("-").isdecimal() or "scale" in unit_of(value.text):
        return value
    scale, named = map(unit_of(unit).get, ("scale", "named"), ("", ""))
    scaled = f"{number}{' ' * (len(scale) > 1)}{scale} {own or named}".strip()
    read = find_amounts(scaled, "number")
    return replace(value, normal=read[0].normal) if len(read) == 1 else value


def _amount(text: str, match: regex.Match[str]) -> Reading | None:
    """An amount with its sign and its currency or share; None if it is no one number."""
    named = match.groupdict()
    # A letter is a scale behind a sum alone: "€5m" is read so, and "5m" is five metres.
    values = figures("€" + named["number"].replace("\u00a0", " "))
    if len(values) != 1:
        return None
    minus = _MINUS.search(text, max(0, match.start() - _REACH), match.start())
    start = minus.start("sign") if minus else match.start()
    sign = "-" if minus or named.get("minus") else ""
    currency = f"{named['code'] or _currency(named['sign'])} " if "sign" in named else ""
    normal = f"{currency}{sign}{next(iter(values))}{'%' if match.re is _PERCENT else ''}"
    return Reading(start, match.end(), " ".join(text[start : match.end()].split()), normal)


def _currency(sign: str) -> str:
    names = (code for code, names in _NAMES.items() if regex.fullmatch(_any(names), sign, regex.I))
    return _CODE_OF.get(sign) or next(names, sign)


_SPANS = table("spans")
_ANY_SPAN = "|".join(word for words in _SPANS.values() for word in words)
_COUNT_OF = by_word(CARDINALS, (HUNDRED,), MORE_CARDINALS)
_NUMBER_OF = by_word(ORDINALS) | _COUNT_OF
_COUNTS = _any({*listed(CARDINALS, (HUNDRED,), MORE_CARDINALS), *_COUNT_OF})
_TENS = _any(listed((n, words) for n, words in CARDINALS if n >= 20))
_COUNT = rf"(?:(?:(?:{_TENS})[- ])?(?:{_COUNTS}))"
_KIND_OF = r"(?:(?:full|calendar|consecutive|business|working|contract|volle?n?|ganze?n?)[\s-]+)*"
# A count and a unit, perhaps with months; an anniversary; "from year to year", "annual renewals",
# "net 30".
_SPAN = regex.compile(
    rf"(?i)(?<![\p{{L}}\p{{N}}.,$€£])(?:"
    rf"(?:(?P<count>{_COUNT})(?!\p{{L}})(?:[\s-]*\(\s*(?P<figure>\d{{1,4}}|[Il])\s*\))?|(?P<figure>\d{{1,4}}))"
    rf"[\s-]*{_KIND_OF}(?P<unit>{_ANY_SPAN})(?!\p{{L}})"
    rf"(?:,?\s(?:(?:and|und|et|y|e|en|plus)\s)?(?P<months>\d{{1,2}}|{_COUNTS})\s(?:{'|'.join(_SPANS['M'])})(?!\p{{L}}))?"
    rf"|(?:(?P<count>{_any(listed(ORDINALS))})(?!\p{{L}})(?:\s*\(\s*\d+\s*(?:st|nd|rd|th)\s*\))?"
    r"|(?P<figure>\d{1,2})\s?(?:st|nd|rd|th))\s+anniversary"
    r"|(?P<unit>year|month|jahr)[\s-]+(?:to|zu)[\s-]+(?P=unit)(?!\p{L})"
    r"|(?P<unit>annual|yearly)(?=\s+(?:automatic\s+)?(?:renewal|extension|term|period))"
    r"|(?P<unit>net)\s(?P<figure>\d{2})(?!\s?[\p{L}\p{N}\p{Sc}%]|[.,]\d))"
)
# What each of them holds, so that it is looked for beside that alone.
_HINT = regex.compile(rf"(?i)(?:{_ANY_SPAN}|anniversary|annual|yearly|net\s\d\d)(?!\p{{L}})")
_AROUND = (70, 30)  # characters before and behind it
_OF_WORK = regex.compile(r"(?i)business|working")
# What makes another span of one: a range or a choice, and a half behind it.
_HALVES = r"(?:halbe?[nmrs]?|half|demie?|media?|medio|mezz[oa]|meia)(?!\p{L})"
_RANGE_BEFORE = regex.compile(
    rf"(?i)(?:(?<!\p{{L}}){_HALVES}[\s-]|[½¼¾]\s?"
    rf"|(?<!\p{{L}})(?:\p{{N}}|{_COUNT})\s?(?:to|or|bis|oder|à|a|ou|o|of|tot|[-–—/])\s?)$"
)
_HALF_BEHIND = regex.compile(
    rf"(?i)\s(?:and|und|et|y|e|en)\s(?:an?\s|eine?[nm]?\s|une?\s)?{_HALVES}"
)


def find_durations(text: str) -> list[Reading]:
    """The spans of time: "P3Y", "P10B" of business days; a range, and what has a half, is none."""
    found = []
    for start, end in near(_HINT, text, *_AROUND):
        for match in _SPAN.finditer(text, start, end):
            ranged = _RANGE_BEFORE.search(text[max(0, match.start() - _REACH) : match.start()])
            if not ranged and not _HALF_BEHIND.match(text, match.end()) and (span := _iso(match)):
                found.append(Reading(*match.span(), " ".join(match[0].split()), span))
    return found


def _iso(match: regex.Match[str]) -> str:
    """A span of time in ISO form; "" where its count is no number."""
    named = match.groupdict()
    figure, unit, more = named["figure"] or "", (named["unit"] or "").lower(), named["months"]
    words = fold(named["count"] or "one").replace("-", " ").split()
    counts = [int(figure)] if figure.isdecimal() else [_NUMBER_OF.get(word, -1) for word in words]
    kinds = (code for code, words in _SPANS.items() if regex.fullmatch("|".join(words), unit))
    code = "D" if unit == "net" else next(kinds, "Y")  # "annual", anniversaries: none
    if min(counts) < 0 or (more and code != "Y"):
        return ""
    if more:
        months = int(more) if more.isdecimal() else _COUNT_OF[fold(more)]
        return f"P{12 * sum(counts) + months}M"
    code = "B" if code == "D" and _OF_WORK.search(match[0]) else code
    return f"P{code[:-1]}{sum(counts)}{code[-1]}"
