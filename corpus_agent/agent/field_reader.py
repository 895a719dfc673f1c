"""A model that reads values in the best sentences of a document: one document a request.

It gets no tool and no history, and nothing that it says is believed: `fields.said_values` looks up
each quotation and each value. Called by service/tables.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from corpus_agent.agent.context_window import BYTES_PER_TOKEN, DEFAULT_WINDOW, ContextWindow
from corpus_agent.agent.messages import UserMessage, sent
from corpus_agent.agent.prompts import FIELDS_PROMPT
from corpus_agent.agent.request import ChatModel, stream_reply
from corpus_agent.fields.best_sentences import best_sentences
from corpus_agent.fields.records import SaidValue
from corpus_agent.models.capabilities import Capabilities, fetch_capabilities
from corpus_agent.models.discovery import ModelUnavailable
from corpus_agent.models.http import Deadline
from corpus_agent.text.delimiters import Frame
from corpus_agent.text.sanitize import one_line

if TYPE_CHECKING:
    from corpus_agent.agent.answerer import Limits
    from corpus_agent.fields.page import DocumentText
    from corpus_agent.fields.records import Field, ProposedValue
    from corpus_agent.seal.broker import Broker

READ_CHARS = 1_000  # of each field's sentences; a model on two cores reads 200 in a second
LEAST_READ_CHARS = 2_000
MOST_BROKEN = 10  # objects of a reply that cannot be read
_JSON = json.JSONDecoder(strict=False)


class ModelFieldReader:
    """Asks a model for the values of a document; what its server can do is asked once."""

    def __init__(self, model: str, broker: Broker, limits: Limits) -> None:
        self.model = model
        self._broker = broker
        self._limits = limits
        self._capabilities: Capabilities | None = None

    def read(
        self,
        document: DocumentText,
        fields: Sequence[Field],
        proposals: Sequence[Sequence[ProposedValue]],
        on_wait: Callable[[], None] = lambda: None,
    ) -> tuple[SaidValue, ...]:
        """What the model says of the fields, unchecked; raises ModelUnavailable.

        Also for a reply that is empty or not at its end, as what it leaves out would count as not
        said. `on_wait` is called often; what it raises ends the request.
        """
        deadline = Deadline(self._limits.seconds, on_wait)
        if self._capabilities is None:
            self._capabilities = fetch_capabilities(self._broker, self.model, deadline)
        window = ContextWindow(self._limits.window or self._capabilities.window or DEFAULT_WINDOW)
        model = ChatModel(self._broker, self.model, deadline)
        message = fields_message(document, fields, proposals, window)
        return tuple(said_in(_reply(model, message, window), len(fields)))


def _reply(model: ChatModel, message: str, window: ContextWindow) -> str:
    """A whole reply; raises ModelUnavailable where there is none."""
    asked = sent(FIELDS_PROMPT, [UserMessage(message)])
    reply = stream_reply(model, asked, as_written=True, max_tokens=window.reply)
    if reply.full:
        raise ModelUnavailable(
            f"The model's reply was not at its end after {window.reply:,} tokens.",
            "Ask for fewer fields, set llm_context, or take a model that thinks less.",
        )
    if not reply.message.text:
        raise ModelUnavailable("The model's reply was empty.", "Take another model.")
    return reply.message.text


def fields_message(
    document: DocumentText,
    fields: Sequence[Field],
    proposals: Sequence[Sequence[ProposedValue]],
    window: ContextWindow,
) -> str:
    """The best sentences between delimiters, then the fields with their numbers.

    Raises ModelUnavailable where no sentence has room.
    """
    frame = Frame()
    listed = _listed(fields)
    room = window.conversation * BYTES_PER_TOKEN - _bytes(listed)
    most = min(max(LEAST_READ_CHARS, READ_CHARS * len(fields)), max(0, room))
    passages = best_sentences(document, fields, proposals, most)
    while passages and sum(map(_bytes, passages)) > room:  # characters of several bytes
        passages.pop()
    if not passages and document.text.strip():
        raise ModelUnavailable(
            f"The questions of {len(fields)} fields leave no room for a sentence in a window of "
            f"{window.size:,} tokens.",
            "Ask shorter questions, or set llm_context if the model has a larger one.",
        )
    shown = [frame.wrap(passage) for passage in passages]
    return "\n".join([*shown, "", "Fields:", listed])


def _listed(fields: Sequence[Field]) -> str:
    """The fields with their numbers, as the model is asked for them."""
    return "\n".join(
        f"{number}. {one_line(field.name)} ({field.type})"
        + (f": {one_line(field.question)}" if field.question else "")
        for number, field in enumerate(fields, start=1)
    )


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def said_in(reply: str, fields: int) -> Iterator[SaidValue]:
    """The values of a reply: objects of a field's number, a value and a quotation.

    Anything else in it is passed over, and what follows ten objects that cannot be read.
    """
    at, broken = reply.find("{"), 0
    while at >= 0 and broken < MOST_BROKEN:
        try:
            value, end = _JSON.raw_decode(reply, at)
        except (ValueError, RecursionError):
            value, end, broken = None, at + 1, broken + 1
        if isinstance(value, dict) and (said := _said(value, fields)) is not None:
            yield said
        at = reply.find("{", end)


def _said(value: dict[str, object], fields: int) -> SaidValue | None:
    """The value that an object is, None if it is none."""
    number = str(value.get("field", "")).strip().rstrip(".")
    said, quote = value.get("value"), value.get("quote")
    if not (number.isdecimal() and len(number) < 4 and 1 <= int(number) <= fields):
        return None
    if isinstance(said, list):
        said = "; ".join(map(str, said))
    if isinstance(said, int | float) and not isinstance(said, bool):
        said = str(said)
    if not (isinstance(said, str) and isinstance(quote, str) and any(map(str.isalnum, said))):
        return None
    return SaidValue(int(number) - 1, said, quote)
