"""What a command prints: data on stdout, as lines or one JSON object; all else on stderr."""

from __future__ import annotations

import codecs
import json
import os
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import click

from corpus_agent import render
from corpus_agent.text.sanitize import visible

if TYPE_CHECKING:
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
