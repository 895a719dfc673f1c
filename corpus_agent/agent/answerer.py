"""Answers from a model on this machine that has two tools and nothing else.

    question ──> first search ──> conversation.py ──> draft ──> verification.py ──> answer

Combines these steps; models/discovery.py finds the model. Called by service/session.py; imports
pydantic-ai and the HTTP client when it runs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from corpus_agent.agent import query_rewrite, reader
from corpus_agent.agent.context_window import DEFAULT_WINDOW, ContextWindow
from corpus_agent.agent.conversation import MAX_STEPS, Conversation, opening
from corpus_agent.agent.messages import UserMessage, native
from corpus_agent.agent.prompts import (
    NOT_FOUND,
    PASSAGES_PROMPT,
    READER_QUESTION,
    SYSTEM_PROMPT,
    passages_message,
    refuses,
)
from corpus_agent.agent.request import ChatModel, Declined, OnDraft, Timeouts, chat_model
from corpus_agent.agent.work import Work
from corpus_agent.answering.citations import Settled, remarks
from corpus_agent.answering.decision import (
    READ_NO,
    READ_YES,
    Said,
    decided,
    reading,
    said_by,
)
from corpus_agent.answering.follow_up import stands_alone
from corpus_agent.answering.own_words import without_own_words
from corpus_agent.answering.passages import passage_of
from corpus_agent.answering.records import Answer, Answerer, ModelServer, OnEvent, Turn
from corpus_agent.answering.verification import Finished
from corpus_agent.models.capabilities import Capabilities, fetch_capabilities
from corpus_agent.models.discovery import ModelUnavailable
from corpus_agent.text.naming import EXTRACTIVE, quoted
from corpus_agent.text.sanitize import one_line

if TYPE_CHECKING:
    from httpx2 import AsyncClient

    from corpus_agent.answering.coverage import EncodeTokens
    from corpus_agent.models.address import Server
    from corpus_agent.tools.corpus import CorpusView

QUESTION_SECONDS = 600.0  # for all of these requests, the repair of quotations included


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one question: requests, seconds for all of them, and timeouts of one reply.

    `window` is the model's in tokens if the user sets it; otherwise the server is asked.
    """

    steps: int = MAX_STEPS
    seconds: float = QUESTION_SECONDS
    timeouts: Timeouts = field(default_factory=Timeouts)
    window: int | None = None


def _direct_client() -> AsyncClient:
    """A client with a new direct connection for each request: no proxy and no redirect."""
    import httpx2

    limits = httpx2.Limits(max_keepalive_connections=0)
    return httpx2.AsyncClient(trust_env=False, follow_redirects=False, limits=limits)


