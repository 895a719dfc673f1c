"""The tools and resources of the MCP server; a call returns text, never an exception.

The texts come from the same functions as for our own model. Independent of the protocol, which is
in server.py. Thread-safe.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from corpus_agent import render
from corpus_agent.answering.records import Turn
from corpus_agent.mcp import tables
from corpus_agent.mcp.specs import MAX_HITS, PAGE_OF_SOURCES, SOURCES, STATUS, TOOLS
from corpus_agent.render import for_parent
from corpus_agent.render.for_parent import tokens_at_most
from corpus_agent.service import places
from corpus_agent.service.onlooker import Onlooker
from corpus_agent.text.delimiters import Frame, label
from corpus_agent.text.naming import (
    called_outside,
    model_outside,
    named,
    on_one_line,
    quoted_outside,
    unambiguous,
)
from corpus_agent.text.sanitize import unlinked
from corpus_agent.text.wording import number_of
from corpus_agent.tools import read, search
from corpus_agent.tools.result import ToolResult, failure
from corpus_agent.tools.toolbox import Arguments, check_arguments
from indexer import MAX_WINDOW_LINES, CorpusError, Refused, Window, storage

if TYPE_CHECKING:
    from corpus_agent.fields.records import Field, FieldTable
    from corpus_agent.service.cancel import Cancel
    from corpus_agent.service.service import Service
    from corpus_agent.startup import Launch
    from corpus_agent.tools.corpus import CorpusView
    from indexer import FileRow, Index

MAX_PAGE_TOKENS = 14_000  # of document text in one result; clients cut at 25,000 and warn at 10,000
MAX_ARGUMENT = 10_000  # characters of a query, a question, a list of fields
MAX_LISTED = 20  # unreadable files that the status lists
PAGE_OF_RESOURCES = 100
SCHEME = "corpus://"
MAX_CONVERSATIONS = 20  # the least recently used is forgotten
MAX_TURNS = 12  # of a conversation


@dataclass(frozen=True, slots=True)
class Listed:
    """A document as a resource."""

    uri: str
    name: str
    title: str | None


class Tools:
    """The tools over one service, with the delimiters of one session."""

    def __init__(self, service: Service, launch: Launch) -> None:
        self._service = service
        self._launch = launch
        self._frame = Frame(outside=True)
        self._names: tuple[int, dict[str, str]] = (-1, {})  # of which version; see `_source`
        self._lock = threading.Lock()  # of the conversations
        self._conversations: dict[str, tuple[Turn, ...]] = {}  # the most recent last

    def call(
        self,
        name: str,
        arguments: Mapping[str, Any] | None,
        cancel: Cancel,
        on_step: Callable[[str], None] = lambda _: None,
    ) -> ToolResult:
        """The result of a call; raises only Cancelled. `on_step` is called with what is done."""
        spec = next((spec for spec in TOOLS if spec.name == name), None)
        if spec is None:
            known = ", ".join(spec.name for spec in TOOLS)
            return failure(
                f"there is no tool {quoted_outside(name)}. There are: {known}.", code="unknown_tool"
            )
        checked = check_arguments(spec, arguments)
        if isinstance(checked, ToolResult):
            return checked
        for key, value in checked.items():
            if isinstance(value, str) and len(value) > MAX_ARGUMENT:
                told = f"{key} has {len(value):,} characters; at most {MAX_ARGUMENT:,} are taken."
                return failure(f"{told} Ask for one thing at a time.", code="bad_argument")
        run = {
            search.NAME: self._search,
            read.NAME: self._read,
            for_parent.NAME: lambda given, cancel: self._ask(given, cancel, on_step),
            SOURCES.name: self._sources,
            tables.TABLE.name: lambda given, cancel: self._table(given, cancel, on_step),
            STATUS.name: self._status,
        }[name]
        try:
            return run(checked, cancel)
        except CorpusError as error:
            return failure(on_one_line(self._frame, str(error)), code=error.code)

    def _search(self, arguments: Arguments, _: Cancel) -> ToolResult:
        count = arguments.get("k", search.HITS)
        if not 1 <= count <= MAX_HITS:
            return failure(f"k is from 1 to {MAX_HITS}, not {count}.", code="bad_argument")
        query, chosen = arguments["query"], self._chosen(arguments)
        found = search.run(chosen, self._frame, query, count)
        notices = [on_one_line(self._frame, notice) for notice in chosen.notices]
        if not found.failed and (arguments.get("path") or arguments.get("where")):
            notices += self._outside(chosen, query)
        return replace(found, text="\n".join([found.text, *(f"Note: {each}" for each in notices)]))

    def _outside(self, chosen: Index, query: str) -> list[str]:
        """Where the best passage of all documents is, if it is in none of the chosen ones."""
        documents = {row.source for row in chosen.files()}
        best = places.best_outside(self._service.corpus(), documents, query)
        if best is None:
            return []
        where = f"{named(self._frame, best.source)}, line {best.line_start}"
        return [f"The best passage of all documents is outside of these: {where}."]

    def _chosen(self, arguments: Arguments) -> Index:
        """The corpus with the documents that `path` and `where` select; raises Refused for none."""
        corpus = self._service.corpus()
        path, where = arguments.get("path", ""), arguments.get("where", "")
        if not (path or where):
            return corpus
        if path and not corpus.selects(path):
            near = ", ".join(named(self._frame, source) for source in corpus.similar(path))
            raise Refused(
                f"No document is at {quoted_outside(path)}.",
                f"{f'Did you mean {near}? ' if near else ''}{SOURCES.name} lists what there is.",
                code="not_found",
            )
        rows = corpus.files((path,) if path else ())
        chosen = corpus.selected(where)
        these = [row.source for row in rows if row.source in chosen]
        if not these:
            raise Refused(
                f"No document is selected by {quoted_outside(f'{path} {where}'.strip())}.",
                f"{SOURCES.name} lists what there is.",
                code="not_found",
            )
        return corpus.bounded(these)

    def _sources(self, arguments: Arguments, _: Cancel) -> ToolResult:
        corpus = self._chosen(arguments)
        rows = [row for row in corpus.files() if row.is_document]
        first = arguments.get("offset", 1)
        if not 1 <= first <= max(1, len(rows)):
            return failure(f"offset is from 1 to {len(rows):,}.", code="bad_argument")
        page = rows[first - 1 : first - 1 + PAGE_OF_SOURCES]
        last = first - 1 + len(page)
        lines = [f"Documents {first:,} to {last:,} of {len(rows):,}:" if rows else "No document."]
        lines += [self._listed(number, row) for number, row in enumerate(page, first)]
        if last < len(rows):
            lines.append(f"{len(rows) - last:,} more: use offset={last + 1}.")
        if unread := corpus.coverage().unreadable:
            lines.append(
                f"{number_of(unread, 'more file')} could not be read; {STATUS.name} lists them."
            )
        return ToolResult("\n".join(lines), version=corpus.version)

    def _listed(self, number: int, row: FileRow) -> str:
        size = number_of(row.pages, "page") if row.pages else number_of(row.lines or 0, "line")
        title = [self._frame.wrap(label(row.title))] if row.title else []
        about = [named(self._frame, row.source), size, *([row.date] if row.date else []), *title]
        return f"{number}. {' · '.join(about)}"

    def _read(self, arguments: Arguments, _: Cancel) -> ToolResult:
        corpus = self._service.corpus()
        offset, limit = arguments.get("offset", 1), arguments.get("limit", MAX_WINDOW_LINES)
        return self._page(corpus, self._source(corpus, arguments["source"]), offset, limit)

    def _source(self, corpus: Index, given: str) -> str:
        """The source that this server shows under a name, else the name itself."""
        if unambiguous(given) == given and corpus.file(given) is not None:
            return given
        version, names = self._names
        if version != corpus.version:
            names = render.names(row.source for row in corpus.files())
            self._names = (corpus.version, names)
        return names.get(given) or unambiguous(given)

    def _page(self, corpus: CorpusView, source: str, offset: int, limit: int) -> ToolResult:
        window = fitted(corpus.read(source, offset, limit))
        text = read.render(self._frame, window)
        return ToolResult(text, window=window, version=corpus.version)

    def _ask(
        self, arguments: Arguments, cancel: Cancel, on_step: Callable[[str], None]
    ) -> ToolResult:
        question, name = arguments["question"], arguments.get("conversation", "")
        with self._lock:
            turns = self._conversations.get(name, ()) if name else ()
        found, _ = self._service.ask_after(
            question,
            turns,
            cancel,
            Onlooker(step=on_step),
            quotes_only=arguments.get("quotes_only", False),
        )
        if name:
            self._keep(name, Turn(question, found))
        answer = for_parent.handed_over(for_parent.with_unambiguous_sources(found))
        text = for_parent.render(self._frame, answer, self._launch.seal.state)
        return ToolResult(text, version=answer.version)

    def _keep(self, name: str, turn: Turn) -> None:
        """Add to a conversation, behind what was added meanwhile; forget the least recent one."""
        with self._lock:
            turns = self._conversations.pop(name, ())
            self._conversations[name] = (*turns, turn)[-MAX_TURNS:]
            while len(self._conversations) > MAX_CONVERSATIONS:
                del self._conversations[next(iter(self._conversations))]

    def _table(
        self, arguments: Arguments, cancel: Cancel, on_step: Callable[[str], None]
    ) -> ToolResult:
        def make(corpus: Index, columns: Sequence[Field], llm: bool) -> FieldTable:
            return self._service.table(corpus, columns, cancel, Onlooker(step=on_step), llm=llm)

        return tables.run(self._service.corpus(), self._frame, arguments, make)

    def _status(self, _: Arguments, __: Cancel) -> ToolResult:
        manifests = self._service.manifests()
        counted = [_counts(name, manifest) for name, manifest in manifests.items()]
        lines = [*(line for lines in counted for line in lines), self._who_answers()]
        lines.append(self._sealed())
        try:
            lines += self._unread(self._service.corpus().files())
        except CorpusError as error:
            lines.append(f"It cannot be searched now: {on_one_line(self._frame, str(error))}")
        version = sum(manifest.version for manifest in manifests.values())
        return ToolResult("\n".join(lines), version=version)

    def _who_answers(self) -> str:
        model = self._launch.model
        if model is None:
            return f"{for_parent.NAME} answers by quotation, without a model."
        owner = f" of {quoted_outside(model.server.owner)}" if model.server.owner else ""
        where = f"{model_outside(str(model.server.address))}{owner}"
        return f"{for_parent.NAME} answers by the model {model_outside(model.name)} at {where}."

    def _sealed(self) -> str:
        if self._launch.seal.state == "enforced":
            return "This server is sealed: no network, and no file but the documents and the index."
        return "This server runs WITHOUT THE SEAL."

    def _unread(self, rows: list[FileRow]) -> list[str]:
        unread = [row for row in rows if row.is_unread]
        lines = [
            f"not read: {named(self._frame, row.source)} ({row.reason})"
            for row in unread[:MAX_LISTED]
        ]
        more = len(unread) - MAX_LISTED
        return [*lines, *([f"and {more:,} more that could not be read"] if more > 0 else [])]

    # -- resources

    def resources(self, after: str | None) -> tuple[list[Listed], str | None]:
        """A page of documents in order, and the cursor of the next page; raises CorpusError."""
        rows = (row for row in self._service.corpus().files() if row.is_document)
        left = [row for row in rows if after is None or row.source > after]
        page = left[:PAGE_OF_RESOURCES]
        cursor = page[-1].source if len(left) > len(page) else None
        return [listed(row) for row in page], cursor

    def resource(self, uri: str) -> ToolResult:
        """The page of a document that a URI names; raises CorpusError."""
        source, offset = parse_uri(uri)
        return self._page(self._service.corpus(), source, offset, MAX_WINDOW_LINES)


def listed(row: FileRow) -> Listed:
    """A document as the list of resources shows it."""
    title = quoted_outside(row.title) if row.title else None
    return Listed(uri_of(row.source), called_outside(row.source), title)


def _counts(name: str, manifest: storage.Manifest) -> list[str]:
    """What an index holds; `name` is that of one of several."""
    coverage = manifest.coverage
    state = "complete" if manifest.complete else "NOT COMPLETE: run corpus-agent index to go on"
    counts = (
        f"{number_of(coverage.indexed, 'document is', 'documents are')} indexed; "
        f"{coverage.unreadable:,} could not be read, "
        f"{number_of(coverage.blank, 'file')} without a byte, "
        f"{coverage.unreachable:,} could not be looked at since and left as before, "
        f"{number_of(coverage.skipped, 'file')} of other kinds, "
        f"{manifest.ignored:,} ignored by rule."
    )
    waiting = render.waiting_text(manifest.waiting_pages, manifest.waiting_pictures)
    if waiting:
        counts += f" Scans without text: {waiting}."
    if unread := render.not_read(manifest.unread):
        counts += f" {unread}."
    of = f" {name}" if name else ""
    known = [f"Index{of} version {manifest.version} of {manifest.updated}, {state}."]
    return [f"Index{of}: {counts}" if name else counts, *known]


def fitted(window: Window, tokens: int = MAX_PAGE_TOKENS) -> Window:
    """The window, or its first lines up to `tokens`, at least one."""
    spent = 0
    for kept, line in enumerate(window.lines):
        spent += tokens_at_most(line.text) + 1
        if spent > tokens and kept:
            return replace(window, lines=window.lines[:kept], next_offset=window.offset + kept)
    return window


def uri_of(source: str) -> str:
    """The URI of a document: no authority, the path escaped (RFC 3986, 3.3).

    Dots are escaped too if a viewer might take part of the name for a host.
    """
    escaped = quote(source)
    broken = unlinked(source) != source or unlinked(escaped) != escaped
    return f"{SCHEME}/{escaped.replace('.', '%2E') if broken else escaped}"


def parse_uri(uri: str) -> tuple[str, int]:
    """Source and first line that a URI names, as in corpus:///notes/a.md?offset=2001.

    Accepts the form of `uri_of`, and the same with two slashes. Raises Refused.
    """
    path, _, query = uri.removeprefix(SCHEME).partition("?")
    key, _, value = query.partition("=")
    offset = int(value) if value.isdecimal() and len(value) < 10 else 0
    if not uri.startswith(SCHEME) or (query and (key != "offset" or not offset)):
        raise Refused(
            f"{quoted_outside(uri)} names no document.",
            "Use corpus:///SOURCE or corpus:///SOURCE?offset=LINE.",
            code="bad_argument",
        )
    try:
        return unquote(path.removeprefix("/"), errors="strict"), offset or 1
    except UnicodeDecodeError:
        raise Refused(
            f"{quoted_outside(uri)} is not UTF-8.",
            "Use the URIs of resources/list.",
            code="bad_argument",
        ) from None
