"""Commands that search the documents, read them and answer from them."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from corpus_agent import agent, answering, check, render, selftest, service, trust
from corpus_agent.cli.chat import Chat
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
    check_apart,
    clean,
    opened_new,
    print_json,
    print_lines,
    style,
    warn_of_index,
    write_answers,
)
from corpus_agent.cli.progress import Watching, counted
from corpus_agent.settings import stores_to_read
from corpus_agent.text.naming import PATH, called, known, quoted
from indexer import (
    MAX_FILE_BYTES,
    MAX_WINDOW_LINES,
    Query,
    Refused,
    UsageError,
    read_regular,
)

if TYPE_CHECKING:
    from corpus_agent.answering.records import Answer, Turn
    from indexer import Index

HITS = 5  # of a search that names no number


@main.command()
@click.argument("query")
@click.option(
    "-k",
    "limit",
    type=click.IntRange(1, 1000),
    help="So many results. Default: 5, without those that are far from the best.",
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
    served, corpus = opened(among, searching=True)
    hits = corpus.search(Query(query, limit or HITS, per_source))
    if as_json:
        seal = served.launch.seal.state
        found = render.search_object(query, hits, corpus.version, seal, corpus.notices)
        return print_json(found, corpus)
    near_only = limit is None
    passages = answering.extractive.ExtractiveAnswerer(corpus.encoder).found(query, hits)
    shown = render.search_lines(hits, passages, corpus.coverage(), near_only=near_only, style=style)
    print_lines(shown)
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
    help="Write what was asked, read and answered to FILE, to be checked later.",
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
    receipt = answering.receipt.open_file(receipt_file) if receipt_file is not None else None
    export = opened_new(export_file)
    check_apart(receipt, export)
    launch = launch_to_read(settings, asking=True, typed=llm["llm"] is not None)
    served = service.service.Service(launch)
    watching = Watching(quiet=as_json, verbose=is_verbose())
    corpus = served.among(*among)
    with watching:
        answer, record = served.ask(
            question, onlooker=watching.onlooker, quotes_only=quotes_only, corpus=corpus
        )
    if receipt is not None:
        answering.receipt.write(receipt, record)
    write_answers(export, [answer])
    for file in (receipt_file, export_file):
        warn_of_index(file, launch.settings.root)
    if as_json:
        print_json(render.answer_object(answer, launch.seal.state), corpus)
    else:
        print_lines(render.answer_lines(answer, style))
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
    settings = launch.settings

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

    talk = Chat(corpus, answer, click.echo, style)
    talk.run()
    write_answers(export, [turn.answer for turn in talk.turns])
    warn_of_index(export_file, settings.root)


@main.command()
@click.argument("place", metavar="SOURCE[:LINE[:COUNT]]")
@JSON
def read(place: str, as_json: bool) -> None:
    """Print a document of the index as it was extracted, from LINE on, COUNT lines.

    SOURCE is its name in the index, or its path from the working folder or in full.
    """
    served, corpus = opened()
    names = known(row.source for row in corpus.files())
    place = os.fsencode(place).decode("utf-8", "backslashreplace")  # a name as it is shown
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
        raise Refused(message, "Try: corpus-agent open FILE", code="unreadable")
    while True:
        window = corpus.read(source, offset, limit or MAX_WINDOW_LINES)
        if as_json:
            seal = served.launch.seal.state
            return print_json(render.read_object(window, corpus.version, seal), corpus)
        if window.stale:
            click.echo("Note: this file changed after it was indexed.", err=True)
        print_lines(render.window_lines(window))
        if window.next_offset is None or limit is not None:
            return None
        offset = window.next_offset


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
    click.echo(f"Opened {called(source)} with {clean(program)}.", err=True)


@main.command(name="check")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@llm_options
@below
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "md", "html"]),
    default="text",
    help="text (default), or the text itself with marks, as Markdown or as a page.",
)
@JSON
def check_file(file: Path, llm: Llm, among: Among, form: str, as_json: bool) -> None:
    """Check each quotation and statement of FILE against the documents; - is standard input.

    FILE is anybody's answer, memo or draft (text, Markdown, HTML, DOCX, PDF) of at most 1,000,000
    characters, or a receipt of ask --receipt. Exit 0 where everything is found as it is written, 1
    otherwise, also for a receipt that is edited or another's. A model takes part only with --llm:
    its word on statements that are not found is shown as a model's.
    """
    data = _read(file)  # it may lie anywhere, so it is read before the seal
    is_receipt = file.suffix in (".json", ".jsonl") or data.lstrip()[:1] == b"{"
    receipts = answering.receipt.receipts_in(data, str(file)) if is_receipt else []
    if receipts and form != "text":
        raise UsageError(f"--format {form} marks a text, and {str(file)!r} holds a receipt.")
    asking = llm["llm"] is not None
    if receipts and asking:
        raise UsageError(f"--llm judges the statements of a text, and {str(file)!r} is a receipt.")
    settings = settings_in_force(several=True, **(llm if asking else {}))
    launch = launch_to_read(settings, asking=asking, typed=asking)
    seal, key = launch.seal.state, launch.receipt_key
    if receipts:
        verified, corpus = service.service.Service(launch, searching=False).check_receipts(receipts)
        shown = render.receipts_object(verified, corpus.version, seal, key)
        lines = render.receipt_lines(verified, key)
        holds = shown["check"]["holds"]
    else:
        serving = service.service.Service(launch)
        corpus = serving.among(*among)
        text = check.checking.text_of(data, file.name)
        with counted("checking statements") as on_piece:
            checked = serving.check(text, corpus, on_piece)
        if asking:
            with counted("asking the model") as on_piece:
                checked = agent.numbered.judged(checked, corpus, launch, on_piece)
        shown, holds = render.checked_object(checked, seal), checked.holds
        lines = render.checked_lines(checked)
        if form != "text":
            whole = render.checked_markdown if form == "md" else render.checked_html
            lines = iter([whole(checked)])
    if as_json:
        print_json(shown, corpus)
    else:
        print_lines(lines)
    if not holds:
        raise SystemExit(1)


def _read(file: Path) -> bytes:
    """The bytes of a file, of standard input for "-"; raises UsageError."""
    if str(file) != "-":
        try:
            return read_regular(file, MAX_FILE_BYTES)
        except OSError as error:
            gone = isinstance(error, FileNotFoundError)
            why = "there is no such file" if gone else error.strerror
            message = f"{called(str(file), kind=PATH)} cannot be read: {why}."
            raise UsageError(message, "Try: corpus-agent check --help") from None
    data = sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise UsageError(f"The text has more than {MAX_FILE_BYTES:,} bytes.")
    return data


@main.command(name="eval")
@click.argument("questions", type=click.Path(path_type=Path))
@llm_options
@click.option("--show-failures", is_flag=True, help="List the questions that went wrong.")
@JSON
def evaluate(questions: Path, llm: Llm, show_failures: bool, as_json: bool) -> None:
    """Measure search and answers with the questions of a TOML file.

    Each [[questions]] has question, sources (none: not answerable) and answer or answers; see
    sample_corpus/questions.toml.
    """
    asked = selftest.evaluation.load(questions)
    named = llm["llm"]
    settings = settings_in_force(several=True, **{**llm, "llm": named or "none"})
    launch = launch_to_read(settings, asking=True, typed=named is not None)
    served = service.service.Service(launch)
    corpus = served.corpus()
    answerer = served.answerer(corpus)
    results = [selftest.evaluation.measure(question, corpus, answerer) for question in asked]
    scores = selftest.evaluation.summarise(results)
    if as_json:
        return print_json(render.as_object(version=corpus.version, eval=scores), corpus)
    print_lines(selftest.evaluation.table(scores))
    if show_failures:
        print_lines(selftest.evaluation.failures(results))
    return None
