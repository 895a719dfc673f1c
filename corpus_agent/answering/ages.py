"""Passages that say the same of one thing with other values: the newer one first, both marked.

A price list of this year and one of last year: the year is that in the name of the file, else in
the heading; one that is still to come tells nothing. Called by extractive.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import regex

from corpus_agent.answering.records import Passage
from corpus_agent.text.tokens import content_terms, has_digit
from indexer import file_stem

SAME_FRAME = 0.5  # of the words of the shorter of two sentences, values left out
_YEAR = regex.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def with_ages(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The passages; of the first and one that contradicts it the newer first, each marked."""
    if not passages:
        return ()
    first, *others = passages
    year = _year(first)
    for other in others:
        its = _year(other)
        if year and its and year != its and _differ(first, other):
            new, old = (first, other) if year > its else (other, first)
            rest = (each for each in others if each is not other)
            return (replace(new, age="newer"), replace(old, age="older"), *rest)
    return tuple(passages)


def _year(passage: Passage) -> int:
    """The year of a document; 0 if none is known."""
    for text in (file_stem(passage.citation.source).replace("_", " "), passage.citation.heading):
        years = {int(year) for year in _YEAR.findall(text)}
        if len(years) == 1:
            year = years.pop()
            return year if year <= datetime.now(UTC).year else 0
    return 0


def _differ(one: Passage, other: Passage) -> bool:
    """Whether two documents say the same in their words, and other figures."""
    if one.citation.source == other.citation.source:
        return False
    words = [set(content_terms(passage.citation.quote)) for passage in (one, other)]
    plain = [{word for word in own if not has_digit(word)} for own in words]
    same = len(plain[0] & plain[1]) / max(1, min(map(len, plain)))
    values = [own - bare for own, bare in zip(words, plain, strict=True)]
    return same >= SAME_FRAME and bool(values[0] ^ values[1])