class ModelAnswerer:
    """An answerer that uses a model; implements the `Answerer` protocol."""

    def __init__(
        self,
        server: Server,
        model: str,
        limits: Limits | None = None,
        make_client: Callable[[], AsyncClient] | None = None,
        *,
        encode: EncodeTokens | None = None,
        strict: bool = False,
        on_draft: OnDraft = lambda _: None,
        own: Answerer | None = None,
        on_passages: Callable[[Answer], None] = lambda _: None,
    ) -> None:
        """`make_client` returns the HTTP client: under the seal, that of the broker.

        With `encode` a sentence can be supported by synonyms; `strict` leaves unsupported
        sentences out; `on_draft` is called with the pieces of the unchecked draft as they arrive.
        `own` answers without the model, as evidence beside it: `on_passages` is called with its
        answer before the model is asked.
        """
        self._make_client = make_client or _direct_client
        self._server = server
        self._model = model
        self._limits = limits or Limits()
        self._encode = encode
        self._strict = strict
        self._on_draft = on_draft
        self._own = own
        self._on_passages = on_passages
        self._capabilities: Capabilities | None = None
        self._without_tools = False  # the model answers worse with tools offered
        self._cannot_read = ""  # the notice, once the server refuses the request of reader.py

    @property
    def name(self) -> str:
        """The model's name, made distinct from the program's own names."""
        name = one_line(self._model)
        return quoted(name) if name.casefold() == EXTRACTIVE else name

    @property
    def egress(self) -> str | None:
        """The remote host that was permitted, None on this machine."""
        return self._server.egress

    @property
    def model_server(self) -> ModelServer:
        """The server's address, and the owner of its process when it was found."""
        return ModelServer(str(self._server.address), self._server.owner)

    def answer(
        self,
        question: str,
        corpus: CorpusView,
        history: Sequence[Turn] = (),
        on_event: OnEvent = lambda _: None,
    ) -> Answer:
        """An answer whose citations are verified or moved; see the protocol.

        Raises ModelUnavailable if the model gives none, and CorpusError from the corpus. Must not
        be called from a running event loop.
        """
        work = Work(question, corpus, tuple(history), on_event, self._encode)
        if self._own is not None:
            work.own = self._own.answer(question, corpus, history)
            self._on_passages(work.own)
        return self._answer(work, asyncio.run(self._drafted(work)))

    async def _drafted(self, work: Work) -> _Draft:
        """The checked draft; if the model refuses what the program finds, one without tools."""
        deadline = asyncio.get_running_loop().time() + self._limits.seconds
        async with self._make_client() as client:
            try:
                async with asyncio.timeout_at(deadline):
                    model = await self._opened(work, client)
                    tools = not self._without_tools
                    asked = await self._asked(work, model, tools=tools)
            except TimeoutError as error:
                raise ModelUnavailable(
                    f"The model took longer than {self._limits.seconds:g} s for one question.",
                    "Give it longer: the setting llm_seconds; or use --llm none.",
                ) from error
            draft = await self._checked(work, *asked, deadline)
            if not (tools and work.evidence_is_strong and work.calls == 1 and draft.says_nothing):
                return draft
            return await self._asked_again(work, model, draft, deadline)

    async def _asked_again(
        self, work: Work, model: ChatModel, first: _Draft, deadline: float
    ) -> _Draft:
        """The draft of one more request without tools, if it says more; remembers if it does."""
        work.on_event("the model found no answer; asking it once more without tools")
        try:
            async with asyncio.timeout_at(deadline):
                asked = await self._asked(work, model, tools=False)
        except (TimeoutError, ModelUnavailable) as error:
            reason = f": {error.message}" if isinstance(error, ModelUnavailable) else "."
            notice = f"The model could not be asked once more without tools{reason}"
            return replace(first, notices=(*first.notices, notice))
        again = await self._checked(work, *asked, deadline)
        if again.says_nothing:
            return first
        self._without_tools = True
        return again

    async def _opened(self, work: Work, client: AsyncClient) -> ChatModel:
        """The model, after the first search; what it can do is asked once."""
        if self._capabilities is None:
            self._capabilities = await fetch_capabilities(
                client, self._server.base_url, self._model
            )
            self._without_tools |= self._capabilities.small
        timeouts = self._limits.timeouts
        model = chat_model(client, self._server.base_url, self._model, timeouts, self._on_draft)
        asked = None
        history = [(turn.question, turn.answer.text) for turn in work.history]
        if history and not stands_alone(work.question, work.history):
            work.on_event("reading the question after those before")  # can be cancelled from here
            asked = await query_rewrite.by_model(model, work.question, history)
        window = self._limits.window or self._capabilities.window or DEFAULT_WINDOW
        work.search_first(asked or work.question, ContextWindow(window))
        return model

    async def _asked(
        self, work: Work, model: ChatModel, *, tools: bool
    ) -> tuple[Conversation, str | None]:
        """A conversation and the model's draft; without `tools` it has one request."""
        able = self._capabilities is None or self._capabilities.tools is not False
        history = [(turn.question, turn.answer.text) for turn in work.history]
        conversation = Conversation(
            model,
            SYSTEM_PROMPT if tools else PASSAGES_PROMPT,
            work.question,
            opening(history, work.question, work.first) if tools else [],
            work.call,
            lambda left_out: work.toolbox.forget(left_out.name, left_out.arguments),
            work.window,
            tools=tools and able,
            bare=not tools,
            on_event=work.on_event,
        )
        if tools:
            return conversation, await conversation.answer(self._limits.steps)
        quoted = work.own.citations if work.own is not None else ()
        message = passages_message(work.frame, work.asked, work.toolbox.passages, quoted)
        if await self._denied(work, model, message):
            return conversation, NOT_FOUND
        return conversation, await conversation.ask(message)

    async def _denied(self, work: Work, model: ChatModel, message: str) -> bool:
        """Whether program and model, which is asked for one word, doubt that the passages answer.

        A model that cannot say denies nothing.
        """
        read = None
        if work.own is not None and self._cannot_read:
            work.notices.append(self._cannot_read)
        elif work.own is not None:
            asked = native(PASSAGES_PROMPT, [UserMessage(f"{message}\n\n{READER_QUESTION}")])
            try:
                read = await reader.read(model, asked)
            except ModelUnavailable as error:
                notice = f"The model was not asked whether the passages answer: {error.message}"
                work.notices.append(notice)
                self._cannot_read = notice if isinstance(error, Declined) else ""
            work.odds = reading(work.own.probability, read)
        return read is not None and work.odds < READ_NO

    async def _checked(
        self, work: Work, conversation: Conversation, text: str | None, deadline: float
    ) -> _Draft:
        """A draft whose quotations were looked up, repaired and completed."""
        if not text:
            steps = "1 step" if conversation.bare else f"{self._limits.steps} steps"
            return _Draft("no", notices=(f"The model gave no answer within {steps}.",))
        settled = work.evidence.settle(work.cleaned(text))
        if settled.failed and not conversation.bare:
            try:
                async with asyncio.timeout_at(deadline):
                    settled = await _repaired(work, conversation, settled)
            except (TimeoutError, ModelUnavailable):
                work.on_event("the quotations were not repaired")
        if not settled.citations and refuses(settled.text):
            return _Draft("no")
        text = without_own_words(settled.text.replace(NOT_FOUND, ""))
        settled = Settled(text, settled.citations, settled.failed)
        finished = work.evidence.finish(settled, strict=self._strict)
        elsewhere = conversation.bare and work.evidence_is_strong and not work.quotes_own(finished)
        unread = conversation.bare and work.odds < READ_YES
        return _Draft(
            said_by(
                finished.citations,
                len(finished.unsupported),
                text=bool(finished.text),
                whole=not (finished.dropped or elsewhere or unread),
            ),
            finished,
            tuple(_notices(finished)),
        )

    def _answer(self, work: Work, draft: _Draft) -> Answer:
        """The answer that the draft and the program's own evidence decide on together."""
        shown = draft.finished
        citations = shown.citations if shown else ()
        answer = Answer(
            question=work.question,
            text=shown.text if shown else "",
            status="perhaps",
            answerer=self.name,
            passages=tuple(passage_of(work.corpus, citation) for citation in citations),
            coverage=work.corpus.coverage(),
            version=work.corpus.version,
            notices=(*work.notices, *draft.notices, *remarks(citations)),
            unsupported=shown.unsupported if shown else (),
            calls=tuple(work.toolbox.calls),
        )
        return decided(answer, work.own, draft.said)


