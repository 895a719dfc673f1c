"""The pages that a citation is from, as pictures with its words outlined."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer import Box, PagePicture, Refused, has_pages

if TYPE_CHECKING:
    from corpus_agent.answering.records import Citation
    from indexer import Index

WIDTH = 1_000  # points of a picture
MAX_PAGES = 40  # of all citations of an answer: each takes about a quarter of a megabyte


@dataclass(frozen=True, slots=True)
class CitedPage:
    """A page and the boxes of the quoted words on it; empty where their place is not known."""

    number: int
    picture: PagePicture
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class CitedPages:
    """The pages of one citation; `problem` says why there are fewer than it has, "" if not."""

    pages: tuple[CitedPage, ...] = ()
    problem: str = ""


def pages_of(corpus: Index, citations: Iterable[Citation]) -> list[CitedPages]:
    """The pages of each citation; none for a document that has no pages to be shown."""
    left = MAX_PAGES
    found = []
    for citation in citations:
        row = corpus.file(citation.source)
        if citation.page is None or not citation.quote or row is None or not has_pages(row):
            found.append(CitedPages())
            continue
        cited = _pages(corpus, citation) if left > 0 else CitedPages(problem="too many pages")
        left -= len(cited.pages)
        found.append(cited)
    return found


def _pages(corpus: Index, citation: Citation) -> CitedPages:
    assert citation.page is not None
    try:
        boxes = corpus.outline(citation.source, citation.page, citation.quote, citation.line_start)
        pages = tuple(
            CitedPage(
                number,
                corpus.page_picture(citation.source, number, WIDTH),
                tuple(box for box in boxes if box.page == number),
            )
            for number in sorted({citation.page, *(box.page for box in boxes)})
        )
    except Refused as error:
        return CitedPages(problem=error.message)
    return CitedPages(pages)
