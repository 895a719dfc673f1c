"""The records of an answer, and the interface that both answerers implement.

Data only: extractive.py and agent/ answer, quotations.py sets the verdicts, render/ prints.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from corpus_agent.tools.result import ToolCall
from indexer import Coverage

if TYPE_CHECKING:
    from corpus_agent.tools.corpus import CorpusView

# answered: nine in ten such quotations hold the answer (probability.py), a value that was computed
# from cells (computation.py), or a model's answer whose every sentence is supported. partial: parts
# of it are not, or a quoted file changed. closest: passages that may hold the answer and are not
# called one. unclear: a question back, with what may be meant as its citations. not_found: none of
# these.
AnswerStatus = Literal["answered", "partial", "closest", "unclear", "not_found"]
Verdict = Literal["verified", "verified in recognised text", "moved", "cut", "altered", "not_found"]
# Verdicts of a quotation that stands in its document, there or elsewhere, whole.
STANDING: frozenset[Verdict] = frozenset(["verified", "verified in recognised text", "moved"])

CLOSEST_HEADING = "No model has read these; the closest passages are:"

OnEvent = Callable[[str], None]
"""Receives one line for a person about what is happening: a search, a read, a notice."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A quotation and its place: 1-based lines, inclusive; `quote` is the source's text.

    `hidden`: the document does not show one of its lines. `confidence` is the lowest of its lines
    that were recognised from a picture, 0 to 1; None if all are the document's own text. `heading`
    is what it stands under in its document, without the title; `antecedent` the noun that its first
    word stands for, from the sentence before. Both are "" where code does not know.
    """

    n: int
    source: str
    page: int | None
    line_start: int
    line_end: int
    quote: str
    verdict: Verdict
    hidden: bool = False
    confidence: float | None = None
    heading: str = ""
    antecedent: str = ""

    def __post_init__(self) -> None:
        """Check the confidence, which may come from another process."""
        if self.confidence is not None and not 0 <= self.confidence <= 1:
            raise ValueError("a confidence is from 0 to 1")

    @property
    def stands(self) -> bool:
        """Whether the document contains the quotation, there or elsewhere."""
        return self.verdict in STANDING


Operation = Literal["sum", "average", "count", "highest", "lowest", "difference"]


@dataclass(frozen=True, slots=True)
class Condition:
    """A column whose cells chose the rows, and what they hold: words, or "at least 60"."""

    column: str
    text: str


@dataclass(frozen=True, slots=True)
class UsedCell:
    """A cell that was computed with, as written: its line, and the citation of its row, if any."""

    line: int
    text: str
    n: int | None = None


@dataclass(frozen=True, slots=True)
class Computation:
    """What was computed over all rows of one table: `value` is a number, or the cell of a name.

    `column` is "" where rows were counted. `rows` is how many the table has; `left_out` are the
    lines of those of them that hold totals.
    """

    operation: Operation
    column: str
    where: tuple[Condition, ...]
    cells: tuple[UsedCell, ...]
    value: str
    unit: str
    rows: int
    left_out: tuple[int, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class ModelServer:
    """The model server: its address, and the owner of its process, None if unknown."""

    address: str
    owner: str | None


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with its evidence.

    `notices` lists every degradation: a model that was unavailable, quotations that were dropped.
    `unsupported` are the sentences of `text` that no retrieved passage supports, verbatim; `calls`
    are the searches and reads that led to the answer, in order.
    `egress` is the remote host that passages were sent to; None if nothing left this machine.
    `model_server` is the server that passages were sent to, None without a model.
    `probability` is the calibrated probability that the quotations hold the answer; None where it
    was not estimated: a model's answer, or quotations of which some were left out.
    `computed` is set where the answer was computed from cells of a table.
    `changed` are the files from which passages were found and not quoted, since they changed.
    """

    question: str
    text: str
    status: AnswerStatus
    answerer: str
    citations: tuple[Citation, ...]
    coverage: Coverage
    version: int
    notices: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    egress: str | None = None
    model_server: ModelServer | None = None
    probability: float | None = None
    computed: Computation | None = None
    changed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check the probability, which may come from another process."""
        if self.probability is not None and not 0 <= self.probability <= 1:
            raise ValueError("a probability is from 0 to 1")


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier question of a conversation, with its answer."""

    question: str
    answer: Answer


class Answerer(Protocol):
    """Answers questions from a corpus only."""

    @property
    def name(self) -> str:
        """The value of `Answer.answerer`: "extractive", or the model's name."""
        ...

    @property
    def egress(self) -> str | None:
        """The remote host that passages are sent to; None if nothing leaves this machine."""
        ...

    @property
    def model_server(self) -> ModelServer | None:
        """The server that passages are sent to; None if there is none."""
        ...

    def answer(
        self,
        question: str,
        corpus: CorpusView,
        history: Sequence[Turn] = (),
        on_event: OnEvent = lambda _: None,
    ) -> Answer:
        """An answer whose citations have verdicts.

        Raises CorpusError if no answer is possible at all.
        """
        ...
