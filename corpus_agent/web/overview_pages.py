"""The pages that look at every document: a table of fields, a list, a timeline."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from corpus_agent import render
from corpus_agent.text.sanitize import inert, visible
from corpus_agent.web.search_page import Chosen, number
from indexer import CorpusError, is_day

if TYPE_CHECKING:
    from starlette.requests import Request

    from corpus_agent.fields.records import FieldTable
    from corpus_agent.render.common import Object
    from corpus_agent.web.site import Site
    from indexer import Index

ON_A_PAGE = 200  # rows
KEPT_SECONDS = 120.0  # that a look serves for sorting, filtering and CSV, without a new one
_DAYS = {"Y": 365, "M": 30, "W": 7, "B": 1.4, "D": 1}
_SAID = ("yes", "unclear")  # verdicts of a list that are shown


def table(site: Site, request: Request) -> Response:
    """What every document says about some fields; with `csv` as a file for a spreadsheet."""
    given = request.query_params
    words = [" ".join(word.split()) for word in given.get("fields", "").split(",") if word.strip()]
    made, problem = _looked(
        site, given, ("table", *words), lambda corpus: site.service.table(words, corpus)
    )
    if made is not None and given.get("csv"):
        return _csv(made)
    found = None
    if made is not None:  # of a field that is not understood the foot says so
        found = render.table_object(made, site.launch.seal.state)
        found["notices"] = [*map(inert, made.notices)]
    rows = [row for row in found["rows"] if any(c["values"] for c in row["cells"])] if found else []
    foot = [*render.foot_lines(made)] if made is not None else []
    typed = {"fields": ", ".join(map(visible, words))}
    return _shown(site, given, "table.html", typed, rows, found=found, foot=foot, problem=problem)


def list_documents(site: Site, request: Request) -> Response:
    """The documents that fulfil a condition, and those of which it is not clear."""
    given = request.query_params
    words = given.get("condition", "").strip()
    made, problem = _looked(
        site, given, ("list", words), lambda corpus: site.service.listed(words, corpus)
    )
    if made is not None and given.get("csv"):
        kept = zip(made.table.rows, made.verdicts, strict=True)
        return _csv(replace(made.table, rows=tuple(row for row, said in kept if said in _SAID)))
    found = render.list_object(made, site.launch.seal.state) if made is not None else None
    rows = [row for row in found["rows"] if row["verdict"] in _SAID] if found else []
    rows.sort(key=lambda row: _SAID.index(row["verdict"]))
    foot = []
    if made is not None:
        foot = [visible(made.counted), *render.left_lines(made.table)]
        foot += map(inert, made.table.notices)
    typed = {"condition": visible(words)}
    return _shown(site, given, "list.html", typed, rows, found=found, foot=foot, problem=problem)


def timeline(site: Site, request: Request) -> Response:
    """The dated statements of all documents in order, between two days if these are asked for."""
    given = request.query_params
    asked = ("timeline", *(["go"] if given.get("go") else []))
    first, last = given.get("since", "").strip(), given.get("until", "").strip()
    made, problem = None, "That is no date: write 2024, 2024-03 or 2024-03-12."
    if all(is_day(day) for day in (first, last) if day):
        made, problem = _looked(site, given, asked, site.service.timeline)
    found = render.timeline_object(made, site.launch.seal.state) if made is not None else None
    rows = [
        one
        for one in (found["statements"] if found else ())
        if one["date"] >= first and (not last or one["date"][: len(last)] <= last)
    ]
    typed = {"since": visible(first), "until": visible(last), "go": "1"}
    return _shown(site, given, "timeline.html", typed, rows, found=found, problem=problem)


def _looked(
    site: Site, given: Mapping[str, str], what: Sequence[str], look: Callable[[Index], Any]
) -> tuple[Any, str]:
    """What a look at the chosen documents gives, perhaps one of a moment ago; else the problem."""
    if not any(what[1:]):
        return None, ""
    corpus, chosen = site.service.corpus(), Chosen.from_query(given)
    key = (corpus.version, what, chosen)
    at, known, made = site.looked
    if known == key and time.monotonic() - at < KEPT_SECONDS:
        return made, ""
    try:
        made = look(chosen.bounded(corpus))
    except CorpusError as error:
        return None, visible(str(error))
    site.looked = time.monotonic(), key, made
    return made, ""


def _shown(
    site: Site,
    given: Mapping[str, str],
    template: str,
    typed: dict[str, str],
    rows: list[Object],
    **content: Any,  # noqa: ANN401
) -> Response:
    """The page with those rows that hold what is looked for, in the order that is asked for."""
    part, chosen = given.get("q", "").strip(), Chosen.from_query(given)
    rows = [row for row in rows if part.casefold() in _words(row).casefold()]
    order, down, first = given.get("sort", ""), given.get("down", ""), number(given.get("at", ""))
    if order:
        ranks = [(_rank(row, number(order)), row) for row in rows]
        known = [(rank, row) for rank, row in ranks if rank is not None]
        known.sort(key=lambda each: each[0], reverse=bool(down))
        rows = [row for _, row in known] + [row for rank, row in ranks if rank is None]
    return site.show(
        template,
        rows=rows[first or 0 : (first or 0) + ON_A_PAGE],
        count=len(rows),
        first=first or 0,
        step=ON_A_PAGE,
        part=visible(part),
        chosen=chosen,
        order=order,
        down=down,
        query={**typed, **chosen.query, "q": part},
        **content,
        typed=typed,
    )


def _words(content: object) -> str:
    """All text of a row."""
    parts = list(content.values()) if isinstance(content, dict) else content
    return " ".join(map(_words, parts)) if isinstance(parts, list) else str(content)


def _csv(made: FieldTable) -> Response:
    named = {"Content-Disposition": 'attachment; filename="table.csv"'}
    return Response(render.table_csv(made), media_type="text/csv", headers=named)


def _rank(row: Object, column: int | None) -> tuple[float, str] | None:
    """Where a row stands in the order of a column, from 1; without one, of the names."""
    if column is None:
        return 0.0, row.get("source", "")
    cells = row.get("cells", ())
    values = cells[column - 1]["values"] if column <= len(cells) else ()
    if not values:
        return None
    span = re.fullmatch(r"P(\d+)([YMWBD])", normal := values[0]["value"])
    days = float(span[1]) * _DAYS[span[2]] if span else 0.0
    return days, re.sub(r"\d+", lambda digits: digits[0].zfill(20), normal)
