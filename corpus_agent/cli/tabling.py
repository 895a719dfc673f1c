"""Commands that look at every document: tables of fields, lists, the timeline."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from corpus_agent import fields, render
from corpus_agent.cli.common import JSON, Among, below, is_verbose, main, opened
from corpus_agent.cli.printing import (
    clean,
    opened_new,
    print_json,
    print_lines,
    warn_of_index,
    write_text,
)
from corpus_agent.cli.progress import counted

_WIDTH = 100  # columns where there is no terminal
_LOOKING = "looking at documents"


@main.command()
@click.argument("words", nargs=-1, required=True, metavar="FIELD...")
@below
@click.option("--quotations", is_flag=True, help="Print the evidence below each document.")
@click.option(
    "--csv",
    "csv_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the table to a new FILE, for a spreadsheet.",
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
    fields.lexicon.fields_of(words)  # what is no field is said before the seal
    csv_to = opened_new(csv_file)
    served, corpus = opened(among)
    with counted(_LOOKING) as on_document:
        made = served.table(words, corpus, on_document)
    if csv_file is not None and csv_to is not None:
        write_text(csv_to, render.table_csv(made))
        click.echo(f"Written: {clean(str(csv_file))}", err=True)
        warn_of_index(csv_file, served.settings.root)
    if as_json:
        return print_json(render.table_object(made, served.launch.seal.state), corpus)
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

    A sign (=, !=, <, <=, >, >=, contains, before, after, in) stands between the field and a word, a
    date, an amount or a span of time: "rent > 1000 euros", "expiry before 2026". "without TERM"
    lists the documents that have none of these words.
    """
    fields.condition.parse_condition(words)
    served, corpus = opened(among)
    with counted(_LOOKING) as on_document:
        listed = served.listed(words, corpus, on_document)
    if as_json:
        return print_json(render.list_object(listed, served.launch.seal.state), corpus)
    return print_lines(render.list_lines(listed, verbose=is_verbose()))


@main.command()
@below
@JSON
def timeline(among: Among, as_json: bool) -> None:
    """Print the dated statements of all documents in order, each with its quotation and place.

    Every document is looked at; those without a date and those that cannot be read are counted.
    """
    served, corpus = opened(among)
    with counted(_LOOKING) as on_document:
        made = served.timeline(corpus, on_document)
    if as_json:
        return print_json(render.timeline_object(made, served.launch.seal.state), corpus)
    return print_lines(render.timeline_lines(made))
