"""What every document says of fields and of days, each value looked up where it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Literal

import regex

from corpus_agent.answering.quotations import check_quotation, read_all
from corpus_agent.answering.records import Citation
from corpus_agent.fields import lexicon, terms
from corpus_agent.fields.labelled import ALIKE, labelled, mentions, whole
from corpus_agent.fields.lexicon import MENTION, Field
from corpus_agent.fields.page import DocumentText, FieldValue
from corpus_agent.fields.parties import parties_of
from corpus_agent.text.dates import Reading
from corpus_agent.text.tokens import fold
from indexer import CorpusError

if TYPE_CHECKING:
    from indexer import FileRow, Index

_CLAUSES: dict[str, Callable[[DocumentText], list[FieldValue]]] = {
    "governing law": terms.governing_law,
    **dict.fromkeys(("agreement date", "invoice date", "document date"), terms.document_date),
    "effective date": terms.beginning,
    "expiry": terms.expiry,
    "parties": parties_of,
}
_OF_KIND = {"agreement date": "@=agreement@", "invoice date": "@=invoiced@"}  # no letter has them
DATES = Field("date", "date", (), "dated")  # every day that a document names, for a timeline
_MOST_VALUES, _SHOWN = 10_000, 5  # of a cell; of doubtful ones no more than are shown
_SURE = 0.8  # of what stands beside a phrase, to be believed where the rule of a field finds none
_MINUS = regex.compile(r"(?<![\p{L}\p{N}])[-−]\s?(?=(?:\p{Sc}|[A-Z]{3})?\s?\d)")

# doubtful: only where something else is said of it. unknown: the field was not understood.
# unreadable: nobody could look.
CellStatus = Literal["found", "several", "doubtful", "silent", "unknown", "unreadable"]
ListVerdict = Literal["yes", "no", "unclear", "silent", "unknown", "unreadable"]


@dataclass(frozen=True, slots=True)
class Cell:
    """What one document says about one field; `more`: not looked up; `rows`: a value each row."""

    status: CellStatus
    values: tuple[FieldValue, ...] = ()
    more: int = 0
    rows: bool = False
    unverified: int = 0  # values whose quotation did not hold

    @property
    def shown(self) -> tuple[FieldValue, ...]:
        """The values that a person or a model reads."""
        return self.values[:_SHOWN]

    @property
    def texts(self) -> list[str]:
        """The same as they are shown, and how many others there are."""
        others = self.more + len(self.values) - len(self.shown)
        return [*(value.shown for value in self.shown), *([f"{others:,} more"] if others else [])]


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document with a cell for each field, or why it was not read; of a list with its verdict."""

    source: str
    cells: tuple[Cell, ...]
    reason: str = ""
    changed: bool = False
    verdict: ListVerdict | None = None


@dataclass(frozen=True, slots=True)
class FieldTable:
    """Every document with what it says about each field; of a list the condition that it has."""

    fields: tuple[Field, ...]
    rows: tuple[DocumentRow, ...]
    version: int
    notices: tuple[str, ...] = ()
    condition: str = ""

    @property
    def verdicts(self) -> tuple[ListVerdict | None, ...]:
        """For each row whether it fulfils the condition."""
        return tuple(row.verdict for row in self.rows)

    @property
    def unverified(self) -> int:
        """How many values are left out, whose quotation did not hold."""
        return sum(cell.unverified for row in self.rows for cell in row.cells)

    @property
    def unreadable(self) -> int:
        """How many documents could not be looked at."""
        return sum(bool(row.reason) for row in self.rows)

    @property
    def changed(self) -> int:
        """How many were changed after they were indexed."""
        return sum(row.changed for row in self.rows)

    def count(self, column: int, *states: CellStatus) -> int:
        """In how many rows the cell of a column has one of these states."""
        return sum(row.cells[column].status in states for row in self.rows)


def table_of(
    corpus: Index,
    fields: Sequence[Field],
    *,
    on_document: Callable[[int, int], None] = lambda *_: None,
) -> FieldTable:
    """What each document says about each field, in the order of the index."""
    rows = list[DocumentRow]()
    files = [row for row in corpus.files() if row.is_document or row.is_unread]
    for done, file in enumerate(files):
        on_document(done, len(files))
        document, reason = _document(corpus, file)
        if document is None:
            rows.append(DocumentRow(file.source, (Cell("unreadable"),) * len(fields), reason))
        else:
            cells = tuple(_cell(document, field) for field in fields)
            rows.append(DocumentRow(file.source, cells, changed=document.stale))
    for at, field in enumerate(fields):
        if not (field.is_known or field.clause or any(row.cells[at].values for row in rows)):
            rows = [_not_understood(row, at) for row in rows]
    return FieldTable(tuple(fields), tuple(rows), corpus.version)


