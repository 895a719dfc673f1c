"""The state of one question, and the conversation about it: requests and tool results in turn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from corpus_agent.agent.messages import (
    BYTES_PER_TOKEN,
    IN_FULL,
    SYSTEM_PROMPT,
    AssistantMessage,
    Call,
    ContextWindow,
    Message,
    ToolMessage,
    UserMessage,
    fit,
    sent,
)
from corpus_agent.agent.request import MAX_CALLS, ChatModel, StreamedReply, stream_reply
from corpus_agent.answering.drafts import DraftChecker
from corpus_agent.answering.reading import readings
from corpus_agent.answering.support import Supporter
from corpus_agent.text.delimiters import Frame
from corpus_agent.text.naming import called
from corpus_agent.text.sanitize import one_line, visible
from corpus_agent.tools import search
from corpus_agent.tools.corpus import ToolResult, passage
from corpus_agent.tools.toolbox import SPECS, Toolbox, check_arguments

if TYPE_CHECKING:
    from corpus_agent.answering.citations import Settled
    from corpus_agent.answering.coverage import EncodeTokens
    from corpus_agent.answering.records import Answer, Citation, OnEvent, Turn
    from corpus_agent.tools.corpus import CorpusView
    from indexer import Chunk


MAX_DRAFT = 8_000  # characters of a draft that are checked
HITS_IN_FULL = 3  # of a search, where no passage would be shown without a model


class Work:
    """The state of one question: its tools, and the evidence for its citations."""

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
        self.on_event = on_event
        self.own: Answer | None = None
        self.odds = 0.0  # that the passages answer: decision.odds_of
        self.notices: list[str] = []
        self.frame = Frame()
        self.asked = readings(question, history)[0]
        self._history = history
        self._encode = encode
        self.known = [citation for turn in history for citation in turn.answer.citations]
        self.evidence = DraftChecker(
            corpus,
            lambda shown: self.toolbox.source_of(shown),
            self._supporter,
            self.known,
            question,
            encode,
        )

    def search_first(self, window: ContextWindow) -> None:
        """Create the tools, with results that fit the model's window, and run the first search."""
        self.window = window
        self.toolbox = Toolbox(self.corpus, self.frame, window.read_bytes, self._leaned_on())
        call = Call("first_search", search.NAME, {"query": self.asked})
        self.first = ToolMessage(call, self.call(call).text)

    def _leaned_on(self) -> str | None:
        """The document that a follow-up is about; None for a question that stands alone."""
        if self.asked == self.question or not self._history[-1].answer.citations:
            return None
        source = self._history[-1].answer.citations[0].source
        self.on_event(f"read as a question about {called(source)}")
        return source

    def call(self, call: Call) -> ToolResult:
        """The result of one call, which is reported as an event."""
        self.on_event(_event(call))
        return self.toolbox.call(call.name, call.arguments)

    @property
    def has_passages(self) -> bool:
        """Whether passages would be shown without a model."""
        return self.own is not None and bool(self.own.passages)

    def quotes_own(self, citations: Iterable[Citation]) -> bool:
        """Whether some of these quote lines that are shown without a model, too."""
        own = self.own.citations if self.own is not None else ()
        return any(one.shares_lines(other) for one in citations for other in own)

    def opening(self) -> list[Message]:
        """Earlier turns, the question, and the first search in the form of a model's call."""
        entries: list[Message] = []
        for turn in self._history:
            entries += [UserMessage(turn.question), AssistantMessage(turn.answer.text)]
        first, found = self.first, self.first.text
        own = self.own.passages if self.own is not None else ()
        if missing := [one.text for one in own if one.text not in found]:
            framed = map(self.frame.wrap, missing)
            first = replace(first, text="\n".join([found, IN_FULL, *framed]))
        return [*entries, UserMessage(self.question), AssistantMessage("", (first.call,)), first]

    def passages_text(self) -> str:
        """The passages that a reader would be shown, else the first hits, within the window."""
        room, framed = self.room, []
        for text in [one.text for one in self._own_passages] or [
            chunk.text for chunk in self.toolbox.passages[:HITS_IN_FULL]
        ]:
            framed.append(self.frame.wrap(text.encode()[:room].decode("utf-8", "ignore")))
            room = max(0, room - len(text.encode()))
        return "\n".join(framed)

    @property
    def room(self) -> int:
        """The bytes of text that the model's window has room for."""
        return self.window.conversation * BYTES_PER_TOKEN

    @property
    def _own_passages(self) -> list[Chunk]:
        """What the program shows without a model."""
        own = self.own.passages if self.own is not None else ()
        return [passage(one.citation.source, one.line_start, one.text) for one in own]

    def shown_passages(self) -> list[Chunk]:
        """What the program shows without a model, then the passages retrieved so far."""
        return [*self._own_passages, *self.toolbox.passages]

    def _supporter(self) -> Supporter:
        return Supporter(self.shown_passages(), self._encode)

    def settled(self, draft: str) -> Settled:
        """A draft with its quotations checked, without copied delimiters and hidden characters."""
        for delimiter in (self.frame.opening, self.frame.closing):
            draft = draft.replace(delimiter, "")
        return self.evidence.settle(visible(draft[:MAX_DRAFT]).strip())


