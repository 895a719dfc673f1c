"""What a model says of a document, checked: a value is one that the document itself has.

Of a model's words only places are believed: its quotation has to stand in the document and to hold
the value, and what is shown are the document's own words. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

import regex

from corpus_agent.answering.quotations import check_quotation, parted
from corpus_agent.fields.labelled import finder_of
from corpus_agent.fields.page import DocumentText
from corpus_agent.fields.records import (
    WORDED,
    Cell,
    Field,
    FieldValue,
    ProposedValue,
    SaidValue,
)
from corpus_agent.text.polarity import turns
from corpus_agent.text.values import Reading

MOST_SAID = 300  # characters of a value
MOST_QUOTED = 1_500  # characters of a quotation
_BESIDE = 400  # characters on either side of a value in which its clause is looked for
_APART = ";"  # between several parties
_SIGN = regex.compile(
    r"(?:^|[\s|:(])[-−–]\s?(?:\p{Sc}\s?)?$"
)  # of an amount, left out of its value
_NEGATIVE = regex.compile(r"(?:^|\s)-\d")


def proposals_of(document: DocumentText, field: Field, said: SaidValue) -> list[ProposedValue]:
    """The values of the document that a model points to; [] if it points to none.

    Several where the place may be read in two ways. The quotation has to stand word for word; a
    date, a sum or a number has to be among those that it holds, in whichever spelling; a name, a
    place or a text has to stand in it.
    """
    if len(said.value) > MOST_SAID or len(said.quote) > MOST_QUOTED:
        return []
    span = _place(document, said.quote)
    if span is None:
        return []
    if field.type in WORDED:
        readings = _written(document.text, span, said.value, lambda at: not _is_cut(document, at))
        held = readings and _written(said.quote, (0, len(said.quote)), said.value)
        return [ProposedValue(readings, *span, 0.0)] if held else []
    return [ProposedValue((one,), *span, 0.0) for one in _typed(document, field, span, said)]


def _place(document: DocumentText, quote: str) -> tuple[int, int] | None:
    """Start and end of a quotation in the document, None if it does not stand there.

    Of one that leaves out too much, the lines: what is shown is looked up by itself.
    """
    citation = check_quotation(document, 1, document.source, quote)
    if not (citation.stands or citation.verdict == "partial"):
        return None
    first = document.line_start(citation.line_start)
    last = document.line_span(document.line_start(citation.line_end))[1]
    at = document.written.find(citation.quote, first, last)
    return (at, at + len(citation.quote)) if at >= 0 else (first, last)


def _typed(
    document: DocumentText, field: Field, span: tuple[int, int], said: SaidValue
) -> Iterator[Reading]:
    """The readings of a span that equal the value; of an ambiguous date both.

    A sum that is said without its currency may equal several: each, where it stands first.
    """
    find = finder_of(field.type, document, labelled=True)
    meant = {reading.normal for reading in find(said.value)}
    if not any(_is_meant(reading, meant) for reading in find(said.quote)):
        return
    there = [
        replace(one, start=one.start + span[0], end=one.end + span[0])
        for one in find(document.text[slice(*span)])
    ]
    there = [one for one in there if not document.denies(one)]
    first: dict[str, int] = {}
    for one in there:
        if _is_meant(one, meant):
            first.setdefault(one.normal, one.start)
    yield from (reading for reading in there if reading.start in first.values())


def _is_meant(reading: Reading, meant: Collection[str]) -> bool:
    """Whether a reading is one of the values; a sum may be named without its currency."""
    return reading.normal in meant or reading.normal.rpartition(" ")[2] in meant


def _written(
    text: str,
    span: tuple[int, int],
    value: str,
    may_be: Callable[[regex.Match[str]], bool] = lambda _: True,
) -> tuple[Reading, ...]:
    """The words of a value where they stand in a span, parties each; () if any does not.

    The first place of each that `may_be` one.
    """
    found = []
    for part in value.strip(" \"'“”.,;").split(_APART):
        words = part.split()
        if sum(map(str.isalnum, part)) < 2:
            return ()
        pattern = r"\s+".join(map(regex.escape, words))
        whole = regex.compile(rf"(?i)(?<![\p{{L}}\p{{N}}]){pattern}(?![\p{{L}}\p{{N}}])")
        match = next(filter(may_be, whole.finditer(text, *span)), None)
        if match is None:
            return ()
        plain = " ".join(match[0].split())
        found.append(Reading(match.start(), match.end(), plain, plain))
    return tuple(found)


def _is_cut(document: DocumentText, value: regex.Match[str]) -> bool:
    """Whether the rest of the clause of a value changes what it says."""
    start, end = value.span()
    before, after = (
        document.text[max(0, start - _BESIDE) : start],
        document.text[end : end + _BESIDE],
    )
    if _SIGN.search(before) or parted(before, value[0]) or parted(value[0], after):
        return True
    return turns(before, after)


def with_said(cell: Cell, said: Sequence[FieldValue]) -> tuple[Cell, int]:
    """A cell with the values that a model pointed to, and how many of them rules had found."""
    values, agreed = list(cell.values), 0
    for value in said:
        same = _compared(value)
        if any(_compared(other) == same for other in cell.values):
            agreed += 1
        elif not any(_compared(other) == same for other in values):
            values.append(replace(value, by_model=True))
    if not values:
        return cell, agreed
    return Cell("found" if len(values) == 1 else "several", tuple(values)), agreed


def _compared(value: FieldValue) -> frozenset[str]:
    """A value as two are compared: its parts in any order, their letters, figures and a minus."""
    parts = value.normal.casefold().split(_APART)
    return frozenset(
        ("-" if _NEGATIVE.search(part) else "") + "".join(filter(str.isalnum, part))
        for part in parts
    )
