"""New files that a command writes: opened before the seal, which closes all but the index."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from corpus_agent import render, service
from corpus_agent.cli.printing import clean
from corpus_agent.text.naming import called_path, quoted
from corpus_agent.trust.finding import holding
from corpus_agent.trust.stores import absolute
from indexer import UsageError, storage

if TYPE_CHECKING:
    from corpus_agent.answering.records import Answer
    from corpus_agent.render.export import ExportedAnswer
    from indexer import Index

Kind = Literal["md", "html"]
_KINDS: dict[str, Kind] = {".md": "md", ".html": "html", ".htm": "html"}

EXPORT = click.option(
    "--export",
    "export_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write it with its citations to a new FILE: .md, or .html with the pages they are from.",
)


def opened_new(file: Path) -> int:
    """A descriptor of a new file.

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
    warn_of_index(file)
    return descriptor


def warn_of_index(file: Path) -> None:
    """Say that a new file lies among documents, so that the next run of `index` reads it as one.

    An answer that is a document is found before what it quotes, also when that has changed.
    """
    around = holding(absolute(file))
    if around is not None and storage.STORE_NAME not in file.parts:
        click.echo(
            f"Note: {clean(quoted(file.name))} lies in {called_path(around)}, which is indexed: "
            "the next run reads it as a document, and finds it before what it quotes. Write it "
            "elsewhere, or name it in .corpusignore.",
            err=True,
        )


def check_apart(first: int | None, second: int | None) -> None:
    """Raise UsageError for two outputs that would be written into one file."""
    if first is not None and second is not None and os.path.sameopenfile(first, second):
        raise UsageError("Two outputs are to go into one file.", "Name a file for each.")


def write_text(descriptor: int, text: str) -> None:
    """Write a text to a descriptor of `opened_new`, and close it."""
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
        file.write(text)


@dataclass(frozen=True, slots=True)
class Export:
    """A new file for answers, and whether their pages are to be in it."""

    descriptor: int
    kind: Kind

    @property
    def with_pages(self) -> bool:
        """Whether it shows the pages that citations are from."""
        return self.kind == "html"

    def write(self, answers: Sequence[ExportedAnswer]) -> None:
        """Write the answers, and close the file."""
        write_text(self.descriptor, rendered(answers, self.kind))


def rendered(answers: Sequence[ExportedAnswer], kind: Kind) -> str:
    """The answers as Markdown or as a page of HTML."""
    return (render.export_html if kind == "html" else render.export_markdown)(answers)


def exported(answers: Iterable[Answer], corpus: Index, kind: Kind) -> list[ExportedAnswer]:
    """The answers with the pages that they cite, where this kind shows them."""
    return [
        render.exported_answer(
            answer, service.pictures.pages_of(corpus, answer.citations) if kind == "html" else ()
        )
        for answer in answers
    ]


def opened_export(file: Path | None) -> Export | None:
    """The file of --export; raises UsageError for one that is there, or of no known kind."""
    if file is None:
        return None
    kind = _KINDS.get(file.suffix.lower())
    if kind is None:
        raise UsageError(
            f"{os.fspath(file)!r} is neither Markdown nor HTML by its name.",
            "Name a FILE.md or a FILE.html.",
        )
    return Export(opened_new(file), kind)
