"""What a question comes back as, and the one interface that both answerers implement.

Does no work: extractive.py and agent/ answer, quotations.py fills the verdicts, render/ prints.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from corpus_agent.tools.result import ToolCall
from indexer import Coverage

if TYPE_CHECKING:
    from corpus_agent.tools.corpus import CorpusView

AnswerStatus = Literal["answered", "partial", "not_found"]
Verdict = Literal["verified", "moved", "cut", "altered", "not_found"]

OnEvent = Callable[[str], None]
"""Receives one line for a person about what is happening: a search, a read, a notice."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A quotation and where it stands: 1-based lines, inclusive; `quote` is the source's text."""

    n: int
    source: str
    page: int | None
    line_start: int
    line_end: int
    quote: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class ModelServer:
    """The server that was asked: its address, and whose process it is; None where not seen."""

    address: str
    owner: str | None


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with its evidence.

    `notices` lists every degradation in words: a model that was gone, quotations dropped.
    `unsupported` are the sentences of `text` that nothing retrieved supports, word for word;
    `calls` are the searches and reads that led here, in order.
    `egress` says where passages went beyond this machine; None where nothing left it.
    `model_server` is who was sent passages, None without a model.
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


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier question of a conversation, with its answer."""

    question: str
    answer: Answer


class Answerer(Protocol):
    """Turns a question into an answer from a corpus alone."""

    @property
    def name(self) -> str:
        """What `Answer.answerer` says: "extractive", or the model's name."""
        ...

    @property
    def egress(self) -> str | None:
        """Where it sends passages beyond this machine; None where nothing leaves."""
        ...

    @property
    def model_server(self) -> ModelServer | None:
        """The server that it sends passages to; None where there is none."""
        ...

    def answer(
        self,
        question: str,
        corpus: CorpusView,
        history: Sequence[Turn] = (),
        on_event: OnEvent = lambda _: None,
    ) -> Answer:
        """An answer whose citations carry verdicts.

        Raises CorpusError where no answer is possible at all.
        """
        ...
