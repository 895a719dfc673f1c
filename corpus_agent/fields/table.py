"""What every document says of fields and of days, each value looked up where it stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import regex

from corpus_agent.answering.quotations import check_quotation, read_all
from corpus_agent.answering.records import Citation
from corpus_agent.fields import terms
from corpus_agent.fields.doubt import doubt_of
from corpus_agent.fields.labelled import ALIKE, labelled, mentions, whole
from corpus_agent.fields.lexicon import MENTION, Field
from corpus_agent.fields.page import DocumentText, ProposedValue
from corpus_agent.fields.parties import parties_of
from corpus_agent.text.dates import Reading
from corpus_agent.text.tokens import fold
from indexer import CorpusError

if TYPE_CHECKING:
    from indexer import Index

_CLAUSES: dict[str, Callable[[DocumentText], list[ProposedValue]]] = {
    "governing law": terms.governing_law,
    "agreement date": terms.document_date,
    "document date": terms.document_date,
    "effective date": terms.beginning,
    "expiry": terms.expiry,
    "parties": parties_of,
    "renewal": terms.renewal_terms,
}
_MOST_VALUES, _MOST_DOUBTFUL = 10_000, 5  # of a cell; the latter where it has no others
_SHOWN = 5  # values of a cell
# The score from which what stands beside a phrase is believed where the rule of a field finds none.
_SURE = 0.8
_MINUS = regex.compile(r"(?<![\p{L}\p{N}])[-−]\s?(?=(?:\p{Sc}|[A-Z]{3})?\s?\d)")


# doubtful: only where something else is said of it. unknown: the field was not understood.
# unreadable: nobody could look.
CellStatus = Literal["found", "several", "doubtful", "silent", "unknown", "unreadable"]


@dataclass(frozen=True, slots=True)
class FieldValue:
    """A value with whole sentences or rows as its evidence; `doubt` says why it does not count."""

    text: str
    normal: str
    citations: tuple[Citation, ...]
    computed: bool = False
    doubt: str = ""
    notes: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """The value as the document writes it, with what qualifies it."""
        written = f"until {self.normal} (computed)" if self.computed else self.text
        if any(self.notes):
            named = zip(self.text.split("; "), self.notes, strict=False)
            written = "; ".join(f"{one} ({note})" if note else one for one, note in named)
        return written + (f" (doubtful: {self.doubt})" if self.doubt else "")


@dataclass(frozen=True, slots=True)
class Cell:
    """What one document says about one field; `more`: not looked up; `rows`: a value each row."""

    status: CellStatus
    values: tuple[FieldValue, ...] = ()
    more: int = 0
    rows: bool = False

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
    """One document of a table, with a cell for each field, or the reason why it was not read."""

    source: str
    cells: tuple[Cell, ...]
    reason: str = ""
    changed: bool = False


@dataclass(frozen=True, slots=True)
class FieldTable:
    """Every document with what it says; `unverified` counts values whose quotation did not hold."""

    fields: tuple[Field, ...]
    rows: tuple[DocumentRow, ...]
    version: int
    unverified: int = 0
    notices: tuple[str, ...] = ()

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
    rows, unverified = list[DocumentRow](), 0
    for source, document, reason in each_document(corpus, on_document):
        if document is None:
            rows.append(DocumentRow(source, (Cell("unreadable"),) * len(fields), reason))
            continue
        found = [_cell(document, field) for field in fields]
        unverified += sum(dropped for _, dropped in found)
        rows.append(DocumentRow(source, tuple(cell for cell, _ in found), changed=document.stale))
    for at, field in enumerate(fields):
        looked_up = field.is_known or field.clause == MENTION
        if not (looked_up or any(row.cells[at].values for row in rows)):
            rows = [_not_understood(row, at) for row in rows]
    return FieldTable(tuple(fields), tuple(rows), corpus.version, unverified)


def _not_understood(row: DocumentRow, at: int) -> DocumentRow:
    """A row whose document has no words of a field that has no others."""
    silent = row.cells[at].status == "silent"
    cells = (*row.cells[:at], Cell("unknown"), *row.cells[at + 1 :])
    return replace(row, cells=cells) if silent else row


def each_document(
    corpus: Index, on_document: Callable[[int, int], None]
) -> Iterator[tuple[str, DocumentText | None, str]]:
    """Every document with its text, or the reason why it has none."""
    files = [row for row in corpus.files() if row.is_document or row.is_unread]
    for done, file in enumerate(files):
        on_document(done, len(files))
        document, reason = None, ""
        if not file.is_document:
            reason = file.reason or file.status
        else:
            try:
                first = corpus.read(file.source)
                lines = first.lines if first.next_offset is None else read_all(corpus, file.source)
                document = DocumentText(file.source, lines, stale=first.stale)
            except CorpusError as error:
                reason = error.message
        yield file.source, document, reason


def proposed(document: DocumentText, field: Field) -> Iterator[list[ProposedValue]]:
    """The values by the rule of the field, then those beside its phrases, each best first."""
    if field.clause == MENTION:
        yield mentions(document, field.phrases[0])
    elif field.clause == "total":
        found = labelled(document, field)
        doubted = (replace(one, doubt=doubt_of(document, one, field.type)) for one in found)
        yield whole(document, [*doubted])
    elif field.clause in _CLAUSES or (field.clause and field.type == "duration"):
        rule = _CLAUSES.get(field.clause)
        found = rule(document) if rule else terms.cued(document, field.clause, document.durations)
        named = fold(field.name)  # of a column of that name the first row's value is not all
        if not found or named not in fold(document.column_at(found[0].readings[0].start)):
            yield found
        # Beside "parties" stands one of them at most: only a column's cells say all.
        every = field.clause != "parties"
        yield [
            one for one in labelled(document, field) if one.score >= _SURE and (every or one.row)
        ]
    else:
        yield labelled(document, field)


def _best(proposals: Sequence[ProposedValue]) -> list[ProposedValue]:
    """The best value and the different ones that are about as good, each once."""
    kept: dict[str, ProposedValue] = {}
    for proposal in proposals:
        if proposal.score >= proposals[0].score - ALIKE:
            kept.setdefault(proposal.normal.casefold(), proposal)
    return list(kept.values())


def _rows(document: DocumentText, group: Sequence[ProposedValue]) -> list[ProposedValue]:
    """A value for each row, where the best one is of several in a column that is called so."""
    named = [one for one in group if one.row] if group and group[0].row else []
    of_line = {document.line_at(one.start): one for one in reversed(named)}
    return [of_line[line] for line in sorted(of_line)] if len(of_line) > 1 else []


def _cell(document: DocumentText, field: Field) -> tuple[Cell, int]:
    """The cell of the values that hold, and how many do not; doubtful ones stand only alone."""
    doubtful: list[FieldValue] = []
    dropped = 0
    for group in proposed(document, field):
        doubts = {one: doubt_of(document, one, field.type) for one in group}
        rows = _rows(document, group)
        sure = rows or _best([one for one in group if not doubts[one]])
        tried = sure[:_MOST_VALUES]
        held = [value for one in tried if (value := checked_value(document, one, doubts[one]))]
        dropped += len(tried) - len(held)
        if held:
            status: CellStatus = "found" if len(held) == 1 else "several"
            return Cell(status, tuple(held), len(sure) - len(tried), bool(rows)), dropped
        if field.clause == MENTION and group:
            return Cell("found"), dropped  # too little to quote, as a word alone; still there
        if not doubtful:
            unsure = (one for one in group if doubts[one])
            found = (checked_value(document, one, doubts[one]) for one in unsure)
            doubtful = [*filter(None, found)][:_MOST_DOUBTFUL]
    return Cell("doubtful", tuple(doubtful)) if doubtful else Cell("silent"), dropped


# ---- Whether a value holds


def checked_value(
    document: DocumentText, proposal: ProposedValue, doubt: str = ""
) -> FieldValue | None:
    """The value with its quotations; None if one does not stand in the document or shows it not."""
    span, citations = (proposal.start, proposal.end), list[Citation]()
    for n, each in enumerate((span, *proposal.also), start=1):
        citation = quoted_span(document, n, each)
        if citation is None:
            return None
        citations.append(citation)
    if not proposal.computed and not all(
        span[0] <= reading.start
        and reading.end <= span[1]
        and shows(document, citations[0], reading)
        for reading in proposal.readings
    ):
        return None
    return FieldValue(
        proposal.text, proposal.normal, tuple(citations), proposal.computed, doubt, proposal.notes
    )


def quoted_span(document: DocumentText, n: int, span: tuple[int, int]) -> Citation | None:
    """The sentences of a span as a quotation looked up, else its lines and those around."""
    if not 0 <= span[0] < span[1] <= len(document.written):
        return None
    around = (document.lines_around(*span, beside) for beside in (0, 1, 3))
    for start, end in (document.sentence(*span), *around):
        quote, line = document.written[start:end], document.line_at(start)
        if quote in document.unquotable:
            continue
        citation = check_quotation(document, n, document.source, quote, line, elsewhere=False)
        if citation.stands:
            return citation
        document.unquotable.add(quote)
    return None


def shows(document: DocumentText, citation: Citation, reading: Reading) -> bool:
    """Whether a value stands at its place in the document as it is read, and in its quotation."""
    there = _letters(document.written[reading.start : reading.end])
    return bool(there) and there == _letters(reading.text) and there in _letters(citation.quote)


def _letters(text: str) -> str:
    """The letters and figures of a text without mark-up, with "⁻" for the minus of an amount."""
    return "".join(each for each in _MINUS.sub("⁻", text) if each.isalnum() or each == "⁻")


# ---- What every document says of days


@dataclass(frozen=True, slots=True)
class DatedStatement:
    """A sentence with a date; `either`: read in two ways; `year_from`: the words with its year."""

    day: str
    citation: Citation
    either: bool = False
    column: str = ""
    year_from: str = ""


@dataclass(frozen=True, slots=True)
class Timeline:
    """The dated statements of all documents, by date, and how many documents gave none."""

    statements: tuple[DatedStatement, ...]
    looked_at: int
    undated: int
    unread: tuple[tuple[str, str], ...]
    changed: int
    unverified: int
    version: int
    notices: tuple[str, ...] = ()


def timeline_of(
    corpus: Index, on_document: Callable[[int, int], None] = lambda *_: None
) -> Timeline:
    """The dated statements of every document, in order."""
    found: list[DatedStatement] = []
    unread: list[tuple[str, str]] = []
    looked_at = undated = changed = unverified = 0
    for source, document, reason in each_document(corpus, on_document):
        looked_at += 1
        if document is None:
            unread.append((source, reason))
            continue
        statements, dropped = _statements(document)
        undated += not (statements or dropped)
        changed += document.stale
        unverified += dropped
        found += statements
    found.sort(key=lambda one: (one.day, one.citation.source, one.citation.line_start))
    counts = undated, tuple(unread), changed, unverified, corpus.version
    return Timeline(tuple(found), looked_at, *counts)


def _statements(document: DocumentText) -> tuple[list[DatedStatement], int]:
    """The dated statements of one document, each sentence once a day; and how many did not hold."""
    made = next((one.readings[0] for one in terms.document_date(document)), None)
    every = (*((reading, "") for reading in document.dates), *document.dates_of(made))
    dates = [each for each in every if each[0].start >= document.matter[1]]
    starts = Counter(reading.start for reading, _ in dates)
    quoted: dict[tuple[int, int], Citation | None] = {}
    found: dict[tuple[str, tuple[int, int]], DatedStatement] = {}
    dropped = 0
    for reading, year_from in dates:
        span = document.sentence(reading.start, reading.end)
        if span not in quoted:
            quoted[span] = quoted_span(document, 1, (reading.start, reading.end))
            dropped += quoted[span] is None
        citation = quoted[span]
        if citation is not None and not shows(document, citation, reading):
            dropped += 1
        elif citation is not None:
            either = starts[reading.start] > 1
            column = document.column_at(reading.start)
            statement = DatedStatement(reading.normal, citation, either, column, year_from)
            found.setdefault((reading.normal, span), statement)
    return list(found.values()), dropped
