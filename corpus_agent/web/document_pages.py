"""The pages of documents and of the state: files, index runs, forgetting."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse, Response

from corpus_agent import render
from corpus_agent.settings import check_one
from corpus_agent.text.sanitize import one_line, visible
from corpus_agent.web.look_pages import number
from indexer import STATUSES

if TYPE_CHECKING:
    from starlette.requests import Request

    from corpus_agent.web.site import Site
    from indexer import FileRow, Index


ON_A_PAGE = 200
_FAILED_FIRST = {status: place for place, status in enumerate(
    ("failed", "unreachable", "empty", "skipped", "indexed")
)}  # fmt: skip
_Key = Callable[["FileRow"], Any]
ORDERS: dict[str, _Key] = {
    "status": lambda row: (_FAILED_FIRST[row.status], row.source),
    "name": lambda row: row.source,
    "size": lambda row: row.bytes,
    "date": lambda row: row.mtime_ns,
    "pages": lambda row: row.pages or 0,
}


def documents(site: Site, request: Request) -> Response:
    """All files, filtered and sorted; what failed comes first unless told otherwise."""
    given = request.query_params
    wanted = [status for status in STATUSES if status in given.get("status", "").split(",")]
    part = given.get("q", "").strip().casefold()
    order = given.get("sort", "") if given.get("sort", "") in ORDERS else "status"
    corpus = site.service.corpus()
    rows = [
        row
        for row in corpus.files()
        if (not wanted or row.status in wanted) and part in row.source.casefold()
    ]
    rows.sort(key=ORDERS[order], reverse=bool(given.get("down")))
    first = number(given.get("from", "")) or 0
    return site.show(
        "documents.html",
        rows=[_shown(corpus, row) for row in rows[first : first + ON_A_PAGE]],
        count=len(rows),
        first=first,
        step=ON_A_PAGE,
        wanted=wanted,
        statuses=STATUSES,
        part=visible(part),
        order=order,
        down=bool(given.get("down")),
        coverage=corpus.coverage(),
        now=_now(site),
        here_query={"status": ",".join(wanted), "q": part},
    )


def _shown(corpus: Index, row: FileRow) -> dict[str, Any]:
    """A row with what a person asks of it: its date, and whether its file is still as it was."""
    modified = datetime.fromtimestamp(row.mtime_ns / 1e9, UTC) if row.mtime_ns else None
    return {
        **render.file_object(row),
        "readable": row.is_document,
        "why": render.why_unread(row),
        "stale": corpus.states([row.source])[row.source] == "changed",
        "date": modified.strftime("%Y-%m-%d") if modified else "",
    }


def confirm(site: Site, request: Request) -> Response:
    """Whether a document shall be forgotten."""
    check_one(site.settings)
    corpus = site.service.corpus()
    row = site.row(corpus, request.query_params.get("source", ""))
    return site.show("forget.html", row=_shown(corpus, row))


def forget(site: Site, request: Request) -> Response:
    """Forget a document, and say how to keep it out."""
    check_one(site.settings)
    source = site.source(site.service.corpus(), request.state.form.get("source", ""))
    done = render.forget_object(site.service.forget(source))
    return site.show("forgotten.html", name=done["source"], done=done)


def index(site: Site, request: Request) -> Response:
    """Bring the index up to date."""
    check_one(site.settings)
    site.runs.begin()
    return site.go("/documents/run", follow=request.state.form.get("follow"))


def stop(site: Site, request: Request) -> Response:
    """Stop the run that goes on."""
    site.runs.stop()
    return site.go("/documents/run")


def run(site: Site, request: Request) -> Response:
    """What goes on or went on last; with `part`, as JSON for a page that follows it."""
    now, last = _now(site), site.runs.last
    if request.query_params.get("part"):
        return JSONResponse(now)
    return site.show(
        "run.html",
        now=now,
        lines=list(render.index_lines(last.outcome)) if last and last.outcome else [],
        notes=[one_line(note) for note in last.notes] if last else [],
        problem=visible(last.failure) if last is not None and not last.is_open else "",
        followed=bool(request.query_params.get("follow")),
    )


def _now(site: Site) -> dict[str, Any]:
    """What a page shows of a run while it goes on; `seen` counts what has begun and ended."""
    last = site.runs.last
    return {
        "seen": site.runs.seen,
        "open": last is not None and last.is_open,
        "any": last is not None,
        "share": round(last.share * 100) if last is not None else 0,
        "text": last.progress() if last is not None and last.is_open else "",
    }


SAID = ("unread", "scans", "language")  # by the page itself


def state(site: Site, _: Request) -> Response:
    """What the index holds, and whether the process is sealed."""
    indexes = []
    for name, one in site.service.status():
        status = render.status_object(one)
        lines = [line.split(maxsplit=1) for line in render.status_lines(status, verbose=True)]
        lines = [each for each in lines[1:] if each[0] not in SAID]
        indexes.append((name, status, render.local_time(status["updated"]), lines))
    notices = [one_line(notice) for notice in site.launch.notices]
    return site.show("state.html", indexes=indexes, launch_notices=notices)
