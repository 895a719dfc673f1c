"""The tools and resources of the MCP server; a call returns text. Thread-safe.

All foreign text is framed.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from corpus_agent import render
from corpus_agent.fields.table import CellStatus
from corpus_agent.render import for_parent
from corpus_agent.render.answers import tokens_at_most
from corpus_agent.render.common import documents_searched, place_of, qualified
from corpus_agent.service.process import Onlooker
from corpus_agent.service.service import MAY_CHANGE
from corpus_agent.text.delimiters import Frame, label
from corpus_agent.text.naming import MODEL, called, framed, quoted, unambiguous
from corpus_agent.text.sanitize import one_line, unlinked
from corpus_agent.text.wording import lacks, number_of
from corpus_agent.tools import read, search
from corpus_agent.tools.corpus import ToolResult, failure
from corpus_agent.tools.toolbox import ASK_CORPUS, KNOWN, Arguments, check_arguments, tool_specs
from indexer import MAX_WINDOW_LINES, CorpusError, Refused, UsageError, fitting, narrowed

if TYPE_CHECKING:
    from corpus_agent.answering.records import Citation
    from corpus_agent.check.records import Finding
    from corpus_agent.fields.table import DocumentRow, FieldTable
    from corpus_agent.service.process import Cancel
    from corpus_agent.service.service import Service
    from corpus_agent.tools.corpus import CorpusView
    from indexer import FileRow, Index

MAX_PAGE_TOKENS = 14_000  # of document text in one result; clients cut at 25,000 and warn at 10,000
MAX_ROWS_TOKENS = 12_000  # of rows of a table or findings, likewise
MAX_ARGUMENT = 10_000  # characters of a query, a question, a list of fields
MAX_LISTED = 20  # unreadable files that the status lists
PAGE_OF_RESOURCES = 100
_URI = re.compile(r"corpus://document/([0-9a-f]{16})(?:\?offset=([1-9][0-9]{0,8}))?")
MAX_HITS = 50
PAGE_OF_SOURCES = 100
OnPiece = Callable[[int, int], None]  # called with how many documents or pieces of how many
TOOLS = tool_specs(Path(__file__).with_suffix(".toml"), KNOWN)
_BY_NAME = {spec.name: spec for spec in TOOLS}
SOURCES, STATUS, ASK = "list_sources", "corpus_status", ASK_CORPUS.name


class Tools:
    """The tools over one service, with the delimiters of one session."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._launch = service.launch
        self._frame = Frame(outside=True)

    def call(
        self,
        name: str,
        arguments: Mapping[str, Any] | None,
        cancel: Cancel,
        on_step: Callable[[str], None] = lambda _: None,
    ) -> ToolResult:
        """The result of a call; raises only Cancelled. `on_step` is called with what is done."""
        spec = _BY_NAME.get(name)
        if spec is None:
            said = f"there is no tool {quoted(name, unlinked)}. There are: {', '.join(_BY_NAME)}."
            return failure(said, code="unknown_tool")
        checked = check_arguments(spec, arguments)
        if isinstance(checked, ToolResult):
            return checked
        for key, value in checked.items():
            length = sum(map(len, value)) if isinstance(value, str | list) else 0
            if length > MAX_ARGUMENT and spec.name != "corpus_check":  # it has a limit of its own
                told = f"{key} has {length:,} characters; at most {MAX_ARGUMENT:,} are taken."
                return failure(f"{told} Send less at a time.", code="bad_argument")

        def rows(of: Callable[..., ToolResult]) -> ToolResult:
            return of(self.service, self._frame, checked, lambda *_: cancel.check())

        run: dict[str, Callable[[], ToolResult]] = {
            search.NAME: lambda: self._search(checked),
            read.NAME: lambda: self._read(checked),
            ASK: lambda: self._ask(checked, cancel, on_step),
            "corpus_check": lambda: rows(_checked),
            "corpus_table": lambda: rows(_table),
            SOURCES: lambda: self._sources(checked),
            STATUS: self._status,
        }
        try:
            return run[name]()
        except CorpusError as error:
            for_user = bool(error.hint) and not isinstance(error, Refused)  # a command to type
            said = f"{error.message} For the user: {error.hint}" if for_user else str(error)
            return failure(self._frame.error(said), code=error.code)

    def _search(self, arguments: Arguments) -> ToolResult:
        count = arguments.get("k", search.HITS)
        if not 1 <= count <= MAX_HITS:
            return failure(f"k is from 1 to {MAX_HITS}, not {count}.", code="bad_argument")
        query, chosen = arguments["query"], self._chosen(arguments)
        found = search.run(chosen, self._frame, query, count)
        notices = [self._frame.line(notice) for notice in chosen.notices]
        return replace(found, text="\n".join([found.text, *(f"Note: {each}" for each in notices)]))

    def _chosen(self, arguments: Arguments) -> Index:
        """The corpus with the documents that `path` and `where` select; raises Refused for none."""
        path = arguments.get("path", "")
        try:
            return self.service.among((path,) if path else (), (), arguments.get("where", ""))
        except UsageError:
            raise
        except CorpusError as error:
            hint = f"{error.near}{SOURCES} lists what there is."
            raise Refused(error.message, hint, code="not_found") from None

    def _sources(self, arguments: Arguments) -> ToolResult:
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
        if unread := lacks(corpus.coverage(), " more"):
            lines.append(f"{unread}; {STATUS} says which.")
        return ToolResult("\n".join(lines), version=corpus.version)

    def _listed(self, number: int, row: FileRow) -> str:
        size = number_of(row.pages, "page") if row.pages else number_of(row.lines or 0, "line")
        title = [self._frame.wrap(label(row.title))] if row.title else []
        about = [
            framed(row.source, self._frame),
            size,
            *([row.date] if row.date else []),
            *title,
        ]
        return f"{number}. {' · '.join(about)}"

    def _read(self, arguments: Arguments) -> ToolResult:
        corpus = self.service.corpus()
        offset, limit = arguments.get("offset", 1), arguments.get("limit", MAX_WINDOW_LINES)
        return self._page(corpus, self._source(corpus, arguments["source"]), offset, limit)

    def _source(self, corpus: Index, given: str) -> str:
        """The source that this server shows under a name, else the name itself."""
        if unambiguous(given) == given and corpus.file(given) is not None:
            return given
        return self.service.source(corpus, given) or unambiguous(given)

    def _page(self, corpus: CorpusView, source: str, offset: int, limit: int) -> ToolResult:
        window = narrowed(corpus.read(source, offset, limit), MAX_PAGE_TOKENS, tokens_at_most)
        text = read.render(self._frame, window)
        return ToolResult(text, version=corpus.version)

    def _ask(
        self, arguments: Arguments, cancel: Cancel, on_step: Callable[[str], None]
    ) -> ToolResult:
        onlooker, quotes_only = Onlooker(step=on_step), arguments.get("quotes_only", False)
        found, _ = self.service.ask(
            arguments["question"],
            cancel=cancel,
            onlooker=onlooker,
            quotes_only=quotes_only,
            corpus=self._chosen(arguments),
        )
        answer = for_parent.handed_over(found)
        text = for_parent.render(self._frame, answer, self._launch.seal.state)
        return ToolResult(text, version=answer.version)

    def _status(self) -> ToolResult:
        lines, version = list[str](), 0
        for name, one in self.service.status():
            version += one.manifest.version
            lines += [f"Index {name}:"] if name else []
            lines += render.status_lines(render.status_object(one), name=name, places=False)
        lines += [self._who_answers(), self._sealed()]
        try:
            unread = [row for row in self.service.corpus().files() if row.is_unread]
        except CorpusError as error:
            unread = []
            lines.append(f"It cannot be searched now: {self._frame.line(str(error))}")
        lines += [
            f"not read: {framed(row.source, self._frame)} ({row.reason})"
            for row in unread[:MAX_LISTED]
        ]
        if len(unread) > MAX_LISTED:
            lines.append(f"and {len(unread) - MAX_LISTED:,} more that could not be read")
        return ToolResult("\n".join(lines), version=version)

    def _who_answers(self) -> str:
        model = self._launch.model
        if model is None:
            return f"{ASK} answers by quotation, without a model."
        owner = f" of {quoted(model.server.owner, unlinked)}" if model.server.owner else ""
        where = f"{called(str(model.server.address), unlinked, MODEL, again=True)}{owner}"
        name = called(model.name, unlinked, MODEL, again=True)
        return f"{ASK} answers by the model {name} at {where}."

    def _sealed(self) -> str:
        if self._launch.seal.state == "enforced":
            return "This server is sealed: no network, and no file but the documents and the index."
        return "This server runs WITHOUT THE SEAL."

    # -- resources

    def resources(self, after: str | None) -> tuple[list[dict[str, Any]], str | None]:
        """A page of documents in order, and the cursor of the next page."""
        rows = (row for row in self.service.corpus().files() if row.is_document)
        left = [row for row in rows if after is None or row.source > after]
        page = left[:PAGE_OF_RESOURCES]
        cursor = page[-1].source if len(left) > len(page) else None
        return [listed(row) for row in page], cursor

    def resource(self, uri: str) -> ToolResult:
        """The page of a document that a URI names, as in corpus://document/ID?offset=2001."""
        named, corpus = _URI.fullmatch(uri), self.service.corpus()
        rows = corpus.files() if named else []
        source = next((row.source for row in rows if named and id_of(row.source) == named[1]), None)
        if named is None or source is None:
            hint = "Use an address of resources/list; behind it ?offset=LINE."
            raise Refused(f"{quoted(uri, unlinked)} names no document.", hint, code="bad_argument")
        return self._page(corpus, source, int(named[2] or 1), MAX_WINDOW_LINES)


