"""The state of one question: its tools, the evidence for its citations, what is said of it.

Runs the calls of a model; decides nothing. Called by answerer.py.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from corpus_agent.agent.context_window import ContextWindow
from corpus_agent.agent.messages import Call, ToolMessage
from corpus_agent.answering.decision import quotes_any
from corpus_agent.answering.grounding import Supporter
from corpus_agent.answering.verification import Evidence, repair_request
from corpus_agent.text.delimiters import Frame
from corpus_agent.text.naming import called
from corpus_agent.text.sanitize import one_line, visible
from corpus_agent.tools import search
from corpus_agent.tools.result import ToolResult, passage
from corpus_agent.tools.toolbox import Toolbox, check_arguments

if TYPE_CHECKING:
    from corpus_agent.answering.citations import Settled
    from corpus_agent.answering.coverage import EncodeTokens
    from corpus_agent.answering.records import Answer, OnEvent, Turn
    from corpus_agent.answering.verification import Finished
    from corpus_agent.tools.corpus import CorpusView

_FIRST_CALL = "first_search"


class Work:
    """State of one question: its tools, and the evidence for its citations."""

    def __init__(
        self,
        question: str,
        corpus: CorpusView,
        history: tuple[Turn, ...],
        on_event: OnEvent,
        encode: EncodeTokens | None,
    ) -> None:
        self.question = question
        self.corpus = corpus
        self.history = history
        self.on_event = on_event
        self._encode = encode
        self.frame = Frame()
        self.asked = question
        self.window = ContextWindow()
        self.toolbox = Toolbox(corpus, self.frame)
        self.own: Answer | None = None
        self.odds = 0.0  # that the passages answer: decision.reading
        self.notices: list[str] = []
        self.first: ToolMessage

    def search_first(self, query: str, window: ContextWindow) -> None:
        """Create the tools, with results that fit the model's window, and run the first search."""
        self.asked, self.window = query, window
        self.toolbox = Toolbox(self.corpus, self.frame, window.read_bytes)
        call = Call(_FIRST_CALL, search.NAME, {"query": query})
        self.first = ToolMessage(call, self.call(call).text)

    @property
    def calls(self) -> int:
        """How many calls were run, the first search included."""
        return len(self.toolbox.calls)

    @property
    def evidence_is_strong(self) -> bool:
        """Whether passages would be shown without a model."""
        return self.own is not None and bool(self.own.citations)

    def quotes_own(self, finished: Finished) -> bool:
        """Whether an answer quotes what would be shown without a model."""
        return self.own is not None and quotes_any(finished.citations, self.own.citations)

    def call(self, call: Call) -> ToolResult:
        """The result of one call, which is reported as an event."""
        self.on_event(_event(self.toolbox, call))
        return self.toolbox.call(call.name, call.arguments)

    @cached_property
    def evidence(self) -> Evidence:
        """The evidence that a draft is checked against."""
        known = [citation for turn in self.history for citation in turn.answer.citations]
        return Evidence(
            self.corpus, self._source_of, self._supporter, known, self.question, self._encode
        )

    def _source_of(self, shown: str) -> str:
        return self.toolbox.source_of(shown)

    def _supporter(self) -> Supporter:
        """The passages retrieved so far, and what the program quotes without a model."""
        quoted = () if self.own is None else self.own.citations
        own = [passage(each.source, each.line_start, each.quote) for each in quoted]
        return Supporter([*self.toolbox.passages, *own], self._encode)

    def cleaned(self, draft: str) -> str:
        """A draft without copied delimiters and terminal control characters."""
        for delimiter in (self.frame.opening, self.frame.closing):
            draft = draft.replace(delimiter, "")
        return visible(draft).strip()

    def repair(self, settled: Settled) -> str:
        """The request to repair quotations that failed."""
        return repair_request(settled.failed, self.frame)


def _event(toolbox: Toolbox, call: Call) -> str:
    """One line for the user, as in "read: notes/a.md from line 200"."""
    spec = next((spec for spec in toolbox.specs if spec.name == call.name), None)
    if spec is None:
        return f"{called(call.name)}: there is no such tool"
    checked = check_arguments(spec, call.arguments)
    if isinstance(checked, ToolResult):
        return f"{spec.name}: called with arguments that it does not have"
    if spec.name == search.NAME:
        return f"search: {one_line(checked['query'])}"
    return f"read: {called(checked['source'])} from line {checked.get('offset', 1)}"
