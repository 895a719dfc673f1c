"""A table of fields: every document of an index looked at, every value looked up where it stands.

Reads each document once, as it is now, through the index; proposes values by the rules of its
fields, and keeps those whose quotation the evidence check finds. A model may be asked too: what it
says goes through the same check. Called by service.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from corpus_agent.answering.quotations import read_all
from corpus_agent.fields.beginning import beginning
from corpus_agent.fields.checked import checked_value
from corpus_agent.fields.clauses import document_date, governing_law
from corpus_agent.fields.due import due_in_days
from corpus_agent.fields.expiry import expiry
from corpus_agent.fields.labelled import ALIKE, labelled
from corpus_agent.fields.languages import fields_elsewhere
from corpus_agent.fields.mentions import MENTION, mentions
from corpus_agent.fields.notice import notice_periods
from corpus_agent.fields.page import DocumentText
from corpus_agent.fields.parties import parties_of
from corpus_agent.fields.records import (
    WORDED,
    Cell,
    DocumentRow,
    Field,
    FieldTable,
    FieldType,
    ModelReading,
    ProposedValue,
    SaidValue,
)
from corpus_agent.fields.said_values import proposals_of, with_said
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
_UNREADABLE = ("empty", "failed")


class Documents(Readable, Protocol):
    """An index whose files can be listed and read."""

    @property
    def version(self) -> int:
        """The committed version."""
        ...

    def files(self, paths: Sequence[str] = (), not_paths: Sequence[str] = ()) -> list[FileRow]:
        """The rows of all files, or of those that paths select, by source."""
        ...

    def main_languages(self) -> dict[str, str]:
        """The code of each document's language, "" where it is not told."""
        ...


class FieldReader(Protocol):
    """A model that reads the best sentences of each document."""

    def read(
        self,
        document: DocumentText,
        fields: Sequence[Field],
        proposals: Sequence[Sequence[ProposedValue]],
    ) -> Sequence[SaidValue]:
        """What it says of the fields, unchecked; `proposals` are what rules found for each."""
        ...

    def reading(self) -> ModelReading:
        """How many documents it read and gave no answer for."""
        ...


def table_of(
    corpus: Documents,
    fields: Sequence[Field],
    *,
    paths: Sequence[str] = (),
    not_paths: Sequence[str] = (),
    sources: Sequence[str] | None = None,
    reader: FieldReader | None = None,
    on_document: Callable[[int, int], None] = lambda *_: None,
) -> FieldTable:
    """What each document says about each field: all, those that paths select, or `sources`.

    The rows stand in the order of `sources`, else in that of the index. `on_document` is called
    with how many were looked at and how many there are. Files that are no documents (binary, too
    large) are left out; those that gave no text are rows that say why.
    `reader` is a model that is asked too.
    """
    chosen = [
        row
        for row in chosen_files(corpus, paths, not_paths)
        if sources is None or row.source in sources
    ]
    if sources is not None:
        chosen.sort(key=lambda row: sources.index(row.source))
    rows, unverified = [], 0
    counts: Counter[str] = Counter()
    for done, file in enumerate(chosen):
        on_document(done, len(chosen))
        row, dropped = _row(corpus, file, fields, reader, counts)
        rows.append(row)
        unverified += dropped
    reading = None
    if reader is not None:
        taken, agreed, refused = (counts[name] for name in ("taken", "agreed", "refused"))
        reading = replace(reader.reading(), taken=taken, agreed=agreed, refused=refused)
    return FieldTable(
        tuple(fields),
        tuple(rows),
        corpus.version,
        unverified,
        reading=reading,
        elsewhere=fields_elsewhere(fields, rows, corpus.main_languages()),
    )


def chosen_files(
    corpus: Documents, paths: Sequence[str] = (), not_paths: Sequence[str] = ()
) -> list[FileRow]:
    """The files that are looked at: documents, and those that should be and gave no text."""
    return [
        row
        for row in corpus.files(paths, not_paths)
        if row.is_document or row.status in _UNREADABLE
    ]


def _row(
    corpus: Documents,
    file: FileRow,
    fields: Sequence[Field],
    reader: FieldReader | None,
    counts: Counter[str],
) -> tuple[DocumentRow, int]:
    """The row of one file, and how many of its values were dropped because they did not hold.

    What became of the values of a model is added to `counts`.
    """
    if file.is_blank:  # it was read, and there is nothing in it
        return DocumentRow(file.source, tuple(Cell("silent") for _ in fields)), 0
    unread = tuple(Cell("unreadable") for _ in fields)
    if not file.is_document:
        return DocumentRow(file.source, unread, reason=file.reason or file.status), 0
    try:
        document = document_of(corpus, file.source)
    except CorpusError as error:
        return DocumentRow(file.source, unread, reason=error.message), 0
    cells, dropped = [], 0
    found = [proposed(document, field) for field in fields]
    for field, proposals in zip(fields, found, strict=True):
        cell, lost = _cell(document, proposals, field.type)
        if field.clause == MENTION and proposals and not cell.values:
            cell = Cell("found")  # too little to quote, as a word alone in its lines; still there
        cells.append(cell)
        dropped += lost
    if reader is not None:
        said = reader.read(document, fields, found)
        cells = [
            _with_model(document, field, cell, [one for one in said if one.field == at], counts)
            for at, (field, cell) in enumerate(zip(fields, cells, strict=True))
        ]
    return DocumentRow(file.source, tuple(cells), changed=document.stale), dropped


def _with_model(
    document: DocumentText,
    field: Field,
    cell: Cell,
    said: Sequence[SaidValue],
    counts: Counter[str],
) -> Cell:
    """A cell with the values of a model that stand in the document; the others are counted."""
    held = []
    for one in said:
        proposals = proposals_of(document, field, one)
        values = [
            value for each in proposals if (value := checked_value(document, each, field.type))
        ]
        counts["refused"] += not values
        held += values
    changed, agreed = with_said(cell, held)
    counts["agreed"] += agreed
    counts["taken"] += sum(value.by_model for value in changed.values)
    return changed


def document_of(corpus: Readable, source: str) -> DocumentText:
    """A document with all its lines; raises Refused as reading does."""
    first = corpus.read(source)
    lines = first.lines if first.next_offset is None else read_all(corpus, source)
    return DocumentText(source, lines, stale=first.stale)


def proposed(document: DocumentText, field: Field) -> list[ProposedValue]:
    """The values that a document may say: by the rule of the field, else beside its phrases.

    None that the document denies: "is not 900 euros", "formerly 900".
    """
    found = _proposed(document, field)
    if field.type in WORDED:
        return found
    return [one for one in found if one.computed or not document.denies(one.readings[0])]


def _proposed(document: DocumentText, field: Field) -> list[ProposedValue]:
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
    """The cell of the values that hold, and how many do not."""
    values = [value for proposal in proposals if (value := checked_value(document, proposal, kind))]
    dropped = len(proposals) - len(values)
    if not values:
        return Cell("silent"), dropped
    return Cell("found" if len(values) == 1 else "several", tuple(values)), dropped
