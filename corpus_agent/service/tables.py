"""Tables of fields for every door: what rules find in each document, and what a model adds to it.

What a model said of a document is kept beside the document's text, so that a table that was stopped
goes on where it was, and one that is asked again asks nothing twice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from corpus_agent import fields, models
from corpus_agent.fields.records import ModelReading, SaidValue
from corpus_agent.text.naming import answerer
from corpus_agent.text.wording import number_of
from indexer import CorpusError

if TYPE_CHECKING:
    from corpus_agent.agent.field_reader import ModelFieldReader
    from corpus_agent.fields.page import DocumentText
    from corpus_agent.fields.records import Field, FieldTable, ProposedValue
    from corpus_agent.startup import Launch
    from indexer import Index

READ_AS = "2"  # raised when a model is asked otherwise, so that what it said before counts no more
MOST = 8  # values of one field in one document
MOST_FAILURES = 3  # documents in a row without an answer: then the model is asked no more


def table(
    corpus: Index,
    columns: Sequence[Field],
    launch: Launch,
    reader: ModelFieldReader | None = None,
    *,
    on_document: Callable[[int, int], None] = lambda *_: None,
    on_wait: Callable[[], None] = lambda: None,
) -> FieldTable:
    """What each document says about each column; with `reader` the launch's model reads it too.

    `on_wait` is called often while the model is asked; what it raises ends the table.
    """
    asked = KeptFieldReader(corpus, reader, launch.egress, on_wait) if reader else None
    made = fields.table.table_of(corpus, columns, reader=asked, on_document=on_document)
    said = (*launch.notices, *asked.notices()) if asked is not None else ()
    return replace(made, notices=(*made.notices, *corpus.notices, *said))


class KeptFieldReader:
    """Asks a model only what it has not said before of the same text; keeps what it says at once.

    A model that fails for several documents in a row is asked no more.
    """

    def __init__(
        self,
        corpus: Index,
        reader: ModelFieldReader,
        egress: str | None,
        on_wait: Callable[[], None],
    ) -> None:
        self._corpus = corpus
        self._reader = reader
        self._on_wait = on_wait
        self._counts = ModelReading(answerer(reader.model), egress=egress)
        self._failures = 0  # in a row
        self._problem: CorpusError | None = None
        self._unkept = 0

    def read(
        self,
        document: DocumentText,
        fields: Sequence[Field],
        proposals: Sequence[Sequence[ProposedValue]],
    ) -> Sequence[SaidValue]:
        """What the model says, or said before; nothing where it fails, which is counted."""
        notes = self._corpus.notes(document.source)
        about = _about(self._reader.model, document)
        known = _known(notes.get(about))
        keys = [_key(field) for field in fields]
        new = [at for at, key in enumerate(keys) if key not in known]
        if not new:
            self._counts = replace(self._counts, known=self._counts.known + 1)
        elif self._failures < MOST_FAILURES:
            said = self._asked(document, [fields[at] for at in new], [proposals[at] for at in new])
            if said is not None:
                for at, field in enumerate(new):
                    its = [(one.value, one.quote) for one in said if one.field == at]
                    known[keys[field]] = its[:MOST]
                self._unkept += not notes.put(about, json.dumps(known).encode())
        else:
            self._counts = replace(self._counts, unanswered=self._counts.unanswered + 1)
        return [
            SaidValue(at, value, quote)
            for at, key in enumerate(keys)
            for value, quote in known.get(key, ())
        ]

    def _asked(
        self,
        document: DocumentText,
        fields: Sequence[Field],
        proposals: Sequence[Sequence[ProposedValue]],
    ) -> Sequence[SaidValue] | None:
        try:
            said = self._reader.read(document, fields, proposals, self._on_wait)
        except models.discovery.ModelUnavailable as error:
            self._failures, self._problem = self._failures + 1, error
            self._counts = replace(self._counts, unanswered=self._counts.unanswered + 1)
            return None
        self._failures = 0
        self._counts = replace(self._counts, asked=self._counts.asked + 1)
        return said

    def reading(self) -> ModelReading:
        """The counts so far."""
        return self._counts

    def notices(self) -> tuple[str, ...]:
        """What went wrong, as messages for the user."""
        found = []
        if self._problem is not None:
            found.append(
                f"The model gave no answer for {number_of(self._counts.unanswered, 'document')}, "
                f"whose cells are what rules found: {self._problem} "
                "The same command asks for them again."
            )
        if self._unkept:
            found.append(
                f"What the model said of {number_of(self._unkept, 'document')} could not be kept "
                "beside the texts: the next table asks it again."
            )
        return tuple(found)


def _about(model: str, document: DocumentText) -> str:
    """The name of what a model said of a text."""
    written = hashlib.sha256(document.written.encode("utf-8", "replace")).hexdigest()
    return f"fields {READ_AS}\n{model}\n{written}"


def _key(field: Field) -> str:
    """A field as a model is asked for it, and the rules rank its sentences."""
    content = {**asdict(field), "clause": None}
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:32]


def _known(note: bytes | None) -> dict[str, list[tuple[str, str]]]:
    """What was said before, by field; nothing where the note is none of ours."""
    if note is None:
        return {}
    try:
        kept = json.loads(note)
        return {str(key): [(str(a), str(b)) for a, b in said[:MOST]] for key, said in kept.items()}
    except (ValueError, TypeError, AttributeError, RecursionError):
        return {}
