"""Requests and tool results in turn, until there is an answer or the steps are used up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from corpus_agent.agent.messages import (
    AssistantMessage,
    Call,
    ContextWindow,
    Message,
    ToolMessage,
    UserMessage,
    fit,
    sent,
)
from corpus_agent.agent.request import (
    MAX_CALLS,
    ChatModel,
    StreamedReply,
    stream_reply,
)

if TYPE_CHECKING:
    from corpus_agent.answering.records import OnEvent
    from corpus_agent.tools.corpus import ToolResult

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


@dataclass
class Conversation:
    """A conversation about one question; `forget` is called for a result that left the window."""

    chat_model: ChatModel
    system: str
    entries: list[Message]
    call: Callable[[Call], ToolResult]
    forget: Callable[[Call], None]
    window: ContextWindow = field(default_factory=ContextWindow)
    on_event: OnEvent = lambda _: None

    def answer(self, steps: int) -> str | None:
        """The model's answer within `steps` requests; None if there is none."""
        idle = 0
        for step in range(1, steps + 1):
            last = step == steps or idle >= MAX_IDLE_STEPS
            if last:
                self.on_event("no more searches; asking for the answer")
                self.entries.append(UserMessage(LAST_STEP))
            reply = self.next_reply(may_call=not last)
            message = reply.message
            if message.calls:
                idle = 0 if self._run(reply) else idle + 1
            elif message.text:
                return message.text
            elif last:
                return None
            else:
                self.entries.append(UserMessage(NO_ANSWER))
        return None

    def ask(self, text: str) -> str:
        """The model's reply to one more message, without tools; "" if it is empty."""
        self.entries.append(UserMessage(text))
        return self.next_reply(may_call=False).message.text

    def next_reply(self, *, may_call: bool) -> StreamedReply:
        """The next reply, which is appended to the conversation."""
        self.entries, left_out = fit(self.entries, self.window.conversation)
        for call in left_out:
            self.forget(call)
        reply = stream_reply(
            self.chat_model,
            sent(self.system, self.entries),
            tools=True,
            may_call=may_call,
            max_tokens=self.window.reply,
        )
        if not may_call:  # a call without a result would make the next request invalid
            reply = replace(reply, message=AssistantMessage(reply.message.text))
        self.entries.append(reply.message)
        return reply

    def _run(self, reply: StreamedReply) -> bool:
        """Run the calls of a reply; returns whether any result was new."""
        is_new = False
        for call in reply.message.calls:
            self.chat_model.deadline.left()
            result = self.call(call)
            is_new |= result.outcome != "repeated"
            self.entries.append(ToolMessage(call, result.text))
        if reply.flooded:
            last = self.entries[-1]
            self.entries[-1] = replace(last, text=f"{last.text}\n{TOO_MANY}")
        return is_new
