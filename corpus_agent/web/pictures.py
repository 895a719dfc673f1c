"""Pages as pictures, and the words that are outlined on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import Response

from corpus_agent.text.sanitize import visible
from indexer import Box, CorpusError, has_pages

if TYPE_CHECKING:
    from starlette.requests import Request

    from corpus_agent.web.site import Site
    from indexer import FileRow, Index, Line

WIDTH, SHARP = 1_000, 2  # points, and how many times as many a sharp screen gets
MOST_QUOTED_CHARACTERS = 4_000  # that are looked up on a page


@dataclass(frozen=True, slots=True)
class ShownPicture:
    """A page to show: its size, and the boxes on it in the same points, as x, y, width, height.

    `problem` is why there is none.
    """

    page: int
    width: int = 0
    height: int = 0
    boxes: tuple[tuple[float, float, float, float], ...] = ()
    stale: bool = False
    problem: str = ""


def shown_picture(
    corpus: Index, row: FileRow, page: int | None, quoted: str, line: int
) -> ShownPicture | None:
    """The picture of a page with the quoted words outlined; None for documents without pages."""
    if not has_pages(row) or page is None:
        return None
    try:
        picture = corpus.page_picture(row.source, page, WIDTH)
        wanted = quoted[:MOST_QUOTED_CHARACTERS].strip()
        found = corpus.outline(row.source, page, wanted, line) if wanted else ()
    except CorpusError as error:
        return ShownPicture(page, problem=visible(str(error)))
    boxes = _in_points(found, page, picture.width, picture.height)
    return ShownPicture(page, picture.width, picture.height, boxes, picture.stale)


def _in_points(
    boxes: Sequence[Box], page: int, width: int, height: int
) -> tuple[tuple[float, float, float, float], ...]:
    return tuple(
        (
            round(box.left * width, 1),
            round(box.top * height, 1),
            round((box.right - box.left) * width, 1),
            round((box.bottom - box.top) * height, 1),
        )
        for box in boxes
        if box.page == page
    )


def text_of(lines: Sequence[Line], first: int, last: int, page: int | None) -> str:
    """The text of lines as a quotation, without marks: what stands on that page of them."""
    chosen = lines[first - 1 : last]
    return "\n".join(line.text for line in chosen if line.page == page and not line.is_mark)


def picture(site: Site, request: Request) -> Response:
    """A page as a PNG."""
    given = request.query_params
    corpus = site.service.corpus()
    row = site.row(corpus, given.get("source", ""))
    page = given.get("page", "")
    if not page.isdecimal() or len(page) > 6:
        raise HTTPException(404, "There is no such page.")
    width = WIDTH * SHARP if given.get("sharp") else WIDTH
    found = corpus.page_picture(row.source, int(page), width)
    return Response(found.png, media_type="image/png")
