"""`index --watch`: keeps an index up to date for as long as it runs."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from corpus_agent import render, service
from corpus_agent.cli.common import launch_to_index, settings_in_force
from corpus_agent.cli.group import EXIT_INTERRUPTED
from corpus_agent.cli.printing import clean, print_json, print_lines
from corpus_agent.cli.progress import index_progress
from corpus_agent.settings import existing_place

if TYPE_CHECKING:
    from corpus_agent.startup import Launch
    from indexer import Outcome


def follow(
    path: Path | None,
    *,
    ocr: str | None = None,
    force: bool = False,
    verify: bool = False,
    verbose: bool = False,
    as_json: bool = False,
) -> None:
    """Watch until a signal; exit 0 after SIGTERM or SIGHUP, 130 after Ctrl-C."""
    given = settings_in_force(finding=False, ocr=ocr)
    launch = launch_to_index(given, path, watching=True)
    settings = launch.settings

    print_lines((f"Note: {clean(notice)}" for notice in launch.notices), err=True)
    talk = _Json() if as_json else _Lines(store_lines(launch, named=path is not None))
    with service.cancel.cancelled_by_signal() as cancel:
        display = partial(index_progress, verbose=verbose)
        callbacks = service.watching.Callbacks(talk.outcome, talk.notice, display)
        service.watching.watch(settings, path, cancel.is_set, callbacks, force=force, verify=verify)
    if cancel.signal == signal.SIGINT:
        raise SystemExit(EXIT_INTERRUPTED)


def store_lines(launch: Launch, *, named: bool) -> Iterator[str]:
    """Where the index of a launch is, if it is new or its folder was not `named`."""
    store, root = existing_place(launch.settings)
    return render.store_lines(store, root, new=launch.new_store, named=named, flag=launch.flag)


class _Lines:
    """Text output: the first run as in `index`, one line with the time for each later run."""

    def __init__(self, where: Iterable[str]) -> None:
        """`where` says where the index is."""
        self._where = where
        self._first = True

    def outcome(self, outcome: Outcome) -> None:

        if self._first:
            print_lines(render.index_lines(outcome))
            print_lines(self._where)
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