def _not_understood(row: DocumentRow, at: int) -> DocumentRow:
    """A row whose document has no words of a field that has no others."""
    silent = row.cells[at].status == "silent"
    cells = (*row.cells[:at], Cell("unknown"), *row.cells[at + 1 :])
    return replace(row, cells=cells) if silent else row


def _document(corpus: Index, file: FileRow) -> tuple[DocumentText | None, str]:
    """A document with its text, or the reason why it has none."""
    if not file.is_document:
        return None, file.reason or file.status
    try:
        whole = read_all(corpus, file.source)
    except CorpusError as error:
        return None, error.message
    return DocumentText(file.source, whole.lines, stale=whole.stale), ""


def _proposed(document: DocumentText, field: Field) -> Iterator[list[FieldValue]]:
    """The values by the rule of the field, then those beside its phrases, each best first."""
    if not lexicon.compiled(_OF_KIND.get(field.clause, "")).search(document.text):
        return
    if field.clause == MENTION:
        yield mentions(document, field.phrases[0])
    elif field.clause in ("", "total", "count", "first"):
        yield labelled(document, field)
    else:
        rule = _CLAUSES.get(field.clause)
        found = rule(document) if rule else terms.cued(document, field.clause, document.durations)
        named = fold(field.name)  # of a column of that name the first row's value is not all
        if not found or named not in fold(document.column_at(found[0].readings[0].start)):
            yield found
        # Beside "parties" stands one of them at most: only a column's cells say all.
        every = field.clause != "parties"
        beside = labelled(document, field)
        yield [one for one in beside if one.score >= _SURE and (every or one.row)]


def _best(proposals: Sequence[FieldValue]) -> list[FieldValue]:
    """The best value and the different ones that are about as good, each once."""
    kept: dict[str, FieldValue] = {}
    for proposal in proposals:
        if proposal.score >= proposals[0].score - ALIKE:
            kept.setdefault(proposal.normal.casefold(), proposal)
    return list(kept.values())


def _rows(document: DocumentText, group: Sequence[FieldValue]) -> list[FieldValue]:
    """A value for each row, where the best one is of several in a column that is called so."""
    named = [one for one in group if one.row] if group and group[0].row else []
    of_line = {document.line_at(one.start): one for one in reversed(named)}
    return [of_line[line] for line in sorted(of_line)] if len(of_line) > 1 else []


def _cell(document: DocumentText, field: Field) -> Cell:
    """The cell of the values that hold; doubtful ones stand only alone."""
    if field is DATES:
        return _held(document, terms.dated(document))
    doubtful, dropped = tuple[FieldValue, ...](), 0
    for group in _proposed(document, field):
        told = [replace(one, doubt=_doubt_of(document, one, field)) for one in group]
        told = whole(document, told) if field.clause in ("total", "count") else told
        certain = [one for one in told if not one.doubt]
        if field.clause == "first":
            certain = sorted(certain, key=attrgetter("start"))[:1]
        rows = _rows(document, told)
        sure = rows or _best(certain)
        cell = _held(document, sure[:_MOST_VALUES])
        dropped += cell.unverified
        if cell.values:
            more = len(sure[_MOST_VALUES:])
            return replace(cell, more=more, rows=bool(rows), unverified=dropped)
        if field.clause == MENTION and group:  # too little to quote, as a word alone; still there
            return Cell("found", unverified=dropped)
        doubtful = doubtful or _held(document, [one for one in told if one.doubt]).values
    status: CellStatus = "doubtful" if doubtful else "silent"
    return Cell(status, doubtful[:_SHOWN], unverified=dropped)


# ---- Whether a value holds


def _held(document: DocumentText, proposals: Sequence[FieldValue]) -> Cell:
    """A cell of the values that stand where they are quoted from."""
    every = [checked_value(document, one) for one in proposals]
    held = tuple(value for value in every if value is not None)
    status: CellStatus = "several" if len(held) > 1 else "found" if held else "silent"
    return Cell(status, held, unverified=len(every) - len(held))


def checked_value(document: DocumentText, value: FieldValue) -> FieldValue | None:
    """The value with its quotations; None if one does not stand in the document or shows it not."""
    span = value.start, value.end
    every = [_quoted(document, n, each) for n, each in enumerate((span, *value.also), start=1)]
    citations = tuple(one for one in every if one is not None)
    shows = len(citations) == len(every) and (
        value.computed
        or all(
            span[0] <= one.start and one.end <= span[1] and _shows(document, citations[0], one)
            for one in value.readings
        )
    )
    return replace(value, citations=citations) if shows else None


