# ruff: noqa: E501 - a pattern or a list of words that is broken over lines is harder to read
"""Values that stand beside the phrases a field is called by: "Due date: 12 March 2024". Pure.

A label with its value is surest, then a sentence that says it, then a value before its phrase.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import regex

from corpus_agent.fields.amounts import (
    find_durations,
    find_money,
    find_numbers,
    find_percentages,
    find_rates,
    find_sums,
)
from corpus_agent.fields.names import name_at, place_at
from corpus_agent.fields.page import DocumentText
from corpus_agent.fields.parties import with_role
from corpus_agent.fields.records import WORDED, Field, FieldType, ProposedValue
from corpus_agent.text.dates import find_dates
from corpus_agent.text.table_rows import TextTable, cell_spans
from corpus_agent.text.tokens import fold
from corpus_agent.text.values import Reading

LEAST = 0.45  # a proposal below this score is no value
ALIKE = 0.03  # values whose scores differ by no more stand beside each other
_LABELLED = 1.0
_NEXT_LINE = 0.9
_STATED = 0.85
_BEFORE = 0.62
_PER_PHRASE = 0.004  # each phrase counts less than the one before it
_REACH = 160  # characters behind a phrase in which its value stands
_REACH_BEFORE = 40
_SHORTEST_WORD = 3  # characters of a field of the user's own: "salt", "tea"
_MOST_PLACE = 60  # characters of a line behind a label that are a place

# Behind a label may stand what it is for, a year or a unit: "Price 2023:", "Rent (monthly):".
_FOR = r"(?:(?:19|20)\d\d(?=[*_ ]{0,3}[:：=|])|\([^()\n]{1,30}\))"
_LABEL = regex.compile(
    rf"[*_]{{0,2}}[ ]?(?:{_FOR}[ ]?)?"
    r"(?:[:：=][*_]{0,2}|\|(?:[ ]*\|)*|[ ]{3,}|\.{3,}|[-–—](?=[ ]))[ ]*"
)
# Of a table without marks, as PDFs have it, a row is a label, a blank, a sum with its cents, no more.
_ROW = regex.compile(r"[*_]{0,2}[ ]{1,2}(?=[-−]?\d[\d.,'’]{0,14}[.,]\d\d[ *_]{0,4}$)")
# The heading of a clause that goes on in its line: "2. Pets. None are allowed."
_NUMBERED = regex.compile(
    r"[ ]*(?:#{1,6}[ ])?[*_]{0,2}(?:§[ ]?)?\d{1,3}(?:\.\d{1,3}){0,3}[.)]?[ ]+[*_]{0,2}"
)
_GOES_ON = regex.compile(r"\.[*_]{0,2}[ ]+(?=\S)")
# Of several there is one label: "First aiders: Ida Kolb, Tom Reed".
_LABEL_FOLLOWS = r"(?=[*_]{0,2}[ ]?[:：|])"
_SHORTEST_OF_SEVERAL = 5  # characters: "to" and "from" are none of several
_WHOLE_NAME = regex.compile(rf"[ ]?(?:{_FOR})?[ ]*(?=\||$)")  # of a column, behind a phrase
_CONNECTED = regex.compile(
    r"(?i)^[\s,:|]*(?:(?:is|are|was|be|shall|will|of|on|by|at|in|am|as|for|the|a|an|no|later|than|to|and|including|equal|fixed|set|agreed|currently|beträgt|ist|war|vom|zum|bis|der|die|das|von|in|höhe|est|de|du|le|la|au|avant|fixé|es|el|del|è|di|il|entro|en|bedraagt|op|é|em|no|dia|per|annum|month|sum|monatlich|jährlich|mensuel|mensuelle|mensual|annual|gross)\s+){0,6}[\s|:]*$"
)
_SENTENCE_END = regex.compile(r"\n[ ]*\n|(?<=[\p{Ll})\"”]|\p{N}{3})[.!?]\s+(?=\p{Lu}\p{Ll})|;\s")
_NAMED_SO = regex.compile(r"(?i)\s*(?:[:：|]|is\b|ist\b|est\b|es\b)?\s*")
_HEADING = regex.compile(r"[ ]{0,3}#{1,6}[ \t]")
_LINE_REST = regex.compile(r"[^\n|]{1,300}")
# The end of a sentence behind a value of a few words, and no abbreviation.
_FULL_STOP = regex.compile(r"(?<=\p{L}{5}|\p{N})\.$")
_BLANK = regex.compile(r"[ \t|]+")
_NEXT_CELL = regex.compile(r"[ \t]*(?:\|[ \t]*(?:[^|:\n]{1,40}:[ \t]*)?)?")
_Find = Callable[[str], list[Reading]]


def labelled(document: DocumentText, field: Field) -> list[ProposedValue]:
    """What stands beside the phrases of a field, best first."""
    found = with_role(document, field.phrases) if field.type == "party" else []
    for rank, start, end, weak in occurrences(document.text, field.phrases):
        less = min(0.2, rank * _PER_PHRASE)
        # A short word that was asked for is none that the lexicon put beside it.
        weak = weak and (rank > 0 or field.type != "text" or end - start < _SHORTEST_WORD)
        table = document.headers.get(document.line_at(start))
        for proposal in (
            _below(document, field.type, table, start, end)
            if table is not None
            else _beside(document, field.type, start, end, weak=weak)
        ):
            score = proposal.score - less
            found.append(ProposedValue(proposal.readings, proposal.start, proposal.end, score))
    found = [proposal for proposal in found if proposal.score >= LEAST]
    return sorted(found, key=lambda proposal: (-proposal.score, proposal.start))


@cache
def _pattern(phrases: tuple[str, ...]) -> regex.Pattern[str]:
    """One pattern for all spellings of all phrases, the longest first; the group is the rank."""
    spelt = {
        spelling: rank
        for rank, phrase in reversed(list(enumerate(phrases)))
        for spelling in (phrase, fold(phrase))
    }
    listed = sorted(spelt, key=len, reverse=True)
    words = "|".join(map(_one_or_several, listed))
    return regex.compile(rf"(?i)(?<![\p{{L}}\p{{N}}])(?:{words})(?![\p{{L}}\p{{N}}])")


def _one_or_several(phrase: str) -> str:
    """The pattern of a phrase, which as a label may be in the plural."""
    words = r"\s+".join(map(regex.escape, phrase.split()))
    if len(phrase) < _SHORTEST_OF_SEVERAL:
        return words
    if phrase[-1] in "yY":
        return rf"{words[:-1]}(?:y|ies{_LABEL_FOLLOWS})"
    return rf"{words}(?:e?[sn]{_LABEL_FOLLOWS})?"


@cache
def _ranks(phrases: tuple[str, ...]) -> dict[str, int]:
    return {fold(phrase): rank for rank, phrase in reversed(list(enumerate(phrases)))}


def occurrences(text: str, phrases: tuple[str, ...]) -> Iterator[tuple[int, int, int, bool]]:
    """Rank, start and end of each phrase in a text, and whether it means little but as a label."""
    ranks = _ranks(phrases)
    for match in _pattern(phrases).finditer(text):
        phrase = " ".join(fold(match[0]).split())
        rank = ranks.get(phrase, len(ranks))
        yield rank, match.start(), match.end(), _is_weak(phrase, rank)


def _is_weak(phrase: str, rank: int) -> bool:
    """Whether a phrase means little but as a label: a short word that the user did not write."""
    return len(phrase) < (6 if rank else 5)


def _beside(
    document: DocumentText, kind: FieldType, start: int, end: int, *, weak: bool
) -> Iterator[ProposedValue]:
    """The values beside one phrase; a `weak` one counts as a label, or where it says the value."""
    text = document.text
    first, last = document.line_span(start)
    label = _label(text, kind, (first, last), (start, end))
    numbered = kind != "place" and _NUMBERED.fullmatch(text, first, start)
    heading = _GOES_ON.match(text, end, last) if numbered else None
    alone = not text[label.end() if label else end : last].strip()
    led = text[first:start]
    opens = not any(map(str.isalnum, led)) or led.rstrip(" *_").endswith("|")
    worded = kind in WORDED
    loose = weak and label is None and not (opens and (alone or not worded))
    leads = label or heading
    at = leads.end() if leads else end
    if worded and (leads or not loose):
        yield from _worded(
            document, kind, (start, at), labelled=leads is not None, alone=alone and opens
        )
    if worded:
        return
    find = finder_of(kind, document, labelled=label is not None and opens)
    behind = text[at : at + _REACH]
    ended = _SENTENCE_END.search(behind)
    behind = behind[: ended.start()] if ended else behind
    read = find(behind)
    if read:
        gap = behind[: read[0].start]
        if loose and not _CONNECTED.match(gap):
            return
        score = _score(gap, labelled=label is not None and opens)
        if alone and opens and not gap.strip():
            score = _NEXT_LINE
        in_row = kind == "date" and "\n" not in gap
        cell = label is not None and "|" in label[0]
        for same in _of_row(behind, read, cell=cell) if in_row else _first(read):
            yield _proposal(same, at, start, at + same.end, score)
    if loose:
        return
    before = text[max(0, start - _REACH_BEFORE) : start]
    pieces = _SENTENCE_END.split(before)
    stated = find(pieces[-1]) if pieces and label is None else []
    if (
        stated
        and len(pieces[-1][stated[-1].end :].split()) <= 3
        and "\n" not in pieces[-1][stated[-1].start :]
    ):
        shift = start - len(pieces[-1])
        yield _proposal(stated[-1], shift, stated[-1].start + shift, end, _BEFORE)


def _label(
    text: str, kind: FieldType, line: tuple[int, int], phrase: tuple[int, int]
) -> regex.Match[str] | None:
    """What makes a label of a phrase; a blank where it and a sum are all that a line says."""
    label = _LABEL.match(text, phrase[1])
    if label is None and kind == "money" and not text[line[0] : phrase[0]].strip(" *_"):
        label = _ROW.match(text, phrase[1], line[1])
    return label


def _below(
    document: DocumentText, kind: FieldType, table: TextTable, start: int, end: int
) -> Iterator[ProposedValue]:
    """The values of the column whose name a phrase is; none where the rows name it themselves."""
    text, (first, last) = document.text, document.line_span(start)
    left, right = text.rfind("|", first, start), text.find("|", end, last)
    name = text[left + 1 : right].strip()
    whole = not text[left + 1 : start].strip() and _WHOLE_NAME.match(text, end)
    if not whole or name not in table.names:
        return
    column = table.names.index(name)
    for row in table.rows:
        begins, ends = document.line_span(document.line_start(row.line))
        spans = cell_spans(text[begins:ends])
        if name not in row.cells or column >= len(spans):
            continue
        at, to = (begins + place for place in spans[column])
        if text[at:to] != row.cells[name]:  # a row that names its columns says it beside the name
            continue
        if kind in WORDED:
            found = [_as_written(text, at, to)]
        else:
            read = finder_of(kind, document, labelled=True)(text[at:to])
            found = [replace(one, start=one.start + at, end=one.end + at) for one in _first(read)]
        for one in found:
            yield ProposedValue((one,), one.start, one.end, _LABELLED)


def _first(read: list[Reading]) -> list[Reading]:
    """The readings of the first value, if any: two where it may be read in two ways."""
    return [one for one in read if one.start == read[0].start]


def _of_row(text: str, read: list[Reading], *, cell: bool) -> list[Reading]:
    """The first value, and those of the cells behind it: a milestone as planned and as it was.

    Nothing may stand between them but blanks; behind a `cell`, the names of the columns.
    """
    found = _first(read)
    for one in read:
        between = text[found[-1].end : one.start]
        if one.start > found[-1].end and (_NEXT_CELL if cell else _BLANK).fullmatch(between):
            found += [same for same in read if same.start == one.start]
    return found


def _score(gap: str, *, labelled: bool) -> float:
    """How surely a value belongs to the phrase before it, by what stands between."""
    if not gap.strip():
        return _LABELLED if labelled and "\n" not in gap else _STATED
    if _CONNECTED.match(gap):
        return _STATED
    return 0.75 - 0.4 * min(1.0, len(gap) / _REACH) - (0.1 if "\n" in gap else 0.0)


def _proposal(reading: Reading, shift: int, start: int, end: int, score: float) -> ProposedValue:
    moved = Reading(reading.start + shift, reading.end + shift, reading.text, reading.normal)
    return ProposedValue((moved,), min(start, moved.start), max(end, moved.end), score)


def finder_of(kind: FieldType, document: DocumentText, *, labelled: bool) -> _Find:
    """What reads values of a type; behind a label a sum needs no currency."""
    if kind == "date":
        return lambda text: find_dates(text, day_first=document.day_first)
    if kind == "money":
        return find_sums if labelled else find_money
    if kind == "rate":
        return lambda text: find_rates(text, bare=labelled)
    return {"duration": find_durations, "percent": find_percentages}.get(kind, find_numbers)


def _worded(
    document: DocumentText, kind: FieldType, span: tuple[int, int], *, labelled: bool, alone: bool
) -> Iterator[ProposedValue]:
    """A name, a place or a text behind a label, or in the next line where the label stands alone."""
    text, (start, at) = document.text, span
    first, last = document.line_span(start)
    below = kind == "text" and not labelled and _HEADING.match(text, first) is not None
    if below:  # what a heading is about stands below it
        alone, at = not text[at:last].strip(), last
    while (alone or below) and at < len(text) and text[at] in " \n":
        at += 1
    if labelled or alone:
        found = _rest_of_line(document, kind, at)
        score = _LABELLED if labelled else _NEXT_LINE
    elif below:
        found, score = _rest_of_line(document, kind, at), 0.6
    elif kind == "text":
        start, end = document.sentence(start, at)
        found, score = _as_written(text, start, end), 0.6
    else:
        led = _NAMED_SO.match(text, at)
        said = led.end() if led else at
        named = kind == "place" or said > at + 1
        found = _name(document, said) if kind == "party" else place_at(text, said)
        found, score = (found if named else None), _STATED
    if found is not None and not (below and _HEADING.match(found.text + " ")):
        yield ProposedValue((found,), start, found.end, score)


def _rest_of_line(document: DocumentText, kind: FieldType, at: int) -> Reading | None:
    """What a label says: of a party the name, else what stands in its line or cell."""
    if kind == "party":
        return _name(document, at, document.line_span(at)[1])
    rest = _LINE_REST.match(document.text, at)
    if rest is None or not rest[0].strip():
        return None
    if kind == "place" and len(rest[0]) > _MOST_PLACE:
        return place_at(document.text, at, rest.end())
    end = at + len(rest[0].rstrip())
    ended = _FULL_STOP.search(document.text, at, end)
    return _as_written(document.text, at, ended.start() if ended else end)


def _name(document: DocumentText, at: int, end: int | None = None) -> Reading | None:
    """The name of a party from there on: in its sentence, as "Low Mills. The goods" is two."""
    _, last = document.sentence(at, at + 1)
    return name_at(document.text, at, last if end is None else min(last, end))


def _as_written(text: str, start: int, end: int) -> Reading:
    plain = " ".join(text[start:end].split())
    return Reading(start, end, plain, plain)


_HYPHEN = r"(?:[-\u2010\u00ad]\s*\n\s*)?"  # a word that goes on in the next line
_SAME = (("'\u2019\u2018", "['\u2019\u2018]"), ("-\u2010\u2011\u2013", "[-\u2010\u2011\u2013]"))


def mentions(document: DocumentText, words: str) -> list[ProposedValue]:
    """The first place at which a document has exactly these words, in any case; [] for none."""
    found = _exactly(words).search(document.text)
    if found is None:
        return []
    reading = _as_written(document.text, *found.span())
    return [ProposedValue((reading,), found.start(), found.end(), 1.0)]


@cache
def _exactly(words: str) -> regex.Pattern[str]:
    """Words with any white space between them; not as a part of longer ones."""
    spelt = r"\s+".join(_HYPHEN.join(map(_char, word)) for word in words.split())
    return regex.compile(rf"(?i)(?<![\p{{L}}\p{{N}}]){spelt}(?![\p{{L}}\p{{N}}])")


def _char(char: str) -> str:
    """A character, or any of those that are written for it."""
    return next((alike for chars, alike in _SAME if char in chars), regex.escape(char))
