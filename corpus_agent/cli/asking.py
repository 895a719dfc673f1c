"""Commands that search the documents, read them and answer from them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from corpus_agent.cli.frame import (
    EXIT_INTERRUPTED,
    JSON,
    launch_to_read,
    llm_options,
    main,
    print_json,
    print_lines,
    say,
    settings_in_force,
)

if TYPE_CHECKING:
    from corpus_agent.corpus import Window


@main.command()
@click.argument("query")
@click.option("-k", "limit", default=5, show_default=True, type=click.IntRange(1, 1000))
@click.option("--path", "below", default="", metavar="PREFIX", help="Only sources that begin so.")
@click.option(
    "--per-source",
    type=click.IntRange(1),
    help="So many results of one document first, then others. Default: no bound.",
)
@click.option("--explain", is_flag=True, help="Show the parts of each score.")
@JSON
def search(
    query: str, limit: int, below: str, per_source: int | None, explain: bool, as_json: bool
) -> None:
    """Find the passages that are about QUERY, by meaning and by words."""
    settings = settings_in_force()
    launch_to_read(settings)
    from corpus_agent import report, session

    corpus = session.open_corpus(settings)
    hits = corpus.search(query, limit, per_source, below)
    if as_json:
        return print_json(report.search_object(query, hits, corpus.version))
    print_lines(report.search_lines(query, hits, corpus.coverage()))
    if explain:
        print_lines(report.explain_lines(hits))
    return None


@main.command()
@click.argument("question")
@llm_options
@JSON
def ask(
    question: str,
    llm: str | None,
    llm_model: str | None,
    allow_remote_llm: str | None,
    as_json: bool,
) -> None:
    """Answer QUESTION from the documents, with quotations that were looked up.

    Without a model on this machine, the answer is the passages themselves, word for word.
    """
    settings = settings_in_force(llm=llm, llm_model=llm_model, allow_remote_llm=allow_remote_llm)
    launch = launch_to_read(settings, asking=True)
    from corpus_agent import report, session

    corpus = session.open_corpus(settings)
    answerer = session.answerer_for(corpus, launch)
    try:
        answer = session.ask(question, corpus, answerer, on_event=say)
    except KeyboardInterrupt:
        click.echo("Stopped.", err=True)
        raise SystemExit(EXIT_INTERRUPTED) from None
    if as_json:
        return print_json(report.answer_object(answer))
    return print_lines(report.answer_lines(answer))


@main.command()
@llm_options
def chat(llm: str | None, llm_model: str | None, allow_remote_llm: str | None) -> None:
    """Ask one question after another; /help lists the commands.

    Ctrl-C stops an answer, Ctrl-D or /quit ends the conversation.
    """
    settings = settings_in_force(llm=llm, llm_model=llm_model, allow_remote_llm=allow_remote_llm)
    launch = launch_to_read(settings, asking=True)
    from corpus_agent import session
    from corpus_agent.chat import Chat

    corpus = session.open_corpus(settings)
    answerer = session.answerer_for(corpus, launch)
    Chat(corpus, answerer, write=click.echo, on_event=say).run()


@main.command()
@click.argument("place", metavar="SOURCE[:LINE[:COUNT]]")
@JSON
def read(place: str, as_json: bool) -> None:
    """Print a document of the index as it was extracted, from LINE on, COUNT lines."""
    settings = settings_in_force()
    launch_to_read(settings)
    from corpus_agent import report, session

    corpus = session.open_corpus(settings, searching=False)
    names = report.names(row.source for row in corpus.files())
    named, offset, limit = _parse_place(place, set(names))
    source = names.get(named, named)
    if as_json:
        window = corpus.read(source, offset, limit or 2_000)
        return print_json(report.read_object(window, corpus.version))
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
    from corpus_agent import report

    print_lines(report.window_lines(window))


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
    from corpus_agent.questions import load

    asked = load(questions)
    settings = settings_in_force(
        llm=llm or "none", llm_model=llm_model, allow_remote_llm=allow_remote_llm
    )
    launch = launch_to_read(settings, asking=True)
    from corpus_agent import evaluation, report, session

    corpus = session.open_corpus(settings)
    answerer = session.answerer_for(corpus, launch)
    results = [evaluation.measure(question, corpus, answerer) for question in asked]
    scores = evaluation.summarise(results)
    if as_json:
        return print_json(report.as_object(version=corpus.version, eval=scores))
    print_lines(evaluation.table(scores))
    if show_failures:
        print_lines(evaluation.failures(results))
    return None
