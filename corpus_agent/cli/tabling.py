"""Commands that look at every document: tables of fields, lists, the timeline."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from corpus_agent import fields, render, service
from corpus_agent.cli.common import JSON, Among, below, launch_to_read, main, settings_in_force
from corpus_agent.cli.exporting import opened_new, write_text
from corpus_agent.cli.printing import print_json, print_lines, print_notices
from corpus_agent.cli.progress import counted

if TYPE_CHECKING:
    from corpus_agent.startup import Launch
    from indexer import Index

_WIDTH = 100  # columns where there is no terminal
_FILE = click.Path(path_type=Path, dir_okay=False)


def _opened(among: Among) -> tuple[Launch, Index]:
    """A sealed process and the documents that the options choose."""
    launch = launch_to_read(settings_in_force(several=True))
    corpus = service.session.open_corpus(launch.settings, searching=False)
    corpus = service.places.bounded(corpus, *among)
    print_notices(corpus)
    return launch, corpus


@main.command()
@click.argument("words", nargs=-1, required=True, metavar="FIELD...")
@below
@click.option("--quotations", is_flag=True, help="Print the evidence below each document.")
@click.option(
    "--csv", "csv_file", type=_FILE, metavar="FILE", help="Write the table to a new FILE."
)
@JSON
def table(
    words: tuple[str, ...],
    among: Among,
    quotations: bool,
    csv_file: Path | None,
    as_json: bool,
) -> None:
    """Look at every document, and say what each says about every FIELD.

    A field is named in words ("due date", "governing law"). Each value carries its whole sentence
    or row. A value whose sentence has a condition, a negation or a quotation is doubtful.

    Two documents side by side: table FIELD… --path A --path B
    """
    columns = fields.definition.fields_of(words)
    csv_to = opened_new(csv_file)
    launch, corpus = _opened(among)
    with counted("looking at documents") as on_document:
        made = fields.table.table_of(corpus, columns, on_document=on_document)
    made = replace(made, notices=corpus.notices)
    if csv_to is not None:
        write_text(csv_to, render.table_csv(made))
    if as_json:
        return print_json(render.table_object(made, launch.seal.state), corpus)
    if csv_file:
        return print_lines(render.foot_lines(made))
    width = shutil.get_terminal_size((_WIDTH, 0)).columns
    return print_lines(render.table_lines(made, width, quotations=quotations))


@main.command(name="list")
@click.argument("words", metavar="CONDITION")
@below
@JSON
def list_documents(words: str, among: Among, as_json: bool) -> None:
    """List the documents that fulfil a CONDITION on a field: "governing law = Florida".

    A sign (=, !=, <, <=, >, >=, contains, before, after) stands between the field and a word, a
    date, an amount or a span of time: "rent > 1000 euros", "expiry before 2026". "without TERM"
    lists the documents that have none of these words.
    """
    condition = fields.condition.parse_condition(words)
    launch, corpus = _opened(among)
    with counted("looking at documents") as on_document:
        listed = fields.timeline.listed(corpus, condition, on_document, notices=corpus.notices)
    if as_json:
        return print_json(render.list_object(listed, launch.seal.state), corpus)
    return print_lines(render.list_lines(listed))


@main.command()
@below
@JSON
def timeline(among: Among, as_json: bool) -> None:
    """Print the dated statements of all documents in order, each with its quotation and place.

    Every document is looked at; those without a date and those that cannot be read are counted.
    """
    launch, corpus = _opened(among)
    with counted("looking at documents") as on_document:
        made = fields.timeline.timeline_of(corpus, on_document)
    made = replace(made, notices=corpus.notices)
    if as_json:
        return print_json(render.timeline_object(made, launch.seal.state), corpus)
    return print_lines(render.timeline_lines(made))
