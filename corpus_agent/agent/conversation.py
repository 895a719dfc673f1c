"""The loop of one question with a model: what it is told, how often it may call, when it ends."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from corpus_agent.agent.request import Call, ChatModel, ModelReply, Sent, stream_reply
from corpus_agent.answering.drafts import DraftChecker
from corpus_agent.answering.reading import readings
from corpus_agent.text.delimiters import CLOSES, ENDS, OPENS, Frame
from corpus_agent.text.naming import called
from corpus_agent.text.sanitize import one_line, visible
from corpus_agent.tools import search
from corpus_agent.tools.corpus import ToolResult, passage
from corpus_agent.tools.toolbox import SPECS, Toolbox, ToolSpec, check_arguments

if TYPE_CHECKING:
    from corpus_agent.answering.coverage import EncodeTokens
    from corpus_agent.answering.drafts import Draft
    from corpus_agent.answering.records import Answer, Citation, Turn
    from corpus_agent.tools.corpus import CorpusView
    from indexer import Chunk

PROMPTS: Mapping[str, Any] = tomllib.loads(
    Path(__file__).with_name("prompts.toml").read_text("utf-8")
)
NOT_FOUND = "NOT_FOUND"
_DENIES = re.compile(rf"(?i){'|'.join(PROMPTS['denials'])}")


def refuses(text: str) -> bool:
    """Whether a draft says that the documents do not answer."""
    return NOT_FOUND in text or _DENIES.search(text) is not None


# ---- Messages


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a conversation; a reply has its calls, a tool's result the one it answers."""

    role: Literal["user", "assistant", "tool"]
    text: str
    calls: tuple[Call, ...] = ()


# What tokenizers of chat models read as one token with a meaning, also inside a document's text.
_SPECIAL = re.compile(
    r"<(?=[|｜]|/?(?:s|bos|eos|pad|unk|think|tool_call|tool_response|start_of_turn|end_of_turn)>"
    r"|<SYS>>|</SYS>>|unused\d)"
    r"|\[(?=/?(?:INST|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|SYSTEM_PROMPT)\])",
    re.IGNORECASE,
)
_JOINER = "\u200d"  # hidden: `visible` takes it out of what a model copies


def unspecial(text: str) -> str:
    """`text` in which no tokenizer finds a token of a chat template."""
    return _SPECIAL.sub(lambda found: found[0] + _JOINER, text)


def sent(system: str, messages: Iterable[Message]) -> list[Sent]:
    """The messages of a request."""
    return [{"role": "system", "content": system}, *map(_sent, messages)]


