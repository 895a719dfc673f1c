"""The page of a place: a document with the quoted words marked, a PDF beside its picture."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import Response

from corpus_agent import render
from corpus_agent.answering.quotations import found_again, locate, read_all
from corpus_agent.text.naming import unambiguous
from corpus_agent.text.sanitize import one_line, visible
from corpus_agent.web.look_pages import number
from indexer import CorpusError, Line, has_pages

if TYPE_CHECKING:
    from starlette.requests import Request

    from corpus_agent.web.site import Site
    from indexer import FileRow, Index

LINES = 200  # of a view
BEFORE = 12  # lines before the one that is asked for
WIDTH, SHARP = 1_000, 2  # points, and how many times as many a sharp screen gets
MOST_QUOTED_CHARACTERS = 4_000  # that are looked up on a page
_HEADING = re.compile(r"(#{1,6})\s+\S")

Piece = tuple[str, bool]  # and whether it is marked


@dataclass(frozen=True, slots=True)
class Wanted:
    """What of a document is shown: a line or a page, what is quoted there, the view."""

    line: int
    end: int
    quote: str
    first: int | None
    page: int | None = None

    @classmethod
    def from_query(cls, given: Mapping[str, str]) -> Wanted:
        """What an address asks for; a number that is none counts as not given."""
        line = number(given.get("line", "")) or 1
        return cls(
            line,
            max(line, number(given.get("end", "")) or line),
            given.get("quote", "").strip(),
            number(given.get("from", "")),
            number(given.get("page", "")),
        )


def place(site: Site, request: Request) -> Response:
    """A document at a line, with what is quoted there marked."""
    given = request.query_params
    corpus = site.service.corpus()
    row = site.row(corpus, given.get("source", ""))
    name = unambiguous(row.source)
    if not row.is_document:
        return site.show("unread.html", name=name, row=row, why=render.why_unread(row))
    wanted = Wanted.from_query(given)
    whole = read_all(corpus, row.source)
    lines = whole.lines
    marks, at, missing = marked(lines, wanted)
    if wanted.page is not None and not wanted.quote:
        at = next((n for n, line in enumerate(lines, 1) if line.page == wanted.page), at)
    page = wanted.page or (lines[at - 1].page if 0 < at <= len(lines) else None)
    last_marked = max(marks, default=0)
    quoted = wanted.quote or text_of(lines, at, last_marked, page)
    shown = shown_picture(corpus, row, page, quoted, at)
    first = min(wanted.first or max(1, at - BEFORE), max(1, len(lines)))
    last = min(len(lines), first + LINES - 1)
    return site.show(
        "place.html",
        name=name,
        title=one_line(row.title) if row.title else "",
        row=row,
        stale=whole.stale,
        quote=visible(wanted.quote),
        at=at,
        missing=missing,
        marks=bool(marks),
        lines=list(_shown_lines(lines, first, last, marks)),
        first=first,
        last=last,
        count=len(lines),
        before=max(1, first - LINES) if first > 1 else None,
        after=last + 1 if last < len(lines) else None,
        picture=shown,
        pages=row.pages or 0,
    )


def marked(lines: Sequence[Line], wanted: Wanted) -> tuple[dict[int, list[Piece]], int, bool]:
    """The pieces of the lines with marks, the line to show, and whether nothing was found."""
    if wanted.quote:
        located = locate(lines, wanted.quote, wanted.line)
        if located is None:
            return {}, min(wanted.line, max(1, len(lines))), True
        start, end, text, found_as = located
        marks = _quotation_marked(lines, text, start, end)
        return marks, start, found_as == "altered"
    if wanted.end > wanted.line or wanted.line > 1:
        return _quotation_marked(lines, "", wanted.line, wanted.end), wanted.line, False
    return {}, wanted.line, False


@dataclass(frozen=True, slots=True)
class PageOnScreen:
    """A page to show: its size and boxes (x, y, width, height in points), or why there is none."""

    page: int
    width: int = 0
    height: int = 0
    boxes: tuple[tuple[float, float, float, float], ...] = ()
    problem: str = ""


def shown_picture(
    corpus: Index, row: FileRow, page: int | None, quoted: str, line: int
) -> PageOnScreen | None:
    """The picture of a page with the quoted words outlined; None for documents without pages."""
    if not has_pages(row) or page is None:
        return None
    try:
        picture = corpus.page_picture(row.source, page, WIDTH)
        wanted = quoted[:MOST_QUOTED_CHARACTERS].strip()
        found = corpus.outline(row.source, page, wanted, line) if wanted else ()
    except CorpusError as error:
        return PageOnScreen(page, problem=visible(str(error)))
    width, height = picture.width, picture.height
    boxes = tuple(
        (
            round(box.left * width, 1),
            round(box.top * height, 1),
            round((box.right - box.left) * width, 1),
            round((box.bottom - box.top) * height, 1),
        )
        for box in found
        if box.page == page
    )
    return PageOnScreen(page, width, height, boxes)


def text_of(lines: Sequence[Line], first: int, last: int, page: int | None) -> str:
    """The text of lines as a quotation, without marks: what stands on that page of them."""
    chosen = lines[first - 1 : last]
    return "\n".join(line.text for line in chosen if line.page == page and not line.is_mark)


def picture(site: Site, request: Request) -> Response:
    """A page as a PNG."""
    given = request.query_params
    corpus = site.service.corpus()
    row = site.row(corpus, given.get("source", ""))
    page = number(given.get("page", ""))
    if page is None:
        raise HTTPException(404, "There is no such page.")
    width = WIDTH * SHARP if given.get("sharp") else WIDTH
    found = corpus.page_picture(row.source, page, width)
    return Response(found.png, media_type="image/png")


# ---- Lines as they are shown


def _quotation_marked(
    lines: Sequence[Line], quote: str, start: int, end: int
) -> dict[int, list[Piece]]:
    """The pieces of the lines that hold a quotation; lines that differ are marked whole."""
    chosen = [(n, line.text) for n, line in enumerate(lines, 1) if start <= n <= max(start, end)]
    found = _spans(chosen, quote) if quote.strip() else {}
    if found:
        return {n: _marked(text, *found[n]) for n, text in chosen if n in found}
    return {n: [(text, True)] for n, text in chosen if text.strip()}


def _spans(lines: Sequence[tuple[int, str]], quote: str) -> dict[int, tuple[int, int]]:
    """The half-open range of each line that belongs to the quotation; none if it is not there."""
    found = found_again("\n".join(text for _, text in lines), quote)
    if found is None:
        return {}
    spans = {}
    at = 0
    for n, text in lines:
        begin, stop = max(found.start(), at), min(found.end(), at + len(text))
        if begin < stop:
            spans[n] = (begin - at, stop - at)
        at += len(text) + 1
    return spans


def _marked(text: str, start: int, stop: int) -> list[Piece]:
    parts = (text[:start], False), (text[start:stop], True), (text[stop:], False)
    return [part for part in parts if part[0]]


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line with its number and its pieces; `level` is that of a heading, 0 of any other."""

    number: int
    pieces: tuple[Piece, ...]
    level: int = 0
    is_page: bool = False
    hidden: bool = False
    confidence: float | None = None


def _shown_lines(
    lines: Sequence[Line], start: int, end: int, marks: Mapping[int, Sequence[Piece]]
) -> Iterator[ShownLine]:
    """Lines `start` to `end`, counted from 1, of all `lines` of a document."""
    for n, line in enumerate(lines[start - 1 : end], start):
        pieces = marks.get(n, [(line.text, False)])
        heading = None if line.is_mark else _HEADING.match(line.text)
        yield ShownLine(
            n,
            tuple((visible(text), marked) for text, marked in pieces),
            min(6, len(heading[1]) + 1) if heading else 0,
            line.is_mark,
            line.hidden,
            line.confidence,
        )
