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
_SHOWN = 5  # values of a cell
WORDED: tuple[FieldType, ...] = ("party", "place", "identifier", "text")  # their words alone
# doubtful: only where something else is said of it. unknown: the field was not understood.
# unreadable: nobody could look.
CellStatus = Literal["found", "several", "doubtful", "silent", "unknown", "unreadable"]


@dataclass(frozen=True, slots=True)
class Field:
    """A column: its title, type and phrases, best first, and the rule that finds it, if any."""

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
    """A value before it is looked up, where it stands, what it rests on; `outright`: asserted."""

    readings: tuple[Reading, ...]
    start: int
    end: int
    score: float
    also: tuple[tuple[int, int], ...] = ()
    computed: bool = False
    notes: tuple[str, ...] = ()
    outright: bool = True

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
    """What one document says about one field; `more` counts values that were not looked up."""

    status: CellStatus
    values: tuple[FieldValue, ...] = ()
    more: int = 0

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
