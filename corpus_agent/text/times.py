"""What a text says of when something is: years, days, spans, times of day, as they are written.

Pure. Looser than dates.py, which gives the day: "every year", "the end of June" and "in 711" say
when, and "12 rooms" does not. All patterns run on folded text. Called by answering/answer_type.py.
"""

from __future__ import annotations

from collections.abc import Iterator

import regex

from corpus_agent.text.calendar_names import calendar_names
from corpus_agent.text.number_words import CARDINALS, HUNDRED, ORDINALS, SCALES, UNIT, by_word
from corpus_agent.text.tokens import fold

_SPAN = "|".join(" ".join(UNIT[word] for word in ("hour", "day", "week", "month", "year")).split())
_NUMBER = "|".join(by_word(CARDINALS, [HUNDRED], SCALES, ORDINALS))
_WHICH = (  # a week of these is one that the reader can count to
    "an?|one|few|several|some|same|next|last|following|previous|each|every|eine[mnrs]?|jede[mnrs]?"
    "|nachste[mnrs]?|letzte[mnrs]?|une?|chaque|prochaine?|derniere?|una?|cada|proxim[oa]|ultim[oa]"
)
_COUNTED = (
    r"[$£€¥%°]|(?:eur|euros?|pounds?|dollars?|people|percent|kg|km|miles|metres|meters|degrees)\b"
)
_BEFORE = r"(?:in|by|since|until|from|to|before|after|around|about|circa|ca|c|and|of)"
# A year has no sign of money, and what it counts does not follow.
_YEAR = (
    r"(?<![\p{L}\d$£€.,/#-])(?:['’]?\d0(?:s|er[ns]?)|los \d0|(?:1\d|20|21)\d\d(?:s|er[ns]?)?)"
    rf"(?!\d|[.,]\d|\s?(?:{_COUNTED}))"
    rf"|\b{_BEFORE} (?:the year )?[1-9]\d\d(?!\d|[.,]\d|\s?(?:{_COUNTED})|\s\p{{L}}{{1,20}}s\b)"
    r"|\b(?:centur(?:y|ies)|decades?|jahrhunderts?|jahrzehnts?|siecles?|siglos?|secol[oi]|bce?|ad)\b"
)
_DAY = (
    r"\b(?:\d{1,4}[./-]\d{1,2}[./-]\d{2,4}|q[1-4]|fy\d{2,4})\b"
    r"|\b(?:am|vom|zum|bis|ab|den|dem|seit) \d{1,2}\.\d{1,2}\."
    r"|\b(?:mon|diens|donners|frei|sams|sonn)tags?\b|\b(?:mittwoch|sonnabend)s?\b"
    r"|\b(?:today|tomorrow|yesterday|heute|gestern|easter|christmas|ostern|weihnachten)\b"
    r"|\b(?:spring|summer|autumn|winter|fruhling|fruhjahr|sommer|herbst)\b"
    r"|\b(?:daily|weekly|monthly|yearly|annually|taglich|wochentlich|monatlich|jahrlich)\b"
    r"|[年月日時曜]"
)
_SPANNED = (
    rf"\b(?:\d[\d.,]{{0,12}}(?:th|st|nd|rd)?|{_WHICH}|{_NUMBER})[\s-]{{1,2}}"
    rf"(?:(?:working|calendar|business|full|de)\s)?(?:{_SPAN})\b"
    rf"|\b(?:end|beginning|start|middle) of (?:the |each |every )?(?:{_SPAN})\b"
    rf"|\b(?:ende|anfang|mitte) (?:des |der |jede[rs] )?(?:{_SPAN})\b"
)
_HOUR = (
    r"\b\d{1,2}:\d\d\b|\b\d{1,2}(?:\.\d\d)?\s?(?:[ap]\.?m\b|uhr\b|uur\b|o['’]?clock\b|heures?\b)"
    r"|\b\d{1,2}\s?h(?:\d\d)?\b|\b(?:at|until|till|from|by|um|bis|ab) \d{1,2}\.\d\d(?![\d.%])"
    rf"|\b(?:at|until|till|um|a las|a la|alle(?: ore)?|as) (?:1?\d|2[0-4])\b"
    rf"(?![.,:/-]?\d|\s?(?:{_COUNTED}|{_SPAN}))"
    r"|\b(?:half past|quarter (?:past|to)|halb|viertel (?:vor|nach))\b"
    r"|\b(?:mornings?|midday|noon|evenings?|nights?|midnight|dawn|dusk|sunset|sunrise)\b"
    r"|\b(?:morgens|mittags?|abends?|nachts?|mitternacht|midi|minuit|mediodia|medianoche)\b|[時点]"
)
_WHEN = tuple(regex.compile(pattern) for pattern in (_YEAR, _DAY, _SPANNED, _HOUR))


def times(text: str) -> Iterator[str]:
    """What says when: years, days, spans of time, times of day, months and weekdays, folded."""
    folded = fold(text)
    for pattern in _WHEN:
        yield from (found[0] for found in pattern.finditer(folded))
    yield from calendar_names(text)


def hours(text: str) -> Iterator[str]:
    """The times of day of a text, folded: 10:30, 5 pm, 17 Uhr, half past, evening."""
    yield from (found[0] for found in _WHEN[-1].finditer(fold(text)))
