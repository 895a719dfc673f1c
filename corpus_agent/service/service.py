"""One index, or several, for every door: the newest version, kept loaded. Thread-safe."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from inspect import ismethod
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import indexer
from corpus_agent import answering, check, fields, service
from corpus_agent.answering.records import NOBODY, Onlooker
from corpus_agent.service.process import Cancel
from corpus_agent.settings import (
    Settings,
    engine_of,
    existing_place,
    existing_store,
    one_by_one,
    stores_to_read,
)
from corpus_agent.text.naming import called, known
from corpus_agent.text.wording import lacks, number_of
from indexer import recogniser_version, storage, tesseract_scripts

if TYPE_CHECKING:
    from corpus_agent.answering.receipt import Receipt, Rechecked
    from corpus_agent.answering.records import Answer, Answerer, Turn
    from corpus_agent.check.records import Checked
    from corpus_agent.fields.table import FieldTable
    from corpus_agent.startup import Launch
    from indexer import Encoder, Forgotten, Index

OnDocument = Callable[[int, int], None]
OnPiece = Callable[[int, int], object]

MAY_CHANGE = "may change what"  # of a notice that names documents
MOST_LOOKED_UP = 1_000  # documents whose names are compared with those of changes
MOST_CHANGES = 3  # documents of which it is said that others may change them
_EMPTY = "No document can be searched yet. Run: corpus-agent index"


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """What an index holds and where it is; `engine` is what would embed now, and why."""

    manifest: storage.Manifest
    store: Path
    root: Path
    used: storage.Usage
    recogniser: str | None  # its version
    tesseract: tuple[str, ...]  # scripts that it reads
    engine: str


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
            self._loaded = service.session.encoder_for(self.settings, store)
        self._encoder = cast("Encoder", _OneAtATime(self._loaded)) if self._loaded else None
        self._lock = threading.Lock()
        self._corpus: Index | None = None
        self._names: tuple[int, dict[str, str]] | None = None  # of which version; see `source`
        self._asked: dict[bool, Answerer] = {}  # a model, by whether it quotes only

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
            if searching and isinstance(self._loaded, indexer.Encoder):
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

    def source(self, corpus: Index, shown: str) -> str | None:
        """The document that results show by that name, None where none is."""
        with self._lock:
            if self._names is None or self._names[0] != corpus.version:
                self._names = corpus.version, known(row.source for row in corpus.files())
            return self._names[1].get(shown)

    # -- questions

    def ask(
        self,
        question: str,
        history: Sequence[Turn] = (),
        *,
        cancel: Cancel | None = None,
        onlooker: Onlooker = NOBODY,
        quotes_only: bool = False,
        corpus: Index | None = None,
        conversation: str | None = None,
    ) -> tuple[Answer, Receipt]:
        """An answer from the newest version and its receipt, in the log if one is kept.

        `corpus` is a part of that version; `conversation` tells the receipts of a chat from others.
        Raises Unreachable if the folder of the documents is not there: nothing could be quoted.
        """
        cancel = cancel or Cancel()

        def step(line: str) -> None:
            cancel.check()
            onlooker.step(line)

        def wait() -> None:
            cancel.check()
            onlooker.wait()

        cancel.check()
        corpus = corpus or self.corpus()
        corpus.check_root()
        started, clock = datetime.now(UTC), time.monotonic()
        answerer = self.answerer(corpus, quotes_only=quotes_only)
        told = replace(onlooker, step=step, wait=wait)
        answer = service.session.ask(question, corpus, answerer, history, told)
        answer = _completed(answer, corpus, self.launch.notices)
        launch, model = self.launch, self.launch.model
        by_model = answer.answerer != answering.extractive.ExtractiveAnswerer.name
        content = answering.receipt.receipt(
            answer,
            corpus.file,
            seal=launch.seal.state,
            server=model.server.base_url if model and by_model else None,
            started=started,
            seconds=time.monotonic() - clock,
            stores=corpus.stores,
            follows=history[-1].question if history else None,
            conversation=conversation,
        )
        content = answering.receipt.signed(content, launch.receipt_key)
        if self.settings.log == "on" and not self.settings.several:  # none holds another's text
            problem = answering.receipt.log(existing_store(self.settings), content)
            if problem is not None:
                answer = replace(answer, notices=(*answer.notices, problem))
        return answer, content

    def answerer(self, corpus: Index, *, quotes_only: bool = False) -> Answerer:
        """What answers one question; one with a model goes on with what was learned of it."""
        if quotes_only not in self._asked:
            found = service.session.answerer_for(corpus, self.launch, quotes_only=quotes_only)
            if isinstance(found, answering.extractive.ExtractiveAnswerer):
                return found
            self._asked[quotes_only] = found
        return self._asked[quotes_only]

    def check_receipts(
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

    def check(self, text: str, corpus: Index, on_piece: OnPiece = lambda *_: None) -> Checked:
        """What the documents say of each piece of anybody's text; see check_text."""
        found = check.checking.check_text(text, corpus, corpus.encoder, on_piece)
        cited = [one.source for each in found.findings for one in each.citations]
        return replace(found, notices=(*found.notices, *changes_of(corpus, cited)))

    # -- every document

    def table(
        self, names: Sequence[str], corpus: Index, on_document: OnDocument = lambda *_: None
    ) -> FieldTable:
        """What every document says about each field, which is named in words."""
        columns = fields.lexicon.fields_of(names)
        made = fields.table.table_of(corpus, columns, on_document=on_document)
        commas = (at for at, field in enumerate(columns) if "," in field.name)
        if any(made.count(at, "unknown") for at in commas):  # no column is called so
            parts = [
                part for name in names for part in name.split(",") if any(map(str.isalnum, part))
            ]
            return self.table(parts, corpus, on_document)
        worded = tuple(  # a guessed type may be wrong: a "period of insurance" is two dates
            replace(field, type="text") if made.count(at, "unknown") else field
            for at, field in enumerate(columns)
        )
        if worded != columns:
            made = fields.table.table_of(corpus, worded, on_document=on_document)
        return _noted(made, corpus)

    def listed(
        self, condition: str, corpus: Index, on_document: OnDocument = lambda *_: None
    ) -> FieldTable:
        """Every document with whether it fulfils a condition; UsageError for none."""
        wanted = fields.condition.parse_condition(condition)
        found = fields.condition.listed(corpus, wanted, on_document)
        return _noted(found, corpus)

    def timeline(self, corpus: Index, on_document: OnDocument = lambda *_: None) -> FieldTable:
        """The dated statements of every document, in order."""
        made = fields.table.table_of(corpus, [fields.table.DATES], on_document=on_document)
        return replace(made, notices=corpus.notices)

    # -- the index

    def forget(self, source: str) -> Forgotten:
        """Remove a document, by its name or its path; see session.forget."""
        existing_store(self.settings)
        source = service.places.on_disk(self.corpus(), source)
        with self._lock:
            self._corpus = None  # who reads a version keeps all of it on the disk
        return service.session.forget(self.settings, source)

    def status(self) -> list[tuple[str, IndexStatus]]:
        """What each index holds, by its name, "" of one alone; no table is opened."""
        return [(name, _status(alone)) for name, alone in one_by_one(self.settings)]


