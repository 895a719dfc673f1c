"""Values that stand beside the phrases a field is called by: "Due date: 12 March 2024". Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache

import regex

from corpus_agent.fields import lexicon
from corpus_agent.fields.amounts import find_amounts, find_durations, in_unit
from corpus_agent.fields.lexicon import WORDED, Field, FieldType
from corpus_agent.fields.page import HEADING, NOT_OUTRIGHT, DocumentText, ProposedValue
from corpus_agent.fields.parties import name_at, place_at, with_role
from corpus_agent.text.dates import Reading, find_dates
from corpus_agent.text.tables import TextTable, cell_spans
from corpus_agent.text.tokens import fold

ALIKE = 0.03  # values whose scores differ by no more stand beside each other
_LABELLED, _NEXT_LINE, _STATED, _BEFORE, _LOOSELY = 1.0, 0.9, 0.85, 0.62, 0.6
_PER_PHRASE, _ALL_PHRASES = 0.004, 0.2  # each phrase counts less than the one before it
_REACH, _REACH_BEFORE = 160, 40  # characters beside a phrase in which its value stands
_SHORTEST_WORD = 3  # characters of a field of the user's own: "salt", "tea"
_MOST_PLACE = 60  # characters of a line behind a label that are a place

# Behind a label may stand what it is for, a year or a unit: "Price 2023:", "Rent (monthly):".
_FOR = r"(?:(?:19|20)\d\d(?=[*_ ]{0,3}[:：=|])|\d{1,2}(?:[.,]\d)?[ ]?%|\([^()\n]{1,30}\))"
_LABEL = regex.compile(
    rf"[*_]{{0,2}}[ ]?(?:{_FOR}[ ]?)?"
    r"(?:[:：=][*_]{0,2}|\|(?:[ ]*\|)*|[ ]{3,}|\.{3,}|[-–—](?=[ ]))[ ]*"
)
# Of a table without marks, as PDFs have it, a row is a label, a blank, a sum with cents, no more.
_ROW = regex.compile(r"[*_]{0,2}[ ]{1,2}(?=[-−]?\d[\d.,'’]{0,14}[.,]\d\d[ *_]{0,4}$)")
# Of a statement a row is a label and figures.
_STATEMENT = regex.compile(r"[*_]{0,2}[ ]{1,3}(?=[^\d\n]{0,4}\d)(?=[\d.,()\p{Sc}%—–− -]*+$)")
# A dash alone stands where a year has none; what is in brackets is below zero.
_FIGURE = regex.compile(r"(?:\p{Sc}[ ]?)?[(−-]{0,2}\d[\d.,'’]*|(?<=[ ])[−–—-](?![^ ])")
_GOES_ON = regex.compile(r"\.[*_]{0,2}[ ]+(?=\S)")  # of a heading: "2. Pets. None are allowed."
# Of several there is one label: "First aiders: Ida Kolb, Tom Reed".
_SEVERAL, _NO_PLURAL = r"(?:(?:e?[sn])(?=[*_]{0,2}[ ]?[:：|]))?", 4  # characters: "to", "from"
_WHOLE_NAME = regex.compile(rf"[ ]?(?:{_FOR})?[ ]*(?=\||$)")  # of a column, behind a phrase
_CLAUSE_END = regex.compile(r"\n[ ]*\n|(?<=[\p{Ll})\"”]|\p{N}{3})[.!?]\s+(?=\p{Lu}\p{Ll})|;\s")
_LINE_REST = regex.compile(r"[^\n|]{1,300}")
# An identifier in a sentence: words of capitals or with figures.
_CODE = regex.compile(
    r"(?:(?:\p{Lu}{1,12}|[\p{L}/._-]{0,20}\p{N}[\p{L}\p{N}/._-]{0,40})(?![\p{L}\p{N}])[ ]?){1,12}+"
)
_BARE, _YEAR = regex.compile(r"[\d.]{1,12}"), regex.compile(r"(?:19|20)\d\d")
_ITEM = regex.compile(r"[.)][*_ ]*\p{L}")  # behind the number of a clause
_STEM = regex.compile(r"(?<=\p{L}{3}[^s])s$")
_ENDING = "(?:e?[sn]|e|er)?"  # "euro", "euros"; not "Europe"
_PLAIN = str.maketrans("’‘‐‑–\u00ad", "''----")
# The end of a sentence behind a value of a few words, and no abbreviation.
_FULL_STOP = regex.compile(r"(?<=\p{L}{5}|\p{N})\.$")


def labelled(document: DocumentText, field: Field) -> list[ProposedValue]:
    """What stands beside the phrases of a field, best first."""
    found = with_role(document, field.phrases) if field.type == "party" else []
    ranks = {fold(phrase): rank for rank, phrase in reversed([*enumerate(field.phrases)])}
    for match in _pattern(field.phrases).finditer(document.text):
        phrase = " ".join(fold(match[0]).split())
        rank = ranks.get(phrase, len(ranks))
        # A short word means little but as a label, unless it is what was asked for.
        shortest = 6 if rank else _SHORTEST_WORD
        table = document.headers.get(document.line_at(match.start()))
        if table is not None:
            below = _below(document, field.type, table, match.span())
            read: Iterator[tuple[ProposedValue, bool]] = ((one, True) for one in below)
        else:
            read = _beside(document, field.type, match.span())
        less = min(_ALL_PHRASES, rank * _PER_PHRASE)
        for proposal, sure in read:
            score = proposal.score
            if sure or len(phrase) >= shortest or (field.type not in WORDED and score >= _STATED):
                outright = sure or _asserted(document, field.type, match.span(), proposal)
                row = phrase in fold(document.column_at(proposal.readings[0].start))
                doubt = "" if outright else NOT_OUTRIGHT
                found.append(replace(proposal, score=score - less, doubt=doubt, row=row))
    return sorted(found, key=lambda proposal: (-proposal.score, proposal.start))


@cache
def _pattern(phrases: tuple[str, ...]) -> regex.Pattern[str]:
    """One pattern for all spellings of all phrases, the longest first; a label may be in plural."""
    spelt = {spelling for phrase in phrases for spelling in (phrase, fold(phrase))}
    words = "|".join(
        r"\s+".join(map(regex.escape, phrase.split())) + _SEVERAL * (len(phrase) > _NO_PLURAL)
        for phrase in sorted(spelt, key=lambda one: (-len(one), one))
    )
    return regex.compile(rf"(?i)(?<![\p{{L}}\p{{N}}])(?:{words})(?![\p{{L}}\p{{N}}])")


def _beside(
    document: DocumentText, kind: FieldType, phrase: tuple[int, int]
) -> Iterator[tuple[ProposedValue, bool]]:
    """The values beside one phrase, and whether it is their label."""
    text, (start, end) = document.text, phrase
    first, last = document.line_span(start)
    led = text[first:start]
    opens = not any(map(str.isalpha, led)) or led.rstrip(" *_").endswith("|")
    # What opens its line may be the label of the rest of it without a colon.
    rules = {"money": _ROW, "number": _STATEMENT, "party": _GOES_ON, "text": _GOES_ON}
    rule = rules.get(kind)
    label = _LABEL.match(text, end) or (rule.match(text, end, last) if opens and rule else None)
    at = label.end() if label else end
    alone = opens and not text[at:last].strip()
    of_else = label and lexicon.near("label_of").search(label[0])
    sure = bool(opens and label and not of_else)
    if kind in WORDED:
        for one in _worded(document, kind, (start, at), labelled=bool(label), alone=alone):
            yield one, sure or alone
        return
    find = finder_of(kind, document, labelled=sure)
    behind = _CLAUSE_END.split(text[at : at + _REACH], maxsplit=1)[0]
    if of_statement := label is not None and label.re is _STATEMENT:
        read = _of_statement(document, at, last)
    else:
        read = _amounts(document, kind, find(behind), at, sure=sure)
    if read:
        gap = text[at : read[0].start]
        beside = of_statement or lexicon.near("connected").match(gap) is not None
        score = _LABELLED if sure and "\n" not in gap else _STATED if beside or opens else _LOOSELY
        score = score if gap.strip() or not alone else _NEXT_LINE
        for value in _first(read):
            proposal = ProposedValue((value,), start, max(end, value.end), score)
            yield _in_unit(document, kind, proposal), sure and (beside or kind != "number")
    if label is not None:
        return
    before = _CLAUSE_END.split(text[max(0, start - _REACH_BEFORE) : start])[-1]
    for value in _amounts(document, kind, find(before), start - len(before), sure=False)[-1:]:
        if len(text[value.end : start].split()) <= 3 and "\n" not in text[value.start : start]:
            yield ProposedValue((value,), value.start, end, _BEFORE), False


def _asserted(
    document: DocumentText, kind: FieldType, phrase: tuple[int, int], proposal: ProposedValue
) -> bool:
    """Whether a clause says of a phrase that it is this value, of nobody else and on no condition.

    What may stand before the phrase is known, word for word: anything else may turn the sense.
    """
    text, near, value = document.text, lexicon.near, proposal.readings[0]
    start = phrase[0] if kind == "text" else min(phrase[0], value.start)
    end = max(phrase[1], value.end)
    first, last = document.sentence(start, end)
    lead = near("lead_ends").split(near("contrast").split(text[first:start])[-1])[-1]
    for day in reversed(find_dates(lead)):
        lead = lead[: day.start] + lead[day.end :]
    lead = near("of_item").sub("", lead) if kind == "date" else lead
    gap = text[phrase[1] : value.start] or text[value.end : phrase[0]]
    gap = lexicon.compiled("@=bound@").sub(" ", gap)
    said = near("leading").match(lead)
    if kind in ("identifier", "text"):  # of a text the phrase is what its sentence is about
        return kind == "identifier" or said is not None
    if lexicon.compiled("@=paying@").fullmatch(text[slice(*phrase)]) or said is None:
        return False
    if not (near("connected").match(gap) or not gap.strip()):
        return False
    verb = said["verb"] or kind in ("date", "duration", "number") or near("copula").search(gap)
    return bool(verb or near("noun_ends").match(near("clause_ends").split(text[end:last])[0]))


def _amounts(
    document: DocumentText, kind: FieldType, read: list[Reading], at: int, *, sure: bool
) -> list[Reading]:
    """The values of a text that begins at `at`, none of them a year or the number of a clause."""
    text, kept = document.text, []
    for one in (_moved(each, at) for each in read):
        led = text[document.line_span(one.start)[0] : one.start]
        is_item = "#" in led or _ITEM.match(text, one.end) is not None
        if _YEAR.fullmatch(one.text):  # counts as the first thing behind a sure label
            counts = sure and not text[at : one.start].strip()
        else:
            is_item = is_item and not led.strip(" #*_")
            counts = not is_item and lexicon.near("clause").search(led) is None
        if counts or kind == "date" or not _BARE.fullmatch(one.text):
            kept.append(one)
    return kept


def _moved(reading: Reading, by: int) -> Reading:
    return replace(reading, start=reading.start + by, end=reading.end + by)


def _first(read: list[Reading]) -> list[Reading]:
    """The first value; both, if it may be read in two ways."""
    return [one for one in read if one.start == read[0].start]


def _of_statement(document: DocumentText, at: int, end: int) -> list[Reading]:
    """The figures of a row under its latest year and behind it; none if that has none."""
    pieces = [*_FIGURE.finditer(document.text, at, end)]
    years = document.years_of(at)
    if len(years) == len(pieces) > 1:
        pieces = pieces[years.index(max(years)) :]
    if not pieces or not pieces[0][0].strip("−–—-"):
        return []
    return [_with_sign(one, piece) for piece in pieces for one in find_amounts(piece[0], "number")]


def _with_sign(figure: Reading, piece: regex.Match[str]) -> Reading:
    """A figure of a statement at its place; one in brackets is below zero."""
    sign = "-" if "(" in piece[0] and not figure.normal.startswith("-") else ""
    return replace(_moved(figure, piece.start()), normal=sign + figure.normal)


def whole(document: DocumentText, found: Sequence[ProposedValue]) -> list[ProposedValue]:
    """The figure of the latest year that is largest; others are of a part; not a sheet's."""
    totals = [one for one in found if lexicon.near("whole").search(document.row_at(one.start))]
    if any(one.row for one in found) and not totals:
        return [*found]

    def rank(one: ProposedValue) -> tuple[bool, str, float]:
        amount = one.normal.rpartition(" ")[2].rstrip("%")
        return one.score > _STATED, "".join(one.notes), abs(float(amount))

    best = max((one for one in totals or found if not one.doubt), key=rank, default=None)
    parts = (replace(one, doubt=one.doubt or "of a part", row=False) for one in found)
    return [replace(best, row=False), *parts] if best else [*parts]


