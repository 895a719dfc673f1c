"""Values that stand beside the phrases a field is called by: "Due date: 12 March 2024". Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

import regex

from corpus_agent.fields import lexicon
from corpus_agent.fields.amounts import (
    NO_UNIT,
    find_amounts,
    find_durations,
    in_unit,
    unit_and_number,
    unit_of,
)
from corpus_agent.fields.lexicon import AMOUNTS, WORDED, Field, FieldType
from corpus_agent.fields.page import FIGURE, HEADING, NOT_OUTRIGHT, DocumentText, FieldValue
from corpus_agent.fields.parties import name_at, place_at, with_role
from corpus_agent.text.dates import Reading, find_dates
from corpus_agent.text.number_words import CODES, SHORT_UNITS
from corpus_agent.text.tables import TextTable, cell_spans
from corpus_agent.text.tokens import fold

ALIKE = 0.03  # values whose scores differ by no more stand beside each other
_LABELLED, _NEXT_LINE, _STATED, _BEFORE, _LOOSELY = 1.0, 0.9, 0.85, 0.62, 0.6
_PER_PHRASE, _ALL_PHRASES = 0.004, 0.2  # each phrase counts less than the one before it
_REACH, _REACH_BEFORE = 160, 40  # characters beside a phrase in which its value stands
_SHORTEST_WORD = 3  # characters of a field of the user's own: "salt", "tea"
_MOST_PLACE = 60  # characters of a line behind a label that are a place

# Behind a label may stand what it is for, a year or a unit: "Price 2023:", "Rent (monthly):".
_FOR = (
    rf"(?:(?:(?:19|20)\d\d|(?i:{SHORT_UNITS}))(?=[*_ ]{{0,3}}[:：=|])"
    r"|\d{1,2}(?:[.,]\d)?[ ]?%|\([^()\n]{1,30}\))"
)
_LABEL = regex.compile(
    rf"[*_]{{0,2}}[ ]?(?:{_FOR}[ ]?)?"
    r"(?:[:：=][*_]{0,2}|\|(?:[ ]*\|)*|[ ]{3,}|\.{3,}|[-–—](?=[ ]))[ ]*"
)
# Of a table without marks, as PDFs have it, a row is a label, a blank, a sum with cents, no more.
_ROW = regex.compile(
    rf"[*_]{{0,2}}[ ]{{1,2}}(?=(?:(?:{CODES})[ ]{{1,40}})?"
    r"[-−]?\d[\d.,'’]{0,14}[.,]\d\d[ *_]{0,4}$)"
)
# Of a statement a row is a label and figures.
_STATEMENT = regex.compile(r"[*_]{0,2}[ ]{1,3}(?=[^\d\n]{0,4}\d)(?=[\d.,()\p{Sc}%—–− -]*+$)")
_GOES_ON = regex.compile(r"\.[*_]{0,2}[ ]+(?=\S)")  # of a heading: "2. Pets. None are allowed."
# Of several there is one label: "First aiders: Ida Kolb, Tom Reed".
_SEVERAL, _NO_PLURAL = r"(?:(?:e?[sn])(?=[*_]{0,2}[ ]?[:：|]))?", 4  # characters: "to", "from"
_WHOLE_NAME = regex.compile(rf"[ ]?(?:{_FOR})?[ ]*(?=\||$)")  # of a column, behind a phrase
_CLAUSE_END = regex.compile(r"\n[ ]*\n|(?<=[\p{Ll})\"”]|\p{N}{3})[.!?]\s+(?=\p{Lu}\p{Ll})|;\s")
# An identifier in a sentence: words of capitals or with figures.
_CODE = regex.compile(
    r"(?:(?:\p{Lu}{1,12}|[\p{L}/._-]{0,20}\p{N}[\p{L}\p{N}/._-]{0,40})(?![\p{L}\p{N}])[ ]?){1,12}+"
)
_LINE_REST = regex.compile(r"[^\n|]{1,300}")
_BARE, _YEAR = regex.compile(r"[\d.]{1,12}"), regex.compile(r"(?:19|20)\d\d|(?<=FY|CY)\d\d")
_QUARTER = regex.compile(r"\bQ[1-4]\b")
_ITEM = regex.compile(r"[.)][*_ ]*\p{L}")  # behind the number of a clause
_STEM = regex.compile(r"(?<=\p{L}{3}[^s])s$")
_ENDING = "(?:e?[sn]|e|er)?"  # "euro", "euros"; not "Europe"
_PLAIN = str.maketrans("’‘‐‑–\u00ad", "''----")
# The end of a sentence behind a value of a few words, and no abbreviation.
_FULL_STOP = regex.compile(r"(?<=\p{L}{5}|\p{N})\.$")


def labelled(document: DocumentText, field: Field) -> list[FieldValue]:
    """What stands beside the phrases of a field, best first."""
    kind = field.type
    found = with_role(document, field.phrases) if kind == "party" else []
    ranks = {fold(phrase): rank for rank, phrase in reversed([*enumerate(field.phrases)])}
    for match in _pattern(field.phrases).finditer(document.text):
        phrase = " ".join(fold(match[0]).split())
        rank = ranks.get(phrase, len(ranks))
        table = document.headers.get(document.line_at(match.start()))
        named = table or fold(document.column_at(match.start())) == phrase
        if named and rank and phrase in lexicon.words_of("no_columns"):
            continue
        if table is None:
            read = (_worded if kind in WORDED else _beside)(document, kind, match.span())
        else:
            read = _below(document, kind, table, match.span())
        # A short word means little but as a label, unless it is what was asked for.
        shortest = 6 if rank else _SHORTEST_WORD
        for one, sure in read:
            if sure or len(phrase) >= shortest or (kind not in WORDED and one.score >= _STATED):
                outright = sure or _asserted(document, kind, match.span(), one)
                score = one.score - min(_ALL_PHRASES, rank * _PER_PHRASE)
                row = phrase in fold(document.column_at(one.readings[0].start))
                doubt = "" if outright else NOT_OUTRIGHT
                one = _of_what(document, field, one)
                found.append(replace(one, score=score, doubt=doubt, row=row))
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


def _label(
    document: DocumentText, kind: FieldType, phrase: tuple[int, int]
) -> tuple[regex.Match[str] | None, bool, bool]:
    """What makes a label of a phrase, whether that opens its line, and whether it is one surely."""
    text, (start, end) = document.text, phrase
    first, last = document.line_span(start)
    led = text[first:start]
    opens = not any(map(str.isalpha, led)) or led.rstrip(" *_").endswith("|")
    opens = opens or led.endswith(f"| {document.column_at(start)}: ")  # its cell names its column
    # What opens its line may be the label of the rest of it without a colon.
    rules = {"money": _ROW, "number": _STATEMENT, "party": _GOES_ON, "text": _GOES_ON}
    rule = rules.get(kind) if opens else None
    label = _LABEL.match(text, end) or (rule.match(text, end, last) if rule else None)
    of_else = label and lexicon.near("label_of").search(label[0])
    return label, opens, bool(opens and label and not of_else)


def _beside(
    document: DocumentText, kind: FieldType, phrase: tuple[int, int]
) -> Iterator[tuple[FieldValue, bool]]:
    """The values beside one phrase, and whether it is their label."""
    text, (start, end) = document.text, phrase
    label, opens, sure = _label(document, kind, phrase)
    at, last = label.end() if label else end, document.line_span(start)[1]
    in_row = label and (label.re is _STATEMENT or ("|" in label[0] and document.row_at(at)))
    if in_row and kind in AMOUNTS:
        read = _of_row(document, kind, at, last)
    else:
        until = at + len(_CLAUSE_END.split(text[at : at + _REACH], maxsplit=1)[0])
        read = _without_former(document, _values(document, kind, at, until, bare=sure), at)
    if read:
        gap, alone = text[at : read[0].start], opens and not text[at:last].strip()
        beside = bool(in_row) or lexicon.near("connected").match(gap) is not None
        score = _LABELLED if sure and "\n" not in gap else _STATED if beside or opens else _LOOSELY
        score = score if gap.strip() or not alone else _NEXT_LINE
        for value in (one for one in read if one.start == read[0].start):  # read in two ways
            proposal = FieldValue((value,), start, max(end, value.end), score)
            yield proposal, sure and (beside or kind != "number")
    if label is None:
        before = _CLAUSE_END.split(text[max(0, start - _REACH_BEFORE) : start])[-1]
        for value in _values(document, kind, start - len(before), start, bare=False)[-1:]:
            if len(text[value.end : start].split()) <= 3 and "\n" not in text[value.start : start]:
                yield FieldValue((value,), value.start, end, _BEFORE), False


def _asserted(
    document: DocumentText, kind: FieldType, phrase: tuple[int, int], proposal: FieldValue
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
    gap = near("changed").sub(" ", lexicon.compiled("@=bound@").sub(" ", gap))
    lead, gap = (lexicon.document("period").sub(" ", each) for each in (lead, gap))
    said = near("leading").match(lead)
    if kind in ("identifier", "text"):  # of a text the phrase is what its sentence is about
        return kind == "identifier" or said is not None
    if lexicon.compiled("@=paying@").fullmatch(text[slice(*phrase)]) or said is None:
        return False
    if not (near("connected").match(gap) or not gap.strip()):
        return False
    # "50,000 employees are members": who has them is not said.
    plain = kind in ("date", "duration") or (kind == "number" and value.start > phrase[0])
    verb = said["verb"] or plain or near("copula").search(gap)
    return bool(verb or near("noun_ends").match(near("clause_ends").split(text[end:last])[0]))


def _values(
    document: DocumentText, kind: FieldType, start: int, end: int, *, bare: bool
) -> list[Reading]:
    """The values of a type in a stretch; with `bare` sums without currency, and a year at once."""
    text = document.text[start:end]
    days = find_dates(text, day_first=document.day_first)
    if kind == "date":
        read = days
    else:
        read = find_durations(text) if kind == "duration" else find_amounts(text, kind, bare=bare)
        read = [o for o in read if not any(d.start <= o.start < d.end for d in days)]
    found = [replace(one, start=one.start + start, end=one.end + start) for one in read]
    first = bare and len(text) - len(text.lstrip()) + start
    return [one for one in found if kind == "date" or _counts(document, one, one.start == first)]


def _counts(document: DocumentText, value: Reading, first: bool) -> bool:
    """Whether a bare figure is no number of a clause, and a year only if it comes first."""
    if not _BARE.fullmatch(value.text):
        return True
    if _YEAR.fullmatch(value.text):
        return first
    led = document.text[document.line_span(value.start)[0] : value.start]
    is_item = "#" in led or _ITEM.match(document.text, value.end) is not None
    return bool(led.strip(" #*_") or not is_item) and lexicon.near("clause").search(led) is None


def _without_former(document: DocumentText, read: list[Reading], at: int) -> list[Reading]:
    """Values without the one that is given up: "is moved from 3 May 2024 to 9 May 2024"."""
    later = [one for one in read if one.start > read[0].start]
    if not later or not lexicon.near("changed").search(document.text[at : later[0].start]):
        return read
    sentence = document.text[slice(*document.sentence(at, later[0].end))]
    return later if lexicon.near("altered").search(sentence) else read


def _of_row(document: DocumentText, kind: FieldType, at: int, end: int) -> list[Reading]:
    """The figure of a row that counts: of the latest year, and none that is only planned."""
    if row := document.cells_at(at):
        first, _ = document.line_span(at)
        cells = [
            (name, read)
            for name, begins, ends in row
            if (read := _values(document, kind, max(at, first + begins), first + ends, bare=True))
        ]
        # A cell that is a year says of when the others are.
        cells = [cell for cell in cells if not _YEAR.fullmatch(cell[1][0].text)] or cells
    else:
        pieces = [*FIGURE.finditer(document.text, at, end)]
        named = document.periods_of(at)
        pieces = pieces[1:] if named and len(named) + 1 == len(pieces) else pieces
        named = named if len(named) == len(pieces) > 1 else [""] * len(pieces)
        cells = [(name, _signed(piece)) for name, piece in zip(named, pieces, strict=True)]
    if any(_YEAR.search(name) for name, _ in cells):
        cells.reverse()  # behind a quarter stands the year to its end

    def rank(cell: tuple[str, list[Reading]]) -> tuple[bool, str, str]:
        year = max(_YEAR.findall(cell[0]), default="")
        quarter = max(_QUARTER.findall(cell[0]), default="whole")  # which is later than "Q4"
        return not lexicon.near("planned").search(cell[0]), year, quarter

    return max(cells, key=rank, default=("", []))[1]


def _signed(piece: regex.Match[str]) -> list[Reading]:
    """A figure of a statement at its place, none for a dash; one in brackets is below zero."""
    below, at = "-" * ("(" in piece[0]), piece.start()
    return [
        replace(o, start=at + o.start, end=at + o.end, normal=below + o.normal.removeprefix(below))
        for o in find_amounts(piece[0], "number")
    ]


def whole(document: DocumentText, found: Sequence[FieldValue]) -> list[FieldValue]:
    """The figure of the latest year that is largest; others are of a part; not a sheet's."""
    totals = [one for one in found if lexicon.near("whole").search(document.row_at(one.start))]
    if any(one.row for one in found) and not totals:
        return [*found]

    def rank(one: FieldValue) -> tuple[bool, str, float]:
        year = max(_YEAR.findall("".join(one.notes)), default="")
        return one.score > _STATED, year, abs(float(unit_and_number(one.normal)[1]))

    best = max((one for one in totals or found if not one.doubt), key=rank, default=None)
    parts = (replace(one, doubt=one.doubt or "of a part", row=False) for one in found)
    return [replace(best, row=False), *parts] if best else [*parts]


