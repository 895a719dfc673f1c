"""`Corpus`: the Python interface to the whole program, as an object that is closed after use.

Each method returns the object that the command of the same name prints with `--json`. Not to be
confused with the protocol in tools/corpus.py, the interface of the tools. Imports nothing heavy
until a method needs it, and reads no setting from the environment or from a file: only arguments
count.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import indexer
from corpus_agent import fields, render, service
from corpus_agent.seal import unsealed
from corpus_agent.settings import OF_A_STORE, Settings, existing_place
from corpus_agent.startup import Launch, for_indexing, for_reading
from corpus_agent.text.naming import quoted
from indexer import Ocr, Query, UsageError, paths, storage

if TYPE_CHECKING:
    from corpus_agent.answering.records import Answerer
    from corpus_agent.render.json_types import (
        AnswerResult,
        IndexResult,
        ReadResult,
        SearchResult,
        StatusResult,
        TableResult,
    )
    from corpus_agent.seal.enforce import SealState
    from indexer import Encoder, Index, Progress

OnProgress = Callable[["Progress"], None]


class Corpus:
    """The index of one folder: create, search, read and ask.

        with Corpus.open("notes/.corpus-agent") as corpus:
            corpus.index("notes")
            print(corpus.ask("When does the lease end?")["answer"])

    The model stays loaded between calls. Each call uses the newest committed version throughout.
    Not thread-safe. Every method raises CorpusError, whose `hint` is the next step.
    """

    def __init__(self, settings: Settings, launch: Launch | None) -> None:
        """Use `Corpus.open`."""
        self._settings = settings
        self._launch = launch
        self._encoder: Encoder | None = None
        self._view: Index | None = None
        self._answerer: Answerer | None = None

    @classmethod
    def open(
        cls,
        store: Path | str,
        *,
        llm: str = "none",
        llm_model: str | None = None,
        model: Path | str | None = None,
        reranker: Path | str | None = None,
        seal: bool = False,
        trust_store: bool = False,
    ) -> Self:
        """The corpus of the index folder `store`, which need not exist before `index`.

        `llm` and `llm_model` choose the model that answers (see --llm); by default answers are
        passages only. `model` is the folder of another embedding model, `reranker` that of a
        cross-encoder.

        With `seal` this whole process is sealed irrevocably: no socket, no file but the corpus, the
        index and Python's own; only a pipe to the model's relay. The index must exist, and no other
        thread may run yet, so open before anything heavy is imported. Without it the process is not
        changed, and every result has `"seal": "off"`. Raises SealUnavailable if the kernel cannot
        seal; the process must then end.

        Raises UntrustedStore for an index that this user did not make here, by this program or this
        object, unless `trust_store` permits it; its documents must then lie beside or below it.
        """
        settings = Settings(
            store=storage.named_store(paths.from_here(Path(store))),
            llm=llm,
            llm_model=llm_model,
            model=paths.from_here(Path(model)) if model is not None else None,
            reranker=paths.from_here(Path(reranker)) if reranker is not None else None,
            trust_store=trust_store,
            fixed=OF_A_STORE,
        )
        assert settings.store is not None
        if seal or os.path.lexists(settings.store / storage.MANIFEST_NAME):
            launch = for_reading(settings, seal_off=not seal, asking=llm != "none")
            return cls(launch.settings, launch)
        return cls(settings, None)

    def close(self) -> None:
        """End the processes started for this object; after `seal` this process stays sealed."""
        if self._launch is not None and self._launch.broker is not None:
            self._launch.broker.close()
        if self._launch is not None and self._launch.llama is not None:
            self._launch.llama.stop()
        self._launch = self._view = self._encoder = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def index(
        self,
        root: Path | str | None = None,
        *,
        force: bool = False,
        verify: bool = False,
        ocr: Ocr = "auto",
        on_progress: OnProgress = lambda _: None,
    ) -> IndexResult:
        """The result of creating the index of the folder `root`, or bringing it up to date.

        Without `root`: the folder of this index. `ocr` says which scans and pictures are recognised
        (see --ocr). `on_progress` is called after each file; an exception in it ends the run.
        Ctrl-C commits what was embedded and is raised again.
        """
        if root is None and not (self._store / storage.MANIFEST_NAME).exists():
            raise UsageError(
                f"{str(self._store)!r} is a new index.", "Name its folder: index(ROOT)"
            )
        folder = Path(root) if root is not None else None
        if self._launch is None or self._launch.seal.state == "off":
            # Records that the index is this user's; a sealed process cannot, and did so before.
            before = self._settings.root
            self._settings = for_indexing(self._settings, folder, seal_off=True).settings
            self._view = self._view if self._settings.root == before else None
        elif folder is not None and folder.resolve() != self._settings.root:
            raise UsageError(
                f"This process is sealed around {str(self._settings.root)!r}.",
                "Index another folder from a process of its own.",
            )
        outcome = service.session.index(
            replace(self._settings, ocr=ocr),
            folder,
            force=force,
            verify=verify,
            encoder=self._loaded_encoder(),
            on_progress=on_progress,
        )
        if outcome.interrupted:
            raise KeyboardInterrupt
        return {**render.run_object(outcome), "seal": self._seal}

    def search(
        self,
        query: str,
        *,
        k: int = 5,
        path: str | Sequence[str] = (),
        not_path: str | Sequence[str] = (),
        per_source: int | None = None,
    ) -> SearchResult:
        """The `k` best passages of the documents at `path`, without those at `not_path`.

        A path is the beginning of a source, a file or folder on disk, or a glob; one that selects
        no document raises CorpusError. The first `per_source` of each document precede the others;
        None: by score only.
        """
        view = self._newest()
        paths, not_paths = _selected(view, path), _selected(view, not_path)
        hits = view.search(Query(query, k, per_source, paths, not_paths))
        return render.search_object(query, hits, view.version, self._seal, view.notices)

    def read(self, source: str, *, offset: int = 1, limit: int = 2_000) -> ReadResult:
        """Lines of a document, by its name as any result shows it or its path, from `offset` on.

        At most `limit` lines and 50,000 bytes; go on at `next_offset`.
        """
        view = self._newest()
        names = render.names(row.source for row in view.files())
        window = view.read(service.places.document(source, names, view.root), offset, limit)
        return render.read_object(window, view.version, self._seal)

    def ask(
        self, question: str, *, on_event: Callable[[str], None] = lambda _: None
    ) -> AnswerResult:
        """An answer with verified quotations; `on_event` is called with each step.

        If the model fails, the answer is the passages, with a notice. The answer's receipt is
        appended to the log of the index.
        """
        view, launch, settings = self._newest(), self._ready(), self._settings
        if self._answerer is None or self._answerer.model_server is None:  # what it learns is kept
            self._answerer = service.session.answerer_for(view, launch, settings)
        answer, _ = service.session.ask_recorded(
            question, view, self._answerer, launch, settings, on_event=on_event
        )
        return render.answer_object(answer, self._seal)

    def table(
        self,
        *names: str,
        file: Path | str | None = None,
        path: str | Sequence[str] = (),
        not_path: str | Sequence[str] = (),
    ) -> TableResult:
        """What every document at `path` says about each field; paths as of `search`.

        Fields are named in words; `file` has more of them (see --fields).
        """
        columns = fields.definition.fields_of(names, Path(file) if file is not None else None)
        view = self._newest()
        paths, not_paths = _selected(view, path), _selected(view, not_path)
        made = fields.table.table_of(view, columns, paths=paths, not_paths=not_paths)
        return render.table_object(made, self._seal)

    def status(self) -> StatusResult:
        """The contents of the index, its location and whether it is complete."""
        self._ready()
        store, root = existing_place(self._settings)
        manifest = storage.checked_manifest(store)
        used = indexer.storage.usage(store)
        return render.status_object(
            manifest,
            store,
            root,
            used,
            self._seal,
            root_exists=root.is_dir(),
            recognition=indexer.recognition_state(),
        )

    @property
    def _store(self) -> Path:
        assert self._settings.store is not None
        return self._settings.store

    def _ready(self) -> Launch:
        """The launch of this process; for a new index, made once the index exists."""
        if self._launch is None:
            asking = self._settings.llm != "none"
            self._launch = for_reading(self._settings, seal_off=True, asking=asking)
            self._settings = self._launch.settings
        return self._launch

    def _loaded_encoder(self) -> Encoder:

        if self._encoder is None:
            self._encoder = service.session.encoder_for(self._settings, self._store, bulk=True)
        return self._encoder

    def _newest(self) -> Index:
        """A view of the newest version, reused until there is a newer one."""
        if self._view is None:
            self._ready()
            store, root = existing_place(self._settings)
            reranker = service.session.reranker_for(self._settings)
            self._view = indexer.Index.open(
                store, self._loaded_encoder(), reranker, root=root, quote=quoted
            )
        else:
            self._view = self._view.latest()
        return self._view

    @property
    def _seal(self) -> SealState:
        """The state of the seal around this process, part of every result."""
        seal = self._launch.seal if self._launch is not None else unsealed()
        return seal.state


def _selected(view: Index, typed: str | Sequence[str]) -> tuple[str, ...]:
    """The paths of a Query that a path or several mean."""
    every = ([typed] if typed else ()) if isinstance(typed, str) else typed
    return service.places.selected(view, every)