def _below(
    document: DocumentText, kind: FieldType, table: TextTable, phrase: tuple[int, int]
) -> Iterator[ProposedValue]:
    """The values of the column whose name a phrase is; none where the rows name it themselves."""
    text, (start, end) = document.text, phrase
    first, last = document.line_span(start)
    left, right = text.rfind("|", first, start), text.find("|", end, last)
    name = text[left + 1 : right].strip()
    whole = not text[left + 1 : start].strip() and _WHOLE_NAME.match(text, end)
    if not whole or table.names.count(name) != 1:  # of two, one would stand for both
        return
    column = table.names.index(name)
    for row in table.rows:
        begins, ends = document.line_span(document.line_start(row))
        spans = cell_spans(text[begins:ends])
        if len(spans) != len(table.names):
            continue
        at, to = (begins + place for place in spans[column])
        if text.startswith(f"{name}: ", at):  # a row that names its columns says it beside the name
            continue
        if kind in WORDED:
            yield _proposal(_as_written(text, at, to), at, _LABELLED)
            continue
        read = finder_of(kind, document, labelled=True)(text[at:to])
        for one in _first(read):
            one = _moved(one, at)
            yield _in_unit(document, kind, _proposal(one, one.start, _LABELLED))


def _in_unit(document: DocumentText, kind: FieldType, proposal: ProposedValue) -> ProposedValue:
    """A bare amount of a table in the unit of its column, noted with the year that it is of."""
    (value,) = proposal.readings
    if kind in ("money", "percent", "rate", "number") and (of := document.period_at(value.start)):
        proposal = replace(proposal, notes=(of,))
    unit, line = document.unit_at(value.start) if kind in ("money", "number") else ("", (0, 0))
    scaled = in_unit(value, unit) if unit else value
    return replace(proposal, readings=(scaled,), also=(line,)) if scaled != value else proposal


