"""The records of a table of fields: what is looked for, and what each document says. Data only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from corpus_agent.answering.records import Citation
from corpus_agent.text.dates import Reading

# A rate is a share, or an amount for each hour or metre: which of them, its value says.
FieldType = Literal[
    "date", "money", "duration", "percent", "rate", "party", "place", "number", "identifier", "text"
]
WORDED: tuple[FieldType, ...] = (
    "party",
    "place",
    "identifier",
    "text",
)  # with no form but their words
# doubtful: only where something else is said of it. unknown: the field was not understood.
# unreadable: nobody could look.
CellStatus = Literal["found", "several", "doubtful", "silent", "unknown", "unreadable"]


@dataclass(frozen=True, slots=True)
class Field:
    """A column: its title, its type, and the phrases that a document may call it by, best first.

    `clause` names the rule that finds it where a label is not enough: "governing law", "parties".
    """

    name: str
    type: FieldType
    phrases: tuple[str, ...]
    clause: str = ""

    @property
    def is_known(self) -> bool:
        """Whether it is looked for by more than its own words."""
        return len(self.phrases) > 1


@dataclass(frozen=True, slots=True)
class ProposedValue:
    """A value with the span that states it, before it is looked up; `score` orders proposals.

    `also` are the spans that it rests on besides, of a computed value on them alone. `notes` say
    more of each reading: the role of a party, the notice that ends a renewal.
    """

    readings: tuple[Reading, ...]
    start: int
    end: int
    score: float
    also: tuple[tuple[int, int], ...] = ()
    computed: bool = False
    notes: tuple[str, ...] = ()

    @property
    def normal(self) -> str:
        """The values in their normal form, joined."""
        return "; ".join(reading.normal for reading in self.readings)

    @property
    def text(self) -> str:
        """The values as they are written, joined."""
        return "; ".join(dict.fromkeys(reading.text for reading in self.readings))


@dataclass(frozen=True, slots=True)
class FieldValue:
    """A value with its evidence: whole sentences or rows that were looked up in the document.

    A computed one has a quotation for each thing that it follows from. `doubt` says why it does not
    count: its sentence has a condition, a negation, or speaks of something else.
    """

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
    """What one document says about one field; only `silent` and `unreadable` have no values."""

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
