"""Requests and tool results in turn, until there is an answer or the steps are used up.

Decides what is sent and how a reply is handled; request.py reads the reply. Called by answerer.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from corpus_agent.agent.context_window import LEAST_CONVERSATION, ContextWindow, fit, tokens
from corpus_agent.agent.messages import (
    AssistantMessage,
    Call,
    Message,
    ToolMessage,
    UserMessage,
    native,
    plain,
)
from corpus_agent.agent.request import ChatModel, NoTools, StreamedReply, TooLong, stream_reply
from corpus_agent.models.discovery import ModelUnavailable
from corpus_agent.tools.result import ToolResult, failure

if TYPE_CHECKING:
    from corpus_agent.answering.records import OnEvent

MAX_STEPS = 8  # requests to the model for one question, the last included
MAX_CALLS = 16  # of one reply; further ones get an error
MAX_IDLE_STEPS = 2  # consecutive replies that only repeat earlier calls
SMALLER = 2  # a conversation that is too long for the server is retried at 1/2 of the size

LAST_STEP = (
    "No more searches are possible. Answer now from the results above, with citations, "
    "or write exactly: NOT_FOUND"
)
EMPTY_REPLY = (
    "Your reply was empty. Call one of the two tools, answer from the results above with "
    "citations, or write exactly: NOT_FOUND"
)
FABRICATED_RESULT = (
    "You wrote a result yourself; it was taken out. Results come from the tools alone: call one, "
    "answer from the results above, or write exactly: NOT_FOUND"
)
TOO_MANY = failure(
    f"not run; at most {MAX_CALLS} calls at once. Make this one again if you need it.",
    code="too_many_calls",
)


@dataclass
class Conversation:
    """A conversation with one model about one question.

    `tools` is whether server and model support tools; it becomes False if a request fails for lack
    of them; with `bare` none is mentioned either. `call` runs a tool; `forget` is called for each
    result that left the window.
    """

    chat_model: ChatModel
    system: str
    question: str
    entries: list[Message]
    call: Callable[[Call], ToolResult]
    forget: Callable[[Call], None]
    window: ContextWindow = field(default_factory=ContextWindow)
    tools: bool = True
    bare: bool = False
    on_event: OnEvent = lambda _: None
    _tokens: int = field(init=False)

    def __post_init__(self) -> None:
        self._tokens = self.window.conversation

    async def answer(self, steps: int) -> str | None:
        """The model's answer within `steps` requests; None if there is none.

        Raises ModelUnavailable if the server fails.
        """
        idle = 0
        for step in range(1, steps + 1):
            last = step == steps or idle >= MAX_IDLE_STEPS
            if last:
                self.on_event("no more searches; asking for the answer")
                self.entries.append(UserMessage(LAST_STEP))
            reply = await self.next_reply(may_call=not last)
            message = reply.message
            if message.calls:
                idle = 0 if self._run(message) else idle + 1
            elif message.text:
                return message.text
            elif last:
                return None
            else:
                self.entries.append(UserMessage(FABRICATED_RESULT if reply.cut else EMPTY_REPLY))
        return None

    async def ask(self, text: str) -> str:
        """The model's reply to one more message, without tools; "" if it is empty."""
        self.entries.append(UserMessage(text))
        return (await self.next_reply(may_call=False)).message.text

    async def next_reply(self, *, may_call: bool) -> StreamedReply:
        """The next reply, which is appended to the conversation.

        If the server rejects the conversation as too long, or does not support tools, it is asked
        again with a shorter one, or without tools.
        """
        while True:
            self.entries, left_out = fit(self.entries, self._tokens)
            for call in left_out:
                self.forget(call)
            try:
                reply = await self._request(may_call=may_call)
            except TooLong as error:
                self._tokens = min(self._tokens, tokens(self.entries)) // SMALLER
                if self._tokens < LEAST_CONVERSATION // SMALLER:
                    raise ModelUnavailable(error.message, error.hint) from error
                self.on_event("the conversation is too long for the model; leaving old results out")
            except NoTools as error:
                if not self.tools:
                    raise ModelUnavailable(error.message, error.hint) from error
                self.on_event("the model knows no tools; explaining them in words")
                self.tools = False
            else:
                if not may_call:  # a call without a result would make the next request invalid
                    reply = replace(reply, message=AssistantMessage(reply.message.text))
                self.entries.append(reply.message)
                return reply

    async def _request(self, *, may_call: bool) -> StreamedReply:
        if self.tools or self.bare:
            messages = native(self.system, self.entries)
        else:
            messages = plain(self.system, self.entries, self.question)
        return await stream_reply(
            self.chat_model,
            messages,
            tools=self.tools,
            may_call=may_call,
            max_tokens=self.window.reply,
        )

    def _run(self, reply: AssistantMessage) -> bool:
        """Run the calls of a reply; returns whether any result was new."""
        results = [
            self.call(call) if number < MAX_CALLS else TOO_MANY
            for number, call in enumerate(reply.calls)
        ]
        self.entries += map(ToolMessage, reply.calls, (result.text for result in results))
        return any(result.outcome != "repeated" for result in results)


def opening(history: Sequence[tuple[str, str]], question: str, first: ToolMessage) -> list[Message]:
    """Earlier questions and answers, the question, and a search in the form of a model's call."""
    entries: list[Message] = []
    for asked, answered in history:
        entries += [UserMessage(asked), AssistantMessage(answered)]
    return [*entries, UserMessage(question), AssistantMessage("", (first.call,)), first]
