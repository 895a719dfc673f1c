"""`Corpus`: the Python interface to the whole program, as an object that is closed after use.

Each method returns the object that the command of the same name prints with `--json`. Not to be
confused with the protocol in tools/corpus.py, the interface of the tools. Imports nothing heavy
until a method needs it, and reads no setting from the environment or from a file: only arguments
count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import indexer
from corpus_agent import answering, fields, render, service
from corpus_agent.api.open_corpus import OpenCorpus
from corpus_agent.settings import check_one, engine_of, existing_place, extensions
from corpus_agent.startup import for_indexing
from corpus_agent.text.sanitize import one_line
from indexer import STATUSES, Choices, Ocr, Query, RunDisplay, UsageError, storage

if TYPE_CHECKING:
    from corpus_agent.render.common import Object
    from indexer import Index, Progress

OnProgress = Callable[["Progress"], None]


class _Advances(RunDisplay):
    """The display of a run for a caller who follows its files alone."""

    def __init__(self, on_progress: OnProgress) -> None:
        self._on_progress = on_progress

    def advance(self, done: Progress) -> None:
        """Call the caller's function."""
        self._on_progress(done)


class Corpus(OpenCorpus):
    """The index of one folder: create, search, read and ask.

        with Corpus.open("notes/.corpus-agent") as corpus:
            corpus.index("notes")
            print(corpus.ask("When does the lease end?")["answer"])

    The model stays loaded between calls. Each call uses the newest committed version throughout.
    Not thread-safe: AsyncCorpus is for coroutines. Every method raises CorpusError, whose `hint` is
    the next step, and UsageError after `close`.
    """

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
        folder = Path(root) if root is not None else None
        if self._launch is None or self._launch.seal.state == "off":
            # Records that the index is this user's; a sealed process cannot, and did so before.
            before = self._settings.root
            self._settings = for_indexing(self._settings, folder, seal_off=True).settings
            self._service = self._service if self._settings.root == before else None
        elif folder is not None and folder.resolve() != self._settings.root:
            raise UsageError(
                f"This process is sealed around {str(self._settings.root)!r}.",
                "Index another folder from a process of its own.",
            )
        outcome = service.session.index(
            replace(self._settings, ocr=ocr),
            folder,
            Choices(force=force, verify=verify),
            encoder=self._loaded_encoder(),
            display=_Advances(on_progress),
        )
        if outcome.interrupted:
            raise KeyboardInterrupt
        return {**render.run_object(outcome), "seal": self._seal}

    def reindex(self, source: str) -> Object:
        """The result of reading one document again, by its name or path, at once and alone.

        For a program that has just written it. A file that is gone is removed, a new one added;
        what else changed waits for `index`. Raises Refused for what neither folder nor index has.
        """
        check_one(self._settings)
        view = self._newest()
        outcome = service.session.index(
            self._settings,
            None,
            encoder=self._loaded_encoder(),
            only=service.places.on_disk(view, source),
        )
        return {**render.run_object(outcome), "seal": self._seal}

    def search(
        self,
        query: str,
        *,
        k: int = 5,
        path: str | Sequence[str] = (),
        not_path: str | Sequence[str] = (),
        where: str = "",
        per_source: int | None = None,
    ) -> Object:
        """The `k` best passages of the documents at `path`, without those at `not_path`.

        A path is the beginning of a source, a file or folder on disk, or a glob; one that selects
        no document raises CorpusError. `where` is a filter, see --where. The first `per_source` of
        each document precede the others; None: by score only.
        """
        if k < 1:
            raise UsageError(f"{k} hits cannot be found.", "Let k be 1 or more.")
        view = self._bounded(path, not_path, where)
        hits = view.search(Query(query, k, per_source))
        found = render.search_object(query, hits, view.version, self._seal, view.notices)
        return {**found, **render.stores_read(view.stores)}

    def read(self, source: str, *, offset: int = 1, limit: int = 2_000) -> Object:
        """Lines of a document, by its name as any result shows it or its path, from `offset` on.

        At most `limit` lines and 51,200 bytes; go on at `next_offset`.
        """
        view = self._newest()
        names = render.names(row.source for row in view.files())
        window = view.read(service.places.document(source, names, view.roots), offset, limit)
        read = render.read_object(window, view.version, self._seal)
        return {**read, **render.stores_read(view.stores)}

    def ask(
        self,
        question: str,
        *,
        path: str | Sequence[str] = (),
        not_path: str | Sequence[str] = (),
        where: str = "",
        quotes_only: bool = False,
        on_event: Callable[[str], None] = lambda _: None,
    ) -> Object:
        """An answer with verified quotations; `on_event` is called with each step.

        With `quotes_only` a model only chooses whole sentences of the documents.

        If the model fails, the answer is the passages, with a notice. The answer's receipt is
        appended to the log of the index. Paths and `where`: as of `search`.
        """
        view = self._bounded(path, not_path, where)
        answer, _ = self._serving().ask_after(
            question,
            (),
            service.cancel.Cancel(),
            service.cancel.Onlooker(step=on_event),
            quotes_only=quotes_only,
            corpus=view,
        )
        return {**render.answer_object(answer, self._seal), **render.stores_read(view.stores)}

    def table(
        self,
        *names: str,
        path: str | Sequence[str] = (),
        not_path: str | Sequence[str] = (),
        where: str = "",
        on_document: Callable[[int, int], None] = lambda *_: None,
    ) -> Object:
        """What every document at `path` says about each field; paths and `where` as of `search`.

        Fields are named in words. `on_document` is called with how many documents were looked at,
        and of how many.
        """
        columns = fields.definition.fields_of(names)
        view = self._bounded(path, not_path, where)
        made = fields.table.table_of(view, columns, on_document=on_document)
        made = replace(made, notices=view.notices)
        return {**render.table_object(made, self._seal), **render.stores_read(view.stores)}

    def list(
        self,
        condition: str,
        *,
        path: str | Sequence[str] = (),
        not_path: str | Sequence[str] = (),
        where: str = "",
    ) -> Object:
        """Every document with whether it fulfils a condition, as "governing law = Florida".

        What is not understood raises UsageError with what is. Paths and `where`: as of `search`.
        """
        wanted = fields.condition.parse_condition(condition)
        view = self._bounded(path, not_path, where)
        found = fields.timeline.listed(view, wanted, notices=view.notices)
        return {**render.list_object(found, self._seal), **render.stores_read(view.stores)}

    def timeline(
        self,
        *,
        path: str | Sequence[str] = (),
        not_path: str | Sequence[str] = (),
        where: str = "",
    ) -> Object:
        """The dated statements of all documents in order; paths and `where` as of `search`."""
        view = self._bounded(path, not_path, where)
        made = replace(fields.timeline.timeline_of(view), notices=view.notices)
        return {**render.timeline_object(made, self._seal), **render.stores_read(view.stores)}

    def files(self, *, status: str | Sequence[str] = ()) -> Object:
        """Every file that was seen, with its status and the reason if it has no text.

        `status` is one of the statuses, or several, as in "failed"; by default files of all.
        """
        wanted = {status} if isinstance(status, str) else set(status)
        if unknown := wanted - set(STATUSES):
            raise UsageError(
                f"Unknown status {sorted(unknown)[0]!r}.", f"Known are: {', '.join(STATUSES)}."
            )
        view = self._newest()
        rows = [row for row in view.files() if not wanted or row.status in wanted]
        listed = render.files_object(rows, view.version, self._seal)
        return {**listed, **render.stores_read(view.stores)}

    def forget(self, source: str) -> Object:
        """Drop a document from the index, by its name or its path; its file stays.

        It comes back with the next run unless a rule keeps it out: `keep_out` has the line to add.
        """
        view = self._newest()
        document = service.places.on_disk(view, source)
        return render.forget_object(service.session.forget(self._settings, document), self._seal)

    def check(
        self,
        text: str,
        *,
        path: str | Sequence[str] = (),
        not_path: str | Sequence[str] = (),
        where: str = "",
        on_piece: Callable[[int, int], object] = lambda *_: None,
    ) -> Object:
        """What the documents say of each quotation and statement of anybody's text.

        Paths and `where`: as of `search`. `on_piece` is called with how many statements were
        checked, and of how many.
        """
        view = self._bounded(path, not_path, where)
        checked = self._serving().check(text, view, on_piece)
        return {**render.checked_object(checked, self._seal), **render.stores_read(view.stores)}

    def check_receipts(self, receipts: Path | str | None = None) -> Object:
        """Whether every quotation of a file of receipts still stands in today's files, parsed anew.

        By default the receipts of all answers of this index.
        """
        key = self._ready().receipt_key
        log = receipts if receipts is not None else self._store / answering.receipt.LOG_NAME
        view = service.session.open_corpus(self._settings, searching=False, anew=True)
        checked = answering.receipt.check_all(answering.receipt.load(Path(log)), view)
        found = render.receipts_object(checked, view.version, self._seal, key)
        return {**found, **render.stores_read(view.stores)}

    def watch(
        self,
        root: Path | str | None = None,
        *,
        should_stop: Callable[[], bool],
        on_outcome: Callable[[Object], None] = lambda _: None,
        on_notice: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Keep the index up to date with its folder until `should_stop` returns true.

        `on_outcome` is called after the first run and after each that changed the index,
        `on_notice` with what a person should know. Not in a sealed process, which may follow no
        events.
        """
        self._check_open()
        if self._seal != "off":
            raise UsageError(
                "A sealed process follows no file events.", "Watch from a process of its own."
            )
        folder = Path(root) if root is not None else None
        self._settings = for_indexing(self._settings, folder, seal_off=True).settings
        callbacks = service.watching.Callbacks(
            lambda outcome: on_outcome({**render.run_object(outcome), "seal": self._seal}),
            lambda notice: on_notice(one_line(notice)),
            service.watching.no_display,
        )
        service.watching.watch(
            self._settings, folder, should_stop, callbacks, encoder=self._loaded_encoder()
        )

    def status(self) -> Object:
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
            root_exists=indexer.paths.is_folder(root),
            recognition=indexer.recognition_state(),
            engine=engine_of(self._settings),
            extensions=extensions(),
        )

    def _bounded(
        self, path: str | Sequence[str], not_path: str | Sequence[str], where: str
    ) -> Index:
        """The newest version with the documents that a path or several, and a filter, select."""
        paths, not_paths = (
            ([typed] if typed else ()) if isinstance(typed, str) else typed
            for typed in (path, not_path)
        )
        return service.places.bounded(self._newest(), paths, not_paths, where)
