"""New files that a command writes: opened before the seal, which closes all but the index."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from corpus_agent import render, trust
from corpus_agent.cli.printing import clean
from corpus_agent.text.naming import quoted
from indexer import UsageError

if TYPE_CHECKING:
    from corpus_agent.answering.records import Answer

EXPORT = click.option(
    "--export",
    "export_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write it with its passages to a new FILE, as Markdown.",
)


def opened_new(file: Path | None) -> int | None:
    """A descriptor of a new file, None for none.

    An empty one is as good as new: a run that ended with an error leaves it.
    """
    if file is None:
        return None
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(file, flags, 0o600)
        found = os.fstat(descriptor)
    except OSError:
        message = f"{os.fspath(file)!r} cannot be written."
        raise UsageError(message, "Name a new file in a folder that you may write.") from None
    if not stat.S_ISREG(found.st_mode) or found.st_size:
        os.close(descriptor)
        raise UsageError(
            f"{os.fspath(file)!r} is there already, and is not overwritten.", "Name a new file."
        )
    return descriptor


def check_apart(first: int | None, second: int | None) -> None:
    """Raise UsageError for two outputs that would be written into one file."""
    if first is not None and second is not None and os.path.sameopenfile(first, second):
        raise UsageError("Two outputs are to go into one file.", "Name a file for each.")


def write_text(descriptor: int, text: str) -> None:
    """Write a text to a descriptor of `opened_new`, and close it."""
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def write_answers(descriptor: int | None, answers: Sequence[Answer]) -> None:
    """Write answers as Markdown to a descriptor of `opened_new`, if there is one."""
    if descriptor is not None:
        write_text(descriptor, render.export_markdown(answers))


def warn_of_index(file: Path | None, root: Path | None) -> None:
    """Say that a new file lies among the documents, so that the next run of `index` reads it.

    An answer that is a document is found before what it quotes, also when that has changed.
    """
    if file is not None and root is not None and root in trust.stores.absolute(file).parents:
        click.echo(
            f"Note: {clean(quoted(file.name))} lies among your documents: the next index reads it "
            "as one. Write it elsewhere, or name it in .corpusignore.",
            err=True,
        )
