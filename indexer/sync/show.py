"""Indexed documents as pictures of their pages, and the places of quotations on them.

A file is copied as for reading, so that what was hashed is what is drawn. Decides what is kept in
memory; `indexer.index` decides whose pages may be shown.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import replace
from pathlib import Path

from indexer.files.compare import compared
from indexer.parsers.pages import PageViewer
from indexer.records import Box, FileRow, PagePicture
from indexer.store.recognised import RecognisedPages
from indexer.store.rows import is_picture
from indexer.sync.read import copied
from indexer.window import Window

KEPT_BYTES = 48 * 2**20  # of pictures
KEPT_OUTLINES = 1_000
CHANGED = "Changed since it was indexed"

_Drawn = tuple[str, int, int]  # hash of the file, page, width
_Found = tuple[str, int, str, float | None]  # hash of the file, page, quotation, place


def has_pages(row: FileRow) -> bool:
    """Whether the pages of a document can be shown as pictures."""
    return is_picture(row) or (row.extractor or "").startswith("pdf/")


def share_before(window: Window, page: int, line: int) -> float | None:
    """The share of a page's text that stands before a line, as far as the window has it; pure."""
    sizes = [
        (number < line, len(each.text))
        for number, each in enumerate(window.lines, start=window.offset)
        if each.page == page and not each.is_mark
    ]
    total = sum(size for _, size in sizes)
    return sum(size for before, size in sizes if before) / total if total else None


class ShownPages:
    """Pictures of pages below one root, the last ones kept; for any number of threads."""

    def __init__(
        self, root: Path, recognised: RecognisedPages, viewer: PageViewer | None = None
    ) -> None:
        self._root = root
        self._recognised = recognised
        self._viewer = viewer or PageViewer()
        self._lock = threading.Lock()
        self._pictures: OrderedDict[_Drawn, PagePicture] = OrderedDict()
        self._outlines: OrderedDict[_Found, tuple[Box, ...]] = OrderedDict()

    def picture(
        self,
        row: FileRow,
        page: int,
        width: int,
    ) -> PagePicture:
        """A page; that of an unchanged file is looked up without reading the file.

        Raises as `copied` and `PageViewer.picture` do.
        """
        kept = self._kept((row.sha256 or "", page, width))
        if kept is not None and compared(self._root, row) == "same":
            return kept
        with copied(self._root, row.source, row.bytes) as copy:
            stale = copy.sha256 != row.sha256
            remark = CHANGED if stale else ""
            picture = replace(self._viewer.picture(copy, page, width, remark), stale=stale)
        if not stale:
            self._keep((copy.sha256, page, width), picture)
        return picture

    def outline(
        self, row: FileRow, page: int, quotation: str, near: float | None
    ) -> tuple[Box, ...]:
        """The boxes of a quotation in the file as it is now. Raises as `picture` does."""
        with copied(self._root, row.source, row.bytes) as copy:
            key = copy.sha256, page, quotation, near
            with self._lock:
                found = self._outlines.get(key)
            if found is None:
                kept = self._recognised.page(copy.sha256, page)
                words = kept.page.words if kept is not None else ()
                found = self._viewer.outline(copy, page, quotation, near, words)
                with self._lock:
                    self._outlines[key] = found
                    while len(self._outlines) > KEPT_OUTLINES:
                        self._outlines.popitem(last=False)
        return found

    def _kept(self, key: _Drawn) -> PagePicture | None:
        with self._lock:
            if key in self._pictures:
                self._pictures.move_to_end(key)
            return self._pictures.get(key)

    def _keep(self, key: _Drawn, picture: PagePicture) -> None:
        with self._lock:
            self._pictures[key] = picture
            held = sum(len(each.png) for each in self._pictures.values())
            while held > KEPT_BYTES:
                _, oldest = self._pictures.popitem(last=False)
                held -= len(oldest.png)
