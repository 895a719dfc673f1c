"""An index: one snapshot of a store or of each of several, and the files below their roots.

Implements the `CorpusView` protocol. A read checks membership, then containment, then the hash, and
uses the same parsers and extractors that indexed the file, which is copied first: what was hashed
is what is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from copy import copy as copy_of
from dataclasses import replace
from pathlib import Path

from indexer import fusion
from indexer.chunk import Chunker, heading_of
from indexer.embed.encoder import Encoder
from indexer.errors import DamagedStore, Refused, Unreachable, UnreadableDocument
from indexer.extract import title_of
from indexer.files.opening import FileState, compared
from indexer.files.paths import absence, is_there
from indexer.parsers.pages import page_viewer
from indexer.parsers.protocol import decoded
from indexer.parsers.worker import Copy, Worker
from indexer.records import Box, Document, FileRow, Hit, Line, PagePicture, Query
from indexer.store.manifest import read_manifest
from indexer.store.snapshot import Snapshot, Snapshots
from indexer.store.tables import key_of
from indexer.store.texts import Texts
from indexer.sync.read import copied, text_of
from indexer.sync.recognise import recognised_text, was_recognised
from indexer.sync.run import check_fingerprint, fingerprint_of
from indexer.window import MAX_WINDOW_LINES, Window, check_numbers, cut_window

KEPT_DOCUMENTS = 8  # extracted documents kept in memory, so that paging does not parse anew


class Index(Snapshots):
    """Committed versions of one or several stores, with access to the files as they are now."""

    def __init__(
        self,
        stores: Mapping[str, tuple[Path, Path | None]],
        encoder: Encoder | None = None,
        *,
        anew: bool = False,
        quote: Callable[[str], str] = repr,
    ) -> None:
        """The newest committed versions of stores, each a folder and a root by its prefix.

        Without an encoder it supports reading but not searching. A root is the documents' folder
        from the user's record; None takes it from the store, which is for callers that made the
        store in this process. With `anew` documents are parsed again and cached text is ignored.
        `quote` formats names in error messages.

        Raises NoIndex, DamagedStore or IncompatibleStore, the last also where the index was made
        by another model or chunker than `encoder` and today's.
        """
        super().__init__(stores)
        self._encoder, self._anew, self._quote = encoder, anew, quote
        self._texts = {
            prefix: Texts(part.store, reuse=not anew, keep=not anew)
            for prefix, part in self.parts.items()
        }
        self._lines: dict[tuple[str, str], tuple[Line, ...]] = {}  # by source and hash
        self.notices: tuple[str, ...] = ()  # degradations of searches, for the user
        if encoder is not None:
            self._chunker = Chunker(encoder)
            today = fingerprint_of(encoder, self._chunker)
            for prefix, part in self.parts.items():
                check_fingerprint(prefix, part.manifest.fingerprint, today)

    @classmethod
    def open(
        cls,
        store: Path,
        encoder: Encoder | None = None,
        *,
        root: Path | None = None,
        anew: bool = False,
    ) -> Index:
        """The newest committed version of one store alone."""
        return cls({"": (store, root)}, encoder, anew=anew)

    def latest(self) -> Index:
        """The newest committed version: this object if it is current or bounded, else a new one."""
        if self.bounds is not None:
            return self
        if all(read_manifest(part.store) == part.manifest for part in self.parts.values()):
            self.check()
            return self
        return Index(
            {prefix: (part.store, part.root) for prefix, part in self.parts.items()},
            self._encoder,
            anew=self._anew,
            quote=self._quote,
        )

    @property
    def roots(self) -> dict[str, Path]:
        """The folders of the documents by the prefix of their sources; they need not exist."""
        return {prefix: part.root for prefix, part in self.parts.items()}

    @property
    def encoder(self) -> Encoder:
        """The model that queries are embedded with."""
        assert self._encoder is not None, "opened for reading only"
        return self._encoder

    def check_root(self) -> None:
        """Raise Unreachable if all folders of documents are gone, or empty and were not."""
        problems = [problem for part in self.parts.values() if (problem := absent(part))]
        if len(problems) == len(self.parts):
            raise problems[0]

    def bounded(self, sources: Collection[str], notices: Sequence[str] = ()) -> Index:
        """The same version with these documents alone: no other one is found, listed or read."""
        corpus = copy_of(self)
        these = frozenset(sources)
        corpus.bounds = these if self.bounds is None else these & self.bounds
        corpus.notices = (*self.notices, *notices)
        return corpus

    def file(self, source: str) -> FileRow | None:
        """The row of one file, None if it is not in the index."""
        return self.files_named([source]).get(source) if self.is_here(source) else None

    # ---- Passages

    def search(self, query: Query) -> list[Hit]:
        """Hits, best first; see the protocol."""
        if not any(char.isalnum() for char in query.text):
            raise Refused(
                "The query holds no words.",
                "Search for what the text would say.",
                code="bad_argument",
            )
        if self.bounds is not None:
            among = self.bounds if query.among is None else self.bounds & query.among
            query = replace(query, among=among)
        if query.among is not None and not query.among:
            return []
        hits = fusion.search(self, self.encoder, query)
        for hit in hits:
            self._check_text(hit)
        now = self.states({hit.chunk.source for hit in hits})
        states = zip(hits, (now[hit.chunk.source] for hit in hits), strict=True)
        return [
            replace(hit, stale=state != "same", unreachable=state == "unreachable")
            for hit, state in states
        ]

    def states(self, sources: Collection[str]) -> dict[str, FileState]:
        """Whether each of these files that is in the index is as it was; see `compared`."""
        rows = self.files_named(sources)
        places = {each: self._split(each) for each in sources if each in rows}
        return {
            each: compared(part.root, replace(rows[each], source=source))
            for each, (part, source) in places.items()
        }

    def _check_text(self, hit: Hit) -> None:
        """Raise DamagedStore if a passage is not the text that was embedded."""
        part, source = self._split(hit.chunk.source)
        chunk = replace(hit.chunk, source=source)
        text = self._chunker.text_with_context(chunk)
        if hit.key is not None and key_of(self.encoder.document_prefix + text) != hit.key:
            raise DamagedStore(
                f"The index in {str(part.store)!r} is damaged: a passage "
                f"of {self._quote(hit.chunk.source)} is not what was embedded.",
                "Mend it: corpus-agent index --verify (or, if that finds nothing, --force)",
            )

    def _split(self, source: str) -> tuple[Snapshot, str]:
        """The store of a source that is in the index, and its name there."""
        part, name = self.split(source)
        assert part is not None, "it names one of the stores"
        return part, name

    # ---- Documents

    def read(self, source: str, offset: int = 1, limit: int = MAX_WINDOW_LINES) -> Window:
        """A window of a document that is in the index; see the protocol."""
        check_numbers(offset, limit)
        row = self._member(source)
        with self._copied(row) as copy:
            lines, stale = self._lines_of(copy, row), copy.sha256 != row.sha256
        return cut_window(source, lines, offset, limit, stale=stale, quote=self._quote)

    def _lines_of(self, copy: Copy, row: FileRow) -> tuple[Line, ...]:
        """All lines of a copy, which are kept, since paging comes back for more."""
        document = row.source, copy.sha256
        lines = self._lines.get(document)
        if lines is None:
            part, source = self._split(row.source)
            texts = self._texts[part.prefix]
            with closing(Worker()) as worker:
                if was_recognised(row) and copy.sha256 == row.sha256:
                    text = recognised_text(copy, replace(row, source=source), worker, texts)
                else:
                    text = text_of(copy, source, worker, texts)
            lines = self._lines[document] = tuple(decoded(text.encoding))
            for oldest in list(self._lines)[:-KEPT_DOCUMENTS]:
                self._lines.pop(oldest, None)
        return lines

    def heading(self, source: str, line: int) -> str:
        """What a line stands under, from the highest, as in "Notice > Tenant"; "" for nothing."""
        row, (_, own) = self._member(source), self._split(source)
        with self._copied(row) as copy:
            above = self._lines_of(copy, row)[:line]
        title = title_of(row.title or "", own)
        return heading_of(Document(own, title, above, row.extractor or ""))

    def page_picture(self, source: str, page: int, width: int = 1_000) -> PagePicture:
        """A page of a PDF or a picture as it is now, as a PNG so many points wide, or Refused."""
        row = self._with_pages(source)
        with self._copied(row) as copy:
            drawn = page_viewer().picture(copy, page, width)
            return replace(drawn, stale=copy.sha256 != row.sha256)

    def outline(
        self, source: str, page: int, quotation: str, near_line: int | None = None
    ) -> tuple[Box, ...]:
        """Where the words of a quotation stand on the picture of a page, a box for each line piece.

        One that goes on across the end of a page has boxes on both; of several places it is the one
        nearest to `near_line` of the document. Raises as `page_picture` does.
        """
        row, near = self._with_pages(source), None
        with self._copied(row) as copy:
            if near_line is not None:
                near = share_before(self._lines_of(copy, row), page, near_line)
            seen = self._texts[self._split(source)[0].prefix].page(copy.sha256, page)
            words = seen.words if seen is not None else ()
            return page_viewer().outline(copy, page, quotation, near, words)

    def _with_pages(self, source: str) -> FileRow:
        row = self._member(source)
        if not has_pages(row):
            raise Refused(
                f"{self._quote(source)} has no pages that can be shown as pictures.",
                "Read its text.",
                code="not_a_file",
            )
        return row

    def _member(self, source: str) -> FileRow:
        """The row of a document of the index; checked before the disk is accessed."""
        row = self.file(source)
        if row is None:
            near = self.similar(source)
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
        return row

    @contextmanager
    def _copied(self, row: FileRow) -> Iterator[Copy]:
        """A copy of a document; raises Refused for what goes wrong with its file."""
        part, source = self._split(row.source)
        try:
            with copied(part.root, source, row.bytes) as copy:
                yield copy
        except FileNotFoundError:
            raise absent(part) or Refused(
                f"{self._quote(row.source)} no longer exists; it was indexed before.",
                "Read other documents, or have the folder indexed again.",
                code="not_found",
            ) from None
        except (UnreadableDocument, OSError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise Unreachable(
                f"{self._quote(row.source)} cannot be read now ({why}).", "Use other documents."
            ) from None


def absent(part: Snapshot) -> Unreachable | None:
    """The error for a folder of documents that is gone, or empty and was not."""
    if not part.manifest.coverage.searched or is_there(part.root):
        return None
    return Unreachable(
        f"The folder of the documents, {str(part.root)!r}, {absence(part.root) or 'is empty'}: "
        "moved, or not mounted.",
        "The index is kept: search finds in it. corpus-agent index NEW_FOLDER if it moved.",
    )


def has_pages(row: FileRow) -> bool:
    """Whether the pages of a document can be shown as pictures."""
    return row.is_picture or (row.extractor or "").startswith("pdf/")


def share_before(lines: Sequence[Line], page: int, line: int) -> float | None:
    """The share of a page's text that stands before a line of its document; pure."""
    sizes = [
        (number < line, len(each.text))
        for number, each in enumerate(lines, start=1)
        if each.page == page and not each.is_mark
    ]
    total = sum(size for _, size in sizes)
    return sum(size for before, size in sizes if before) / total if total else None
