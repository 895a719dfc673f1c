"""Commands that look at every document: tables of fields."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from corpus_agent import fields, render, service
from corpus_agent.cli.common import (
    JSON,
    below,
    launch_to_read,
    llm_options,
    main,
    settings_in_force,
)
from corpus_agent.cli.exporting import check_apart, opened_new, write_text
from corpus_agent.cli.printing import clean, print_json, print_lines, print_notices
from corpus_agent.cli.progress import counted

if TYPE_CHECKING:
    from corpus_agent.fields.records import Field, FieldTable
    from corpus_agent.startup import Launch
    from indexer import Index

_WIDTH = 100  # columns where there is no terminal
_FILE = click.Path(path_type=Path, dir_okay=False)


_LLM = "A model that reads too: auto, none (default)"


@main.command()
@click.argument("words", nargs=-1, metavar="[FIELD]...")
@click.option(
    "--fields",
    "file",
    type=_FILE,
    metavar="FILE",
    help="Columns from a TOML file: [[fields]] with name; type, question, phrases.",
)
@below
@partial(llm_options, what=_LLM)
@click.option("--quotations", is_flag=True, help="Print the evidence below each document.")
@click.option(
    "--csv", "csv_file", type=_FILE, metavar="FILE", help="Write the table to a new FILE."
)
@click.option("--html", "html_file", type=_FILE, metavar="FILE", help="The same as a page.")
@JSON
def table(
    words: tuple[str, ...],
    file: Path | None,
    paths: tuple[str, ...],
    not_paths: tuple[str, ...],
    where: str,
    llm: str | None,
    llm_model: str | None,
    allow_remote_llm: str | None,
    quotations: bool,
    csv_file: Path | None,
    html_file: Path | None,
    as_json: bool,
) -> None:
    """Look at every document, and say what each says about every FIELD.

    A field is named in words ("due date", "governing law"); dates, sums, durations, shares, names
    and places come in one form. Each value has a quotation that was looked up. What is silent, in
    more than one way, or could not be read is counted.

    With --llm a model reads the best sentences of each document too, one document a request. A
    value of it is taken where the document has the words that it quotes, and these the value; what
    it says is kept, so that a table that was stopped goes on.
    """
    reads = (llm or "none") != "none"
    settings = settings_in_force(
        several=True, llm=llm or "none", llm_model=llm_model, allow_remote_llm=allow_remote_llm
    )
    columns = fields.definition.fields_of(words, file)
    csv_to, html_to = opened_new(csv_file), opened_new(html_file)
    check_apart(csv_to, html_to)
    launch = launch_to_read(settings, asking=reads, typed=reads)

    corpus = service.session.open_corpus(launch.settings, searching=False)
    corpus = service.places.bounded(corpus, paths, not_paths, where)
    made = _table(corpus, columns, launch, llm=reads)
    if csv_to is not None:
        write_text(csv_to, render.table_csv(made))
    if html_to is not None:
        write_text(html_to, render.table_html(made))
    if as_json:
        return print_json(render.table_object(made, launch.seal.state), corpus)
    if csv_file or html_file:
        return print_lines(render.foot_lines(made))
    width = shutil.get_terminal_size((_WIDTH, 0)).columns
    return print_lines(render.table_lines(made, width, quotations=quotations))


@main.command()
@click.argument("terms", nargs=-1, required=True, metavar="TERM...")
@below
@JSON
def missing(
    terms: tuple[str, ...],
    paths: tuple[str, ...],
    not_paths: tuple[str, ...],
    where: str,
    as_json: bool,
) -> None:
    """List the documents that mention no TERM: exactly these words, in any case.

    Every document is looked at. Other words for the same, and other forms of the word, are TERMs of
    their own: missing deposit deposits "security sum".
    """
    columns = tuple(map(fields.mentions.mention_of, dict.fromkeys(terms)))
    launch = launch_to_read(settings_in_force(several=True))

    corpus = service.session.open_corpus(launch.settings, searching=False)
    corpus = service.places.bounded(corpus, paths, not_paths, where)
    made = _table(corpus, columns, launch)
    if as_json:
        return print_json(render.table_object(made, launch.seal.state), corpus)
    return print_lines(render.missing_lines(made))


@main.command(name="list")
@click.argument("words", metavar="CONDITION")
@below
@JSON
def list_documents(
    words: str, paths: tuple[str, ...], not_paths: tuple[str, ...], where: str, as_json: bool
) -> None:
    """List the documents whose field fulfils a CONDITION: "contracts that end in 2025".

    A field and what it is compared with: in, on, before, after, since, by or between with a date,
    or more than, at least, less than, at most with an amount or a span of time ("notice of more
    than 2 months"). Every document is looked at, each
    value has a quotation that was looked up, and what is silent, unclear or unreadable is counted.
    German, French, Spanish, Italian, Dutch and Portuguese words are understood too: "Verträge, die
    2025 enden".
    """
    condition = fields.condition.parse_condition(words)
    launch = launch_to_read(settings_in_force(several=True))

    corpus = service.session.open_corpus(launch.settings, searching=False)
    corpus = service.places.bounded(corpus, paths, not_paths, where)
    print_notices(corpus)
    with counted("looking at documents") as on_document:
        listed = fields.timeline.listed(corpus, condition, on_document, notices=corpus.notices)
    if as_json:
        return print_json(render.list_object(listed, launch.seal.state), corpus)
    return print_lines(render.list_lines(listed))


@main.command()
@below
@JSON
def timeline(paths: tuple[str, ...], not_paths: tuple[str, ...], where: str, as_json: bool) -> None:
    """Print the dated statements of all documents in order, each with its quotation and place.

    Every document is looked at; those without a date and those that cannot be read are counted.
    """
    launch = launch_to_read(settings_in_force(several=True))

    corpus = service.session.open_corpus(launch.settings, searching=False)
    corpus = service.places.bounded(corpus, paths, not_paths, where)
    print_notices(corpus)
    with counted("looking at documents") as on_document:
        made = fields.timeline.timeline_of(corpus, on_document)
    made = replace(made, notices=corpus.notices)
    if as_json:
        return print_json(render.timeline_object(made, launch.seal.state), corpus)
    return print_lines(render.timeline_lines(made))


@main.command()
@click.argument("source")
@click.argument("other")
@click.argument("words", nargs=-1, required=True, metavar="FIELD...")
@JSON
def compare(source: str, other: str, words: tuple[str, ...], as_json: bool) -> None:
    """Say what the documents SOURCE and OTHER say about every FIELD, with quotations."""
    columns = fields.definition.fields_of(words, None)
    launch = launch_to_read(settings_in_force(several=True))

    corpus = service.session.open_corpus(launch.settings, searching=False)
    names = render.names(row.source for row in corpus.files())
    both = [service.places.document(name, names, corpus.roots) for name in (source, other)]
    for name in both:
        corpus.read(name, 1, 1)  # says what is wrong with it, and what it may be called
    made = fields.table.table_of(corpus, columns, sources=both)
    if as_json:
        return print_json(render.table_object(made, launch.seal.state), corpus)
    return print_lines(render.compared_lines(made))


def _table(
    corpus: Index, columns: Sequence[Field], launch: Launch, *, llm: bool = False
) -> FieldTable:
    """The table of a corpus, with its progress shown; with `llm` the launch's model reads it."""
    print_notices(corpus)
    said = ("reading with the model", "What the model said is kept") if llm else ()
    reader = service.session.field_reader_for(launch, launch.settings) if llm else None
    with counted(*(said or ("looking at documents",))) as on_document:
        made = service.tables.table(corpus, columns, launch, reader, on_document=on_document)
    print_lines(
        (f"Note: {clean(one)}" for one in made.notices if one not in corpus.notices), err=True
    )
    return made