def notices_of(corpus: Index) -> tuple[str, ...]:
    """What a person should know of a corpus, such as that it is empty."""
    coverage = corpus.coverage()
    empty = not (coverage.searched or lacks(coverage))
    return (*corpus.notices, *([_EMPTY] if empty else []))


def changes_of(corpus: Index, sources: Iterable[str]) -> Iterator[str]:
    """Which documents may change what these say, by their names; a few."""
    some = islice(dict.fromkeys(sources), MOST_LOOKED_UP)
    every = ((source, corpus.amendments(source)) for source in some)
    for source, (other, *more) in islice(((s, o) for s, o in every if o), MOST_CHANGES):
        others = f" and {number_of(len(more), 'other')}" if more else ""
        yield f"{called(other)}{others} {MAY_CHANGE} {called(source)} says."


def _completed(answer: Answer, corpus: Index, before: Sequence[str]) -> Answer:
    """An answer with what was known before it was asked for, and what has changed since."""
    notices = (*before, *notices_of(corpus))
    unsaid = tuple(notice for notice in notices if notice not in answer.notices)
    states = corpus.states([citation.source for citation in answer.citations])
    changed = [*answer.changed, *(each for each, state in states.items() if state == "changed")]
    return replace(
        answer,
        notices=(*unsaid, *answer.notices),
        changed=tuple(dict.fromkeys(changed)),
    )


def _noted(made: FieldTable, corpus: Index) -> FieldTable:
    """A table with what a person should know of it."""
    said = (row.source for row in made.rows if any(cell.values for cell in row.cells))
    return replace(made, notices=(*corpus.notices, *changes_of(corpus, said)))


def _status(settings: Settings) -> IndexStatus:
    store, root = existing_place(settings)
    return IndexStatus(
        manifest=storage.checked_manifest(store),
        store=store,
        root=root,
        used=storage.usage(store),
        recogniser=recogniser_version(),
        tesseract=tesseract_scripts(),
        engine=engine_of(settings),
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
