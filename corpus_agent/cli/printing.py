"""What a command prints, and the new files that it writes: data on stdout, all else on stderr.

Files are opened before the seal, which closes all but the index.
"""

from __future__ import annotations

import codecs
import json
import os
import stat
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from corpus_agent import render, trust
from corpus_agent.text.naming import quoted
from corpus_agent.text.sanitize import visible
from indexer import UsageError

if TYPE_CHECKING:
    from corpus_agent.answering.records import Answer
    from indexer import Index


def clean(text: str) -> str:
    """`text` with terminal control characters made visible."""
    return visible(text)


def print_json(content: Mapping[str, object], corpus: Index | None = None) -> None:
    """Print one object, stamped with the state of the seal, and the stores if they are several."""
    launch = (click.get_current_context().obj or {}).get("launch")
    stamp = {"seal": launch.seal.state} if launch else {}
    if launch and launch.egress:
        stamp["egress"] = launch.egress
    stores = render.stores_read(corpus.stores) if corpus is not None else {}
    # JSON is UTF-8; a terminal of another encoding shows its escapes.
    encoding = getattr(sys.stdout, "encoding", None)  # there is no stream where it was closed
    utf8 = codecs.lookup(encoding or "utf-8").name == "utf-8"
    click.echo(json.dumps({**content, **stores, **stamp}, ensure_ascii=not utf8))


def print_lines(lines: Iterable[str], *, err: bool = False) -> None:
    """Print each line; on stderr with `err`."""
    for line in lines:
        click.echo(line, err=err)


def print_notes(notices: Iterable[str]) -> None:
    """Say on stderr what a person should know."""
    print_lines((f"Note: {clean(notice)}" for notice in notices), err=True)


def style(line: str, likely: bool) -> str:
    """A line of a passage at a terminal: bold if it is likely to answer, else dim."""
    if not sys.stdout.isatty() or "NO_COLOR" in os.environ:
        return line
    return click.style(line, bold=likely or None, dim=not likely or None)


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
