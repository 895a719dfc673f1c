"""The records of a checked text. Data only; render/checked.py shows them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from corpus_agent.answering.comparable import Difference
    from corpus_agent.answering.records import Citation
    from indexer import Coverage

Kind = Literal[
    "quoted", "altered", "pieced_together", "supported", "doubtful", "elsewhere", "not_found"
]
WORDS: Mapping[str, str] = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))
SIGNS: dict[Kind, str] = dict(zip(get_args(Kind), "✓✗✗✓??·", strict=True))
FOUND: frozenset[Kind] = frozenset(["quoted", "supported"])


@dataclass(frozen=True, slots=True)
class Named:
    """A place that a text names: a document, perhaps a line or page, and the last of a range."""

    source: str
    line: int | None = None
    page: int | None = None
    last: int | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """A quotation or a statement: half-open range of characters, 1-based line, heading above."""

    start: int
    end: int
    line: int
    text: str
    is_quotation: bool
    named: Named | None = None
    under: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """Where a piece stands, else the `nearest` passage and the `probability` that it says so."""

    piece: Piece
    kind: Kind
    citations: tuple[Citation, ...] = ()
    differs: tuple[Difference, ...] = ()
    beside: tuple[Difference, ...] = ()  # the same, with the words around them
    nearest: Citation | None = None
    probability: float | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """A checked text with its findings, what states nothing, the model that judged, its host."""

    text: str
    findings: Sequence[Finding]
    left_out: Mapping[str, int]
    coverage: Coverage
    version: int
    notices: Sequence[str] = ()
    model: str | None = None
    egress: str | None = None

    @property
    def holds(self) -> bool:
        """Whether everything was found as it is written; not where nothing is stated."""
        return bool(self.findings) and all(finding.kind in FOUND for finding in self.findings)
