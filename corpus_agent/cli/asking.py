"""Commands that search the documents, read them and answer from them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from corpus_agent import answering, evaluation, render, service
from corpus_agent.cli.common import (
    EXIT_NOT_ANSWERED,
    JSON,
    launch_to_read,
    llm_options,
    main,
    print_json,
    print_lines,
    settings_in_force,
)
from corpus_agent.cli.live import Watching
from corpus_agent.settings import existing_store
from indexer import Query, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpus_agent.answering.records import Answer, Answerer, Turn
    from corpus_agent.startup import Launch
    from indexer import Index, Window


@main.command()
@click.argument("query")
@click.option("-k", "limit", default=5, show_default=True, type=click.IntRange(1, 1000))
@click.option(
    "--path",
    "paths",
    multiple=True,
    metavar="PATH",
    help="Only documents below PATH, or whose names begin so, or that a glob names; repeatable.",
)
@click.option(
    "--not-path", "not_paths", multiple=True, metavar="PATH", help="Without these; repeatable."
)
@click.option(
    "--per-source",
    type=click.IntRange(1),
    help="So many results of one document first, then others. Default: no bound.",
)
@click.option("--explain", is_flag=True, help="Show the parts of each score.")
@JSON
def search(
    query: str,
    limit: int,
    paths: tuple[str, ...],
    not_paths: tuple[str, ...],
    per_source: int | None,
    explain: bool,
    as_json: bool,
) -> None:
    """Find the passages that are about QUERY, by meaning and by words.

    What stands in quotation marks within QUERY is looked up word for word, and comes first.

    A PATH is written from the working folder, from the indexed one, or in full; a glob as in an
    ignore file ('*.pdf', 'tax/**'), in quotation marks.
    """
    if not any(char.isalnum() for char in query):
        raise UsageError("The query holds no words.", "Search for what the text would say.")
    launch = launch_to_read(settings_in_force())

    corpus = service.session.open_corpus(launch.settings)
    of_these = service.places.selected(corpus, paths)
    hits = corpus.search(
        Query(query, limit, per_source, of_these, service.places.selected(corpus, not_paths))
    )
    if as_json:
        seal = launch.seal.state
        return print_json(render.search_object(query, hits, corpus.version, seal, corpus.notices))
    print_lines(render.search_lines(query, hits, corpus.coverage()))
    if explain:
        print_lines(render.explain_lines(hits))
    return None


STRICT = click.option(
    "--strict-evidence",
    is_flag=True,
    help="Leave out what no passage supports, if a model wrote it.",
)


@main.command()
@click.argument("question")
@llm_options
@STRICT
@click.option(
    "--strict-answer",
    is_flag=True,
    help="Exit with 6 unless it is answered: also where passages are shown as the closest"
    " and where a question is asked back.",
)
@click.option(
    "--receipt",
    "receipt_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write what was asked, read and answered to FILE; see verify.",
)
@JSON
def ask(
    question: str,
    llm: str | None,
    llm_model: str | None,
    allow_remote_llm: str | None,
    strict_evidence: bool,
    strict_answer: bool,
    receipt_file: Path | None,
    as_json: bool,
) -> None:
    """Answer QUESTION from the documents, with quotations that were looked up.

    Without a model on this machine, the answer is the passages themselves, word for word. What may
    hold the answer and is not likely enough to be called one is shown as the closest passages.
    """
    settings = settings_in_force(llm=llm, llm_model=llm_model, allow_remote_llm=allow_remote_llm)
    descriptor = _opened(receipt_file)
    launch = launch_to_read(settings, asking=True, typed=llm is not None)
    settings = launch.settings

    corpus = service.session.open_corpus(settings)
    watching = Watching(quiet=as_json)
    answerer = service.session.answerer_for(
        corpus,
        launch,
        settings,
        strict=strict_evidence,
        on_draft=watching.draft,
        on_passages=watching.passages,
    )
    with watching:
        answer, record = service.session.ask_recorded(
            question, corpus, answerer, launch, settings, on_event=watching.event
        )
    if descriptor is not None:
        answering.receipt.write(descriptor, record)
    if as_json:
        print_json(render.answer_object(answer, launch.seal.state))
    else:
        print_lines(render.answer_lines(answer))
    if strict_answer and answer.status != "answered":
        raise SystemExit(EXIT_NOT_ANSWERED)


def _opened(receipt_file: Path | None) -> int | None:
    """The receipt's descriptor: opened before the seal, which closes all but the index."""
    if receipt_file is None:
        return None

    return answering.receipt.open_file(receipt_file)


