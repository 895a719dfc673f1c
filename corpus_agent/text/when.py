"""What a text says of when something is: months, weekdays, years, spans, times of day, happenings.

Looser than dates.py, which gives the day: "every year", "the end of June" and "in 711" say when,
and "12 rooms" does not. The words stand in when.toml. Pure.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from corpus_agent.text.number_words import (
    CARDINALS,
    HUNDRED,
    MONTHS,
    MORE_WEEKDAYS,
    ORDINALS,
    SCALES,
    UNIT,
    WEEKDAYS,
    by_word,
    listed,
)
from corpus_agent.text.patterns import lazy
from corpus_agent.text.tokens import fold

if TYPE_CHECKING:
    import regex

Name = tuple[str, int]
"""("month", 2) or ("weekday", 5)."""

_CONTENT = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_HAPPENINGS = [frozenset(fold(line).split()) for line in _CONTENT["events"].values()]


def same_event(word: str) -> frozenset[str]:
    """The folded words that say of the same as a folded one that it happens, with it; or none."""
    return frozenset().union(*(words for words in _HAPPENINGS if word in words))


# ---- Months and weekdays, in any of their spellings

_FULL = {("month", n): line.split()[0] for n, line in MONTHS} | {
    ("weekday", n): line.split()[0].capitalize() for n, line in WEEKDAYS
}
_NAMED: dict[str, Name] = {
    word: (kind, number)
    for kind, tables in (("month", (MONTHS,)), ("weekday", (WEEKDAYS, MORE_WEEKDAYS)))
    for word, number in by_word(*tables).items()
}
_NAMES = "|".join(sorted({*listed(MONTHS, WEEKDAYS, MORE_WEEKDAYS), *_NAMED}, key=len)[::-1])
_LISTS = {
    "names": _NAMES,
    "short": "|".join(_CONTENT["doubtful"]["short"]),
    "number": "|".join(by_word(CARDINALS, [HUNDRED], SCALES, ORDINALS)),
    "span": "|".join(
        " ".join(UNIT[word] for word in ("hour", "day", "week", "month", "year")).split()
    ),
    **{name: _CONTENT["when"][name] for name in ("which", "counted", "before")},
}


def _compiled(table: str, name: str) -> regex.Pattern[str]:
    return lazy(re.sub(r"@(\w+)@", lambda found: _LISTS[found[1]], _CONTENT[table][name]))


_DATED = lazy(
    r"\b\d{4}-(?P<month>0[1-9]|1[0-2])-\d\d\b|\b\d{1,2}\.(?P<month>0?[1-9]|1[0-2])\.\d{2,4}\b"
)
_CALLED = lazy(rf"(?<![\p{{L}}\p{{N}}])(?i:{_NAMES})(?![\p{{L}}\p{{N}}])")
_DOUBTFUL = frozenset(_CONTENT["doubtful"]["words"].split())
_BEFORE, _BEHIND = (_compiled("doubtful", f"beside_{side}") for side in ("before", "behind"))
_SHORT_BEFORE, _SHORT_BEHIND = (
    _compiled("doubtful", f"short_{side}") for side in ("before", "behind")
)


def is_calendar_name(word: str) -> bool:
    """Whether a folded word may name a month or a weekday."""
    return word in _NAMED


def calendar_spans(text: str) -> Iterator[tuple[int, int, Name]]:
    """Where a text names months and weekdays in words."""
    for called in _CALLED.finditer(text):
        if _is_dated(text, called):
            yield *called.span(), _NAMED[fold(called[0])]


def calendar_names(text: str) -> dict[str, Name]:
    """The months and weekdays of a text, by the folded words that name them."""
    found = {fold(text[start:end]): name for start, end, name in calendar_spans(text)}
    return found | {dated[0]: ("month", int(dated["month"])) for dated in _DATED.finditer(text)}


def with_spellings(question: str) -> str:
    """A question with each month and weekday also as it is spelt in short, or in full."""
    named = calendar_names(question)
    spelt = (word for name in named.values() for word in (_FULL[name], _FULL[name][:3]))
    return " ".join([question, *dict.fromkeys(word for word in spelt if fold(word) not in named)])


def _is_dated(text: str, called: regex.Match[str]) -> bool:
    """Whether a word stands as in a date, where it may be another one."""
    before, after = text[max(0, called.start() - 24) : called.start()], called.end()
    if len(called[0]) < 3:
        near = _SHORT_BEFORE.search(before) or _SHORT_BEHIND.match(text, after)
        return called[0].istitle() and near is not None
    if fold(called[0]) not in _DOUBTFUL:
        return True
    return bool(_BEFORE.search(before) or _BEHIND.match(text, after))


# ---- Years, days, spans of time and times of day

_WHEN = tuple(_compiled("when", name) for name in ("year", "day", "spanned", "hour"))


def times(text: str) -> Iterator[str]:
    """What says when: years, days, spans of time, times of day, months and weekdays, folded."""
    folded = fold(text)
    for pattern in _WHEN:
        yield from (found[0] for found in pattern.finditer(folded))
    yield from calendar_names(text)


def hours(text: str) -> Iterator[str]:
    """The times of day of a text, folded: 10:30, 5 pm, 17 Uhr, half past, evening."""
    yield from (found[0] for found in _WHEN[-1].finditer(fold(text)))