def listed(row: FileRow) -> dict[str, Any]:
    """A document as the list of resources has it: what names it is for people, in its title."""
    ident, about = id_of(row.source), quoted(row.title, unlinked) if row.title else None
    titled = {"title": called(row.source, unlinked), "description": about}
    return {"uri": f"corpus://document/{ident}", "name": ident, **titled}


def id_of(source: str) -> str:
    """What an address says of a document: nothing that a client could take for another address."""
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _table(service: Service, frame: Frame, arguments: Arguments, on_piece: OnPiece) -> ToolResult:
    """The counts and a page of rows."""
    names = [name for name in arguments.get("fields", []) if name.strip()]
    asked = arguments.get("condition", "").strip()
    if bool(names) == bool(asked):
        return failure(
            'give either fields (["due date", "total"]) or a condition, not both.',
            code="bad_argument",
        )
    offset = arguments.get("offset", 1)
    if offset < 1:
        return failure("offset is the number of a row, from 1.", code="bad_argument")
    among = service.among(where=arguments.get("where", ""))
    if asked:
        made = service.listed(asked, among, on_piece)
        counts = [frame.line(f"{render.counted_line(made)}.")]
        rows = [row for each in ("yes", "unclear") for row in made.rows if row.verdict == each]
        counts.append("The rows are those that fulfil it and those that are unclear.")
    else:
        made = service.table(names, among, on_piece)
        rows = [row for row in made.rows if any(cell.values for cell in row.cells)]
        counts = [
            f"{frame.line(field.name)}: "
            + ", ".join(
                f"{n:,} {state}" for state in get_args(CellStatus) if (n := made.count(at, state))
            )
            + "."
            for at, field in enumerate(made.fields)
        ]
    seen = number_of(len(made.rows) - made.unreadable, "document")
    left = map(frame.error, (f"{seen} looked at.", *render.left_lines(made)))
    noted = _noted(frame, made.notices)
    head = [*left, *counts, *noted, for_parent.introduced(frame)]
    texts = ["\n".join(_row(frame, made, number, row)) for number, row in enumerate(rows, 1)]
    return ToolResult("\n".join([*head, *_page(texts, offset)]), version=made.version)


