"""Money, durations, shares and numbers of a text, in one form for all spellings. Pure."""

from __future__ import annotations

from collections.abc import Iterable

import regex

from corpus_agent.fields import lexicon
from corpus_agent.text.dates import Reading, near
from corpus_agent.text.number_words import (
    CARDINALS,
    HUNDRED,
    MORE_CARDINALS,
    ORDINALS,
    by_word,
    listed,
    table,
)
from corpus_agent.text.numbers import figures
from corpus_agent.text.tokens import fold


def _any(words: Iterable[str]) -> str:
    """A pattern of any of these words, the longest first."""
    return "|".join(sorted(words, key=len, reverse=True))


# ---- Sums, shares and numbers

_SIGNS = {sign: code for code, signs in table("currencies").items() for sign in signs}
_CODES = "|".join([*table("currencies"), "RMB"])
_NAMES = table("currency_names")
_NAMED = _any(name for names in _NAMES.values() for name in names)
_NUMBER = (
    r"(?:\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3}){1,6}(?!\d)(?:[.,]\d{1,2}(?!\d))?|\d+(?:[.,]\d+)?)"
)
_SCALE = (
    r"(?:[\u00a0\u202f ]?(?:thousand|million|billion|mio|mrd|tsd|millionen|milliarden|millions"
    r"|milliards|millones|mln|mn|bn|tausend)\b\.?)?"
)
# Of a sum a letter is a scale, too: "£5m"; without its currency "5m" are five metres.
_SUM = rf"{_NUMBER}(?i:[mkb](?![\p{{L}}\p{{N}}])|{_SCALE})"
_BEFORE = (
    rf"(?:{'|'.join(map(regex.escape, sorted(_SIGNS, key=len, reverse=True)))}"
    rf"|(?<!\p{{L}})(?:{_CODES})(?!\p{{L}}))"
)
_DASH = "[-−–‐‑﹣－]"
# How often it is due: "£985 a month", which is shown and not reckoned with.
_PER = (
    r"(?:\s(?:(?:an?|per|each|every|pro|im|je|par|al|por)\s"
    r"(?:month|year|week|day|hour|annum|quarter|monat|jahr|woche|tag|stunde|mois|an|semaine|jour|mes|año)"
    r"|(?:pro|je|monthly|weekly|yearly|annually|monatlich|jährlich|mensuels?|mensuales))(?!\p{L}))?"
)
_MONEY = regex.compile(
    rf"(?<![\p{{L}}\p{{N}}])(?P<sign>{_BEFORE})[\u00a0\u202f ]?(?P<minus>{_DASH}(?=\d)|−[ ])?"
    rf"(?P<number>{_SUM})(?:(?:[,.][-–]|[,.]?[-–]{{2}})(?=\s|$))?"
    rf"(?:\s(?P<code>{_CODES})(?!\p{{L}}))?(?i:{_PER})"
    rf"|(?<![\p{{L}}\p{{N}}.,])(?P<number>{_SUM})(?:[,.][-–]{{1,2}})?"
    rf"[\u00a0\u202f ]?(?P<sign>{_BEFORE}|(?i:{_NAMED})(?!\p{{L}}))(?i:{_PER})"
)
_PLAIN_SUM = regex.compile(
    rf"(?<![\p{{L}}\p{{N}}.,])(?<![\p{{L}}\p{{N}}.,/-]{_DASH}){_NUMBER}(?i:{_SCALE})(?![\p{{L}}\p{{N}}%]|[.,]\d)"
)
_PERCENT = regex.compile(
    rf"(?i)(?<![\p{{N}}.,])(?P<number>{_NUMBER})\s?"
    r"(?:%|(?:per\s?cent|percent|prozent|pour\s?cent|por\s?ciento|procent)\b)"
)
_ANY_NUMBER = regex.compile(
    rf"(?<![\p{{L}}\p{{N}}.,/-])(?P<minus>{_DASH})?(?P<number>{_NUMBER}(?i:{_SCALE}))"
    r"(?![\p{L}\p{N}/]|[.,]\d)"
)
# A minus stands before the amount of a label, a cell or a verb; behind another word it is a dash,
# as is a hyphen with a blank behind it. The currency may stand between.
_LEADS = r"\b(?:is|was|of|to|by|at|ist|war|beträgt|est|es)"
_MINUS = regex.compile(
    rf"(?:^|[:|(=\n]|{_LEADS})[ ]{{0,3}}"
    rf"(?P<sign>(?:{_DASH}|−[ ]|(?i:minus)[ ])(?:{_BEFORE}[ ]?)?)$"
)
_REACH = 24  # characters on either side of an amount in which its sign stands