def _event(call: Call) -> str:
    """One line for the user, as in "read: notes/a.md from line 200"."""
    spec = next((spec for spec in SPECS if spec.name == call.name), None)
    if spec is None:
        return f"{called(call.name)}: there is no such tool"
    checked = check_arguments(spec, call.arguments)
    if isinstance(checked, ToolResult):
        return f"{spec.name}: wrong arguments"
    if spec.name == search.NAME:
        return f"search: {one_line(checked['query'])}"
    return f"read: {called(checked['source'])} from line {checked.get('offset', 1)}"


MAX_STEPS = 8  # requests to the model for one question, the last included
MAX_IDLE_STEPS = 2  # consecutive replies that only repeat earlier calls

LAST_STEP = (
    "No more searches are possible. Answer now from the results above, with citations, "
    "or write exactly: NOT_FOUND"
)
NO_ANSWER = (
    "Your reply has neither a call nor an answer. Results come from the tools alone: call one, "
    "answer from the results above with citations, or write exactly: NOT_FOUND"
)
TOO_MANY = f"Your other calls were not run: at most {MAX_CALLS} at once."


class Conversation:
    """A conversation with the two tools about one question."""

    def __init__(self, chat_model: ChatModel, work: Work) -> None:
        self._model = chat_model
        self._work = work
        self._entries = work.opening()

    def answer(self, steps: int) -> str | None:
        """The model's answer within `steps` requests; None if there is none."""
        idle = 0
        for step in range(1, steps + 1):
            last = step == steps or idle >= MAX_IDLE_STEPS
            if last:
                self._work.on_event("no more searches; asking for the answer")
                self._entries.append(UserMessage(LAST_STEP))
            reply = self.next_reply(may_call=not last)
            message = reply.message
            if message.calls:
                idle = 0 if self._run(reply) else idle + 1
            elif message.text:
                return message.text
            elif last:
                return None
            else:
                self._entries.append(UserMessage(NO_ANSWER))
        return None

    def ask(self, text: str) -> str:
        """The model's reply to one more message, without tools; "" if it is empty."""
        self._entries.append(UserMessage(text))
        return self.next_reply(may_call=False).message.text

    def next_reply(self, *, may_call: bool) -> StreamedReply:
        """The next reply, which is appended to the conversation."""
        window = self._work.window
        self._entries, left_out = fit(self._entries, window.conversation)
        for call in left_out:
            self._work.toolbox.forget(call.name, call.arguments)
        messages = sent(SYSTEM_PROMPT, self._entries)
        most = window.reply
        reply = stream_reply(self._model, messages, tools=True, may_call=may_call, max_tokens=most)
        if not may_call:  # a call without a result would make the next request invalid
            reply = replace(reply, message=AssistantMessage(reply.message.text))
        self._entries.append(reply.message)
        return reply

    def _run(self, reply: StreamedReply) -> bool:
        """Run the calls of a reply; returns whether any result was new."""
        is_new = False
        for call in reply.message.calls:
            self._model.deadline.left()
            result = self._work.call(call)
            is_new |= result.outcome != "repeated"
            self._entries.append(ToolMessage(call, result.text))
        if reply.flooded:
            last = self._entries[-1]
            self._entries[-1] = replace(last, text=f"{last.text}\n{TOO_MANY}")
        return is_new