def _quoted(document: DocumentText, n: int, span: tuple[int, int]) -> Citation | None:
    """The sentences of a span as a quotation looked up, else its lines and those around."""
    if not 0 <= span[0] < span[1] <= len(document.written):
        return None
    around = (document.lines_around(*span, beside) for beside in (0, 1, 3))
    for start, end in (document.sentence(*span), *around):
        quote, line = document.written[start:end], document.line_at(start)
        at, cited = document.quoted.get(quote, (0, None))
        if cited is None or (cited.stands and at != line):
            cited = check_quotation(document, n, document.source, quote, line, elsewhere=False)
            document.quoted[quote] = line, cited
        if cited.stands:
            return replace(cited, n=n)
    return None


def _shows(document: DocumentText, citation: Citation, reading: Reading) -> bool:
    """Whether a value stands at its place in the document as it is read, and in its quotation."""
    there = _letters(document.written[reading.start : reading.end])
    return bool(there) and there == _letters(reading.text) and there in _letters(citation.quote)


def _letters(text: str) -> str:
    """The letters and figures of a text without mark-up, with "⁻" for the minus of an amount."""
    return "".join(each for each in _MINUS.sub("⁻", text) if each.isalnum() or each == "⁻")


# ---- Why a value does not count though its sentence has it: denied, conditional, quoted

_BEHIND = 90  # characters of the same sentence behind a value that may turn it
_AROUND = 8  # lines on either side of a figure that say what it is of
_NEAR = 60  # characters before it in which a denial is one of the value
_TITLE = 300  # characters of a document in which it calls itself a draft
_SIGN = 24  # characters on either side of an amount in which its sign stands
# Emphasis, escapes and what nobody sees stand between a sign and its amount, and change nothing.
_MARKS = regex.compile(r"[*_`\\]|\p{Cf}")
_QUOTE_ENDS = regex.compile(r"[^“”„«»\"\n]*[”“»\"]")
_BRIEF = 3  # words of a cell that says what its row is
_SHORT_QUOTE = 4  # words: a defined term, and no quotation


def _brief_cells(document: DocumentText, at: int) -> str:
    """The cells of a row that are no more than what it is, as "superseded"."""
    cells = [cell.rpartition(": ")[2] for cell in document.row_at(at).strip().strip("|").split("|")]
    return "".join(f"|{cell}" for cell in cells if len(cell.split()) <= _BRIEF)


def _doubt_of(document: DocumentText, proposal: FieldValue, field: Field) -> str:
    """Why a value does not count though its sentence has it; "" where nothing speaks against it."""
    value = proposal.readings[0]
    first, last = document.sentence(value.start, value.end)
    before, behind = document.text[first : value.start], document.text[value.end : last]
    contrast = lexicon.near("contrast")
    before, behind = contrast.split(before)[-1], contrast.split(behind)[0]
    ends, bound = lexicon.near("clause_ends"), lexicon.compiled("@=bound@")
    clause = bound.sub(" ", lexicon.near("aside").sub(" ", ends.split(before)[-1]))
    rest = ends.split(behind)[0][:_BEHIND].lstrip(" \n,([")
    said = {
        "title": document.text[:_TITLE],
        "above": document.heading_above(value.start) + _brief_cells(document, value.start),
        "sentence": f"{before}{value.text}{behind}",
        "clause": clause,
        "near": clause[-_NEAR:],
        "behind": rest,
        "around": document.text[slice(*document.lines_around(value.start, value.end, _AROUND))],
        "value": f"{clause[-_NEAR:]}{value.text}",
        "lead": document.text[document.line_span(value.start)[0] : value.start],
        "column": document.column_at(value.start),
        "asked": field.name,
        "normal": value.normal,
        "led": _MARKS.sub("", document.written[max(0, value.start - _SIGN) : value.start]),
        "followed": _MARKS.sub("", document.written[value.end : value.end + _SIGN]),
    }
    for cue in lexicon.content()["doubt"]:
        if field.type in cue.get("of", field.type) and lexicon.fits(cue, said.__getitem__):
            return str(cue["why"])
    opened = before.count('"') % 2 or max(map(before.rfind, "“„«")) > max(map(before.rfind, "”»"))
    closed = _QUOTE_ENDS.match(behind) if opened else None
    at = max(map(before.rfind, '"“„«'))
    quoted = before[at + 1 :] + value.text + closed[0] if closed else ""
    if len(quoted.split()) > _SHORT_QUOTE and not lexicon.near("reads_now").search(before[:at]):
        return "a quotation"
    return proposal.doubt