def _below(
    document: DocumentText, kind: FieldType, table: TextTable, phrase: tuple[int, int]
) -> Iterator[tuple[FieldValue, bool]]:
    """The values of the column whose name a phrase is; none where the rows name it themselves."""
    text, (start, end) = document.text, phrase
    first, last = document.line_span(start)
    left, right = text.rfind("|", first, start), text.find("|", end, last)
    name = text[left + 1 : right].strip()
    named = not text[left + 1 : start].strip() and _WHOLE_NAME.match(text, end)
    if not named or table.names.count(name) != 1:  # of two, one would stand for both
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
            read = [_as_written(text, at, to)]
        else:
            read = _values(document, kind, at, to, bare=True)
        for one in (each for each in read if each.start == read[0].start):
            yield FieldValue((one,), one.start, one.end, _LABELLED), True


def _of_what(document: DocumentText, field: Field, proposal: FieldValue) -> FieldValue:
    """An amount in the unit of its table, noted with that and its period; a report's says both."""
    if field.type not in AMOUNTS:
        return proposal
    (value,), in_report = proposal.readings, field.clause == "total"
    at, is_sum = value.start, field.type in ("money", "number")
    in_table = document.row_at(at) or document.periods_of(at)
    period = document.period_at(at) if in_table or in_report else ""
    unit, line = document.unit_at(at) if is_sum else ("", (0, 0))
    scaled = in_unit(value, unit) if unit else value
    if in_report:
        period = period or "period not known"
        own = unit_of(value.text)  # a currency is all of a unit but in a table, which may scale it
        unit = unit or ("" if "scale" in own or (own and not in_table) else NO_UNIT)
    elif scaled == value:
        unit = ""
    note = ", ".join(filter(None, (period, unit)))
    also = (line,) if scaled != value else ()
    return replace(proposal, readings=(scaled,), also=also, notes=(note,) if note else ())