# Emphasis, escapes and what nobody sees stand between a sign and its amount, and change nothing.
_MARKS = regex.compile(r"[*_`\\]|\p{Cf}")
_POSITIVE = regex.compile(r"(?:[A-Z]{3} )?[0-9.]+%?")


def loses_its_sign(text: str, value: Reading) -> bool:
    """Whether an amount of a text was read without the minus that it has there, or may have."""
    if not _POSITIVE.fullmatch(value.normal):
        return False
    before = _MARKS.sub("", text[max(0, value.start - _REACH) : value.start])
    behind = _MARKS.sub("", text[value.end : value.end + _REACH])
    signs = lexicon.document
    if signs("minus_before").search(before) or signs("minus_behind").match(behind):
        return True
    return bool(signs("bracket_before").search(before) and signs("bracket_behind").match(behind))


def find_money(text: str) -> list[Reading]:
    """The amounts with a currency: "EUR 1200", "EUR -30"."""
    found = (
        _amount(text, match, f"{match['code'] or _currency(match['sign'])} ")
        for match in _MONEY.finditer(text)
    )
    return [one for one in found if one is not None]


def find_sums(text: str) -> list[Reading]:
    """The amounts of a text, with a currency or, in a table or a form, without."""
    return _with_bare(text, find_money(text))


def find_rates(text: str, *, bare: bool) -> list[Reading]:
    """The shares and the amounts of a text; with `bare` the amounts without a currency, too."""
    found = [*find_percentages(text), *find_money(text)]
    return _with_bare(text, found) if bare else sorted(found, key=_start)


def find_percentages(text: str) -> list[Reading]:
    """The shares in per cent: "5.5%"."""
    found = (_amount(text, match, unit="%") for match in _PERCENT.finditer(text))
    return [one for one in found if one is not None]


def find_numbers(text: str) -> list[Reading]:
    """The numbers, without those that are part of a name or a code; amounts with their currency."""
    return _with_bare(text, find_money(text), _ANY_NUMBER)


def _with_bare(
    text: str, found: list[Reading], pattern: regex.Pattern[str] = _PLAIN_SUM
) -> list[Reading]:
    """What was found, and the plain amounts beside it, in order."""
    rest = text
    for one in found:
        rest = rest[: one.start] + "x" * (one.end - one.start) + rest[one.end :]
    bare = (_amount(text, match) for match in pattern.finditer(rest))
    return sorted([*found, *(one for one in bare if one is not None)], key=_start)


def _start(reading: Reading) -> int:
    return reading.start


def _amount(
    text: str, match: regex.Match[str], currency: str = "", unit: str = ""
) -> Reading | None:
    """An amount with its sign; None if it is no one number."""
    named = match.groupdict()
    # A letter is a scale behind a sum alone: "€5m" is read so, and "5m" is five metres.
    values = figures("€" + (named.get("number") or match[0]).replace("\u00a0", " "))
    if len(values) != 1:
        return None
    minus = _MINUS.search(text, max(0, match.start() - _REACH), match.start())
    start = minus.start("sign") if minus else match.start()
    sign = "-" if minus or named.get("minus") else ""
    written = " ".join(text[start : match.end()].split())
    return Reading(start, match.end(), written, f"{currency}{sign}{next(iter(values))}{unit}")


def _currency(sign: str) -> str:
    by_name = (
        code for code, names in _NAMES.items() if regex.fullmatch(_any(names), sign, regex.I)
    )
    return _SIGNS.get(sign) or next(by_name, sign)


# ---- Spans of time

