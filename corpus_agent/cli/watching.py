"""Commands that keep an index up to date for as long as they run."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from corpus_agent import render, service
from corpus_agent.cli.common import (
    EXIT_INTERRUPTED,
    JSON,
    OCR,
    clean,
    launch_to_index,
    main,
    print_json,
    print_lines,
    settings_in_force,
)
from corpus_agent.cli.progress import index_progress

if TYPE_CHECKING:
    from indexer import Outcome


@main.command()
@click.argument("path", required=False, type=click.Path(path_type=Path))
@OCR
@JSON
def watch(path: Path | None, ocr: str | None, as_json: bool) -> None:
    """Keep the index of the folder PATH up to date until you stop it.

    Begins like `index`; after that, what is saved, moved or removed is searchable seconds later.
    Others can search, and index by hand, meanwhile. Ctrl-C or SIGTERM ends it when the files in
    hand are committed; a second one ends it at once, and the index stays whole.

    With --json: one object a line, for the first run and for each that changed the index.
    """
    follow(path, ocr=ocr, as_json=as_json)


def follow(
    path: Path | None,
    *,
    ocr: str | None = None,
    force: bool = False,
    verify: bool = False,
    as_json: bool = False,
) -> None:
    """Watch until a signal; exit 0 after SIGTERM or SIGHUP, 130 after Ctrl-C."""
    settings = launch_to_index(settings_in_force(ocr=ocr), path, watching=True).settings

    talk = _Json() if as_json else _Lines()
    with service.cancel.cancelled_by_signal() as cancel:
        callbacks = service.watching.Callbacks(talk.outcome, talk.notice, index_progress)
        service.watching.watch(settings, path, cancel.is_set, callbacks, force=force, verify=verify)
    if cancel.signal == signal.SIGINT:
        raise SystemExit(EXIT_INTERRUPTED)


class _Lines:
    """Text output: the first run as in `index`, one line with the time for each later run."""

    def __init__(self) -> None:
        self._first = True

    def outcome(self, outcome: Outcome) -> None:

        if self._first:
            print_lines(render.index_lines(outcome))
            click.echo("Watching; Ctrl-C ends it.", err=True)
        else:
            click.echo(f"{time.strftime('%H:%M:%S')} {render.watch_line(outcome)}")
        self._first = False

    def notice(self, line: str) -> None:
        click.echo(f"Note: {clean(line)}", err=True)


class _Json:
    """JSON output: one object per line."""

    def outcome(self, outcome: Outcome) -> None:

        print_json(render.index_object(outcome))

    def notice(self, line: str) -> None:

        click.echo(f"Note: {clean(line)}", err=True)
        print_json(render.as_object(notice=clean(line)))
