"""Commands that look at every document: tables of fields."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from corpus_agent import fields, render, service
from corpus_agent.cli.common import (
    JSON,
    launch_to_read,
    main,
    print_json,
    print_lines,
    settings_in_force,
)
from corpus_agent.cli.progress import counted
from indexer import UsageError

if TYPE_CHECKING:
    from corpus_agent.fields.records import Field, FieldTable
    from indexer import Index

_WIDTH = 100  # columns where there is no terminal
_FILE = click.Path(path_type=Path, dir_okay=False)


def below(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that choose documents."""
    command = click.option(
        "--not-path", "not_paths", multiple=True, metavar="PATH", help="Without these; repeatable."
    )(command)
    return click.option(
        "--path",
        "paths",
        multiple=True,
        metavar="PATH",
        help="Only documents below PATH, or that a glob names; repeatable. See search.",
    )(command)


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
    quotations: bool,
    csv_file: Path | None,
    html_file: Path | None,
    as_json: bool,
) -> None:
    """Look at every document, and say what each says about every FIELD.

    A field is named in words ("due date", "governing law"); dates, sums, durations, shares, names
    and places come in one form. Each value has a quotation that was looked up. What is silent, in
    more than one way, or could not be read is counted.
    """
    settings = settings_in_force()
    columns = fields.definition.fields_of(words, file)
    descriptors = {name: _opened(name) for name in (csv_file, html_file) if name is not None}
    launch = launch_to_read(settings)

    corpus = service.session.open_corpus(launch.settings, searching=False)
    made = _table(corpus, columns, paths, not_paths)
    if csv_file is not None:
        _write(descriptors[csv_file], render.table_csv(made))
    if html_file is not None:
        _write(descriptors[html_file], render.table_html(made))
    if as_json:
        return print_json(render.table_object(made, launch.seal.state))
    if descriptors:
        return print_lines(render.foot_lines(made))
    width = shutil.get_terminal_size((_WIDTH, 0)).columns
    return print_lines(render.table_lines(made, width, quotations=quotations))


@main.command()
@click.argument("terms", nargs=-1, required=True, metavar="TERM...")
@below
@JSON
def missing(
    terms: tuple[str, ...], paths: tuple[str, ...], not_paths: tuple[str, ...], as_json: bool
) -> None:
    """List the documents that mention no TERM: exactly these words, in any case.

    Every document is looked at. Other words for the same, and other forms of the word, are TERMs of
    their own: missing deposit deposits "security sum".
    """
    columns = tuple(map(fields.mentions.mention_of, dict.fromkeys(terms)))
    launch = launch_to_read(settings_in_force())

    corpus = service.session.open_corpus(launch.settings, searching=False)
    made = _table(corpus, columns, paths, not_paths)
    if as_json:
        return print_json(render.table_object(made, launch.seal.state))
    return print_lines(render.missing_lines(made))


@main.command()
@click.argument("source")
@click.argument("other")
@click.argument("words", nargs=-1, required=True, metavar="FIELD...")
@JSON
def compare(source: str, other: str, words: tuple[str, ...], as_json: bool) -> None:
    """Say what the documents SOURCE and OTHER say about every FIELD, with quotations."""
    columns = fields.definition.fields_of(words, None)
    launch = launch_to_read(settings_in_force())

    corpus = service.session.open_corpus(launch.settings, searching=False)
    names = render.names(row.source for row in corpus.files())
    both = [service.places.document(name, names, corpus.root) for name in (source, other)]
    for name in both:
        corpus.read(name, 1, 1)  # says what is wrong with it, and what it may be called
    made = fields.table.table_of(corpus, columns, sources=both)
    if as_json:
        return print_json(render.table_object(made, launch.seal.state))
    return print_lines(render.compared_lines(made))


def _table(
    corpus: Index, columns: Sequence[Field], paths: Sequence[str], not_paths: Sequence[str]
) -> FieldTable:
    """The table of the documents that typed paths select, with its progress shown."""
    these, not_these = (service.places.selected(corpus, typed) for typed in (paths, not_paths))
    with counted("looking at documents") as on_document:
        return fields.table.table_of(
            corpus, columns, paths=these, not_paths=not_these, on_document=on_document
        )


def _opened(file: Path) -> int:
    """A descriptor of a new file: opened before the seal, which closes all but the index.

    An empty one is as good as new: a run that ended with an error leaves it.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(file, flags, 0o600)
        found = os.fstat(descriptor)
    except OSError as error:
        raise UsageError(f"{os.fspath(file)!r} cannot be written: {error.strerror}.") from None
    if not stat.S_ISREG(found.st_mode) or found.st_size:
        os.close(descriptor)
        raise UsageError(
            f"{os.fspath(file)!r} is there already, and is not overwritten.", "Name a new file."
        )
    return descriptor


def _write(descriptor: int, text: str) -> None:
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
        file.write(text)
