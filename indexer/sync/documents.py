"""The documents of one store as they are now: windows of their text, pages, whether they changed.

Whether a document may be read is decided before, by `indexer.index`, which calls this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from indexer.chunk import HEADING_SEPARATOR, heading_paths
from indexer.embed.installed import option_for
from indexer.errors import IncompatibleStore, Refused, Unreachable, UnreadableDocument
from indexer.extract import writes_markdown
from indexer.files.compare import compared
from indexer.files.paths import absence, is_there
from indexer.records import Box, Document, FileRow, Fingerprint, Line, PagePicture
from indexer.store.recognised import RecognisedPages
from indexer.store.rows import same_rows
from indexer.store.snapshot import Snapshot
from indexer.store.texts import Notes
from indexer.sync.read import copied
from indexer.sync.show import ShownPages, has_pages, share_before
from indexer.sync.windows import Windows
from indexer.window import MAX_WINDOW_LINES, Window


class Documents:
    """The files of one version of one store; each is named by its row."""

    def __init__(self, snapshot: Snapshot, *, anew: bool, quote: Callable[[str], str]) -> None:
        """With `anew` each document is parsed; `quote` formats names in error messages."""
        self._snapshot = snapshot
        self._quote = quote
        self._windows = Windows(snapshot.store, anew=anew, quote=quote)
        self.shown = ShownPages(snapshot.root, RecognisedPages(snapshot.store))

    @property
    def root(self) -> Path:
        """The folder of the documents; it need not exist."""
        return self._snapshot.root

    def check_root(self) -> None:
        """Raise Unreachable if the folder of the documents is gone, or empty and was not."""
        if self._snapshot.manifest.coverage.searched and not is_there(self.root):
            found = absence(self.root) or "is empty"
            raise Unreachable(
                f"The folder of the documents, {str(self.root)!r}, {found}: moved, or not mounted.",
                "The index is kept: search finds in it. corpus-agent index NEW_FOLDER if it moved.",
            )

    def state(self, row: FileRow) -> Literal["same", "changed", "unreachable"]:
        """Whether a file is as it was indexed."""
        return compared(self.root, row)

    def read(self, row: FileRow, offset: int, limit: int) -> Window:
        """A window of an indexed document; raises Refused."""
        with self._readable(row.source), copied(self.root, row.source, row.bytes) as copy:
            return self._windows.of(copy, row, offset, limit)

    def notes(self, row: FileRow) -> Notes:
        """What callers kept of a document's text; it is forgotten with the document."""
        return self._windows.notes(row)

    def heading(self, row: FileRow, line: int) -> str:
        """The headings above a line, from the highest, as in "Notice > Tenant"; "" for none.

        Without the document's title, and only where its lines are Markdown.
        """
        if row.extractor is None or not writes_markdown(row.extractor):
            return ""
        lines: list[Line] = []
        offset: int | None = 1
        while offset is not None and len(lines) < line:
            window = self.read(row, offset, MAX_WINDOW_LINES)
            lines += window.lines
            offset = window.next_offset
        document = Document(row.source, row.title or "", tuple(lines[:line]), row.extractor, "")
        path = heading_paths(document)[-1:]
        return HEADING_SEPARATOR.join(path[0].split(HEADING_SEPARATOR)[1:]) if path else ""

    def page_picture(self, row: FileRow, page: int, width: int) -> PagePicture:
        """A page of a document as a picture; raises Refused, also where it has none."""
        self._check_pages(row)
        with self._readable(row.source):
            return self.shown.picture(row, page, width)

    def outline(
        self, row: FileRow, page: int, quotation: str, near_line: int | None
    ) -> tuple[Box, ...]:
        """Where the words of a quotation stand on a page; raises as `page_picture` does."""
        self._check_pages(row)
        near = None
        with suppress(Refused):  # a line that is not there is near nothing
            if near_line is not None:
                first = max(1, near_line - MAX_WINDOW_LINES // 2)
                near = share_before(self.read(row, first, MAX_WINDOW_LINES), page, near_line)
        with self._readable(row.source):
            return self.shown.outline(row, page, quotation, near)

    def _check_pages(self, row: FileRow) -> None:
        if not has_pages(row):
            raise Refused(
                f"{self._quote(row.source)} has no pages that can be shown as pictures.",
                "Read its text.",
                code="not_a_file",
            )

    @contextmanager
    def _readable(self, source: str) -> Iterator[None]:
        """Raise Refused for what goes wrong with the file of a document."""
        try:
            yield
        except FileNotFoundError:
            self.check_root()
            raise Refused(
                f"{self._quote(source)} no longer exists; it was indexed before.",
                "Answer from other documents, or have the folder indexed again.",
                code="not_found",
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


def check_fingerprint(prefix: str, stored: Fingerprint, today: Fingerprint) -> None:
    """Raise IncompatibleStore for a version not made as of today; `prefix` is its store's."""
    if same_rows(stored, today):
        return
    which = f" {prefix[:-1]}" if prefix else ""
    hint = f"Bring it up to date: corpus-agent{which and f' -s{which}'} index"
    option = option_for(stored.model) if stored.model != today.model else ""
    if option:
        hint = f"Search with the model that made it: {option}. Or {hint[0].lower()}{hint[1:]}"
    raise IncompatibleStore(
        f"The index{which} was made with {stored.model} ({stored.weights_sha256[:8]}, "
        f"{stored.chunker}), this run uses {today.model} "
        f"({today.weights_sha256[:8]}, {today.chunker}).",
        hint,
    )


def within(prefix: str, quote: Callable[[str], str]) -> Callable[[str], str]:
    """How one store's documents are named in messages: as among all."""
    return (lambda source: quote(prefix + source)) if prefix else quote
