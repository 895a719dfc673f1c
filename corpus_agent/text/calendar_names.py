"""The months and weekdays that a text names, in any of their spellings: Feb, Sept., 2024-02-11.

Pure. A word that is also something else (sat, sun, Jan, may) counts beside a figure, a preposition
of time or another such word. Called by answering/coverage.py, extractive.py and
named_documents.py.
"""

from __future__ import annotations

from datetime import date

import regex

from corpus_agent.text.dates import find_dates
from corpus_agent.text.number_words import MONTHS, MORE_WEEKDAYS, WEEKDAYS, listed
from corpus_agent.text.tokens import fold

Name = tuple[str, int]
"""("month", 2) or ("weekday", 5)."""

# French "mon", English "sat", people called Jan: words that are no dates by themselves.
_DOUBTFUL = {"march", "may", "mai", "mars", "jan", "mar", "mon", "wed", "sat", "sun", "juin"}
_SHORT = "Mo|Di|Mi|Do|Fr|Sa|So"  # so doubtful that they count beside each other or a figure alone
_FULL = {("month", n): line.split()[0] for n, line in MONTHS} | {
    ("weekday", n): line.split()[0].capitalize() for n, line in WEEKDAYS
}
_SPELLINGS = {name: (word, word[:3]) for name, word in _FULL.items()}
_NAMED: dict[str, Name] = {
    fold(word): (kind, number)
    for kind, tables in (("month", [MONTHS]), ("weekday", [WEEKDAYS, MORE_WEEKDAYS]))
    for table in tables
    for number, line in table
    for word in line.split()
}
_WORDS = "|".join(sorted({*listed(MONTHS, WEEKDAYS, MORE_WEEKDAYS), *_NAMED}, key=len)[::-1])
_DATED = regex.compile(
    r"\b\d{4}-(?P<month>0[1-9]|1[0-2])-\d\d\b|\b\d{1,2}\.(?P<month>0?[1-9]|1[0-2])\.\d{2,4}\b"
)
_CALLED = regex.compile(rf"(?<![\p{{L}}\p{{N}}])(?i:{_WORDS})(?![\p{{L}}\p{{N}}])")
_BEFORE = regex.compile(
    rf"(?:\p{{N}}|\p{{N}}(?:st|nd|rd|th|er|\.|\s+de)|(?<!\p{{L}})(?i:{_WORDS}))[.,]?\s?[-–/,&]?\s?$"
    r"|(?<!\p{L})(?i:in|on|since|until|till|every|each|next|last|this|early|mid|late|im|am|seit|bis"
    r"|en|depuis|desde|and|to)[ \t-]$|[|:(]\s?$"
)
_BEHIND = regex.compile(
    rf"\.?,?\s?[-–/,&]?\s?(?:\p{{N}}|(?i:{_WORDS})(?!\p{{L}}))|\s?[|)]|\.\s?[|)]"
)


_SHORT_BEFORE = regex.compile(rf"\b(?:{_SHORT})\.?\s?[-–]\s?$")
_SHORT_BEHIND = regex.compile(rf"\.?\s?[-–]\s?(?:{_SHORT})\b|\.?,?\s?\p{{N}}")


def calendar_names(text: str) -> dict[str, Name]:
    """The months and weekdays of a text, by the folded words that name them."""
    found = {
        fold(called[0]): _NAMED[fold(called[0])]
        for called in _CALLED.finditer(text)
        if _is_dated(text, called)
    }
    return found | {dated[0]: ("month", int(dated["month"])) for dated in _DATED.finditer(text)}


def names_of_dates(text: str) -> set[Name]:
    """The months and weekdays of a text, those of its dates in figures too."""
    days = [reading.normal for reading in find_dates(text)]
    weekdays = {("weekday", date.fromisoformat(day).isoweekday()) for day in days if len(day) > 7}
    return {*calendar_names(text).values(), *(("month", int(day[5:7])) for day in days), *weekdays}


def with_spellings(question: str) -> str:
    """A question with each month and weekday also as it is spelt in short, or in full."""
    named = calendar_names(question)
    more = (word for name in named.values() for word in _SPELLINGS[name] if fold(word) not in named)
    return " ".join([question, *dict.fromkeys(more)])


def _is_dated(text: str, called: regex.Match[str]) -> bool:
    """Whether a word stands as in a date, where it may be another one."""
    before, after = text[max(0, called.start() - 24) : called.start()], called.end()
    if len(called[0]) < 3:
        near = _SHORT_BEFORE.search(before) or _SHORT_BEHIND.match(text, after)
        return called[0].istitle() and near is not None
    if fold(called[0]) not in _DOUBTFUL:
        return True
    return bool(_BEFORE.search(before) or _BEHIND.match(text, after))
