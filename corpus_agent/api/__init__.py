"""`Corpus`: the whole program from Python.

Imports nothing heavy until a method needs it. Only arguments count, no file and no environment.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from corpus_agent import answering, lazy_names, render, service
from corpus_agent.seal import unsealed
from corpus_agent.settings import OF_A_STORE, Device, Settings, absolute, check_one
from corpus_agent.startup import Launch, for_indexing, for_reading
from corpus_agent.text.naming import known
from corpus_agent.text.sanitize import one_line
from corpus_agent.trust.which_index import stores_from_here
from indexer import STATUSES, Choices, Ocr, Query, RunDisplay, UsageError, storage

if TYPE_CHECKING:
    from corpus_agent.api.asynchronous import AsyncCorpus as AsyncCorpus
    from corpus_agent.render.common import Object
    from corpus_agent.seal.enforce import SealState
    from corpus_agent.service.service import Service
    from indexer import Encoder, Index, Outcome, Progress
else:
    __getattr__ = lazy_names(__name__, {"corpus_agent.api.asynchronous": "AsyncCorpus"})

OnProgress = Callable[["Progress"], None]
Paths = str | Sequence[str]


class _Advances(RunDisplay):
    """The display of a run for a caller who follows its files alone."""

    def __init__(self, on_progress: OnProgress) -> None:
        self._on_progress = on_progress

    def advance(self, done: Progress) -> None:
        """Call the caller's function."""
        self._on_progress(done)