def _checked(service: Service, frame: Frame, arguments: Arguments, on_piece: OnPiece) -> ToolResult:
    """How many of each kind, then each finding."""
    found = service.check(arguments["text"], service.corpus(), on_piece)
    counts = Counter(finding.kind for finding in found.findings)
    counted = ", ".join(f"{number:,} {kind}" for kind, number in counts.items())
    head = f"{number_of(len(found.findings), 'statement')}{f': {counted}' if counted else ''}"
    noted = _noted(frame, found.notices)
    texts = ["\n".join(_finding(frame, n, finding)) for n, finding in enumerate(found.findings, 1)]
    shown = fitting(texts, MAX_ROWS_TOKENS, tokens_at_most)
    lines = [f"{head}; {documents_searched(found.coverage)}.", *noted, *texts[:shown]]
    if shown < len(texts):
        lines.append(f"{len(texts) - shown:,} more: check the text in parts.")
    return ToolResult("\n".join(lines), version=found.version)


def _noted(frame: Frame, notices: Iterable[str]) -> Iterator[str]:
    """Notices; one that names documents between the delimiters, as their words are."""
    for notice in notices:
        names = MAY_CHANGE in notice
        yield f"Note: {frame.wrap(one_line(notice)) if names else frame.line(notice)}"


def _page(texts: list[str], offset: int) -> Iterator[str]:
    """The texts from `offset` on that fit into one result, and how to go on."""
    if not texts:
        yield "No row."
        return
    if offset > len(texts):
        yield f"The table has {number_of(len(texts), 'row')}."
        return
    last = offset - 1 + fitting(texts[offset - 1 :], MAX_ROWS_TOKENS, tokens_at_most)
    yield from texts[offset - 1 : last]
    if last < len(texts):
        yield f"{len(texts) - last:,} more of {len(texts):,} rows: use offset={last + 1}."
    else:
        yield f"These are rows {offset:,} to {last:,} of {len(texts):,}."


