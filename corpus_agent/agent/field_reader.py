"""A model that reads values in the best sentences of a document: one document a request.

Several requests for a document where the questions of the fields are long. It gets no tool and no
history, and nothing that it says is believed: `fields.said_values` looks up each quotation and each
value. Called by service/tables.py.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
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

        Also for a reply that is empty or not at its end, as what it leaves out would count as not
        said; and for one that is too long: parsing is outside of the model's time.
        `on_event` is called within the event loop before the request. Must not be called from a
        running one.
        """

        async def asked() -> list[tuple[int, str]]:
            on_event("asking the model")
            async with self._make_client() as client:
                return await self._replies(client, document, fields, proposals)

        said: list[SaidValue] = []
        for first, reply in asyncio.run(asked()):
            most = MOST_SAID_CHARS * (1 + len(fields))
            if len(reply) > most:
                raise ModelUnavailable(
                    f"The model's reply for one document has {len(reply):,} characters: more than "
                    f"{most:,} are not read.",
                    "Ask for fewer fields, or another model.",
                )
            its = said_in(reply, len(fields) - first)
            said += [replace(one, field=first + one.field) for one in its]
        return tuple(said)

    async def _replies(
        self,
        client: AsyncClient,
        document: DocumentText,
        fields: Sequence[Field],
        proposals: Sequence[Sequence[ProposedValue]],
    ) -> list[tuple[int, str]]:
        """The replies for groups of fields, each with the place of its first field."""
        model = await self._opened(client)
        window = ContextWindow(self._limits.window or self._window)
        replies, first = [], 0
        while first < len(fields):
            end = first + fitting(fields[first:], window)
            message = fields_message(document, fields[first:end], proposals[first:end], window)
            replies.append((first, await self._reply(model, message, window)))
            first = end
        return replies

    async def _reply(self, model: ChatModel, message: str, window: ContextWindow) -> str:
        """A whole reply; raises ModelUnavailable where there is none."""
        seconds = self._limits.seconds
        try:
            async with asyncio.timeout(seconds):
                reply = await stream_reply(
                    model,
                    native(FIELDS_PROMPT, [UserMessage(message)]),
                    as_written=True,
                    max_tokens=window.reply,
                )
        except TimeoutError as error:
            raise ModelUnavailable(
                f"The model took longer than {seconds:g} s for one request.",
                "Give it longer: the setting llm_seconds.",
            ) from error
        if reply.full or reply.cut:
            raise ModelUnavailable(
                f"The model's reply was not at its end after {window.reply:,} tokens.",
                "Ask for fewer fields, set llm_context, or take a model that thinks less.",
            )
        if not reply.message.text:
            raise ModelUnavailable("The model's reply was empty.", "Take another model.")
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


def fitting(fields: Sequence[Field], window: ContextWindow) -> int:
    """How many of the first fields one request asks for, at least one.

    So many that their questions leave half of the room to the document.
    """
    room = window.conversation * BYTES_PER_TOKEN // 2
    counts = range(len(fields), 1, -1)
    return next((count for count in counts if _bytes(_listed(fields[:count])) <= room), 1)


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
