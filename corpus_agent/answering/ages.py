"""Passages that say the same of one thing with other values: the newer one first, both marked.

A price list of this year and one of last year. The dates are those in the names of the files, else
in the passages' headings; a day that is still to come tells nothing. Called by extractive.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import regex

from corpus_agent.answering.records import Passage
from corpus_agent.text.dates import find_dates
from corpus_agent.text.tokens import content_terms, has_digit
from indexer import file_stem

SAME_FRAME = 0.5  # of the words of the shorter of two sentences, values left out
_YEAR = regex.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def with_ages(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The passages; of the first and one that contradicts it the newer first, each marked."""
    if not passages:
        return ()
    first, *others = passages
    day = _day(first)
    for other in others:
        its = _day(other)
        if day and its and day[:4] != its[:4] and _differ(first, other):
            new, old = (first, other) if day > its else (other, first)
            rest = (each for each in others if each is not other)
            return (replace(new, age="newer"), replace(old, age="older"), *rest)
    return tuple(passages)


def _day(passage: Passage) -> str:
    """The day of a document, an ISO date or the beginning of one; "" if none is known."""
    stem = file_stem(passage.citation.source).replace("_", " ")
    for text in (stem, passage.citation.heading):
        days = {reading.normal for reading in find_dates(text)} or {*_YEAR.findall(text)}
        if len(days) == 1:
            day = days.pop()
            tomorrow = (datetime.now(UTC) + timedelta(days=1)).date().isoformat()
            return day if day <= tomorrow else ""
    return ""


def _differ(one: Passage, other: Passage) -> bool:
    """Whether two documents say the same in their words, and other figures."""
    if one.citation.source == other.citation.source:
        return False
    words = [set(content_terms(passage.citation.quote)) for passage in (one, other)]
    plain = [{word for word in own if not has_digit(word)} for own in words]
    same = len(plain[0] & plain[1]) / max(1, min(map(len, plain)))
    values = [own - bare for own, bare in zip(words, plain, strict=True)]
    return same >= SAME_FRAME and bool(values[0] ^ values[1])
