"""The records of an answer, and the interface that both answerers implement.

Data only: extractive.py and agent/ answer, quotations.py sets the verdicts, render/ prints.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Protocol

from corpus_agent.answering.decision import BESIDE_ANSWERED, word_of
from corpus_agent.text.wording import Verdict, Word
from corpus_agent.tools.corpus import ToolCall
from indexer import Coverage

if TYPE_CHECKING:
    from corpus_agent.tools.corpus import CorpusView

AnswerStatus = Literal[Word, "not_found"]


class _Estimated:
    """A record with a probability, which may come from another process."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for name in ("probability", "confidence"):
            number = getattr(self, name, None)
            if number is not None and not 0 <= number <= 1:
                raise ValueError("a probability is from 0 to 1")


@dataclass(frozen=True, slots=True)
class Citation(_Estimated):
    """A quotation and its place: 1-based lines, inclusive; `quote` is the source's text.

    `partial` is a piece of a sentence that was not widened to the whole. `hidden`: the document
    does not show one of its lines; `struck`: it strikes it out. `confidence` is the lowest of its
    lines that were recognised from a picture, 0 to 1; None if all are the document's own text.
    `heading` is what it stands under, from the highest; "" for nothing. `above` are
    the lines further up that say what it is: the heads of its list, the names of its row's columns.
    `state` is the line at the top of its document that calls that a draft, or no longer in force.
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
    struck: bool = False
    above: str = ""
    state: str = ""

    @property
    def stands(self) -> bool:
        """Whether the document contains the quotation, there or elsewhere."""
        return self.verdict in ("verified", "moved")

    @property
    def whole(self) -> str:
        """The quotation below what says what it is."""
        return "\n".join(filter(None, (self.above, self.quote)))

    @property
    def place(self) -> tuple[str, int, int, str]:
        """Equal for two citations of the same passage."""
        return self.source, self.line_start, self.line_end, self.quote

    def shares_lines(self, other: Citation) -> bool:
        """Whether another one quotes some of the same lines."""
        beside = self.line_end < other.line_start or other.line_end < self.line_start
        return self.source == other.source and not beside


class Numbers:
    """The citation numbers of one answer, continued from earlier answers."""

    def __init__(self, known: Sequence[Citation], used: Sequence[Citation] = ()) -> None:
        self._known = {citation.n: citation for citation in known}
        self._used = {citation.n: citation for citation in used}

    def __getitem__(self, n: int) -> Citation:
        return self._used[n]

    def numbered(self, citation: Citation) -> Citation:
        """The citation with its number: that of its passage, else the next one."""
        every = {**self._known, **self._used}
        new = replace(citation, n=max([0, *every]) + 1)
        kept = next((old for old in every.values() if old.place == citation.place), new)
        self._used[kept.n] = kept
        return kept

    def uses_known(self, n: int) -> bool:
        """Whether a number is that of an earlier answer's citation, which is then used again."""
        if n in self._known:
            self._used[n] = self._known[n]
        return n in self._known

    def used(self) -> tuple[Citation, ...]:
        """The citations of the answer, by number."""
        return tuple(self._used[n] for n in sorted(self._used))


@dataclass(frozen=True, slots=True)
class Passage(_Estimated):
    """A passage that is shown: the likely lines as a citation, with their neighbours.

    `text` are lines `line_start` to `line_end` of the source, and holds the quotation; what it
    needs from further above, the header of its table, comes first. `probability`: that the passage
    holds the answer, None if it was not estimated. `age` tells passages of one thing apart that
    contradict each other.
    """

    citation: Citation
    text: str
    line_start: int
    line_end: int
    probability: float | None = None
    age: Literal["", "newer", "older"] = ""

    @property
    def word(self) -> Word:
        """The word of confidence."""
        return word_of(self.probability)

    @property
    def likely(self) -> tuple[int, int]:
        """The characters of `text`, half-open, that are likely to answer; all if they differ."""
        start = self.text.find(self.citation.quote, len(self.citation.above))
        return (start, start + len(self.citation.quote)) if start >= 0 else (0, len(self.text))


def alone(citation: Citation, probability: float | None = None) -> Passage:
    """A quotation as a passage without its neighbours."""
    lines = citation.line_start, citation.line_end
    return Passage(citation, citation.whole, *lines, probability)


@dataclass(frozen=True, slots=True)
class ModelServer:
    """The model server: its address, and the owner of its process, None if unknown."""

    address: str
    owner: str | None


@dataclass(frozen=True, slots=True)
class Answer(_Estimated):
    """An answer with its evidence.

    `text` is what a model or a list says, with the numbers of citations; "" where the passages
    themselves are the answer. `notices` lists every degradation. `unsupported` are the sentences of
    `text` that no passage supports, verbatim; `calls` are the searches and reads that led to the
    answer, in order. `egress` is the remote host that passages were sent to; None if nothing left
    this machine. `model_server` is the server that passages were sent to, None without a model.
    `probability` is that of the best passage, None where it was not estimated. `changed` are the
    files of passages, shown or not, that changed since the index was made.
    """

    question: str
    text: str
    status: AnswerStatus
    answerer: str
    passages: tuple[Passage, ...]
    coverage: Coverage
    version: int
    notices: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    egress: str | None = None
    model_server: ModelServer | None = None
    probability: float | None = None
    changed: tuple[str, ...] = ()

    @property
    def shown(self) -> tuple[Passage, ...]:
        """The passages that a reader is shown: beside one that answers none that hardly does.

        JSON has all.
        """
        sure = any(one.word == "answered" for one in self.passages) and not self.text
        least = BESIDE_ANSWERED if sure else 0.0
        return tuple(one for one in self.passages if one.age or (one.probability or 0.0) >= least)

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The citations of its passages."""
        return tuple(passage.citation for passage in self.passages)

    @property
    def is_outright(self) -> bool:
        """Whether the first of its passages may be said to answer."""
        return self.status in ("answered", "likely")


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier question of a conversation, with its answer."""

    question: str
    answer: Answer


@dataclass(frozen=True, slots=True)
class Onlooker:
    """Called with a line for each step, the draft so far, and what was found without a model.

    `wait` is called often while a model is waited for; what it raises ends the question.
    """

    step: Callable[[str], object] = lambda _: None
    draft: Callable[[str], object] = lambda _: None
    passages: Callable[[Answer], object] = lambda _: None
    wait: Callable[[], object] = lambda: None


NOBODY = Onlooker()


class Answerer(Protocol):
    """Answers questions from a corpus only."""

    def stamped(self, answer: Answer) -> Answer:
        """An answer, of this or of another answerer, with where its passages were sent."""
        ...

    def answer(
        self,
        question: str,
        corpus: CorpusView,
        history: Sequence[Turn] = (),
        onlooker: Onlooker = NOBODY,
    ) -> Answer:
        """An answer whose citations have verdicts.

        Raises CorpusError if no answer is possible at all.
        """
        ...
