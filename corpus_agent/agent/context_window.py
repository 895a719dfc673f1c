"""Fits a conversation into the model's window: old tool results go first. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from corpus_agent.agent.messages import AssistantMessage, Call, Message, ToolMessage, UserMessage

DEFAULT_WINDOW = 4_096  # tokens, if neither server nor setting gives a window; Ollama's default
MAX_ANSWER_TOKENS = 4_096  # thinking included; bounds a model that repeats itself
ANSWER_SHARE = 4  # 1/4 of the window is reserved for the reply
READ_SHARE = 3  # one read returns at most 1/3 of the window
BYTES_PER_TOKEN = 3  # UTF-8; English has over 4, Cyrillic over 4, Chinese 3 to 5 (Qwen, Llama 3)
FRAME_TOKENS = 900  # rules and tool schemas, in any chat template
LEAST_CONVERSATION = 256  # tokens; less leaves nothing to answer from
MESSAGE_TOKENS = 8  # that a chat template adds to one message

LEFT_OUT = "(Left out to make room. Call the tool again if you need this.)"
CUT = "(Cut here to make room. Read on from this place, or search for less.)"


@dataclass(frozen=True, slots=True)
class ContextWindow:
    """A model's window in tokens, and its shares."""

    size: int = DEFAULT_WINDOW

    @property
    def reply(self) -> int:
        """Tokens that a reply may take."""
        return max(64, min(MAX_ANSWER_TOKENS, self.size // ANSWER_SHARE))

    @property
    def conversation(self) -> int:
        """Tokens that the conversation may take, besides rules and reply."""
        return max(LEAST_CONVERSATION, self.size - self.reply - FRAME_TOKENS)

    @property
    def read_bytes(self) -> int:
        """Bytes of text that one read may return."""
        return self.size * BYTES_PER_TOKEN // READ_SHARE


def tokens(entries: Sequence[Message]) -> int:
    """An estimate of the tokens of the entries, on the high side."""
    return sum(_tokens(entry) for entry in entries)


def _tokens(entry: Message) -> int:
    size = len(entry.text.encode("utf-8", "replace"))
    if isinstance(entry, AssistantMessage):
        size += sum(
            len(f"{call.name}{call.arguments}".encode("utf-8", "replace")) for call in entry.calls
        )
    return size // BYTES_PER_TOKEN + MESSAGE_TOKENS


def fit(entries: Sequence[Message], limit: int) -> tuple[list[Message], list[Call]]:
    """The entries cut to `limit` tokens, and the calls whose results were dropped entirely.

    Old results are dropped first, then old turns of the conversation, then the ends of the newest
    results; the question and the model's replies to it stay, and may be longer.
    """
    kept = list(entries)
    newest = _newest(kept)
    left_out: list[Call] = []
    for at, entry in enumerate(kept[:newest]):
        if tokens(kept) <= limit:
            break
        if isinstance(entry, ToolMessage) and len(entry.text) > len(LEFT_OUT):
            kept[at] = replace(entry, text=LEFT_OUT)
            left_out.append(entry.call)
    while tokens(kept) > limit and _is_old_turn(kept):
        del kept[:2]
    return _cut_newest(kept, limit), left_out


def _newest(entries: Sequence[Message]) -> int:
    """The index at which the results of the last reply begin."""
    replies = (at for at, entry in enumerate(entries) if isinstance(entry, AssistantMessage))
    return max(replies, default=-1) + 1


def _is_old_turn(entries: Sequence[Message]) -> bool:
    """Whether the entries begin with an earlier question and its answer."""
    if len(entries) < 3 or not isinstance(entries[0], UserMessage):
        return False
    return isinstance(entries[1], AssistantMessage) and not entries[1].calls


def _cut_newest(entries: list[Message], limit: int) -> list[Message]:
    """The entries with the newest results cut, the longest first, until they fit."""
    newest = [at for at, e in enumerate(entries) if isinstance(e, ToolMessage)]
    newest = [at for at in newest if at >= _newest(entries)]
    while newest and tokens(entries) > limit:
        at = max(newest, key=lambda at: len(entries[at].text))
        text = entries[at].text.removesuffix(CUT)
        if not text:
            break
        entries[at] = replace(entries[at], text=f"{_beginning(text)}{CUT}")
    return entries


def _beginning(text: str) -> str:
    """Three quarters of a result in whole lines, shorter each time, with its delimiter closed."""
    kept = text[: text.rfind("\n", 0, len(text) * 3 // 4) + 1]
    begun, delimiter, opened = kept.rpartition("<<doc ")
    if not delimiter or "<</doc " in opened:
        return kept
    closing = f"<</doc {opened.partition('>>')[0]}>>\n"
    kept = kept.removesuffix(closing)
    return f"{kept}{closing}" if len(kept) + len(closing) < len(text) else begun
