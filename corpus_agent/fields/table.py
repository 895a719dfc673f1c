"""A table of fields: every document looked at, every value looked up where it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from corpus_agent.answering.quotations import read_all
from corpus_agent.fields.checked import checked_value, doubt_of, stated_outright
from corpus_agent.fields.definition import MENTION
from corpus_agent.fields.labelled import ALIKE, labelled, mentions
from corpus_agent.fields.page import DocumentText
from corpus_agent.fields.parties import parties_of
from corpus_agent.fields.records import (
    Cell,
    CellStatus,
    DocumentRow,
    Field,
    FieldTable,
    FieldValue,
    ProposedValue,
)
from corpus_agent.fields.terms import (
    beginning,
    document_date,
    expiry,
    governing_law,
    notice_periods,
    renewal_notices,
    renewal_terms,
)
from corpus_agent.tools.corpus import Readable
from indexer import CorpusError, FileRow

_CLAUSES: dict[str, Callable[[DocumentText], list[ProposedValue]]] = {
    "governing law": governing_law,
    "agreement date": document_date,
    "document date": document_date,
    "effective date": beginning,
    "expiry": expiry,
    "parties": parties_of,
    "renewal": renewal_terms,
    "renewal notice": renewal_notices,
}
_MOST_VALUES, _MOST_DOUBTFUL = 1_000, 5  # of a cell; the latter where it has no others
# The score from which what stands beside a phrase is believed where the rule of a field finds none.
_SURE = 0.8


class Documents(Readable, Protocol):
    """An index whose files can be listed and read."""

    @property
    def version(self) -> int:
        """The committed version."""
        ...

    def files(self, paths: Sequence[str] = (), not_paths: Sequence[str] = ()) -> list[FileRow]:
        """The rows of all files, or of those that paths select, by source."""
        ...


def table_of(
    corpus: Documents,
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
    unknown = [at for at, field in enumerate(fields) if _is_unknown(field, at, rows)]
    rows = [replace(row, cells=tuple(_cells(row, unknown))) for row in rows] if unknown else rows
    return FieldTable(tuple(fields), tuple(rows), corpus.version, unverified)


def _is_unknown(field: Field, column: int, rows: Sequence[DocumentRow]) -> bool:
    """Whether a field was not understood: no document has its words, and it has no others."""
    looked_up = field.is_known or field.clause == MENTION
    return not looked_up and not any(row.cells[column].values for row in rows)


def _cells(row: DocumentRow, unknown: Sequence[int]) -> Iterator[Cell]:
    for column, cell in enumerate(row.cells):
        yield Cell("unknown") if column in unknown and cell.status == "silent" else cell


def each_document(
    corpus: Documents, on_document: Callable[[int, int], None]
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
                document = _document_of(corpus, file.source)
            except CorpusError as error:
                reason = error.message
        yield file.source, document, reason


def _document_of(corpus: Readable, source: str) -> DocumentText:
    first = corpus.read(source)
    lines = first.lines if first.next_offset is None else read_all(corpus, source)
    return DocumentText(source, lines, stale=first.stale)


def proposed(document: DocumentText, field: Field) -> list[ProposedValue]:
    """The values that a document may say: by the rule of the field, else beside its phrases."""
    return next((_best(group) for group in _proposed(document, field) if group), [])


def _proposed(document: DocumentText, field: Field) -> Iterator[list[ProposedValue]]:
    """The values by the rule of the field, then those beside its phrases, each best first."""
    if field.clause == MENTION:
        yield mentions(document, field.phrases[0])
    elif field.clause == "notice period":
        yield notice_periods(document, labelled(document, field))
    elif rule := _CLAUSES.get(field.clause):
        yield rule(document)
        yield [one for one in labelled(document, field) if one.score >= _SURE]
    else:
        yield labelled(document, field)


def _best(proposals: Sequence[ProposedValue]) -> list[ProposedValue]:
    """The best value and the different ones that are about as good, each once."""
    kept: dict[str, ProposedValue] = {}
    for proposal in proposals:
        if proposal.score >= proposals[0].score - ALIKE:
            kept.setdefault(proposal.normal.casefold(), proposal)
    return list(kept.values())


def _cell(document: DocumentText, field: Field) -> tuple[Cell, int]:
    """The cell of the values that hold, and how many do not; doubtful ones stand only alone."""
    doubtful: list[FieldValue] = []
    dropped = 0
    for group in _proposed(document, field):
        doubts = [doubt_of(document, one.readings[0], field.type) for one in group]
        sure = _best([one for one, doubt in zip(group, doubts, strict=True) if not doubt])
        outright = [one for one in sure if stated_outright(document, one)]
        tried = (outright or sure)[:_MOST_VALUES]
        held = [value for one in tried if (value := checked_value(document, one))]
        dropped += len(tried) - len(held)
        if held:
            status: CellStatus = "found" if len(held) == 1 else "several"
            return Cell(status, tuple(held), len(sure) - len(tried)), dropped
        if field.clause == MENTION and group:
            return Cell("found"), dropped  # too little to quote, as a word alone; still there
        if not doubtful:
            unsure = ((one, doubt) for one, doubt in zip(group, doubts, strict=True) if doubt)
            found = (checked_value(document, one, doubt) for one, doubt in unsure)
            doubtful = [*filter(None, found)][:_MOST_DOUBTFUL]
    return Cell("doubtful", tuple(doubtful)) if doubtful else Cell("silent"), dropped