def _row(frame: Frame, made: FieldTable, number: int, row: DocumentRow) -> Iterator[str]:
    changed = " (changed after it was indexed)" if row.changed else ""
    yield f"{number}. {framed(row.source, frame)}{changed}"
    for field, cell in zip(made.fields, row.cells, strict=True):
        several = f" (one of {len(cell.values) + cell.more:,})" if cell.status == "several" else ""
        for value in cell.shown:
            yield f"   {frame.line(field.name)}{several}: {frame.wrap(one_line(value.shown))}"
            yield from (f"     {_cited(frame, cited)}" for cited in value.citations)


def _finding(frame: Frame, number: int, finding: Finding) -> Iterator[str]:
    said = frame.wrap(one_line(finding.piece.text))
    yield f"{number}. {finding.kind}, line {finding.piece.line}: {said}"
    for own, there in finding.differs:
        yield f"   here {frame.wrap(one_line(own))}, in the document {frame.wrap(one_line(there))}"
    for cited in finding.citations or filter(None, [finding.nearest]):
        near = "" if finding.citations else "nearest: "
        shown = replace(cited, verdict="verified")  # the kind says how its words differ
        yield f"   {near}{_cited(frame, shown)}"


def _cited(frame: Frame, cited: Citation) -> str:
    """A quotation with its place, and what qualifies it."""
    place, state = frame.around(place_of(cited, frame.breaking)), qualified(cited)
    return f"{' · '.join(filter(None, (place, state)))}: {frame.wrap(one_line(cited.quote))}"