class Corpus:
    """The index of one folder: create, search, read and ask.

        with Corpus.open("notes/.corpus-agent") as corpus:
            corpus.index("notes")
            print(corpus.ask("When does the lease end?")["passages"][0]["text"])

    The model stays loaded between calls. Each call uses the newest committed version throughout.
    Not thread-safe: AsyncCorpus is for coroutines. Every method raises CorpusError, whose `hint` is
    the next step, and UsageError after `close`.

    Where a method takes `path`, `not_path` and `where`, it looks at the documents at `path` (the
    beginning of a source, a file or folder on disk, or a glob; one or several), without those at
    `not_path`, that a filter selects, see --where. What selects no document raises CorpusError.
    """

    def __init__(self, settings: Settings, *, seal: bool = False) -> None:
        """Use `Corpus.open`."""
        self._settings = settings
        self._launch: Launch | None = None
        store = settings.store  # None of several, which must be there
        if seal or store is None or os.path.lexists(store / storage.MANIFEST_NAME):
            self._launch = for_reading(settings, seal_off=not seal, asking=settings.llm != "none")
            self._settings = self._launch.settings
        self._encoder: Encoder | None = None
        self._to_index: Encoder | None = None
        self._service: Service | None = None
        self._closed = False

    @classmethod
    def open(
        cls,
        store: Path | str | Sequence[Path | str],
        *,
        llm: str = "none",
        llm_model: str | None = None,
        model: Path | str | None = None,
        device: Device = "auto",
        seal: bool = False,
        trust_store: bool = False,
    ) -> Self:
        """The corpus of the index folder `store`, which need not exist before `index`.

        A name that `corpus-agent stores` lists will do. Several are read as one corpus, in which
        each source begins with the name of its store, as in `notes:lease.md`; what changes an index
        takes one. The options up to `device` are as the settings of those names; by default
        no model answers.

        With `seal` this whole process is sealed irrevocably: no socket, no file but the corpus, the
        index and Python's own; only a pipe to the model's relay. The index must exist, and no other
        thread may run yet, so open before anything heavy is imported. Raises SealUnavailable if the
        kernel cannot seal; the process must then end. Raises UntrustedStore for an index that this
        user did not make here, unless `trust_store` permits it.
        """
        stores = stores_from_here([store] if isinstance(store, Path | str) else store)
        settings = Settings(
            store=stores[0].store if len(stores) == 1 else None,
            several=stores if len(stores) > 1 else (),
            llm=llm,
            llm_model=llm_model,
            model=Path(model) if model is not None else None,
            device=device,
            trust_store=trust_store,
            fixed=frozenset(OF_A_STORE),
        )
        return cls(absolute(settings), seal=seal)

    def close(self) -> None:
        """End the processes started for this object; after `seal` this process stays sealed."""
        self._closed = True
        if self._launch is not None:
            self._launch.close()
        self._launch = self._service = self._encoder = self._to_index = None

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._closed

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # -- the index

    def index(
        self,
        root: Path | str | None = None,
        *,
        force: bool = False,
        verify: bool = False,
        ocr: Ocr = "auto",
        on_progress: OnProgress = lambda _: None,
    ) -> Object:
        """The result of creating the index of the folder `root`, or bringing it up to date.

        Without `root`: the folder of this index. `ocr` says which scans and pictures are recognised
        (see --ocr). `on_progress` is called after each file; an exception in it ends the run.
        Ctrl-C commits what was embedded and is raised again.
        """
        self._check_open()
        if root is None and not (self._store / storage.MANIFEST_NAME).exists():
            raise UsageError(
                f"{str(self._store)!r} is a new index.", "Name its folder: index(ROOT)"
            )
        folder = self._own_folder(root)
        outcome = service.session.index(
            replace(self._settings, ocr=ocr),
            folder,
            Choices(force=force, verify=verify),
            encoder=self._indexing_encoder(),
            display=_Advances(on_progress),
        )
        if outcome.interrupted:
            raise KeyboardInterrupt
        return self._ran(outcome)

    def _own_folder(self, root: Path | str | None) -> Path | None:
        """The folder that is to be indexed; a sealed process can read its own alone."""
        folder = Path(root) if root is not None else None
        if self._seal == "off":
            self._record(folder)
        elif folder is not None and folder.resolve() != self._settings.root:
            raise UsageError(
                f"This process is sealed around {str(self._settings.root)!r}.",
                "Index another folder from a process of its own.",
            )
        return folder

    def watch(
        self,
        root: Path | str | None = None,
        *,
        should_stop: Callable[[], bool],
        on_outcome: Callable[[Object], None] = lambda _: None,
        on_notice: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Keep the index up to date with its folder until `should_stop` returns true.

        `on_outcome` is called after the first run and after each that changed the index.
        """
        self._check_open()
        folder = self._own_folder(root)
        callbacks = service.session.Callbacks(
            lambda outcome: on_outcome(self._ran(outcome)),
            lambda notice: on_notice(one_line(notice)),
        )
        encoder = self._indexing_encoder()
        service.session.watch(self._settings, folder, should_stop, callbacks, encoder=encoder)

    def forget(self, source: str) -> Object:
        """Drop a document from the index, by its name or its path; `keep_out` keeps it out."""
        return {**render.forget_object(self._serving().forget(source)), "seal": self._seal}

    def files(self, *, status: Paths = ()) -> Object:
        """Every file that was seen, with its status and the reason if it has no text.

        `status` is one of the statuses, or several, as in "failed"; by default files of all.
        """
        wanted = {*_several(status)}
        if unknown := wanted - set(STATUSES):
            raise UsageError(
                f"Unknown status {sorted(unknown)[0]!r}.", f"Known are: {', '.join(STATUSES)}."
            )
        view = self._serving().corpus()
        rows = [row for row in view.files() if not wanted or row.status in wanted]
        return self._of(view, render.files_object(rows, view.version))

    def status(self) -> Object:
        """The contents of the index, its location and whether it is complete."""
        check_one(self._settings)
        [(_, status)] = self._serving().status()
        return {**render.status_object(status), "seal": self._seal}

    # -- its documents

    def search(
        self,
        query: str,
        *,
        k: int = 5,
        path: Paths = (),
        not_path: Paths = (),
        where: str = "",
        per_source: int | None = None,
    ) -> Object:
        """The `k` best passages; the first `per_source` of each document precede the others."""
        if k < 1:
            raise UsageError(f"{k} hits cannot be found.", "Let k be 1 or more.")
        view = self._among(path, not_path, where)
        hits = view.search(Query(query, k, per_source))
        found = render.search_object(query, hits, view.version, view.notices)
        return self._of(view, found)

    def read(self, source: str, *, offset: int = 1, limit: int = 2_000) -> Object:
        """Lines of a document, by its name as any result shows it or its path, from `offset` on.

        At most `limit` lines and 51,200 bytes; go on at `next_offset`.
        """
        view = self._serving().corpus()
        names = known(row.source for row in view.files())
        window = view.read(service.places.document(source, names, view.roots), offset, limit)
        return self._of(view, render.read_object(window, view.version))

    def ask(
        self,
        question: str,
        *,
        path: Paths = (),
        not_path: Paths = (),
        where: str = "",
        quotes_only: bool = False,
        on_event: Callable[[str], None] = lambda _: None,
    ) -> Object:
        """An answer with verified quotations; `on_event` is called with each step.

        With `quotes_only` a model only chooses whole sentences of the documents. If the model
        fails, the answer is the passages, with a notice. The answer's receipt is appended to the
        log of the index.
        """
        view = self._among(path, not_path, where)
        seen = service.process.Onlooker(step=on_event)
        answer, _ = self._serving().ask(
            question, onlooker=seen, quotes_only=quotes_only, corpus=view
        )
        return self._of(view, render.answer_object(answer))

    def table(
        self,
        *names: str,
        path: Paths = (),
        not_path: Paths = (),
        where: str = "",
        on_document: Callable[[int, int], None] = lambda *_: None,
    ) -> Object:
        """What every document says about each field, which is named in words."""
        view = self._among(path, not_path, where)
        made = self._serving().table(names, view, on_document)
        return self._of(view, render.table_object(made))

    def list(
        self, condition: str, *, path: Paths = (), not_path: Paths = (), where: str = ""
    ) -> Object:
        """Every document with whether it fulfils a condition, as "governing law = Florida"."""
        view = self._among(path, not_path, where)
        made = self._serving().listed(condition, view)
        return self._of(view, render.table_object(made))

    def timeline(self, *, path: Paths = (), not_path: Paths = (), where: str = "") -> Object:
        """The dated statements of all documents in order."""
        view = self._among(path, not_path, where)
        return self._of(view, render.timeline_object(self._serving().timeline(view)))

    def check(
        self, text: str, *, path: Paths = (), not_path: Paths = (), where: str = ""
    ) -> Object:
        """What the documents say of each quotation and statement of anybody's text."""
        view = self._among(path, not_path, where)
        checked = self._serving().check(text, view)
        return self._of(view, render.checked_object(checked))

    def check_receipts(self, receipts: Path | str | None = None) -> Object:
        """Whether every quotation of receipts, by default of all answers, still stands today."""
        key = self._ready().receipt_key
        log = receipts if receipts is not None else self._store / answering.receipt.LOG_NAME
        checked, view = self._serving().check_receipts(answering.receipt.load(Path(log)))
        return self._of(view, render.receipts_object(checked, view.version, key))

    # -- what it holds between calls

    @property
    def _store(self) -> Path:
        check_one(self._settings)
        assert self._settings.store is not None
        return self._settings.store

    def _ready(self) -> Launch:
        """The launch of this process; for a new index, made once the index exists."""
        self._check_open()
        if self._launch is None:
            asking = self._settings.llm != "none"
            self._launch = for_reading(self._settings, seal_off=True, asking=asking)
            self._settings = self._launch.settings
        return self._launch

    def _check_open(self) -> None:
        if self._closed:
            several = [str(one.store) for one in self._settings.several]
            named = several or str(self._settings.store)
            raise UsageError("This corpus is closed.", f"Open it again: Corpus.open({named!r})")

    def _record(self, folder: Path | None) -> None:
        """Record before a run that the index is this user's; what served another folder goes."""
        before = self._settings.root
        self._settings = for_indexing(self._settings, folder, seal_off=True).settings
        self._service = self._service if self._settings.root == before else None

    def _loaded_encoder(self) -> Encoder:
        """The embedding model for questions: the one that indexed, where this object did."""
        if self._encoder is None:
            stores = [one.store for one in self._settings.several] or [self._store]
            self._encoder = service.session.encoder_for(self._settings, stores[0])
        return self._encoder

    def _indexing_encoder(self) -> Encoder:
        """The embedding model for a run, which answers the questions after it, too."""
        if self._to_index is None:
            self._to_index = service.session.encoder_to_index(self._settings, self._store)
            self._encoder = self._encoder or self._to_index
        return self._to_index

    def _serving(self) -> Service:
        """What answers, over this index; made anew where the folder of the index changed."""
        launch = self._ready()
        if self._service is None:
            launch = replace(launch, settings=self._settings)
            self._service = service.service.Service(launch, self._loaded_encoder())
        return self._service

    def _among(self, path: Paths, not_path: Paths, where: str) -> Index:
        return self._serving().among(_several(path), _several(not_path), where)

    def _of(self, view: Index, found: Object) -> Object:
        """A result with the state of the seal, and the stores that were read together."""
        return {**found, **render.stores_read(view.stores), "seal": self._seal}

    def _ran(self, outcome: Outcome) -> Object:
        return {**render.run_object(outcome), "seal": self._seal}

    @property
    def _seal(self) -> SealState:
        """The state of the seal around this process, part of every result."""
        return (self._launch.seal if self._launch is not None else unsealed()).state


def _several(given: Paths) -> Sequence[str]:
    """One text or several, as several; none of an empty one."""
    return ([given] if given else []) if isinstance(given, str) else given
