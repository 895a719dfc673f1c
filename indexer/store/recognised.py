"""Recognised pages beside the text of their document, so that none is read twice.

A page is kept as soon as it is done, before the next begins, and goes with its document. Whoever
has seen the store can write an entry: what is read is checked as what an engine says is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import count, takewhile
from pathlib import Path
from typing import Any

from indexer.errors import CorpusError
from indexer.extract.ocr.places import PlacedText
from indexer.parsers.pages import RecognisedPage, is_line, is_placed
from indexer.store.texts import Texts


@dataclass(frozen=True, slots=True)
class KeptPage:
    """A recognised page, by its number, and the engine that it was made by.

    `looked` is set if only a first look was taken at it, which found no text.
    """

    number: int
    engine: str
    page: RecognisedPage
    looked: bool = False


class RecognisedPages:
    """The recognised pages kept in one store."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._texts = Texts(store)

    def first_pages(self, sha256: str) -> dict[int, KeptPage]:
        """The pages of a document from the first one on, as far as none is missing."""
        pages = takewhile(lambda page: page is not None, (self.page(sha256, n) for n in count(1)))
        return {page.number: page for page in pages if page is not None}

    def page(self, sha256: str, number: int) -> KeptPage | None:
        """One page of a document; None if it is not kept."""
        body = self._texts.notes(sha256).get(_name(number))
        kept = _kept(body) if body is not None else None
        return kept if kept is not None and kept.number == number else None

    def put(self, sha256: str, kept: KeptPage) -> None:
        """Keep a page; raises CorpusError where the disk takes it not."""
        body = json.dumps(asdict(kept), ensure_ascii=False).encode()
        if not self._texts.notes(sha256).put(_name(kept.number), body, spare_bytes=0):
            raise CorpusError(
                f"The disk of {str(self._store)!r} is full. What was recognised before is kept.",
                "Free some space and run the same command again.",
            )


def _name(number: int) -> str:
    return f"page {number}"


def _kept(body: bytes) -> KeptPage | None:
    """A page as it was kept; None of another version's."""
    try:
        content = json.loads(body)
        kept = KeptPage(page=_page(content.pop("page")), **content)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return kept if type(kept.number) is int else None


def _page(content: Mapping[str, Any]) -> RecognisedPage:
    lines = tuple((text, float(confidence)) for text, confidence in content["lines"])
    words = tuple(PlacedText(*word) for word in content["words"])
    if not (all(map(is_line, lines)) and all(map(is_placed, words))):
        raise ValueError("no page")
    return RecognisedPage(lines, str(content["engine"]), str(content["problem"]), words)