def _proposal(reading: Reading, start: int, score: float) -> ProposedValue:
    return ProposedValue((reading,), start, reading.end, score)


def finder_of(
    kind: FieldType, document: DocumentText, *, labelled: bool
) -> Callable[[str], list[Reading]]:
    """What reads values of a type; behind a label a sum needs no currency."""
    if kind == "date":
        return lambda text: find_dates(text, day_first=document.day_first)
    if kind == "duration":
        return find_durations
    return lambda text: find_amounts(text, kind, bare=labelled)


def _worded(
    document: DocumentText, kind: FieldType, span: tuple[int, int], *, labelled: bool, alone: bool
) -> Iterator[ProposedValue]:
    """A name, a place or a text behind a label, or in the next line where it stands alone."""
    text, (start, at) = document.text, span
    first, last = document.line_span(start)
    below = kind == "text" and not labelled and HEADING.match(text, first) is not None
    if below:  # what a heading is about stands below it
        alone, at = not text[at:last].strip(), last
    while (alone or below) and at < len(text) and text[at] in " \n":
        at += 1
    found, score = None, _STATED
    if labelled or alone or below:
        found = _rest_of_line(document, kind, at)
        score = _LABELLED if labelled else _NEXT_LINE if alone else _LOOSELY
    elif kind == "text":
        start, end = document.sentence(start, at)
        found, score = _as_written(text, start, end), _LOOSELY
    else:
        led = lexicon.near("named_so").match(text, at)
        said = led.end() if led else at
        if kind == "identifier":
            code = _CODE.match(text, said)
            end = said + len(code[0].rstrip(" ._-/")) if code else said
            found = _as_written(text, said, end) if regex.search(r"\p{N}", text[said:end]) else None
        elif said > at + 1:
            found = place_at(text, said) if kind == "place" else _name(document, said)
    if found is not None and not (below and HEADING.match(found.text + " ")):
        yield _proposal(found, start, score)


