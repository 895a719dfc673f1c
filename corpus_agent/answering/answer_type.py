"""The kind of answer that a question asks for, and whether a sentence contains one."""

from __future__ import annotations

import tomllib
from pathlib import Path

from corpus_agent.text.number_words import (
    CARDINALS,
    HUNDRED,
    ORDINALS,
    SCALES,
    UNIT,
    by_word,
    calendar_names,
    is_calendar_name,
)
from corpus_agent.text.patterns import lazy
from corpus_agent.text.tokens import STOP_WORDS, fold, has_digit, terms

_CONTENT = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_ASKS = {kind: lazy("|".join(patterns)) for kind, patterns in _CONTENT["asks"].items()}
_SAYS = {kind: frozenset(words.split()) for kind, words in _CONTENT["says"].items()}
_NUMBERS = _SAYS["number"] | frozenset(by_word(CARDINALS, [HUNDRED], SCALES, ORDINALS[:5]))
_SPANS = " ".join(UNIT[word] for word in ("hour", "day", "week", "month", "year"))
_NO_NAMES = STOP_WORDS | _SAYS["date"] | frozenset(_SPANS.split())
_CAPITALISED = lazy(r"\p{Lu}[\p{L}\p{M}\p{N}'’-]+")
_CASED = lazy(r"[\p{Lu}\p{Ll}]")
_HAN_NUMBER = lazy(r"[一二三四五六七八九十百千万]")
_HAN_DATE = lazy(r"[年月日時曜]")


def expected_kind(question: str) -> str:
    """The kind of answer asked for: number, date (or time of day), name, or "" if unclear."""
    folded = fold(question)
    firsts = {
        kind: found.start() for kind, pattern in _ASKS.items() if (found := pattern.search(folded))
    }
    if "date" in firsts and "number" in firsts:
        return "number"  # "how long", "in what year and how many": digits answer both
    return min(firsts, key=lambda kind: firsts[kind], default="")


def has_kind(kind: str, text: str, asked: frozenset[str]) -> bool:
    """Whether a sentence contains something of the kind that is not in the question itself."""
    if kind == "name":
        return _has_new_name(text, asked)
    new = [word for word in terms(text) if word not in asked]
    if kind == "number":
        return any(has_digit(word) or word in _NUMBERS for word in new) or bool(
            _HAN_NUMBER.search(text)
        )
    said = any(has_digit(word) or word in _SAYS["date"] for word in new) or _HAN_DATE.search(text)
    return bool(said) or not asked.issuperset(calendar_names(text))


def _has_new_name(text: str, asked: frozenset[str]) -> bool:
    """Whether a capitalised word is not in the question, and no month (true without case)."""
    if len(_CASED.findall(text)) < 3:
        return True
    for found in _CAPITALISED.finditer(text):
        after = text[found.end() : found.end() + 2]
        if found.start() == 0 and not (after[:1] == " " and after[1:].isupper()):
            continue  # the first word of a sentence is capitalised anyway
        word = fold(found.group())
        if word not in asked and word not in _NO_NAMES and not is_calendar_name(word):
            return True
    return False
