"""The page of a place: a document with the quoted words marked, a PDF beside its picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import Response

from corpus_agent.answering.quotations import locate, read_all
from corpus_agent.text.naming import unambiguous
from corpus_agent.text.sanitize import one_line, visible
from corpus_agent.web.look_pages import number
from corpus_agent.web.marking import Piece, quotation_marked, shown_lines
from indexer import CorpusError, Line, has_pages

if TYPE_CHECKING:
    from starlette.requests import Request

    from corpus_agent.web.site import Site
    from indexer import FileRow, Index

LINES = 200  # of a view
BEFORE = 12  # lines before the one that is asked for
WIDTH, SHARP = 1_000, 2  # points, and how many times as many a sharp screen gets
MOST_QUOTED_CHARACTERS = 4_000  # that are looked up on a page


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
        detail = one_line(row.detail or "")
        return site.show("unread.html", name=name, row=row, detail=detail)
    wanted = Wanted.from_query(given)
    stale = corpus.read(row.source, 1, 1).stale
    lines = read_all(corpus, row.source)
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
        stale=stale,
        quote=visible(wanted.quote),
        at=at,
        missing=missing,
        marks=bool(marks),
        lines=list(shown_lines(lines, first, last, marks)),
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
        marks = quotation_marked(lines, text, start, end)
        return marks, start, found_as == "altered"
    if wanted.end > wanted.line or wanted.line > 1:
        return quotation_marked(lines, "", wanted.line, wanted.end), wanted.line, False
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