def _sent(message: Message) -> Sent:
    shown: Sent = {"role": message.role, "content": unspecial(message.text)}
    if message.role == "tool":
        return {**shown, "tool_call_id": message.calls[0].id}
    calls = [
        {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": _sendable(c)}}
        for c in message.calls
    ]
    return {**shown, "content": shown["content"] or None, "tool_calls": calls} if calls else shown


def _sendable(call: Call) -> str:
    """The arguments as JSON that a server can parse: chat templates fail on broken JSON."""
    if not isinstance(call.arguments, str):
        return unspecial(json.dumps(dict(call.arguments)))
    try:
        json.loads(call.arguments)
    except (ValueError, RecursionError):
        return json.dumps({"arguments": call.arguments})
    return unspecial(call.arguments)


def _offered(spec: ToolSpec) -> Sent:
    """A tool as a request offers it, without the examples of its arguments."""
    properties: Mapping[str, Mapping[str, Any]] = spec.schema["properties"]
    shown = {
        name: {key: value for key, value in entry.items() if key != "examples"}
        for name, entry in properties.items()
    }
    function = {"name": spec.name, "description": spec.description}
    parameters = {**spec.schema, "properties": shown}
    return {"type": "function", "function": {**function, "parameters": parameters}}


# ---- A model's window in tokens, and what of a conversation fits

DEFAULT_WINDOW = 4_096  # if neither server nor setting gives one; Ollama's default
MAX_ANSWER_TOKENS = 4_096  # thinking included; bounds a model that repeats itself
ANSWER_SHARE = 4  # 1/4 of the window is reserved for the reply
BYTES_PER_TOKEN = 3  # UTF-8; English has over 4, Cyrillic over 4, Chinese 3 to 5 (Qwen, Llama 3)
FRAME_TOKENS = 900  # rules and tool schemas, in any chat template
LEAST_CONVERSATION = 256  # tokens; less leaves nothing to answer from
MESSAGE_TOKENS = 8  # that a chat template adds to one message

LEFT_OUT = "(Left out to make room. Call the tool again if you need this.)"
CUT = "(Cut here to make room. Read on from this place, or search for less.)"


def reply_tokens(window: int) -> int:
    """Tokens that a reply may take."""
    return max(64, min(MAX_ANSWER_TOKENS, window // ANSWER_SHARE))


def conversation_tokens(window: int) -> int:
    """Tokens that the conversation may take, besides rules and reply."""
    return max(LEAST_CONVERSATION, window - reply_tokens(window) - FRAME_TOKENS)


def tokens(messages: Iterable[Message]) -> int:
    """An estimate of the tokens of messages, on the high side."""
    found = 0
    for message in messages:
        calls = () if message.role == "tool" else message.calls
        text = "".join([message.text, *(f"{call.name}{call.arguments}" for call in calls)])
        found += len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN + MESSAGE_TOKENS
    return found


def fit(messages: Sequence[Message], limit: int) -> tuple[list[Message], list[Call]]:
    """The messages cut to `limit` tokens, and the calls whose results were dropped entirely.

    Old results are dropped first, then old turns of the conversation, then the ends of the newest
    results; the question and the model's replies to it stay, and may be longer.
    """
    kept, left_out = [*messages], list[Call]()
    replies = (at for at, message in enumerate(kept) if message.role == "assistant")
    behind = len(kept) - max(replies, default=-1) - 1  # results of the last reply
    for at, message in enumerate(kept[: len(kept) - behind]):
        longer = message.role == "tool" and len(message.text) > len(LEFT_OUT)
        if longer and tokens(kept) > limit:
            kept[at] = replace(message, text=LEFT_OUT)
            left_out += message.calls
    while tokens(kept) > limit and _is_old_turn(kept):
        del kept[:2]
    newest = [at for at in range(len(kept) - behind, len(kept)) if kept[at].role == "tool"]
    while newest and tokens(kept) > limit:
        at = max(newest, key=lambda at: len(kept[at].text))
        if not (text := kept[at].text.removesuffix(CUT)):
            break
        kept[at] = replace(kept[at], text=f"{_beginning(text)}{CUT}")
    return kept, left_out


def _is_old_turn(messages: Sequence[Message]) -> bool:
    """Whether the messages begin with an earlier question and its answer."""
    roles = [message.role for message in messages[:2]]
    return len(messages) > 2 and roles == ["user", "assistant"] and not messages[1].calls


def _beginning(text: str) -> str:
    """Three quarters of a result in whole lines, shorter each time, with its delimiter closed."""
    kept = text[: text.rfind("\n", 0, len(text) * 3 // 4) + 1]
    begun, delimiter, opened = kept.rpartition(OPENS)
    if not delimiter or CLOSES in opened:
        return kept
    closing = f"{CLOSES}{opened.partition(ENDS)[0]}{ENDS}\n"
    kept = kept.removesuffix(closing)
    return f"{kept}{closing}" if len(kept) + len(closing) < len(text) else begun


# ---- One question

MAX_DRAFT = 8_000  # characters of a draft that are checked
HITS_IN_FULL = 3  # of a search, where no passage would be shown without a model
RESULT_SHARE = 3  # one part in three of the window is what a result may fill
MAX_STEPS = 8  # requests to the model for one question, the last included
MAX_IDLE_STEPS = 2  # consecutive replies that only repeat earlier calls


class Work:
    """The state of one question: its tools with a first search, the evidence for its citations.

    `own` is the answer without a model, `window` the model's in tokens.
    """

    def __init__(
        self,
        question: str,
        corpus: CorpusView,
        history: Sequence[Turn],
        step: Callable[[str], object],
        encode: EncodeTokens | None,
        own: Answer | None,
        window: int,
    ) -> None:
        self.question, self.asked = question, readings(question, history)[0]
        self.corpus, self.step, self.window = corpus, step, window
        self.own = own
        self.own_passages = own.passages if own is not None else ()
        self.odds = 0.0  # that the passages answer: decision.odds_of
        self.notices: list[str] = []
        self.frame = Frame()
        self._history = history
        self.known = [citation for turn in history for citation in turn.answer.citations]
        about = self._leaned_on()
        self.toolbox = Toolbox(corpus, self.frame, window * BYTES_PER_TOKEN // RESULT_SHARE, about)
        self.evidence = DraftChecker(
            corpus, self.toolbox.source_of, self.shown_passages, self.known, question, encode
        )
        call = Call("first_search", search.NAME, {"query": self.asked})
        self._first = Message("tool", self.call(call).text, (call,))

    def _leaned_on(self) -> str | None:
        """The document that a follow-up is about; None for a question that stands alone."""
        if self.asked == self.question or not self._history[-1].answer.citations:
            return None
        source = self._history[-1].answer.citations[0].source
        self.step(f"read as a question about {called(source)}")
        return source

    def call(self, call: Call) -> ToolResult:
        """The result of one call, which is reported as an event."""
        self.step(_event(call))
        return self.toolbox.call(call.name, call.arguments)

    def quotes_own(self, citations: Iterable[Citation]) -> bool:
        """Whether some of these quote lines that are shown without a model, too."""
        own = [passage.citation for passage in self.own_passages]
        return any(one.shares_lines(other) for one in citations for other in own)

    def opening(self) -> list[Message]:
        """Earlier turns, the question, and the first search in the form of a model's call."""
        messages: list[Message] = []
        for turn in self._history:
            messages += [Message("user", turn.question), Message("assistant", turn.answer.text)]
        first, found = self._first, self._first.text
        if missing := [one.text for one in self.own_passages if one.text not in found]:
            framed = map(self.frame.wrap, missing)
            first = replace(first, text="\n".join([found, PROMPTS["in_full"], *framed]))
        called = Message("assistant", "", first.calls)
        return [*messages, Message("user", self.question), called, first]

    def passages_text(self) -> str:
        """The passages that a reader would be shown, else the first hits, within the window."""
        room, framed = self.room, []
        first = (chunk.text for chunk in self.toolbox.passages[:HITS_IN_FULL])
        for text in [one.text for one in self.own_passages] or first:
            framed.append(self.frame.wrap(text.encode()[:room].decode("utf-8", "ignore")))
            room = max(0, room - len(text.encode()))
        return "\n".join(framed)

    @property
    def room(self) -> int:
        """The bytes of text that the model's window has room for."""
        return conversation_tokens(self.window) * BYTES_PER_TOKEN

    def shown_passages(self) -> list[Chunk]:
        """What the program shows without a model, then the passages retrieved so far."""
        own = [passage(p.citation.source, p.line_start, p.text) for p in self.own_passages]
        return [*own, *self.toolbox.passages]

    def settled(self, draft: str) -> Draft:
        """A draft with its quotations checked, without copied delimiters and hidden characters."""
        for delimiter in (self.frame.opening, self.frame.closing):
            draft = draft.replace(delimiter, "")
        return self.evidence.settle(visible(draft[:MAX_DRAFT]).strip())


def _event(call: Call) -> str:
    """One line for the user, as in "read: notes/a.md from line 200"."""
    spec = SPECS.get(call.name)
    if spec is None:
        return f"{called(call.name)}: there is no such tool"
    checked = check_arguments(spec, call.arguments)
    if isinstance(checked, ToolResult):
        return f"{spec.name}: wrong arguments"
    if spec.name == search.NAME:
        return f"search: {one_line(checked['query'])}"
    return f"read: {called(checked['source'])} from line {checked.get('offset', 1)}"


class Conversation:
    """A conversation with the two tools about one question."""

    def __init__(self, model: ChatModel, work: Work) -> None:
        self._model, self._work = model, work
        self._messages = work.opening()

    def answer(self, steps: int) -> str:
        """The model's answer within `steps` requests; "" if there is none."""
        idle = 0
        for step in range(1, steps + 1):
            last = step == steps or idle >= MAX_IDLE_STEPS
            if last:
                self._work.step("no more searches; asking for the answer")
                return self.ask(PROMPTS["last_step"])
            reply = self._next_reply(may_call=True)
            if reply.calls:
                idle = 0 if self._run(reply) else idle + 1
            elif reply.text:
                return reply.text
            else:
                self._messages.append(Message("user", PROMPTS["no_answer"]))
        return ""

    def ask(self, text: str) -> str:
        """The model's reply to one more message, without tools; "" if it is empty."""
        self._messages.append(Message("user", text))
        return self._next_reply(may_call=False).text

    def _next_reply(self, *, may_call: bool) -> ModelReply:
        """The next reply, which is appended to the conversation."""
        window = self._work.window
        self._messages, left_out = fit(self._messages, conversation_tokens(window))
        for call in left_out:
            self._work.toolbox.forget(call.name, call.arguments)
        reply = stream_reply(
            self._model,
            sent(PROMPTS["system"], self._messages),
            tools=[*map(_offered, SPECS.values())],
            may_call=may_call,
            max_tokens=reply_tokens(window),
        )
        # A call without a result would make the next request invalid.
        calls = reply.calls if may_call else ()
        self._messages.append(Message("assistant", reply.text, calls))
        return reply

    def _run(self, reply: ModelReply) -> bool:
        """Run the calls of a reply; returns whether any result was new."""
        is_new = False
        for call in reply.calls:
            self._model.deadline.left()
            result = self._work.call(call)
            is_new |= result.outcome != "repeated"
            self._messages.append(Message("tool", result.text, (call,)))
        return is_new
