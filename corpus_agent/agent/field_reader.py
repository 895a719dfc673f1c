"""A model that reads values in the best sentences of a document: one document a request.

It gets no tool and no history, and nothing that it says is believed: `fields.said_values` looks up
each quotation and each value. Called by service/tables.py.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from corpus_agent.agent.context_window import BYTES_PER_TOKEN, DEFAULT_WINDOW, ContextWindow
from corpus_agent.agent.loose_json import value_at
from corpus_agent.agent.messages import UserMessage, native
from corpus_agent.agent.prompts import FIELDS_PROMPT
from corpus_agent.agent.request import ChatModel, chat_model, stream_reply
from corpus_agent.fields.best_sentences import best_sentences
from corpus_agent.fields.records import SaidValue
from corpus_agent.models.capabilities import Capabilities, fetch_capabilities
from corpus_agent.models.discovery import ModelUnavailable
from corpus_agent.text.delimiters import Frame
from corpus_agent.text.sanitize import one_line

if TYPE_CHECKING:
    from httpx2 import AsyncClient

    from corpus_agent.agent.answerer import Limits
    from corpus_agent.fields.page import DocumentText
    from corpus_agent.fields.records import Field, ProposedValue
    from corpus_agent.models.address import Server

READ_CHARS = 1_000  # of each field's sentences; a model on two cores reads 200 in a second
LEAST_READ_CHARS = 2_000
MOST_SAID_CHARS = 8_000  # of a reply, for each field and once more
MOST_BROKEN = 10  # objects of a reply that cannot be read; each costs a look at all that follows


class ModelFieldReader:
    """Asks a model for the values of a document; what its server can do is asked once."""

    def __init__(
        self, server: Server, model: str, limits: Limits, make_client: Callable[[], AsyncClient]
    ) -> None:
        """`make_client` returns the HTTP client: under the seal, that of the broker."""
        self._server = server
        self.model = model
        self._limits = limits
        self._make_client = make_client
        self._capabilities: Capabilities | None = None

    def read(
        self,
        document: DocumentText,
        fields: Sequence[Field],
        proposals: Sequence[Sequence[ProposedValue]],
        on_event: Callable[[str], None] = lambda _: None,
    ) -> tuple[SaidValue, ...]:
        """What the model says of the fields, unchecked; raises ModelUnavailable.

        Also for a reply that is too long to be one: parsing is outside of the model's time.
        `on_event` is called within the event loop before the request. Must not be called from a
        running one.
        """

        async def asked() -> str:
            on_event("asking the model")
            async with self._make_client() as client:
                return await self._asked(client, document, fields, proposals)

        reply, most = asyncio.run(asked()), MOST_SAID_CHARS * (1 + len(fields))
        if len(reply) > most:
            raise ModelUnavailable(
                f"The model's reply for one document has {len(reply):,} characters: more than "
                f"{most:,} are not read.",
                "Ask for fewer fields, or another model.",
            )
        return tuple(said_in(reply, len(fields)))

    async def _asked(
        self,
        client: AsyncClient,
        document: DocumentText,
        fields: Sequence[Field],
        proposals: Sequence[Sequence[ProposedValue]],
    ) -> str:
        seconds = self._limits.seconds
        try:
            async with asyncio.timeout(seconds):
                model = await self._opened(client)
                window = ContextWindow(self._limits.window or self._window)
                message = fields_message(document, fields, proposals, window)
                reply = await stream_reply(
                    model,
                    native(FIELDS_PROMPT, [UserMessage(message)]),
                    max_tokens=window.reply,
                )
        except TimeoutError as error:
            raise ModelUnavailable(
                f"The model took longer than {seconds:g} s for one document.",
                "Give it longer: the setting llm_seconds.",
            ) from error
        return reply.message.text

    async def _opened(self, client: AsyncClient) -> ChatModel:
        base_url = self._server.base_url
        if self._capabilities is None:
            self._capabilities = await fetch_capabilities(client, base_url, self.model)
        return chat_model(client, base_url, self.model, self._limits.timeouts)

    @property
    def _window(self) -> int:
        known = self._capabilities.window if self._capabilities is not None else None
        return known or DEFAULT_WINDOW


def fields_message(
    document: DocumentText,
    fields: Sequence[Field],
    proposals: Sequence[Sequence[ProposedValue]],
    window: ContextWindow,
) -> str:
    """The best sentences between delimiters, then the fields with their numbers."""
    frame = Frame()
    asked = [
        f"{number}. {one_line(field.name)} ({field.type})"
        + (f": {one_line(field.question)}" if field.question else "")
        for number, field in enumerate(fields, start=1)
    ]
    listed = "\n".join(asked)
    room = window.conversation * BYTES_PER_TOKEN - len(listed.encode("utf-8", "replace"))
    most = min(max(LEAST_READ_CHARS, READ_CHARS * len(fields)), max(0, room))
    passages = best_sentences(document, fields, proposals, most)
    while passages and _size(passages) > room:  # characters of several bytes
        passages.pop()
    shown = [frame.wrap(passage) for passage in passages]
    return "\n".join([*shown, "", "Fields:", listed])


def _size(passages: Sequence[str]) -> int:
    return sum(len(passage.encode("utf-8", "replace")) for passage in passages)


def said_in(reply: str, fields: int) -> Iterator[SaidValue]:
    """The values of a reply: objects of a field's number, a value and a quotation, as models write
    them; anything else in it is passed over, and what follows ten that cannot be read.
    """
    at, broken = reply.find("{"), 0
    while at >= 0 and broken < MOST_BROKEN:
        value, end = value_at(reply, at)
        broken += value is None
        if isinstance(value, dict):
            said = _said(value, fields)
            if said is not None:
                yield said
        at = reply.find("{", max(end, at + 1))


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
