"""A table of fields: every document of an index looked at, every value looked up where it stands.

Reads each document once, as it is now; proposes values by the rules of its fields, and keeps those
whose quotation the evidence check finds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from corpus_agent.answering.quotations import read_all
from corpus_agent.fields.checked import checked_value
from corpus_agent.fields.definition import MENTION
from corpus_agent.fields.labelled import ALIKE, labelled, mentions
from corpus_agent.fields.page import DocumentText
from corpus_agent.fields.parties import parties_of
from corpus_agent.fields.records import (
    Cell,
    DocumentRow,
    Field,
    FieldTable,
    FieldType,
    ProposedValue,
)
from corpus_agent.fields.terms import (
    beginning,
    document_date,
    due_in_days,
    expiry,
    governing_law,
    notice_periods,
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
}
_MOST_VALUES = 5  # of a cell that has several
# The score from which what stands beside a phrase is believed where the rule of a field finds none.
_SURE = {"effective date": 0.6}
SURE = 0.8


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
    """What each document says about each field, in the order of the index.

    `on_document` is called with how many were looked at and how many there are. Files that are no
    documents (binary, too large) are left out; those that gave no text are rows that say why.
    """
    chosen = chosen_files(corpus)
    rows, unverified = [], 0
    for done, file in enumerate(chosen):
        on_document(done, len(chosen))
        row, dropped = _row(corpus, file, fields)
        rows.append(row)
        unverified += dropped
    return FieldTable(tuple(fields), tuple(rows), corpus.version, unverified)


def chosen_files(corpus: Documents) -> list[FileRow]:
    """The files that are looked at: documents, and those that should be and gave no text."""
    rows = corpus.files()
    return [row for row in rows if row.is_document or row.status in ("empty", "failed")]


def _row(corpus: Documents, file: FileRow, fields: Sequence[Field]) -> tuple[DocumentRow, int]:
    """The row of one file, and how many of its values were dropped because they did not hold."""
    if file.is_blank:  # it was read, and there is nothing in it
        return DocumentRow(file.source, tuple(Cell("silent") for _ in fields)), 0
    try:
        document = document_of(corpus, file)
    except CorpusError as error:
        unread = tuple(Cell("unreadable") for _ in fields)
        return DocumentRow(file.source, unread, reason=error.message), 0
    cells, dropped = [], 0
    for field in fields:
        proposals = proposed(document, field)
        cell, lost = _cell(document, proposals, field.type)
        if field.clause == MENTION and proposals and not cell.values:
            cell = Cell("found")  # too little to quote, as a word alone in its lines; still there
        cells.append(cell)
        dropped += lost
    return DocumentRow(file.source, tuple(cells), changed=document.stale), dropped


def document_of(corpus: Readable, file: FileRow) -> DocumentText:
    """A document with all its lines; raises CorpusError where it cannot be read."""
    if not file.is_document:
        raise CorpusError(file.reason or file.status)
    first = corpus.read(file.source)
    lines = first.lines if first.next_offset is None else read_all(corpus, file.source)
    return DocumentText(file.source, lines, stale=first.stale)


def proposed(document: DocumentText, field: Field) -> list[ProposedValue]:
    """The values that a document may say: by the rule of the field, else beside its phrases."""
    if field.clause == MENTION:
        return mentions(document, field.phrases[0])
    if field.clause == "notice period":
        return _best(notice_periods(document, labelled(document, field)))
    if field.clause == "due date":
        return _best(labelled(document, field) or due_in_days(document))
    rule = _CLAUSES.get(field.clause)
    if rule is None:
        return _best(labelled(document, field))
    sure = (one for one in labelled(document, field) if one.score >= _SURE.get(field.clause, SURE))
    return _best(rule(document) or list(sure))


def _best(proposals: Sequence[ProposedValue]) -> list[ProposedValue]:
    """The best value and the different ones that are about as good, each once."""
    if not proposals:
        return []
    least = proposals[0].score - ALIKE
    kept: dict[str, ProposedValue] = {}
    for proposal in proposals:
        if proposal.score >= least:
            kept.setdefault(proposal.normal.casefold(), proposal)
    return list(kept.values())[:_MOST_VALUES]


def _cell(
    document: DocumentText, proposals: Sequence[ProposedValue], kind: FieldType
) -> tuple[Cell, int]:
    """The cell of the values that hold, and how many do not; doubtful ones stand only alone."""
    held = [value for proposal in proposals if (value := checked_value(document, proposal, kind))]
    dropped = len(proposals) - len(held)
    sure = tuple(value for value in held if not value.doubt)
    if sure:
        return Cell("found" if len(sure) == 1 else "several", sure), dropped
    return (Cell("doubtful", tuple(held)) if held else Cell("silent")), dropped