@main.command()
@llm_options
@STRICT
def chat(
    llm: str | None, llm_model: str | None, allow_remote_llm: str | None, strict_evidence: bool
) -> None:
    """Ask one question after another; /help lists the commands.

    Ctrl-C stops an answer, Ctrl-D or /quit ends the conversation.
    """
    settings = settings_in_force(llm=llm, llm_model=llm_model, allow_remote_llm=allow_remote_llm)
    launch = launch_to_read(settings, asking=True, choosing=True, typed=llm is not None)
    settings = launch.settings
    from corpus_agent.cli.chat import Chat, Doing

    corpus = service.session.open_corpus(settings)
    watching = Watching()

    def make(launch: Launch) -> Answerer:
        return service.session.answerer_for(
            corpus,
            launch,
            settings,
            strict=strict_evidence,
            on_draft=watching.draft,
            on_passages=watching.passages,
        )

    def answer(
        question: str,
        newest: Index,
        answerer: Answerer,
        launch: Launch,
        history: Sequence[Turn],
    ) -> Answer:
        with watching:
            return service.session.ask_recorded(
                question, newest, answerer, launch, settings, history, watching.event
            )[0]

    doing = Doing(answer, make, service.session.models_of, click.echo)
    Chat(corpus, launch, existing_store(settings), doing).run()


@main.command()
@click.argument("place", metavar="SOURCE[:LINE[:COUNT]]")
@JSON
def read(place: str, as_json: bool) -> None:
    """Print a document of the index as it was extracted, from LINE on, COUNT lines.

    SOURCE is its name in the index, or its path from the working folder or in full.
    """
    launch = launch_to_read(settings_in_force())

    corpus = service.session.open_corpus(launch.settings, searching=False)
    names = render.names(row.source for row in corpus.files())
    place = os.fsencode(place).decode("utf-8", "backslashreplace")  # a name as it is shown
    named, offset, limit = _parse_place(place, set(names))
    source = service.places.document(named, names, corpus.root)
    if as_json:
        window = corpus.read(source, offset, limit or 2_000)
        return print_json(render.read_object(window, corpus.version, launch.seal.state))
    while True:
        window = corpus.read(source, offset, limit or 2_000)
        _print_window(window)
        if window.next_offset is None or limit is not None:
            return None
        offset = window.next_offset


def _parse_place(place: str, names: set[str]) -> tuple[str, int, int | None]:
    """Name, line and count; a document whose own name holds colons is preferred."""
    numbers: list[int] = []
    while place not in names and len(numbers) < 2:
        head, colon, tail = place.rpartition(":")
        if not colon or not tail.isdecimal():
            break
        place, numbers = head, [int(tail), *numbers]
    return place, numbers[0] if numbers else 1, numbers[1] if len(numbers) > 1 else None


def _print_window(window: Window) -> None:
    if window.stale:
        click.echo("Note: this file changed after it was indexed.", err=True)

    print_lines(render.window_lines(window))


@main.command(name="eval")
@click.argument("questions", type=click.Path(path_type=Path))
@llm_options
@click.option("--show-failures", is_flag=True, help="List the questions that went wrong.")
@JSON
def evaluate(
    questions: Path,
    llm: str | None,
    llm_model: str | None,
    allow_remote_llm: str | None,
    show_failures: bool,
    as_json: bool,
) -> None:
    """Measure search and answers with the questions of a TOML file.

    Each [[questions]] has question, sources (none: not answerable) and answer or answers; see
    sample_corpus/questions.toml.
    """
    asked = evaluation.questions.load(questions)
    settings = settings_in_force(
        llm=llm or "none", llm_model=llm_model, allow_remote_llm=allow_remote_llm
    )
    launch = launch_to_read(settings, asking=True, typed=llm is not None)
    settings = launch.settings

    corpus = service.session.open_corpus(settings)
    answerer = service.session.answerer_for(corpus, launch, settings)
    results = [evaluation.measure.measure(question, corpus, answerer) for question in asked]
    scores = evaluation.measure.summarise(results)
    if as_json:
        return print_json(render.as_object(version=corpus.version, eval=scores))
    print_lines(evaluation.measure.table(scores))
    if show_failures:
        print_lines(evaluation.measure.failures(results))
    return None