@dataclass(frozen=True, slots=True)
class _Draft:
    """What a model's draft says, checked; `finished` is None if it has no text."""

    said: Said
    finished: Finished | None = None
    notices: tuple[str, ...] = ()

    @property
    def says_nothing(self) -> bool:
        """Whether nothing in it is from the documents."""
        return self.said in ("no", "nothing")


async def _repaired(work: Work, conversation: Conversation, settled: Settled) -> Settled:
    """The draft as the model repaired it, if that is better; there is one attempt."""
    count = len(settled.failed)
    noun = "quotation is" if count == 1 else "quotations are"
    work.on_event(f"{count} {noun} not in the documents; asking the model to repair")
    draft = await conversation.ask(work.repair(settled))
    if not draft:
        return settled
    mended = work.evidence.settle(work.cleaned(draft))
    better = len(mended.failed) < count and len(mended.citations) >= len(settled.citations)
    return mended if better else settled


def _notices(finished: Finished) -> list[str]:
    """The notices of an incomplete answer."""
    found = []
    if finished.dropped:
        noun = "1 citation was" if finished.dropped == 1 else f"{finished.dropped} citations were"
        found.append(f"{noun} dropped: not in the documents as quoted.")
    if count := len(finished.unsupported):
        noun = "1 sentence is" if count == 1 else f"{count} sentences are"
        found.append(f"{noun} not supported by anything that was found, and marked.")
    if count := finished.left_out:
        noun = "1 sentence was" if count == 1 else f"{count} sentences were"
        found.append(f"{noun} left out: not supported by anything that was found.")
    return found
