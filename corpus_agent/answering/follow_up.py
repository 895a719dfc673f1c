"""Readings of a follow-up question: with the words of the questions before it, and alone.

reading.py keeps the one that the passages answer best. benchmarks/conversations.py has the figures.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from corpus_agent.text.patterns import lazy
from corpus_agent.text.tokens import STOP_WORDS, content_terms, fold, name_terms

if TYPE_CHECKING:
    from corpus_agent.answering.records import Turn

FEW_WORDS = 1  # content words: a question with no more than this may be a follow-up
FEW_OF_CONNECTED = 2  # the same of one that begins with "and", and names something
MAX_CARRIED = 6  # words that are added from the questions before

_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_POINTS, _GOES_ON, _NOUN = (lazy("|".join(_WORDS[key])) for key in ("points", "goes_on", "noun"))


def readings(question: str, history: Sequence[Turn]) -> tuple[str, ...]:
    """What the question may mean, the likeliest first: with words of the questions before, alone.

    It has one reading where nothing in it points outside: then the topic before plays no part.
    """
    before: str | None = None
    for turn in history:
        before = carried_over(turn.question, before)
    return tuple(dict.fromkeys((carried_over(question, before), question)))


def carried_over(question: str, before: str | None) -> str:
    """The question, with the content words of the previous one if it is a follow-up.

    It is one if it has a pronoun that nothing before it in the question explains, begins with a
    connective ("and ...") or has hardly any content words.
    """
    if before is None or not leans(question):
        return question
    own = content_terms(question)
    words = [word for word in content_terms(before) if word not in own][:MAX_CARRIED]
    return f"{question} ({' '.join(words)})" if words else question


def leans(question: str) -> bool:
    """Whether a question points at something that it does not name itself."""
    own, named = set(content_terms(question)) - STOP_WORDS, bool(name_terms(question))
    if _GOES_ON.match(fold(question)):
        if len(own) <= FEW_OF_CONNECTED or not named:
            return True
    elif len(own) <= FEW_WORDS and not named:
        return True
    return _points(question)


def _points(question: str) -> bool:
    """Whether a question has a pronoun that nothing before it in the question explains."""
    found = _POINTS.search(fold(question))
    return found is not None and not _NOUN.search(question, 0, found.start())
