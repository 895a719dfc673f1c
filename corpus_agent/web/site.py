"""What the pages share: the service, the templates, the names of documents; and every address."""

from __future__ import annotations

import threading
import time
import traceback
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import jinja2
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from corpus_agent.service.service import Service
from corpus_agent.text.sanitize import inert, one_line, visible
from corpus_agent.web import (
    ask_pages,
    document_pages,
    look_pages,
    place_page,
)
from corpus_agent.web.jobs import Conversations, IndexRuns
from indexer import CorpusError, NoIndex, Refused, StoreLocked, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request

    from corpus_agent.startup import Launch
    from indexer import FileRow, Index

    Page = Callable[["Site", Request], Response]

FIRST_PAGE_SECONDS = 5.0  # that a browser may take to ask for it, before the model is loaded
PAINTING_SECONDS = 0.3
_HERE = Path(__file__).parent
ASSETS = {"style.css": "text/css", "script.js": "text/javascript", "icon.svg": "image/svg+xml"}


class Site:
    """Everything that a page needs. Thread-safe: pages are made in threads."""

    def __init__(self, launch: Launch, base: str) -> None:
        """`base` is what the path of every address begins with."""
        self.settings = launch.settings
        self.launch = launch
        self.base = base
        self.service = Service(launch)
        self.conversations = Conversations(self.service)
        self.runs = IndexRuns(launch.settings)
        self._shown = threading.Event()  # once a page was made
        # When a look at every document was made last, what it was for, and what it gave.
        self.looked: tuple[float, object, Any] = (0.0, None, None)
        self._templates = jinja2.Environment(
            loader=jinja2.FileSystemLoader(_HERE / "templates"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        self._templates.filters["clean"] = visible
        self._templates.filters["draft"] = inert
        self._templates.filters["inert"] = lambda text: inert(one_line(text))
        self._templates.filters["thousands"] = "{:,}".format
        self._templates.globals["url"] = self.url
        self._templates.globals["navigation"] = NAVIGATION
        # Several are read together, and none of them is written.
        self._templates.globals["several"] = [one.name for one in launch.settings.several]

    def start(self) -> None:
        """Load index and model ahead of the first question."""
        threading.Thread(target=self._warm, name="loading", daemon=True).start()

    def _warm(self) -> None:
        # Loading holds up every thread: the first page, and what it shows itself with, go before.
        if self._shown.wait(FIRST_PAGE_SECONDS):
            time.sleep(PAINTING_SECONDS)
        try:
            self.service.warm()
        except CorpusError:
            return  # every page says so by itself

    def stop(self) -> None:
        """Stop what goes on."""
        self.conversations.stop()
        self.runs.stop()

    def application(self) -> Starlette:
        """The pages as an ASGI application."""
        routes = [
            *(Route(path, self._page(page), methods=["GET"]) for path, page in READ.items()),
            *(Route(path, self._page(page), methods=["POST"]) for path, page in CHANGE.items()),
            Route("/static/{name}", _asset, methods=["GET"]),
        ]
        found: dict[Any, Any] = {
            CorpusError: self._failed,
            HTTPException: self._missing,
            Exception: self._broken,
        }
        return Starlette(routes=routes, exception_handlers=found)

    def _page(self, page: Page) -> Callable[[Request], Response]:
        return partial(page, self)

    # -- for the pages

    def url(self, path: str, /, **query: object) -> str:
        """The address of a page."""
        given = {name: value for name, value in query.items() if value not in (None, "")}
        return f"{self.base}{path}" + (f"?{urlencode(given)}" if given else "")

    def show(self, template: str, code: int = 200, **content: object) -> HTMLResponse:
        """A page made of a template."""
        page = self._templates.get_template(template)
        closed = self.launch.seal
        self._shown.set()
        return HTMLResponse(page.render(seal=closed, egress=self.launch.egress, **content), code)

    def go(self, path: str, fragment: str = "", **query: object) -> RedirectResponse:
        """Go on to a page after something was changed."""
        at = f"#{fragment}" if fragment else ""
        return RedirectResponse(f"{self.url(path, **query)}{at}", 303)

    def source(self, corpus: Index, name: str) -> str:
        """The document that is shown by that name; what none is is returned as it is."""
        return self.service.source(corpus, name) or name

    def row(self, corpus: Index, name: str) -> FileRow:
        """The file that is shown by that name; the page is "not found" (404) if there is none."""
        row = corpus.file(self.source(corpus, name))
        if row is None:
            raise HTTPException(404, f"No document of the index has this name: {one_line(name)}")
        return row

    # -- what went wrong

    def _failed(self, _: Request, error: CorpusError) -> HTMLResponse:
        status = next((code for kind, code in _CODES.items() if isinstance(error, kind)), 500)
        return self.show(
            "problem.html", status, message=visible(error.message), hint=visible(error.hint)
        )

    def _missing(self, _: Request, error: HTTPException) -> HTMLResponse:
        code, missing = error.status_code, error.status_code == 404
        named = error.detail if error.detail != HTTPStatus.NOT_FOUND.phrase else _NO_PAGE
        message = visible(named if missing else "This cannot be done here.")
        return self.show("problem.html", code, message=message, hint="", missing=missing)

    def _broken(self, _: Request, error: Exception) -> HTMLResponse:
        """A fault of the program: the traceback is for the terminal."""
        traceback.print_exception(error)
        return self.show("problem.html", 500, message=_FAULT, hint="")


NAVIGATION = (  # a key for the templates, an address, a name
    ("ask", "/", "Ask"),
    ("search", "/search", "Search"),
    ("check", "/check", "Check"),
    ("table", "/table", "Table"),
    ("list", "/list", "List"),
    ("timeline", "/timeline", "Timeline"),
    ("documents", "/documents", "Documents"),
    ("history", "/history", "History"),
    ("state", "/state", "State"),
)
_FAULT = "This page failed; the terminal of the server says why."
_NO_PAGE = "There is no page at this address."
_CODES: dict[type[CorpusError], int] = {
    NoIndex: 409,
    StoreLocked: 409,
    Refused: 404,
    UsageError: 400,
}
READ: dict[str, Page] = {
    "/": ask_pages.start,
    "/ask/{key}": ask_pages.conversation,
    "/ask/{key}/progress": ask_pages.progress,
    "/history": ask_pages.history,
    "/history/{key}": ask_pages.receipt,
    "/history/{key}/export": ask_pages.export,
    "/read": place_page.place,
    "/picture": place_page.picture,
    "/search": look_pages.search,
    "/check": look_pages.check_text,
    "/table": look_pages.table,
    "/list": look_pages.list_documents,
    "/timeline": look_pages.timeline,
    "/documents": document_pages.documents,
    "/documents/run": document_pages.run,
    "/documents/forget": document_pages.confirm,
    "/state": document_pages.state,
}
CHANGE: dict[str, Page] = {
    "/check": look_pages.check_text,
    "/ask": ask_pages.ask,
    "/ask/{key}/stop": ask_pages.stop,
    "/history/{key}/delete": ask_pages.delete,
    "/documents/index": document_pages.index,
    "/documents/stop": document_pages.stop,
    "/documents/forget": document_pages.forget,
}


def _asset(request: Request) -> Response:
    """A file of the package; its type is listed, so that none is guessed."""
    name = request.path_params["name"]
    if name not in ASSETS:
        raise HTTPException(404, "There is no such file.")
    return Response((_HERE / "static" / name).read_bytes(), media_type=ASSETS[name])
