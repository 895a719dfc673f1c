"""An index: one snapshot of a store or of each of several, and the files below their roots.

Implements the `CorpusView` protocol. A read checks membership, then containment, then the hash, and
uses the same parsers and extractors that indexed the file. Of several stores each source begins
with the prefix of its store, as in `notes:lease.md`; one store is the same without a prefix.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path

from indexer import retrieve
from indexer.chunk import Chunker, Cut, heading_of
from indexer.embed import Encoder
from indexer.errors import DamagedStore, Refused, Unreachable
from indexer.extract import title_of
from indexer.records import Box, Coverage, Document, FileRow, Hit, Line, PagePicture, Query
from indexer.store.manifest import read_manifest
from indexer.store.ranking import LANCE, kept
from indexer.store.snapshot import Inspection, Snapshots
from indexer.store.vectors import key_of
from indexer.sync.documents import Documents, check_fingerprint, within
from indexer.sync.run import fingerprint_of
from indexer.window import MAX_WINDOW_LINES, Window, check_numbers


class Index(Snapshots):
    """Committed versions of one or several stores, with access to the files as they are now."""

    def __init__(
        self,
        stores: Mapping[str, tuple[Path, Path | None]],
        encoder: Encoder | None = None,
        *,
        anew: bool = False,
        backend: str = LANCE,
        quote: Callable[[str], str] = repr,
    ) -> None:
        """The newest committed versions of stores, each a folder and a root by its prefix.

        Without an encoder it supports reading but not searching. A root is the documents' folder
        from the user's record; None takes it from the store, which is for callers that made the
        store in this process. `backend` names what finds passages: see indexer/store/ranking.py.
        With `anew` documents are parsed again and cached text is ignored.

        Raises NoIndex, DamagedStore or IncompatibleStore, the last also where the index was made
        by another model or chunker than `encoder` and today's.
        """
        super().__init__(stores, backend=backend)
        self._encoder, self._anew, self._quote = encoder, anew, quote
        self._documents = {
            prefix: Documents(part, anew=anew, quote=within(prefix, quote))
            for prefix, part in self.parts.items()
        }
        # One version of the index never changes, and an answer asks for the same rows many times.
        self._listed: dict[str, FileRow] = {}
        self._selections: dict[str, frozenset[str]] = {}
        self._chunkers: dict[str, Chunker] = {}
        self._bounds: frozenset[str] | None = None  # the documents that there are; None: all
        self.notices: tuple[str, ...] = ()  # degradations of searches, for the user
        for prefix, part in self.parts.items() if encoder is not None else ():
            today = fingerprint_of(self.encoder, self._chunker(prefix))
            check_fingerprint(prefix, part.manifest.fingerprint, today)

    @classmethod
    def open(
        cls,
        store: Path,
        encoder: Encoder | None = None,
        *,
        root: Path | None = None,
        anew: bool = False,
        backend: str = LANCE,
    ) -> Index:
        """The newest committed version of one store alone."""
        return cls({"": (store, root)}, encoder, anew=anew, backend=backend)

    def latest(self) -> Index:
        """The newest committed version: this object if it is current, else a new one.

        Its files are checked each time. This object's version stays on disk while it is open. One
        that is bounded stays itself. Raises as a new one does.
        """
        if self._bounds is not None:
            return self
        if all(read_manifest(part.store) == part.manifest for part in self.parts.values()):
            self.check()
            return self
        return Index(
            {prefix: (part.store, part.root) for prefix, part in self.parts.items()},
            self._encoder,
            anew=self._anew,
            backend=next(iter(self.parts.values())).backend,
            quote=self._quote,
        )

    @property
    def roots(self) -> dict[str, Path]:
        """The folders of the documents by the prefix of their sources; they need not exist."""
        return {prefix: documents.root for prefix, documents in self._documents.items()}

    @property
    def encoder(self) -> Encoder:
        """The model that queries are embedded with."""
        assert self._encoder is not None, "opened for reading only"
        return self._encoder

    def check_root(self) -> None:
        """Raise Unreachable if the folder of the documents is gone, or empty and was not.

        Of several, if all are: what the others hold can be read.
        """
        problems = []
        for documents in self._documents.values():
            try:
                documents.check_root()
            except Unreachable as error:
                problems.append(error)
        if len(problems) == len(self._documents):
            raise problems[0]

    def coverage(self) -> Coverage:
        """How many files are indexed, empty, failed and skipped."""
        return super().coverage() if self._bounds is None else Coverage.of(self.files())

    def files(self, paths: Sequence[str] = (), not_paths: Sequence[str] = ()) -> list[FileRow]:
        """The rows of the files, by source: all, or those that paths select; see Snapshots."""
        rows = super().files(paths, not_paths)
        if self._bounds is not None:
            rows = [row for row in rows if row.source in self._bounds]
        self._listed.update((row.source, row) for row in rows)
        return rows

    def file(self, source: str) -> FileRow | None:
        """The row of one file, None if it is not in the index."""
        if self._bounds is not None and source not in self._bounds:
            return None
        if source not in self._listed:
            self._listed |= self.files_named([source])
        return self._listed.get(source)

    def similar(self, source: str, *, folders: bool = True) -> list[str]:
        """Up to three indexed sources with names similar to `source`, most similar first."""
        found = super().similar(source, folders=folders)
        return [name for name in found if self._bounds is None or name in self._bounds]

    def inspect(self) -> Inspection:
        """Counts from a pass over all rows of this version, for consistency checks."""
        (part,) = self.parts.values()
        return part.inspect()

    def search(self, query: Query) -> list[Hit]:
        """Hits, best first; see the protocol."""
        if not any(char.isalnum() for char in query.text):
            raise Refused(
                "The query holds no words.",
                "Search for what the text would say.",
                code="bad_argument",
            )
        if self._bounds is not None:
            among = self._bounds if query.among is None else self._bounds & query.among
            query = replace(query, among=among)
        if query.among is not None and not query.among:
            return []
        hits = retrieve.search(self, self.encoder, query)
        for hit in hits:
            self._check_text(hit)
        found = {hit.chunk.source for hit in hits}
        self._listed |= self.files_named(found - self._listed.keys())
        now = {source: self._state(self._listed[source]) for source in found}
        states = [(hit, now[hit.chunk.source]) for hit in hits]
        return [
            replace(hit, stale=state != "same", unreachable=state == "unreachable")
            for hit, state in states
        ]

    def selected(self, where: str) -> frozenset[str]:
        """The sources of the files that a filter selects; raises UsageError where it is none."""
        return kept(self._selections, where, self.filtered)

    def bounded(self, sources: Collection[str], notices: Sequence[str] = ()) -> Index:
        """The same version with these documents alone: no other one is found, listed or read."""
        corpus = copy(self)
        these = frozenset(sources)
        corpus._bounds = these if self._bounds is None else these & self._bounds
        corpus.notices = (*self.notices, *notices)
        return corpus

    def _check_text(self, hit: Hit) -> None:
        """Raise DamagedStore if a passage is not the text that was embedded."""
        encoder = self.encoder
        prefix, source = self._split(hit.chunk.source)
        chunk = replace(hit.chunk, source=source) if prefix else hit.chunk
        text = encoder.document_prefix + self._chunker(prefix).text_with_context(chunk)
        if hit.key is not None and key_of(text) != hit.key:
            raise DamagedStore(
                f"The index in {str(self.parts[prefix].store)!r} is damaged: a passage "
                f"of {self._quote(hit.chunk.source)} is not what was embedded.",
                "Mend it: corpus-agent index --verify (or, if that finds nothing, --force)",
            )

    def _chunker(self, prefix: str) -> Chunker:
        """The chunker of a store, which cuts as that says."""
        if prefix not in self._chunkers:
            cut = Cut.stored(self.parts[prefix].manifest.fingerprint.chunker)
            made = Chunker(self.encoder, cut)
            self._chunkers[prefix] = made
        return self._chunkers[prefix]

    def read(self, source: str, offset: int = 1, limit: int = MAX_WINDOW_LINES) -> Window:
        """A window of a document that is in the index; see the protocol."""
        check_numbers(offset, limit)
        documents, row = self._member(source)
        return replace(documents.read(row, offset, limit), source=source)

    def heading(self, source: str, line: int) -> str:
        """What a line stands under, from the highest, as in "Notice > Tenant"; "" for nothing."""
        lines: list[Line] = []
        offset: int | None = 1
        while offset is not None and len(lines) < line:
            window = self.read(source, offset)
            lines += window.lines
            offset = window.next_offset
        _, row = self._member(source)
        title, above = title_of(row.title or "", row.source), tuple(lines[:line])
        return heading_of(Document(row.source, title, above, row.extractor or "", ""))

    def page_picture(self, source: str, page: int, width: int = 1_000) -> PagePicture:
        """A page of a PDF or a picture file that is in the index, as a PNG so many points wide.

        It is that of the file as it is now; if that is not what was indexed, `stale` is set and the
        picture itself says so. Raises Refused, also for a document without such pages.
        """
        documents, row = self._member(source)
        return documents.page_picture(row, page, width)

    def outline(
        self, source: str, page: int, quotation: str, near_line: int | None = None
    ) -> tuple[Box, ...]:
        """Where the words of a quotation stand on the picture of a page, a box for each line piece.

        Empty if that is not known, as of recognised text whose places were not kept. One that goes
        on across the end of a page has boxes on both; of several places it is the one nearest to
        `near_line` of the document. Raises as `page_picture` does.
        """
        documents, row = self._member(source)
        return documents.outline(row, page, quotation, near_line)

    def _state(self, row: FileRow) -> str:
        """Whether a file is as it was indexed; see Documents."""
        prefix, source = self._split(row.source)
        return self._documents[prefix].state(replace(row, source=source) if prefix else row)

    def _split(self, source: str) -> tuple[str, str]:
        """The prefix of a source that is in the index, and its name in its own store."""
        part = self.place(source)
        assert part is not None, "it names one of the stores"
        return part.prefix, source.removeprefix(part.prefix)

    def _member(self, source: str) -> tuple[Documents, FileRow]:
        """The store of an indexed file and its row there; checked before the disk is accessed."""
        row = self.file(source)
        if row is None:
            near = self.similar(source, folders=False)
            hint = f"Did you mean {', '.join(map(self._quote, near))}?" if near else ""
            raise Refused(
                f"{self._quote(source)} is not in the index.",
                f"{hint} Search to find sources.".strip(),
                code="not_indexed",
            )
        if not row.is_document:
            why = "is empty" if row.is_blank else f"could not be indexed ({row.reason})"
            raise Refused(
                f"{self._quote(source)} {why}, so it has no text to read.",
                "Search to find other sources.",
                code="unreadable",
            )
        prefix, own = self._split(source)
        return self._documents[prefix], replace(row, source=own) if prefix else row
