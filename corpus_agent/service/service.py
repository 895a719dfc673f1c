"""One index, or several, for every door: the newest version, kept loaded. Thread-safe."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from inspect import ismethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import indexer
from corpus_agent import answering, fields, service
from corpus_agent.service.cancel import Cancel, Onlooker
from corpus_agent.settings import (
    Settings,
    engine_of,
    existing_place,
    existing_store,
    extensions,
    one_by_one,
    stores_to_read,
)
from indexer import paths, recognition_state, storage

if TYPE_CHECKING:
    from corpus_agent.answering.receipt import Receipt, Rechecked
    from corpus_agent.answering.records import Answer, Answerer, Turn
    from corpus_agent.fields.records import FieldTable
    from corpus_agent.fields.timeline import ListedDocuments, Timeline
    from corpus_agent.startup import Launch
    from indexer import Encoder, Extension, Forgotten, Index, RecognitionState

OnDocument = Callable[[int, int], None]

_NOBODY = Onlooker()
_onlooker: ContextVar[Onlooker] = ContextVar("onlooker", default=_NOBODY)


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """What an index holds and where it is; `engine` is what would embed now, and why."""

    manifest: storage.Manifest
    store: Path
    root: Path
    used: storage.Usage
    root_exists: bool
    recognition: RecognitionState
    engine: str
    extensions: Sequence[Extension]


class Service:
    """The newest version of an index and its answerer, for the lifetime of the process."""

    def __init__(
        self, launch: Launch, encoder: Encoder | None = None, *, searching: bool = True
    ) -> None:
        """`encoder` replaces the one that the settings name; without `searching` there is none."""
        self.settings = launch.settings
        self.launch = launch
        self._loaded = encoder
        if searching and encoder is None:
            store = stores_to_read(self.settings)[0].store
            self._loaded = service.encoding.encoder_for(self.settings, store)
        self._encoder = cast("Encoder", _OneAtATime(self._loaded)) if self._loaded else None
        self._lock = threading.Lock()
        self._corpus: Index | None = None
        self._answerers: dict[bool, Answerer] = {}

    def warm(self) -> None:
        """Load the index and the encoder ahead of the first question."""
        self.corpus().encoder.encode(["warm"])

    def corpus(self) -> Index:
        """The newest committed version; the same object until a newer one is committed."""
        with self._lock:
            if self._corpus is not None:
                self._corpus = self._corpus.latest()
                return self._corpus
            beside: AbstractContextManager[None] = nullcontext()
            searching = self._encoder is not None
            if searching and isinstance(self._loaded, indexer.FolderEncoder):
                beside = self._loaded.loading()
            with _uncollected(), beside:
                self._corpus = service.session.open_corpus(
                    self.settings, searching=searching, encoder=self._encoder
                )
            return self._corpus

    def among(
        self, chosen: Sequence[str] = (), not_paths: Sequence[str] = (), where: str = ""
    ) -> Index:
        """The newest version with the documents that paths and a filter select; see places."""
        return service.places.bounded(self.corpus(), chosen, not_paths, where)

    # -- questions

    def ask(
        self,
        question: str,
        history: Sequence[Turn] = (),
        *,
        cancel: Cancel | None = None,
        onlooker: Onlooker = _NOBODY,
        quotes_only: bool = False,
        corpus: Index | None = None,
        conversation: str | None = None,
    ) -> tuple[Answer, Receipt]:
        """An answer from the newest version and its receipt; see session.ask_recorded."""
        cancel = cancel or Cancel()

        def step(line: str) -> None:
            cancel.check()
            onlooker.step(line)

        def wait() -> None:
            cancel.check()
            onlooker.wait()

        cancel.check()
        corpus = corpus or self.corpus()
        before = _onlooker.set(replace(onlooker, wait=wait))
        try:
            return service.session.ask_recorded(
                question,
                corpus,
                self.answerer(corpus, quotes_only=quotes_only),
                self.launch,
                history,
                step,
                conversation,
            )
        finally:
            _onlooker.reset(before)

    def answerer(self, corpus: Index, *, quotes_only: bool = False) -> Answerer:
        """The answerer of this process; one with a model is kept, for what it learns of it."""
        kept = self._answerers.get(quotes_only)
        if kept is None or kept.model_server is None:
            # One answerer serves all questions; each has an onlooker of its own.
            each = Onlooker(
                draft=lambda text: _onlooker.get().draft(text),
                passages=lambda found: _onlooker.get().passages(found),
                wait=lambda: _onlooker.get().wait(),
            )
            kept = service.session.answerer_for(corpus, self.launch, each, quotes_only=quotes_only)
            self._answerers[quotes_only] = kept
        return kept

    def checked(
        self, receipts: Sequence[Receipt]
    ) -> tuple[list[tuple[Receipt, list[Rechecked]]], Index]:
        """Each receipt with its quotations as they stand in today's files, and what was read.

        The files are parsed anew: a run that a document took over may have written what the store
        keeps of a text.
        """
        corpus = service.session.open_corpus(self.settings, searching=False, anew=True)
        look_up = answering.receipt.check
        return [
            (content, list(look_up(content, corpus, corpus.file, corpus.stores)))
            for content in receipts
        ], corpus

    # -- every document

    def table(
        self, names: Sequence[str], corpus: Index, on_document: OnDocument = lambda *_: None
    ) -> FieldTable:
        """What every document says about each field, which is named in words."""
        columns = fields.definition.fields_of(names)
        made = fields.table.table_of(corpus, columns, on_document=on_document)
        return replace(made, notices=corpus.notices)

    def listed(
        self, condition: str, corpus: Index, on_document: OnDocument = lambda *_: None
    ) -> ListedDocuments:
        """Every document with whether it fulfils a condition; UsageError for none."""
        wanted = fields.condition.parse_condition(condition)
        return fields.timeline.listed(corpus, wanted, on_document, notices=corpus.notices)

    def timeline(self, corpus: Index, on_document: OnDocument = lambda *_: None) -> Timeline:
        """The dated statements of every document, in order."""
        return replace(fields.timeline.timeline_of(corpus, on_document), notices=corpus.notices)

    # -- the index

    def forget(self, source: str) -> Forgotten:
        """Remove a document, by its name or its path; see session.forget."""
        existing_store(self.settings)
        return service.session.forget(self.settings, service.places.on_disk(self.corpus(), source))

    def status(self) -> list[tuple[str, IndexStatus]]:
        """What each index holds, by its name, "" of one alone; no table is opened."""
        return [(name, _status(alone)) for name, alone in one_by_one(self.settings)]


def _status(settings: Settings) -> IndexStatus:
    store, root = existing_place(settings)
    return IndexStatus(
        manifest=storage.checked_manifest(store),
        store=store,
        root=root,
        used=storage.usage(store),
        root_exists=paths.is_folder(root),
        recognition=recognition_state(),
        engine=engine_of(settings),
        extensions=extensions(),
    )


@contextmanager
def _uncollected() -> Iterator[None]:
    """No search for garbage while modules are imported, nor in them later: they stay."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


class _OneAtATime:
    """An encoder that serialises calls: tokenizers and lazily loaded models are not thread-safe."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._lock = threading.Lock()

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        with self._lock:
            found = getattr(self._encoder, name)
        return partial(self._called, found) if ismethod(found) else found

    def _called(self, method: Callable[..., object], *given: object) -> object:
        with self._lock:
            return method(*given)