def _worded(
    document: DocumentText, kind: FieldType, phrase: tuple[int, int]
) -> Iterator[tuple[FieldValue, bool]]:
    """A name, a place or a text behind a label, or in the next line where it stands alone."""
    text, (start, end) = document.text, phrase
    label, opens, sure = _label(document, kind, phrase)
    (first, last), at = document.line_span(start), label.end() if label else end
    alone = opens and not text[at:last].strip()
    below = kind == "text" and not label and HEADING.match(text, first) is not None
    if below:  # what a heading is about stands below it
        at = last
    while (alone or below) and text[at : at + 1] in (" ", "\n"):
        at += 1
    labelled = bool(label or alone or below)
    score = _LABELLED if label else _NEXT_LINE if alone else _LOOSELY if below else _STATED
    found = _said(document, kind, start, at, labelled=labelled)
    if found is not None and not (below and HEADING.match(found.text + " ")):
        score = _LOOSELY if found.start < start else score
        yield FieldValue((found,), min(start, found.start), found.end, score), sure or alone


def _said(
    document: DocumentText, kind: FieldType, start: int, at: int, *, labelled: bool
) -> Reading | None:
    """What a label says in its line or cell; what a clause calls a phrase, of a text all of it."""
    text = document.text
    end = document.line_span(at)[1] if labelled else document.sentence(at, at + 1)[1]
    if kind == "text" and not labelled:
        heads = document.lines[document.line_at(start) - 1].heading
        return None if heads else _as_written(text, *document.sentence(start, at))
    if not labelled:
        led = lexicon.near("named_so").match(text, at)
        at, before = led.end() if led else at, at
        if kind == "identifier":
            code = _CODE.match(text, at)
            written = code[0].rstrip(" ._-/") if code else ""
            has_digit = any(map(str.isnumeric, written))
            return _as_written(text, at, at + len(written)) if has_digit else None
        if at <= before + 1:
            return None
    until = document.sentence(at, at + 1)[1]
    if kind == "party":  # in its sentence, as "Low Mills. The goods" is two
        return name_at(text, at, min(end, until))
    if kind == "place" and until < end:
        end = until - text.endswith(".", at, until)
    rest = _LINE_REST.match(text, at, end)
    if rest is None or not rest[0].strip():
        return None
    if kind == "place" and (not labelled or len(rest[0]) > _MOST_PLACE):
        return place_at(text, at, rest.end() if labelled else None)
    said = _CLAUSE_END.split(rest[0], maxsplit=1)[0] if kind == "identifier" else rest[0]
    end = at + len(said.rstrip())
    ended = _FULL_STOP.search(text, at, end)
    return _as_written(text, at, ended.start() if ended else end)


def _as_written(text: str, start: int, end: int) -> Reading:
    plain = " ".join(text[start:end].split())
    return Reading(start, end, plain, plain)


def mentions(document: DocumentText, words: str) -> list[FieldValue]:
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
    value = _as_written(document.text, *found.span())
    return [FieldValue((value,), value.start, value.end, _LABELLED)]
