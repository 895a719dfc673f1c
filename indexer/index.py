"""An index: one snapshot of a store, and the files below its root.

Implements the `CorpusView` protocol. A read checks membership, then containment, then the hash, and
uses the same parsers and extractors that indexed the file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal

from indexer import retrieve
from indexer.chunk import Chunker
from indexer.embed import Encoder, Reranker
from indexer.errors import (
    DamagedStore,
    IncompatibleStore,
    Refused,
    Unreachable,
    UnreadableDocument,
)
from indexer.extract import is_todays
from indexer.files.opening import hash_beneath, open_beneath
from indexer.files.paths import is_there
from indexer.parsers.protocol import decoded
from indexer.parsers.worker import Worker
from indexer.records import Coverage, FileRow, Hit, Line, Query
from indexer.store.inspection import Inspection, inspect
from indexer.store.manifest import read_manifest
from indexer.store.recognised import RecognisedPages
from indexer.store.rows import same_rows
from indexer.store.snapshot import Snapshot
from indexer.store.texts import Texts
from indexer.store.vectors import key_of
from indexer.sync.read import Copy, copied, text_of
from indexer.sync.recognise import recognised_text, was_recognised
from indexer.sync.run import fingerprint_of
from indexer.window import MAX_WINDOW_LINES, Window, check_numbers, cut_window, fills_window

KEPT_ROWS = 1_024  # rows of files kept in memory
KEPT_DOCUMENTS = 8  # extracted documents kept in memory, so that paging does not parse anew


class Index:
    """One committed version of a folder's index, with access to the files as they are now."""

    def __init__(
        self,
        snapshot: Snapshot,
        encoder: Encoder | None = None,
        reranker: Reranker | None = None,
        *,
        anew: bool = False,
        quote: Callable[[str], str] = repr,
    ) -> None:
        """With `anew` each document is parsed from the current file; cached text is ignored.

        `quote` formats document names in error messages.
        """
        self._anew = anew
        self._quote = quote
        self._snapshot = snapshot
        self._encoder = encoder
        self._reranker = reranker
        self._texts = Texts(snapshot.store, reuse=not anew, keep=not anew)
        self._pages = RecognisedPages(snapshot.store)
        self._kept: dict[tuple[str, str], tuple[Line, ...]] = {}  # by source and hash
        self._begun: set[tuple[str, str]] = set()
        # One version of the index never changes, and an answer asks for the same rows many times.
        self._asked = lru_cache(maxsize=KEPT_ROWS)(snapshot.file)
        self._listed: dict[str, FileRow] = {}

    @classmethod
    def open(
        cls,
        store: Path,
        encoder: Encoder | None = None,
        reranker: Reranker | None = None,
        *,
        root: Path | None = None,
        anew: bool = False,
        quote: Callable[[str], str] = repr,
    ) -> Index:
        """The newest committed version; without an encoder it supports reading but not searching.

        `root` is the documents' folder from the user's record; None takes it from the store, which
        is for callers that made the store in this process. With `anew` documents are parsed again
        and cached text is ignored.

        Raises NoIndex, DamagedStore or IncompatibleStore, the last also where the index was made
        by another model or chunker than `encoder` and today's.
        """
        corpus = cls(Snapshot(store, root), encoder, reranker, anew=anew, quote=quote)
        if encoder is not None:
            corpus._check_fingerprint(encoder)
        return corpus

    def latest(self) -> Index:
        """The newest committed version: this object if it is current, else a new one.

        For long-running processes, so its files are checked each time. This object's version stays
        on disk while it is open, since an answer may still be using it. Raises as `open` does.
        """
        store = self._snapshot.store
        if read_manifest(store) == self._snapshot.manifest:
            self._snapshot.check()
            return self
        return Index.open(
            store,
            self._encoder,
            self._reranker,
            root=self._snapshot.root,
            anew=self._anew,
            quote=self._quote,
        )

    def close(self) -> None:
        """Release the version that is held; no method may be called afterwards."""
        self._snapshot.close()

    def _check_fingerprint(self, encoder: Encoder) -> None:
        stored = self._snapshot.manifest.fingerprint
        today = fingerprint_of(encoder, self._chunker)
        if not same_rows(stored, today):
            raise IncompatibleStore(
                f"The index was made with {stored.model} ({stored.weights_sha256[:8]}, "
                f"{stored.chunker}), this run uses {today.model} "
                f"({today.weights_sha256[:8]}, {today.chunker}).",
                "Bring it up to date: corpus-agent index",
            )

    @property
    def version(self) -> int:
        """Number of the index version that all calls on this object use."""
        return self._snapshot.manifest.version

    @property
    def root(self) -> Path:
        """The folder of the documents; it need not exist."""
        return self._snapshot.root

    @property
    def encoder(self) -> Encoder:
        """The model that queries are embedded with."""
        assert self._encoder is not None, "opened for reading only"
        return self._encoder

    @property
    def notices(self) -> tuple[str, ...]:
        """Degradations of searches, as messages for the user."""
        outage = self._reranker.outage if self._reranker else None
        return (outage,) if outage else ()

    def check_root(self) -> None:
        """Raise Unreachable if the folder of the documents is gone, or empty and was not."""
        root = self._snapshot.root
        if self.coverage().searched and not is_there(root):
            found = "empty" if root.is_dir() else "not there"
            raise Unreachable(
                f"The folder of the documents, {str(root)!r}, is {found}: moved, or not mounted.",
                "The index is kept: search finds in it. corpus-agent index NEW_FOLDER if it moved.",
            )

    def coverage(self) -> Coverage:
        """How many files are indexed, empty, failed and skipped."""
        return self._snapshot.manifest.coverage

    def files(self, paths: Sequence[str] = (), not_paths: Sequence[str] = ()) -> list[FileRow]:
        """The rows of the files, by source: all, or those that paths select, as of a Query."""
        rows = self._snapshot.files(paths, not_paths)
        self._listed.update((row.source, row) for row in rows)
        return rows

    def file(self, source: str) -> FileRow | None:
        """The row of one file, None if it is not in the index."""
        return self._row(source)

    def _row(self, source: str) -> FileRow | None:
        """The row of one file; a query each costs as much as reading a small document."""
        return self._listed.get(source) or self._asked(source)

    def selects(self, path: str) -> bool:
        """Whether a path, as of a Query, selects any document of the index."""
        return self._snapshot.selects(path)

    def similar(self, source: str) -> list[str]:
        """Up to three indexed sources with names similar to `source`, most similar first."""
        return self._snapshot.similar(source)

    def inspect(self) -> Inspection:
        """Counts from a pass over all rows of this version, for consistency checks."""
        return inspect(self._snapshot)

    def search(self, query: Query) -> list[Hit]:
        """Hits, best first; see the protocol."""
        if not any(char.isalnum() for char in query.text):
            raise Refused("The query holds no words.", "Search for what the text would say.")
        hits = retrieve.search(self._snapshot, self.encoder, query, self._reranker)
        for hit in hits:
            self._check_text(hit)
        rows = self._snapshot.files_named({hit.chunk.source for hit in hits})
        now = {source: _compared(self._snapshot.root, row) for source, row in rows.items()}
        states = [(hit, now[hit.chunk.source]) for hit in hits]
        return [
            replace(hit, stale=state != "same", unreachable=state == "unreachable")
            for hit, state in states
        ]

    def _check_text(self, hit: Hit) -> None:
        """Raise DamagedStore if a passage is not the text that was embedded.

        Of a large index only samples are compared when it is opened.
        """
        encoder = self.encoder
        text = encoder.document_prefix + self._chunker.text_with_context(hit.chunk)
        if hit.key is not None and key_of(text) != hit.key:
            raise DamagedStore(
                f"The index in {str(self._snapshot.store)!r} is damaged: a passage of "
                f"{self._quote(hit.chunk.source)} is not what was embedded.",
                "Mend it: corpus-agent index --verify (or, if that finds nothing, --force)",
            )

    @cached_property
    def _chunker(self) -> Chunker:
        return Chunker(self.encoder.tokenizer, self.encoder.max_tokens)

    def read(self, source: str, offset: int = 1, limit: int = MAX_WINDOW_LINES) -> Window:
        """A window of a document that is in the index; see the protocol."""
        check_numbers(offset, limit)
        row = self._member(source)
        try:
            with copied(self._snapshot.root, source, row.bytes) as copy:
                return self._window(copy, row, offset, limit)
        except FileNotFoundError:
            self.check_root()
            raise Refused(
                f"{self._quote(source)} no longer exists; it was indexed before.",
                "Answer from other documents, or have the folder indexed again.",
            ) from None
        except UnreadableDocument as error:
            raise Unreachable(
                f"{self._quote(source)} cannot be read now ({error}).", "Use other documents."
            ) from None
        except OSError as error:
            raise Unreachable(
                f"{self._quote(source)} cannot be read now ({error.strerror}).",
                "Use other documents.",
            ) from None

    def _window(self, copy: Copy, row: FileRow, offset: int, limit: int) -> Window:
        """The window of a document as it is now.

        The first read of an unchanged, uncached document parses only what the window needs; the
        second parses all of it and caches the lines.
        """
        source, stale = row.source, copy.sha256 != row.sha256
        document = (source, copy.sha256)
        lines = self._kept.get(document)
        if lines is None:
            lazily = not stale and is_todays(row.extractor) and document not in self._begun
            enough = fills_window(offset, limit) if lazily else None
            with closing(Worker()) as worker:
                if was_recognised(row) and not stale:
                    text = recognised_text(copy, row, worker, self._texts, self._pages)
                else:
                    text = text_of(copy, source, worker, self._texts, enough)
            lines = tuple(decoded(text.encoding))
            self._begun.add(document)
            if not text.complete:
                return cut_window(source, lines, offset, limit, total=row.lines, quote=self._quote)
            self._keep(document, lines)
        return cut_window(source, lines, offset, limit, stale=stale, quote=self._quote)

    def _keep(self, document: tuple[str, str], lines: tuple[Line, ...]) -> None:
        self._kept[document] = lines
        for oldest in list(self._kept)[:-KEPT_DOCUMENTS]:
            self._kept.pop(oldest, None)

    def _member(self, source: str) -> FileRow:
        """The row of an indexed file; checked before the disk is accessed."""
        row = self._row(source)
        if row is None:
            near = self.similar(source)
            hint = f"Did you mean {', '.join(map(self._quote, near))}?" if near else ""
            raise Refused(
                f"{self._quote(source)} is not in the index.",
                f"{hint} Search to find sources.".strip(),
            )
        if not row.is_document:
            raise Refused(
                f"{self._quote(source)} could not be indexed ({row.reason}), so it has no text to "
                "read.",
                "Search to find other sources.",
            )
        return row


def _compared(root: Path, row: FileRow) -> Literal["same", "changed", "unreachable"]:
    """Whether the file was changed or removed after it was indexed, or cannot be looked at.

    As for `index`: equal size and time mean unchanged, else the hash decides.
    """
    gone: Literal["changed", "unreachable"]
    gone = "unreachable" if row.status == "unreachable" else "changed"
    try:
        descriptor = open_beneath(root, row.source)
        try:
            info = os.fstat(descriptor)
        finally:
            os.close(descriptor)
        same = info.st_size == row.bytes and (
            info.st_mtime_ns == row.mtime_ns or hash_beneath(root, row.source) == row.sha256
        )
        return "same" if same else "changed"
    except (FileNotFoundError, Refused):
        return gone if is_there(root) else "unreachable"
    except OSError:
        return "unreachable"
