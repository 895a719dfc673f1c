"""The pages that look through documents: search, a pasted text, a table, a list, a timeline."""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from corpus_agent import answering, render
from corpus_agent.service import places
from corpus_agent.text.sanitize import inert, visible
from corpus_agent.text.wording import searched
from corpus_agent.tools.search import lacking_words
from indexer import CorpusError, Query, UsageError

if TYPE_CHECKING:
    from starlette.requests import Request

    from corpus_agent.fields.table import FieldTable
    from corpus_agent.render.common import Object
    from corpus_agent.web.site import Site
    from indexer import Index

HITS, MOST_HITS = 10, 100
_MOST_DIGITS = 9
ON_A_PAGE = 200  # rows
KEPT_SECONDS = 120.0  # that a look serves for sorting, filtering and CSV, without a new one
_DAYS = {"Y": 365, "M": 30, "W": 7, "B": 1.4, "D": 1}
_SAID = ("yes", "unclear")  # verdicts of a list that are shown


def search(site: Site, request: Request) -> Response:
    """The form and what it finds; with `part` the hits alone, for a page that is there already."""
    given = request.query_params
    chosen, query = Chosen.from_query(given), given.get("q", "").strip()
    limit = number(given.get("k", ""))
    found, left, problem, corpus, blocks = None, 0, "", site.service.corpus(), []
    lacking = ""
    if any(char.isalnum() for char in query):
        try:
            corpus = chosen.bounded(corpus)
            hits = corpus.search(Query(query, min(MOST_HITS, limit or HITS), None))
            shown = hits if limit else hits[: render.near(query, hits)]
            left, lacking = len(hits) - len(shown), lacking_words(query, hits)
            found = render.search_object(query, shown, corpus.version, corpus.notices)
            passages = answering.extractive.ExtractiveAnswerer(corpus.encoder).found(query, shown)
            blocks = [
                (p.citation.line_start, [*render.block(p.text, p.likely)], render.about(p))
                for p in passages
            ]
        except CorpusError as error:
            problem = visible(str(error))
    results = found["results"] if found is not None else []
    return site.show(
        "hits.html" if given.get("part") == "1" else "search.html",
        query=visible(query),
        chosen=chosen,
        limit=limit,
        left=left,
        most=MOST_HITS,
        found=found,
        problem=problem,
        lacking=lacking,
        hits=[*zip(results, blocks, strict=True)],
        coverage=searched(corpus.coverage()),
    )


def number(text: str) -> int | None:
    """The number that a part of an address is; None for 0, for too many digits and for none."""
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS and int(text) else None


@dataclass(frozen=True, slots=True)
class Chosen:
    """The documents that are looked at, as typed: below paths, without others, by a filter."""

    path: str
    without: str
    where: str

    @classmethod
    def from_query(cls, given: Mapping[str, str]) -> Chosen:
        """The documents that an address asks for."""
        return cls(*(given.get(name, "").strip() for name in ("path", "not", "where")))

    def bounded(self, corpus: Index) -> Index:
        """The corpus with these documents; see places.bounded."""
        return places.bounded(corpus, _paths(self.path), _paths(self.without), self.where)

    @property
    def query(self) -> dict[str, str]:
        """The same as parts of an address."""
        return {"path": self.path, "not": self.without, "where": self.where}


def _paths(typed: str) -> list[str]:
    """Paths as in a shell: one with blanks stands between quotation marks. Raises UsageError."""
    try:
        return shlex.split(typed)
    except ValueError:
        raise UsageError(
            "A path has a quotation mark without its other half.", "Write 'a b' or a."
        ) from None


def check_text(site: Site, request: Request) -> Response:
    """The form; of a text that was sent its pieces with their marks, and each passage."""
    text = request.state.form.get("text", "").replace("\r\n", "\n")
    problem, shown = "", {}
    if text.strip():
        try:
            checked = site.service.check(text, site.service.corpus())
        except CorpusError as error:
            problem = visible(str(error))
        else:
            found = render.checked_object(checked)["check"]
            shown = {
                "pieces": list(render.marked_pieces(checked)),
                "findings": found["findings"],
                "foot": list(render.checked_foot(checked)),
            }
    return site.show("check.html", text=visible(text), problem=problem, shown=shown)


# ---- Every document


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
        found = render.table_object(made)
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
        kept = tuple(row for row in made.rows if row.verdict in _SAID)
        return _csv(replace(made, rows=kept))
    found = render.table_object(made) if made is not None else None
    rows = [row for row in found["rows"] if row["verdict"] in _SAID] if found else []
    rows.sort(key=lambda row: _SAID.index(row["verdict"]))
    foot = []
    if made is not None:
        counted = [] if "unknown" in made.verdicts else [visible(render.counted_line(made))]
        foot = [*counted, *render.left_lines(made), *map(inert, made.notices)]
    typed = {"condition": visible(words)}
    return _shown(site, given, "list.html", typed, rows, found=found, foot=foot, problem=problem)


def timeline(site: Site, request: Request) -> Response:
    """The dated statements of all documents in order."""
    given = request.query_params
    made, problem = _looked(site, given, ("timeline", given.get("go", "")), site.service.timeline)
    found = render.timeline_object(made) if made is not None else None
    rows = found["statements"] if found else []
    return _shown(site, given, "timeline.html", {"go": "1"}, rows, found=found, problem=problem)


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
