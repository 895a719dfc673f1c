"""Words of numbers, dates, measures and currencies, and the dates that a text names. Pure.

The words are those of number_words.toml. One that is another word too ("may", "sat") names a month
or a weekday where it stands as in a date.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from corpus_agent.text.tokens import fold, lazy

_CONTENT = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
Table = tuple[tuple[int, str], ...]


def table(name: str) -> dict[str, list[str]]:
    """The words of a table by what they mean."""
    return {key: words.split() for key, words in _CONTENT[name].items()}


def line(name: str, key: str) -> str:
    """One line of a table, as it stands there."""
    return str(_CONTENT[name][key])


def word_set(name: str, key: str) -> frozenset[str]:
    """The folded words of one line of a table."""
    return frozenset(fold(line(name, key)).split())


def _numbered(name: str) -> Table:
    return tuple((int(key), words) for key, words in _CONTENT[name].items())


CARDINALS, MORE_CARDINALS = _numbered("cardinals"), _numbered("more_cardinals")
HUNDRED = _numbered("hundred")[0]
SCALES = _numbered("scales")
ORDINALS = _numbered("ordinals")
FRACTIONS = _numbered("fractions")
PIECES = _numbered("pieces")
MONTHS, MORE_MONTHS = _numbered("months"), _numbered("more_months")
WEEKDAYS, MORE_WEEKDAYS = _numbered("weekdays"), _numbered("more_weekdays")
UNIT = {word: fold(line) for line in _CONTENT["measures"].values() for word in fold(line).split()}
"""For each folded word of a unit the folded words of its line, which stand for the unit."""

# Currencies in patterns: what a sign that is no letter ends with, as € and the $ of US$; these
# signs; what is written in letters.
_SIGNS = [sign for signs in table("currencies").values() for sign in signs]
_SYMBOLS = sorted((sign for sign in _SIGNS if not sign[-1].isalpha()), key=len, reverse=True)
SYMBOL = f"[{''.join(sorted({sign[-1] for sign in _SYMBOLS}))}]"
SYMBOLS = "|".join(sign.replace("$", r"\$") for sign in _SYMBOLS)
CODES = "|".join([*table("currencies"), *(sign for sign in _SIGNS if sign[-1].isalpha())])
ANY_CASE_CODES = rf"(?-i:(?!try|Try))(?:{CODES})"  # where case is ignored: "try" is a word

SHORT_UNITS = "|".join(fold(line("spelt", "columns")).split())
"""In a pattern what may end the name of a column without brackets: "RAM GB"."""


def listed(*tables: Iterable[tuple[int, str]]) -> list[str]:
    """The words of tables as they are written, in order."""
    return [word for table in tables for _, line in table for word in line.split()]


_SPANS, _NAMED_MONEY = (
    "|".join(word for words in table(name).values() for word in words)
    for name in ("spans", "currency_names")
)
_MONEY = f"{SYMBOLS}|{ANY_CASE_CODES}|{_NAMED_MONEY}"
_TIME = ("second", "minute", "hour", "day", "week", "month", "year", "$")  # "$" is a sum
_MEASURES = "|".join(" ".join(v for k, v in _CONTENT["measures"].items() if k not in _TIME).split())
_COUNTS = "|".join(listed(CARDINALS, MORE_CARDINALS, (HUNDRED,)))
_COUNT = rf"(?i)(?:\p{{N}}[\s-]?|(?<!\p{{L}})(?:{_COUNTS})[\s-])(?:\p{{L}}{{4,12}}[\s-])?"
_SUM = rf"(?i)(?:{_MONEY})\s?\p{{N}}|{_COUNT}(?:{_MONEY}"
# "Ten working days", "€5" or "five euros", and with them "2 kg": figures and what they are of.
SPAN, PRICE = lazy(rf"{_COUNT}(?:{_SPANS})(?!\p{{L}})"), lazy(rf"{_SUM})(?!\p{{L}})")
AMOUNT = lazy(rf"{_SUM}|{_MEASURES})(?!\p{{L}})")


def by_word(*tables: Iterable[tuple[int, str]]) -> dict[str, int]:
    """The value of each folded word of tables; of a word in two, that of the last."""
    return {word: n for table in tables for n, line in table for word in fold(line).split()}


Name = tuple[str, int]
"""("month", 2) or ("weekday", 5)."""

_FULL = {("month", n): line.split()[0] for n, line in MONTHS} | {
    ("weekday", n): line.split()[0].capitalize() for n, line in WEEKDAYS
}
CALENDAR_NAMES: dict[str, Name] = {
    word: (kind, number)
    for kind, tables in (("month", (MONTHS,)), ("weekday", (WEEKDAYS, MORE_WEEKDAYS)))
    for word, number in by_word(*tables).items()
}
_NAMES = "|".join(
    sorted({*listed(MONTHS, WEEKDAYS, MORE_WEEKDAYS), *CALENDAR_NAMES}, key=len)[::-1]
)
_CALLED = lazy(rf"(?<![\p{{L}}\p{{N}}])(?i:{_NAMES})(?![\p{{L}}\p{{N}}])")
_DATED = lazy(
    r"\b\d{4}-(?P<month>0[1-9]|1[0-2])-\d\d\b|\b\d{1,2}\.(?P<month>0?[1-9]|1[0-2])\.\d{2,4}\b"
)
_DOUBTFUL = frozenset(line("calendar", "doubtful").split())
_BEFORE, _BEHIND = (
    lazy(line("calendar", side).replace("@names@", _NAMES)) for side in ("before", "behind")
)
_NEAR = 24  # characters before a doubtful word that are looked at


def calendar_spans(text: str) -> Iterator[tuple[int, int, Name]]:
    """Where a text names months and weekdays in words."""
    for called in _CALLED.finditer(text):
        (start, end), word = called.span(), fold(called[0])
        if word in _DOUBTFUL and not (
            _BEFORE.search(text[max(0, start - _NEAR) : start]) or _BEHIND.match(text, end)
        ):
            continue
        yield start, end, CALENDAR_NAMES[word]


def calendar_names(text: str) -> dict[str, Name]:
    """The months and weekdays of a text, by the folded words that name them."""
    found = {fold(text[start:end]): name for start, end, name in calendar_spans(text)}
    return found | {dated[0]: ("month", int(dated["month"])) for dated in _DATED.finditer(text)}


def with_spellings(question: str) -> str:
    """A question with each month and weekday also as it is spelt in short, or in full."""
    named = calendar_names(question)
    spelt = (word for name in named.values() for word in (_FULL[name], _FULL[name][:3]))
    return " ".join([question, *dict.fromkeys(word for word in spelt if fold(word) not in named)])
