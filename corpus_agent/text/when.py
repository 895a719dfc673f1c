"""Months and weekdays that a text names, in any of their spellings. Pure.

Words that are others as well ("may", "sat") count where they stand as in a date: when.toml.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

from corpus_agent.text.number_words import MONTHS, MORE_WEEKDAYS, WEEKDAYS, by_word, listed
from corpus_agent.text.patterns import lazy
from corpus_agent.text.tokens import fold

Name = tuple[str, int]
"""("month", 2) or ("weekday", 5)."""

_FULL = {("month", n): line.split()[0] for n, line in MONTHS} | {
    ("weekday", n): line.split()[0].capitalize() for n, line in WEEKDAYS
}
_NAMED: dict[str, Name] = {
    word: (kind, number)
    for kind, tables in (("month", (MONTHS,)), ("weekday", (WEEKDAYS, MORE_WEEKDAYS)))
    for word, number in by_word(*tables).items()
}
_NAMES = "|".join(sorted({*listed(MONTHS, WEEKDAYS, MORE_WEEKDAYS), *_NAMED}, key=len)[::-1])
_CALLED = lazy(rf"(?<![\p{{L}}\p{{N}}])(?i:{_NAMES})(?![\p{{L}}\p{{N}}])")
_DATED = lazy(
    r"\b\d{4}-(?P<month>0[1-9]|1[0-2])-\d\d\b|\b\d{1,2}\.(?P<month>0?[1-9]|1[0-2])\.\d{2,4}\b"
)
_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_DOUBTFUL = frozenset(_WORDS["doubtful"].split())
_BEFORE, _BEHIND = (lazy(_WORDS[side].replace("@names@", _NAMES)) for side in ("before", "behind"))
_NEAR = 24  # characters before a doubtful word that are looked at


def is_calendar_name(word: str) -> bool:
    """Whether a folded word may name a month or a weekday."""
    return word in _NAMED


def calendar_spans(text: str) -> Iterator[tuple[int, int, Name]]:
    """Where a text names months and weekdays in words."""
    for called in _CALLED.finditer(text):
        (start, end), word = called.span(), fold(called[0])
        if word in _DOUBTFUL and not (
            _BEFORE.search(text[max(0, start - _NEAR) : start]) or _BEHIND.match(text, end)
        ):
            continue
        yield start, end, _NAMED[word]


def calendar_names(text: str) -> dict[str, Name]:
    """The months and weekdays of a text, by the folded words that name them."""
    found = {fold(text[start:end]): name for start, end, name in calendar_spans(text)}
    return found | {dated[0]: ("month", int(dated["month"])) for dated in _DATED.finditer(text)}


def with_spellings(question: str) -> str:
    """A question with each month and weekday also as it is spelt in short, or in full."""
    named = calendar_names(question)
    spelt = (word for name in named.values() for word in (_FULL[name], _FULL[name][:3]))
    return " ".join([question, *dict.fromkeys(word for word in spelt if fold(word) not in named)])
