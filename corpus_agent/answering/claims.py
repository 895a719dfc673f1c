"""The claims in an answer: its sentences, and the names and codes that a claim contains. Pure.

Called by verification.py, and by those that compare a claim with a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import regex

from corpus_agent.text.naming import spellings
from corpus_agent.text.number_words import UNIT
from corpus_agent.text.numbers import figures
from corpus_agent.text.sentences import asks, leads_in, units
from corpus_agent.text.tokens import STOP_WORDS, UNSPACED, content_terms, fold, terms

LEAST_WORDS = 2  # content words; a sentence with fewer is not a claim: a choice
_STAND_IN = "†"
MARK = re.compile(r"(?:(?<!\s)\s+)?\[(\d{1,4})\]")

# A capital inside a sentence, or letters with digits; German capitalises all nouns.
_NAME = regex.compile(r"(?<=[\p{L}\p{N},;)\"”]\s)\p{Lu}[\p{L}\p{M}\p{N}'’.-]*[\p{L}\p{N}]")
_UNSPACED = regex.compile(f"[{UNSPACED}]")
_CODE = regex.compile(r"\b(?=[\w-]*\d)(?=[\w-]*\p{L})[\w-]{3,}\b")
_GERMAN = frozenset(
    [
        "der",
        "die",
        "das",
        "und",
        "ist",
        "nicht",
        "ein",
        "eine",
        "einen",
        "dem",
        "den",
        "wird",
        "sind",
        "mit",
        "für",
        "zum",
        "zur",
        "im",
    ]
)
_BULLET = re.compile(r"^\s*(?:[-*+•–]|\(?\d{1,3}[.)])\s+")


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of an answer: half-open range of characters, and the citations behind it."""

    start: int
    end: int
    text: str
    cited: tuple[int, ...]


def claims(text: str, known: Iterable[int], *, every: bool = False) -> list[Claim]:
    """The sentences of an answer that are claims, each with the `known` numbers behind it.

    Questions, titles, lead-ins and sentences without content words are not claims, except with
    `every`. A number belongs to the sentence before it, also behind its full stop.
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
        if start < unit.end and (cited or every or _claims_something(words, unit.kind)):
            found.append(Claim(start, end, words, cited))
    return found


def _without_stand_ins(text: str) -> str:
    return re.sub(rf"\s*{_STAND_IN}", "", _BULLET.sub("", text)).strip()


def _claims_something(text: str, kind: str) -> bool:
    if kind == "head" or asks(text) or leads_in(text):
        return False
    meant = [word for word in content_terms(text) if word not in STOP_WORDS]
    return len(meant) >= LEAST_WORDS or bool(figures(text))


def codes(text: str) -> frozenset[str]:
    """The folded words that mix letters and digits: E1042, GX-1180-B."""
    found = (code for code in _CODE.findall(text) if not _UNSPACED.search(code))
    return frozenset(word for code in found for word in terms(code))


def names_are_nouns(text: str) -> bool:
    """Whether a text is German, which capitalises all nouns like names."""
    return bool(_GERMAN.intersection(fold(text).split()))


def names(text: str) -> frozenset[str]:
    """The folded names of a text; empty for a German one."""
    if names_are_nouns(text):
        return frozenset()
    words = (word for name in _NAME.findall(text) for word in terms(name))
    return frozenset(
        word
        for word in words
        if word not in STOP_WORDS
        and not word.isdigit()
        and not figures(word.title())
        and word not in UNIT
    )


def without_sources(text: str, sources: Iterable[str]) -> str:
    """The text without the names of documents, which are not part of a claim."""
    for source in dict.fromkeys(sources):
        for name in {source, source.rpartition("/")[2]}:
            for spelled in sorted(set(spellings(name)), key=len, reverse=True):
                if "." in spelled:
                    text = text.replace(spelled, " ")
    return text
