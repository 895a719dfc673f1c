"""Commands that search the documents, read them and answer from them, also in a conversation."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from corpus_agent import answering, render, service, trust
from corpus_agent.answering.records import Turn
from corpus_agent.cli.common import (
    JSON,
    Among,
    Llm,
    below,
    is_verbose,
    launch_to_read,
    llm_options,
    main,
    opened,
    settings_in_force,
)
from corpus_agent.cli.group import EXIT_NOT_ANSWERED
from corpus_agent.cli.printing import (
    EXPORT,
    Watching,
    check_apart,
    opened_new,
    print_json,
    print_lines,
    screen,
    warn_of_index,
    write_text,
)
from corpus_agent.settings import stores_to_read
from corpus_agent.text.naming import called, known, quoted, typed
from corpus_agent.text.sanitize import visible
from corpus_agent.text.wording import number_of, searched
from indexer import MAX_WINDOW_LINES, CorpusError, Query, Refused, UsageError

if TYPE_CHECKING:
    from corpus_agent.answering.records import Answer
    from indexer import Index

HITS = 5  # of a search that names no number
PROMPT = "> "
HELP = """Type a question, or
  /sources   the places of the passages that were shown: corpus-agent read PLACE
  /quit      end (so does Ctrl-D); Ctrl-C stops an answer"""


@main.command()
@click.argument("query")
@click.option(
    "-k",
    "limit",
    type=click.IntRange(1, 1000),
    help="So many results. Default: the best 5, fewer where the rest fit far less.",
)
@below
@click.option(
    "--per-source", type=click.IntRange(1), help="So many of one document first, then others."
)
@click.option("--explain", is_flag=True, help="Show the parts of each score.")
@JSON
def search(
    query: str,
    limit: int | None,
    among: Among,
    per_source: int | None,
    explain: bool,
    as_json: bool,
) -> None:
    """Find the passages that are about QUERY, by meaning and by words.

    What stands in quotation marks within QUERY is looked up word for word, and comes first.

    A PATH is a name in the index or a path on disk; a glob ('*.pdf', 'tax/**') stands in quotation
    marks. A FILTER has terms that must all hold: type, title, author, tag, language, status with =,
    : (holds) or !=; pages, date and modified with <, <=, >, >= ('type=pdf,docx date>=2024-03').
    """
    if not any(char.isalnum() for char in query):
        raise UsageError("The query holds no words.", "Search for what the text would say.")
    _, corpus = opened(among, searching=True)
    hits = corpus.search(Query(query, limit or HITS, per_source))
    if as_json:
        found = render.search_object(query, hits, corpus.version, corpus.notices)
        return print_json(found, corpus)
    passages = answering.extractive.ExtractiveAnswerer(corpus.encoder).found(query, hits)
    print_lines(
        render.search_lines(
            query, hits, passages, corpus.coverage(), near_only=limit is None, sheet=screen()
        )
    )
    if explain:
        print_lines(render.explain_lines(hits))
    return None


QUOTES = click.option(
    "--quotes-only", is_flag=True, help="The model chooses whole sentences and writes nothing."
)
LOG = click.option(
    "--no-log", "log", flag_value="off", default=None, help="Keep no record of question and answer."
)


@main.command()
@click.argument("question")
@llm_options
@below
@QUOTES
@click.option(
    "--strict-answer", is_flag=True, help="Exit with 6 where nothing is at least likely to answer."
)
@click.option(
    "--receipt",
    "receipt_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write what was asked, read and answered to a new FILE, to be checked later.",
)
@EXPORT
@LOG
@JSON
def ask(
    question: str,
    llm: Llm,
    log: str | None,
    among: Among,
    quotes_only: bool,
    strict_answer: bool,
    receipt_file: Path | None,
    export_file: Path | None,
    as_json: bool,
) -> None:
    """Answer QUESTION from the documents, with quotations that were looked up.

    Without a model on this machine, the answer is the passages themselves, their likely lines
    marked, each with how surely it holds the answer: answered, likely or perhaps.
    """
    settings = settings_in_force(several=True, log=log, **llm)
    receipt, export = opened_new(receipt_file), opened_new(export_file)
    check_apart(receipt, export)
    launch = launch_to_read(settings, asking=True, typed=llm["llm"] is not None)
    served = service.service.Service(launch)
    watching = Watching(quiet=as_json, verbose=is_verbose())
    corpus = served.among(*among)
    with watching:
        answer, record = served.ask(
            question, onlooker=watching.onlooker, quotes_only=quotes_only, corpus=corpus
        )
    write_text(receipt, answering.receipt.line_of(record).decode("ascii"))
    write_text(export, render.export_markdown([answer]))
    for file in (receipt_file, export_file):
        warn_of_index(file, launch.settings.root)
    if as_json:
        print_json(render.answer_object(answer), corpus)
    else:
        print_lines(render.answer_lines(answer, screen()))
    if strict_answer and answer.status not in ("answered", "likely"):
        raise SystemExit(EXIT_NOT_ANSWERED)


@main.command()
@llm_options
@QUOTES
@EXPORT
@LOG
def chat(llm: Llm, quotes_only: bool, export_file: Path | None, log: str | None) -> None:
    """Ask one question after another; /help lists the commands.

    Ctrl-C stops an answer, Ctrl-D or /quit ends the conversation. One with several indexes is
    not recorded: --export writes it.
    """
    settings = settings_in_force(several=True, log=log, **llm)
    export = opened_new(export_file)
    launch = launch_to_read(settings, asking=True, typed=llm["llm"] is not None)
    served = service.service.Service(launch)
    corpus = served.corpus()
    name = os.urandom(8).hex()
    watching = Watching(verbose=is_verbose())

    def answer(question: str, newest: Index, history: Sequence[Turn]) -> Answer:
        with watching:
            return served.ask(
                question,
                history,
                onlooker=watching.onlooker,
                quotes_only=quotes_only,
                corpus=newest,
                conversation=name,
            )[0]

    talk = Chat(corpus, answer, click.echo)
    talk.run()
    write_text(export, render.export_markdown(turn.answer for turn in talk.turns))
    warn_of_index(export_file, launch.settings.root)


@dataclass
class Chat:
    """A conversation over the newest version; `ask` answers after its turns, `write` prints."""

    corpus: Index
    ask: Callable[[str, Index, Sequence[Turn]], Answer]
    write: Callable[[str], None]
    turns: list[Turn] = field(default_factory=list)

    def run(self) -> None:
        """Converse until /quit or the end of input."""
        interactive = sys.stdin.isatty()
        if interactive:
            import readline  # noqa: F401 - editing and history of what is typed

            self.write(f"{searched(self.corpus.coverage())}; /help lists the commands.")
        while True:
            try:
                line = input(PROMPT if interactive else "").strip()
            except EOFError:
                return
            except KeyboardInterrupt:
                self.write("")  # a new line: Ctrl-C while typing clears the input
                continue
            if line in ("/quit", "/exit", "quit", "exit"):
                return
            if line:
                self._respond(line)

    def _respond(self, line: str) -> None:
        try:
            if line == "/sources":
                self._sources()
            elif line == "/help":
                self.write(HELP)
            elif line.startswith("/"):
                self.write(f"Unknown command {quoted(line)}.\n{HELP}")
            else:
                self._ask(line)
        except KeyboardInterrupt:
            self.write("Stopped.")
        except CorpusError as error:
            self.write(f"Error: {visible(str(error))}")

    def _ask(self, question: str) -> None:
        self.corpus = self.corpus.latest()
        answer = self.ask(question, self.corpus, self.turns)
        self.turns.append(Turn(question, answer))
        for line in render.answer_lines(answer, screen()):
            self.write(line)

    def _sources(self) -> None:
        """Every passage of the conversation by its number, in order."""
        every = (passage for turn in self.turns for passage in turn.answer.passages)
        numbered = {passage.citation.n: passage for passage in every}
        if not numbered:
            self.write("No passage was shown yet.")
        for n in sorted(numbered):
            self.write(f"[{n}] {render.headed(numbered[n])}")


@main.command()
@click.argument("words", nargs=-1, required=True, metavar="SOURCE[:LINE[:COUNT]]")
@click.option("--page", type=click.IntRange(1), metavar="N", help="Page N of it alone.")
@JSON
def read(words: tuple[str, ...], page: int | None, as_json: bool) -> None:
    """Print a document of the index as it was extracted, from LINE on, COUNT lines.

    SOURCE is its name in the index, or its path. What an answer shows is read: a.pdf:8-9, page 7
    """
    _, corpus = opened()
    names = known(row.source for row in corpus.files())
    place = os.fsencode(" ".join(words)).decode("utf-8", "backslashreplace")  # as it is shown
    meant = [
        (service.places.document(name, names, corpus.roots), line, count)
        for name, line, count in service.places.readings(place)
    ]
    found = (one for one in meant if corpus.file(one[0]) is not None)
    source, offset, limit = next(found, meant[0])
    row = corpus.file(source)
    if row is None:
        near = ", ".join(map(called, corpus.similar(source)))
        hint = f"Did you mean {near}? " if near else ""
        hint += "All of them: corpus-agent files"
        raise Refused(f"{quoted(place)} is not in the index.", hint, code="not_indexed")
    if not row.is_document:
        message = f"{called(source)} could not be read: {render.why_unread(row)}."
        hint = f"Try: corpus-agent open {typed(source)}"
        raise Refused(message, hint, code="unreadable")
    if page is not None:
        offset, limit = _lines_of_page(corpus, source, page)
    while True:
        window = corpus.read(source, offset, limit or MAX_WINDOW_LINES)
        if as_json:
            return print_json(render.read_object(window, corpus.version), corpus)
        if window.stale:
            click.echo("Note: this file changed after it was indexed.", err=True)
        print_lines(visible(line.text) for line in window.lines)
        if window.next_offset is None or limit is not None:
            return None
        offset = window.next_offset


def _lines_of_page(corpus: Index, source: str, page: int) -> tuple[int, int]:
    """The number of a page's first line, and how many it has; raises Refused for no such page."""
    pages = [line.page for line in answering.quotations.read_all(corpus, source).lines]
    if page not in pages:
        last = max((each or 0 for each in pages), default=0)
        has = f"{number_of(last, 'page')}, and no page {page}" if last else "lines alone, no pages"
        raise Refused(f"{called(source)} has {has}.", code="beyond_end")
    return pages.index(page) + 1, pages.count(page)


@main.command(name="open")
@click.argument("place", metavar="SOURCE[:LINE]")
def open_document(place: str) -> None:
    """Open a document in a program of yours: PDF, pictures and Office files in their viewer.

    All else, web pages too, in the editor that VISUAL or EDITOR names, at LINE. What is not by its
    bytes what its name says is not opened.
    """
    settings = settings_in_force(several=True)
    stores = stores_to_read(settings)
    roots = {one.prefix: trust.stores.place_of(one.store, settings).root for one in stores}
    source, program = service.opening.open_document(place, roots)
    click.echo(f"Opened {called(source)} with {visible(program)}.", err=True)
