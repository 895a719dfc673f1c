"""The words of numbers, dates, measures and currencies: number_words.toml, read once.

What a word means beside others (may, second, once) is for those to judge who read it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path

from corpus_agent.text.tokens import fold

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


def listed(*tables: Iterable[tuple[int, str]]) -> list[str]:
    """The words of tables as they are written, in order."""
    return [word for table in tables for _, line in table for word in line.split()]


def by_word(*tables: Iterable[tuple[int, str]]) -> dict[str, int]:
    """The value of each folded word of tables; of a word in two, that of the last."""
    return {word: n for table in tables for n, line in table for word in fold(line).split()}
