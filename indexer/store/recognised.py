"""Cache of recognised pages in the store: no page is recognised twice.

One file per document, a line per page, appended as each page is done and before the next begins.
A page is looked up by its document and number, or by the hash of its picture, so that a page in
another file costs nothing either. Each line has a hash: one that was cut or changed is no line.
With the document its file goes. Used by the writer of a store; readers only look up.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from indexer.extract.ocr.places import PlacedText
from indexer.files.opening import READ_ONLY
from indexer.parsers.pages import RecognisedPage, is_line, is_placed
from indexer.store.folder import key_of, keyed_sum, translated

RECOGNISED_FOLDER = "recognised"
MAX_FILE_BYTES = 256 * 2**20  # of one document's pages
_OURS = re.compile(r"([0-9a-f]{64})\.pages")
_LINE = re.compile(r"([0-9a-f]{64}) (\{.*\})")
_HEAD = re.compile(r'\{"number":([0-9]{1,9}),"picture":"([^"\\]*)","engine":"([^"\\]*)",')


@dataclass(frozen=True, slots=True)
class KeptPage:
    """A recognised page: its number, the hash of its picture, and the engine that it was made by.

    `looked` is set if only a first look was taken at it, which found no text.
    """

    number: int
    picture: str
    engine: str
    page: RecognisedPage
    looked: bool = False


class RecognisedPages:
    """The recognised pages kept in one store."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._folder = store / RECOGNISED_FOLDER
        self._key = key_of(store)
        # The document and the number of a page by its picture and its engine.
        self._by_picture: dict[tuple[str, str], tuple[str, int]] | None = None

    def of_document(self, sha256: str) -> dict[int, KeptPage]:
        """The pages of a document by their numbers, without their words: those of a book are many.

        A later line replaces an earlier one.
        """
        found = (_kept(body, placed=False) for body in self._bodies(self._path(sha256)))
        return {kept.number: kept for kept in found if kept is not None}

    def page(self, sha256: str, number: int) -> KeptPage | None:
        """One page of a document, with its words; None if it is not kept."""
        begins = f'{{"number":{number},'
        bodies = [body for body in self._bodies(self._path(sha256)) if body.startswith(begins)]
        found = [kept for body in bodies if (kept := _kept(body, placed=True)) is not None]
        return found[-1] if found else None

    def of_picture(self, picture: str, engine: str) -> KeptPage | None:
        """A page with the same picture, of any document, read by this engine."""
        if self._by_picture is None:
            self._by_picture = {
                (head[2], head[3]): (path.stem, int(head[1]))
                for path in self._paths()
                for body in self._bodies(path)
                if (head := _HEAD.match(body))
            }
        at = self._by_picture.get((picture, engine))
        kept = self.page(*at) if at is not None else None
        same = kept is not None and (kept.picture, kept.engine) == (picture, engine)
        return kept if same else None

    def put(self, sha256: str, kept: KeptPage) -> None:
        """Keep a page; it is on the disk when this returns."""
        body = json.dumps(asdict(kept), ensure_ascii=False, separators=(",", ":"))
        line = f"{keyed_sum(self._key, body.encode(), sha256).hex()} {body}\n".encode()
        path = self._path(sha256)
        with translated(self._store):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = _opened_to_append(path)
            try:
                # A line that a killed writer left unfinished ends here, and is none.
                os.write(descriptor, b"\n" + line)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        if self._by_picture is not None:
            self._by_picture[kept.picture, kept.engine] = sha256, kept.number

    def keep_only(self, hashes: Collection[str | None]) -> None:
        """Drop the pages of all other documents, which were removed or changed."""
        for path in self._paths():
            if path.name.partition(".")[0] not in hashes:
                with contextlib.suppress(FileNotFoundError):
                    path.unlink()

    def _bodies(self, path: Path) -> Iterator[str]:
        """What the whole lines of a document's file say, those that this store wrote for it."""
        for line in _lines(path):
            found = _LINE.fullmatch(line)
            if found and keyed_sum(self._key, found[2].encode(), path.stem).hex() == found[1]:
                yield found[2]

    def _path(self, sha256: str) -> Path:
        return self._folder / sha256[:2] / f"{sha256}.pages"

    def _paths(self) -> Iterator[Path]:
        for folder, _, names in os.walk(self._folder):
            for name in sorted(filter(_OURS.fullmatch, names)):
                yield Path(folder, name)


def _opened_to_append(path: Path) -> int:
    """A document's file; one that has another name too is somebody's document, and left to them."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o600)
    if os.fstat(descriptor).st_nlink > 1:
        os.close(descriptor)
        path.unlink()
        descriptor = os.open(path, flags | os.O_EXCL, 0o600)
    return descriptor


def _lines(path: Path) -> list[str]:
    """The lines of a file; none if it cannot be read."""
    try:
        with os.fdopen(os.open(path, READ_ONLY), "rb") as file:
            content = file.read(MAX_FILE_BYTES)
    except OSError:
        return []
    return content.decode("utf-8", "replace").split("\n")


def _kept(body: str, *, placed: bool) -> KeptPage | None:
    """A page from its line, with its words if they are `placed`; None of another version's."""
    try:
        content = json.loads(body)
        page = content.pop("page")
        lines = tuple((text, float(confidence)) for text, confidence in page.pop("lines"))
        if not all(map(is_line, lines)):
            return None
        given = page.pop("words", ())
        words = tuple(PlacedText(*word) for word in given) if placed else ()
        if not all(map(is_placed, words)):
            return None
        kept = KeptPage(page=RecognisedPage(lines, words=words, **page), **content)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return kept if type(kept.number) is int and kept.number > 0 else None