def _rest_of_line(document: DocumentText, kind: FieldType, at: int) -> Reading | None:
    """What a label says: of a party the name, else what stands in its line or cell."""
    if kind == "party":
        return _name(document, at, document.line_span(at)[1])
    rest = _LINE_REST.match(document.text, at)
    if rest is None or not rest[0].strip():
        return None
    if kind == "place" and len(rest[0]) > _MOST_PLACE:
        return place_at(document.text, at, rest.end())
    said = _CLAUSE_END.split(rest[0], maxsplit=1)[0] if kind == "identifier" else rest[0]
    end = at + len(said.rstrip())
    ended = _FULL_STOP.search(document.text, at, end)
    return _as_written(document.text, at, ended.start() if ended else end)


def _name(document: DocumentText, at: int, end: int | None = None) -> Reading | None:
    """The name of a party from there on: in its sentence, as "Low Mills. The goods" is two."""
    _, last = document.sentence(at, at + 1)
    return name_at(document.text, at, last if end is None else min(last, end))


def _as_written(text: str, start: int, end: int) -> Reading:
    plain = " ".join(text[start:end].split())
    return Reading(start, end, plain, plain)


def mentions(document: DocumentText, words: str) -> list[ProposedValue]:
    """The first place at which a document has these words in any form of theirs; [] for none."""
    hyphen = r"(?:-\s*\n\s*)?"  # also parted at the end of a line
    spelt = r"\s+".join(
        hyphen.join(map(regex.escape, stem := _STEM.sub("", word))) + _ENDING * stem.isalpha()
        for word in words.translate(_PLAIN).split()
    )
    exactly = regex.compile(rf"(?i)(?<![\p{{L}}\p{{N}}]){spelt}(?![\p{{L}}\p{{N}}])")
    found = exactly.search(document.text.translate(_PLAIN))
    if found is None:
        return []
    return [_proposal(_as_written(document.text, *found.span()), found.start(), _LABELLED)]
