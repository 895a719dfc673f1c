"""The records of a table of fields: what is looked for, and what each document says. Data only."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from corpus_agent.answering.records import Citation
from corpus_agent.text.values import Reading

# A rate is a share, or an amount for each hour or metre: which of them, its value says.
FieldType = Literal[
    "date", "money", "duration", "percent", "rate", "party", "place", "number", "text"
]
FIELD_TYPES: tuple[FieldType, ...] = (
    "date",
    "money",
    "duration",
    "percent",
    "rate",
    "party",
    "place",
    "number",
    "text",
)
WORDED: tuple[FieldType, ...] = ("party", "place", "text")  # with no form but their words
# found: the document says it. several: it says different things, or a date that may be read in two
# ways. silent: it does not say it. unreadable: nobody could look.
CellStatus = Literal["found", "several", "silent", "unreadable"]


@dataclass(frozen=True, slots=True)
class Field:
    """A column: its title, its type, and the phrases that a document may call it by, best first.

    `clause` names the rule that finds it where a label is not enough: "governing law", "parties".
    `question` is what a column of a file asks, for a model that reads.
    """

    name: str
    type: FieldType
    phrases: tuple[str, ...]
    clause: str = ""
    question: str = ""


@dataclass(frozen=True, slots=True)
class ProposedValue:
    """A value with the span that states it, before it is looked up; `score` orders proposals.

    `also` are the spans that a computed value rests on besides.
    """

    readings: tuple[Reading, ...]
    start: int
    end: int
    score: float
    also: tuple[tuple[int, int], ...] = ()

    @property
    def normal(self) -> str:
        """The values in their normal form, joined."""
        return "; ".join(reading.normal for reading in self.readings)

    @property
    def text(self) -> str:
        """The values as they are written, joined."""
        return "; ".join(dict.fromkeys(reading.text for reading in self.readings))

    @property
    def computed(self) -> bool:
        """Whether the value is not written in the document but follows from what is."""
        return bool(self.also)


@dataclass(frozen=True, slots=True)
class FieldValue:
    """A value with its evidence: quotations that were looked up in the document.

    A computed one has a quotation for each thing that it was computed from. `by_model`: a model
    pointed to it, and no rule found it.
    """

    text: str
    normal: str
    citations: tuple[Citation, ...]
    computed: bool = False
    by_model: bool = False

    @property
    def shown(self) -> str:
        """The normal form for a person: "until" a day that a term was counted to."""
        return f"until {self.normal}" if self.computed else self.normal

    @property
    def hidden(self) -> bool:
        """Whether the document shows its reader a quotation that it rests on not, or not whole."""
        return any(citation.hidden for citation in self.citations)


@dataclass(frozen=True, slots=True)
class SaidValue:
    """What a model says of the field at a place of those that were asked; nothing is checked."""

    field: int
    value: str
    quote: str


@dataclass(frozen=True, slots=True)
class ModelReading:
    """What a model brought to a table.

    `asked` documents it read now, `known` is how many it had read before, `unanswered` how many it
    gave no answer for. `taken` are its values that no rule found, `agreed` those that one found,
    `refused` those that do not stand in the document as it quoted them.
    """

    model: str
    asked: int = 0
    known: int = 0
    unanswered: int = 0
    taken: int = 0
    agreed: int = 0
    refused: int = 0
    egress: str | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """What one document says about one field; `values` is empty unless it says something.

    Also where a document mentions a term at a place that is too little to be quoted.
    """

    status: CellStatus
    values: tuple[FieldValue, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """One document of a table, with a cell for each field.

    `reason` says why it could not be looked at; `changed`: it was read as it is now, and is not
    what was indexed.
    """

    source: str
    cells: tuple[Cell, ...]
    reason: str = ""
    changed: bool = False


@dataclass(frozen=True, slots=True)
class OtherLanguage:
    """How many documents are in a language in which words of ours may find nothing.

    `field` is the place of the field whose words they are; None: the months of dates.
    """

    language: str
    documents: int
    field: int | None = None


@dataclass(frozen=True, slots=True)
class FieldTable:
    """Every document with what it says; `unverified` counts values whose quotation did not hold.

    `elsewhere` are the languages in which no document says a field that may be called otherwise
    there. `reading` is what a model that was asked too brought, None without one.
    """

    fields: tuple[Field, ...]
    rows: tuple[DocumentRow, ...]
    version: int
    unverified: int = 0
    notices: tuple[str, ...] = field(default=())
    reading: ModelReading | None = None
    elsewhere: tuple[OtherLanguage, ...] = ()

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
