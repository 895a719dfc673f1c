"""The claims of an answer: its sentences, with the numbers of the citations behind each. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from corpus_agent.text.naming import spellings
from corpus_agent.text.numbers import figures
from corpus_agent.text.sentences import asks, leads_in, units
from corpus_agent.text.tokens import STOP_WORDS, content_terms

LEAST_WORDS = 2  # content words; a sentence with fewer is not a claim: a choice
_STAND_IN = "†"
MARK = re.compile(r"(?:(?<!\s)\s+)?\[(\d{1,4})\]")
_BULLET = re.compile(r"^\s*(?:[-*+•–]|\(?\d{1,3}[.)])\s+")


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of an answer: half-open range of characters, and the citations behind it."""

    start: int
    end: int
    text: str
    cited: tuple[int, ...]


def claims(text: str, known: Iterable[int]) -> list[Claim]:
    """The sentences of an answer that are claims, each with the `known` numbers behind it.

    Questions, titles, lead-ins and sentences without content words are not claims. A number belongs
    to the sentence before it, also behind its full stop.
    """
    numbers = frozenset(known)
    # Same length as the text, and a full stop behind a mark still ends its sentence.
    bare = MARK.sub(lambda mark: _STAND_IN.rjust(len(mark[0])), text)
    found: list[Claim] = []
    for unit in units(bare):
        start, end = unit.start, unit.end
        while start < end and bare[start] in f"{_STAND_IN} ":  # of the sentence before
            start += 1
        while (match := MARK.match(text, end)) is not None:
            end = match.end()
        cited = tuple(n for n in map(int, MARK.findall(text, start, end)) if n in numbers)
        words = _without_stand_ins(bare[start : unit.end])
        if start < unit.end and (cited or claims_something(words, unit.kind)):
            found.append(Claim(start, end, words, cited))
    return found


def _without_stand_ins(text: str) -> str:
    return re.sub(rf"\s*{_STAND_IN}", "", _BULLET.sub("", text)).strip()


def claims_something(text: str, kind: str) -> bool:
    """Whether a sentence states something: no title, question or lead-in."""
    if kind == "head" or asks(text) or leads_in(text):
        return False
    meant = [word for word in content_terms(text) if word not in STOP_WORDS]
    return len(meant) >= LEAST_WORDS or bool(figures(text))


def without_sources(text: str, sources: Iterable[str]) -> str:
    """The text without the names of documents, which are not part of a claim."""
    for source in dict.fromkeys(sources):
        for name in {source, source.rpartition("/")[2]}:
            for spelled in sorted(set(spellings(name)), key=len, reverse=True):
                if "." in spelled:
                    text = text.replace(spelled, " ")
    return text