_COUNT_OF = by_word(CARDINALS, (HUNDRED,), MORE_CARDINALS)
_ORDINAL_OF = by_word(ORDINALS)
_COUNTS = _any({*listed(CARDINALS, (HUNDRED,), MORE_CARDINALS), *_COUNT_OF})
_COUNT = (
    r"(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[- ]"
    rf"(?:one|two|three|four|five|six|seven|eight|nine)|{_COUNTS})"
)
_SPANS = table("spans")
_ANY_SPAN = "|".join(word for words in _SPANS.values() for word in words)
_MONTHS = "|".join(_SPANS["M"])
_KIND_OF = r"(?:(?:full|calendar|consecutive|business|working|contract|volle?n?|ganze?n?)[\s-]+)*"
_DURATION = regex.compile(
    rf"(?i)(?<![\p{{L}}\p{{N}}.,$€£])"
    rf"(?:(?P<word>{_COUNT})(?!\p{{L}})(?:[\s-]*\(\s*(?P<figure>\d{{1,4}}|[Il])\s*\))?|(?P<figure>\d{{1,4}}))"
    rf"[\s-]*{_KIND_OF}(?P<unit>{_ANY_SPAN})(?!\p{{L}})"
    rf"(?:,?\s(?:(?:and|und|et|y|e|en|plus)\s)?(?P<months>\d{{1,2}}|{_COUNTS})\s(?:{_MONTHS})(?!\p{{L}}))?"
)
_ADJECTIVES = {stem: code for code, stems in table("span_adjectives").items() for stem in stems}
_ADJECTIVE = regex.compile(
    rf"(?i)(?<![\p{{L}}\p{{N}}.,])(?:(?P<word>{_COUNT})|(?P<figure>\d{{1,3}})[\s-]?)"
    rf"(?P<unit>{'|'.join(_ADJECTIVES)})ig(?:e[nmrs]?)?(?!\p{{L}})"
)
_ANNIVERSARY = regex.compile(
    rf"(?i)(?<!\p{{L}})(?:(?P<word>{'|'.join(listed(ORDINALS))})(?!\p{{L}})"
    r"(?:\s*\(\s*\d+\s*(?:st|nd|rd|th)\s*\))?|(?P<figure>\d{1,2})\s?(?:st|nd|rd|th))\s+anniversary"
)
# What each of them holds, so that it is looked for beside that alone.
_HINTS = (
    (_DURATION, regex.compile(rf"(?i)(?:{_ANY_SPAN})(?!\p{{L}})"), 70),
    (_ADJECTIVE, regex.compile(rf"(?i)(?:{'|'.join(_ADJECTIVES)})ig(?:e[nmrs]?)?"), 30),
    (_ANNIVERSARY, regex.compile(r"(?i)anniversary"), 50),
)

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
    """The spans of time: "P3Y", "P18M", "P10B" of business days; an anniversary is as many years.

    "One year and six months" is one; a range and what has a half are none.
    """
    found = []
    for pattern, hint, before in _HINTS:
        for start, end in near(hint, text, before, 0):
            for match in pattern.finditer(text, start, end):
                normal = _span(match)
                ranged = _RANGE_BEFORE.search(text[max(0, match.start() - _REACH) : match.start()])
                if normal and not ranged and not _HALF_BEHIND.match(text, match.end()):
                    found.append(Reading(*match.span(), " ".join(match[0].split()), normal))
    return sorted(found, key=_start)


def _span(match: regex.Match[str]) -> str:
    """A span of time in ISO form; "" where its count is no number."""
    named = match.groupdict()
    count, unit, more = _count(match), (named.get("unit") or "").lower(), named.get("months")
    kinds = (code for code, words in _SPANS.items() if regex.fullmatch("|".join(words), unit))
    code = _ADJECTIVES.get(unit) or next(kinds, "Y")  # an anniversary names none
    if count is None or (more and code != "Y"):
        return ""
    if more:
        return f"P{12 * count + (int(more) if more.isdecimal() else _COUNT_OF[fold(more)])}M"
    code = "B" if code == "D" and _OF_WORK.search(match[0]) else code
    return f"P{code[:-1]}{count}{code[-1]}"


def _count(match: regex.Match[str]) -> int | None:
    """How many units; the figure in brackets counts where there is one."""
    figure, word = match["figure"], fold(match["word"] or "")
    if figure and figure.isdecimal():
        return int(figure)
    if match.re is _ANNIVERSARY:
        return _ORDINAL_OF.get(word)
    parts = [_COUNT_OF.get(part) for part in word.replace("-", " ").split()]
    known = [part for part in parts if part is not None]
    return sum(known) if known and len(known) == len(parts) else None
