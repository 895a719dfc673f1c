"""The commands without a terminal: build the parts, run one job, return its result.

`cli` parses and prints; scripts may call these functions too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from corpus_agent import agent, answering, models
from corpus_agent.models import discovery
from corpus_agent.models.llama_server import wait_until_ready
from corpus_agent.settings import Settings, existing_place, existing_store, model_folder
from corpus_agent.startup import Launch, corpus_place, for_indexing, in_place
from corpus_agent.text.naming import quoted
from indexer import (
    CorpusError,
    Encoder,
    FileRow,
    FolderEncoder,
    Index,
    Outcome,
    Plan,
    Progress,
    Reranker,
    ToRecognise,
    UsageError,
    plan_folder,
    sync_folder,
)

if TYPE_CHECKING:
    from corpus_agent.answering.receipt import Receipt
    from corpus_agent.answering.records import Answer, Answerer, OnEvent, Turn

MODEL_LOAD_SECONDS = 300.0  # a large model from a slow disk


def encoder_for(settings: Settings, store: Path | None, *, bulk: bool = False) -> Encoder:
    """The embedding model that the settings name; `bulk` if many texts are to be embedded."""
    folder = model_folder(settings.model, "--model")
    return FolderEncoder(folder, store=store, bulk=bulk)


def reranker_for(settings: Settings) -> Reranker | None:
    """The reranker that the settings name, None without one; it is loaded on first use."""
    folder = model_folder(settings.reranker, "--reranker")
    return Reranker(folder) if folder is not None else None


def open_corpus(settings: Settings, *, searching: bool = True, anew: bool = False) -> Index:
    """The index in the configured store; without `searching` no model is loaded.

    With `anew` texts are extracted again instead of taken from the store's cache.
    """
    store = existing_store(settings)
    if not searching:
        return Index.open(store, root=settings.root, anew=anew, quote=quoted)
    encoder, reranker = encoder_for(settings, store), reranker_for(settings)
    return Index.open(store, encoder, reranker, root=settings.root, anew=anew, quote=quoted)


def index(
    settings: Settings,
    folder: Path | None,
    *,
    force: bool = False,
    verify: bool = False,
    prune: bool = True,
    prune_unreachable: bool = False,
    encoder: Encoder | None = None,
    on_start: Callable[[Plan, bool], None] = lambda *_: None,
    on_waiting: Callable[[ToRecognise], None] = lambda _: None,
    on_progress: Callable[[Progress], None] = lambda _: None,
    on_problem: Callable[[FileRow], None] = lambda _: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Outcome:
    """The outcome of a run over the folder; see sync_folder. `encoder` is one already loaded."""
    if settings.root is None:  # called without a Launch
        settings = for_indexing(settings, folder, seal_off=True).settings
    store, root = existing_place(settings)
    return sync_folder(
        store,
        root,
        encoder or encoder_for(settings, store, bulk=True),
        max_file_bytes=settings.max_file_bytes,
        force=force,
        verify=verify,
        prune=prune,
        ocr=settings.ocr,
        prune_unreachable=prune_unreachable,
        on_start=on_start,
        on_waiting=on_waiting,
        on_progress=on_progress,
        on_problem=on_problem,
        should_stop=should_stop,
    )


def dry_run(
    settings: Settings,
    folder: Path | None,
    *,
    force: bool = False,
    verify: bool = False,
    prune: bool = True,
    prune_unreachable: bool = False,
) -> Plan:
    """The plan that `index` would carry out; writes nothing and takes no lock."""
    if settings.root is None:
        settings = in_place(settings, corpus_place(settings, folder))
    store, root = existing_place(settings)
    return plan_folder(
        store,
        root,
        encoder_for(settings, store),
        max_file_bytes=settings.max_file_bytes,
        force=force,
        verify=verify,
        prune=prune,
        prune_unreachable=prune_unreachable,
    )


def answerer_for(
    corpus: Index,
    launch: Launch,
    settings: Settings,
    *,
    strict: bool = False,
    on_draft: Callable[[str], None] = lambda _: None,
    on_passages: Callable[[Answer], None] = lambda _: None,
) -> Answerer:
    """The answerer of the model that was found, through its broker; else the extractive one.

    With `strict`, unsupported sentences are left out of its answers; `on_passages` is called with
    the answer without a model before the model is asked, `on_draft` with the pieces of its draft.
    """
    model, broker = launch.model, launch.broker
    if model is None or broker is None:
        return answering.extractive.ExtractiveAnswerer(corpus.encoder, launch.notices)
    if launch.llama is not None:
        try:
            wait_until_ready(launch.llama, broker, MODEL_LOAD_SECONDS)
        except CorpusError as error:
            notice = f"{error.message} {error.hint} Answered without a model."
            return answering.extractive.ExtractiveAnswerer(
                corpus.encoder, (*launch.notices, notice)
            )
    return agent.answerer.ModelAnswerer(
        model.server,
        model.name,
        agent.answerer.Limits(seconds=settings.llm_seconds, window=settings.llm_context),
        make_client=lambda: models.http.http_client(broker),
        encode=corpus.encoder.encode_tokens,
        strict=strict,
        on_draft=on_draft,
        own=answering.extractive.ExtractiveAnswerer(corpus.encoder),
        on_passages=on_passages,
    )


def models_of(launch: Launch) -> list[str]:
    """The models that the server of a launch lists, requested through the broker."""
    model, broker = launch.model, launch.broker
    if model is None or broker is None:
        return []
    import asyncio

    async def listed() -> list[str]:
        async with models.http.http_client(broker) as client:
            return await models.capabilities.names(client, model.server.base_url)

    return asyncio.run(listed())


def ask(
    question: str,
    corpus: Index,
    answerer: Answerer,
    history: Sequence[Turn] = (),
    on_event: OnEvent = lambda _: None,
) -> Answer:
    """An answer; if the model fails, the extractive one, with a notice."""
    if not any(char.isalnum() for char in question):
        raise UsageError("The question holds no words.", 'Ask like this: corpus-agent ask "…"')
    question = question.encode("utf-8", "replace").decode("utf-8")  # typed bytes may be no text
    try:
        answer = answerer.answer(question, corpus, history, on_event)
    except discovery.ModelUnavailable as error:
        notice = f"{error} Answered without a model."
        on_event(notice)
        fallback = answering.extractive.ExtractiveAnswerer(corpus.encoder, (notice,))
        answer = fallback.answer(question, corpus, history, on_event)
    if answer.computed is None and answering.whole_corpus.asks_all(question):
        answer = _of_nearest_passages(answer)
    # Also if the model failed: it had already received passages.
    return replace(answer, egress=answerer.egress, model_server=answerer.model_server)


def _of_nearest_passages(answer: Answer) -> Answer:
    """The answer to a question about all documents, which the passages that were read are not."""
    status = "partial" if answer.status == "answered" else answer.status
    return replace(answer, status=status, notices=(*answer.notices, answering.whole_corpus.NOTICE))


def ask_recorded(
    question: str,
    corpus: Index,
    answerer: Answerer,
    launch: Launch,
    settings: Settings,
    history: Sequence[Turn] = (),
    on_event: OnEvent = lambda _: None,
) -> tuple[Answer, Receipt]:
    """An answer as `ask` returns it, and its receipt, already appended to the store's log.

    Raises Unreachable if the folder of the documents is not there: nothing could be quoted.
    """
    corpus.check_root()
    started, clock = datetime.now(UTC), time.monotonic()
    answer = ask(question, corpus, answerer, history, on_event)
    known = (*launch.notices, *corpus.notices)
    unsaid = tuple(notice for notice in known if notice not in answer.notices)
    answer = replace(answer, notices=(*unsaid, *answer.notices))
    asked_model = launch.model is not None and answer.answerer == answerer.name
    content = answering.receipt.receipt(
        answer,
        corpus.file,
        seal=launch.seal.state,
        server=launch.model.server.base_url if launch.model and asked_model else None,
        started=started,
        seconds=time.monotonic() - clock,
    )
    problem = answering.receipt.log(existing_store(settings), content)
    if problem is not None:
        answer = replace(answer, notices=(*answer.notices, problem))
    return answer, content
