"""One index for each of several folders: a process for each, which is sealed to that one alone."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

import indexer
from corpus_agent.cli.group import EXIT_SOME_FAILED
from corpus_agent.settings import Settings, load
from corpus_agent.text.naming import called_path
from corpus_agent.trust.known import chosen_stores, store_to_write
from indexer import UsageError
from indexer.confine import die_with_parent


def one_of(folders: Sequence[Path], of_one: Mapping[str, bool]) -> Path | None:
    """The folder to index, None if none is named; of several each, in a process of its own.

    The process that was started waits for them and ends here. `of_one` are flags that are about
    one folder, and whether they were given. Raises UsageError for these and for a store.
    """
    if len(folders) < 2:
        return next(iter(folders), None)
    for flag in (flag for flag, is_given in of_one.items() if is_given):
        raise UsageError(f"{flag} is about one folder, and {len(folders)} are named.")
    given = click.get_current_context().obj
    if given["stores"] or given["all_stores"] or load({}, given["config"], os.environ).store:
        raise UsageError(
            "One index holds one folder, and several are named.",
            "Leave out --store, --all-stores and CORPUS_AGENT_STORE.",
        )
    roots = dict.fromkeys(map(indexer.check_root, folders))  # all, before any is indexed
    stores = {folder: store_to_write(Settings(), folder) for folder in roots}
    parent, failed = os.getpid(), 0
    for folder in stores:
        click.echo(f"{called_path(folder)}:", err=True)
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            die_with_parent(parent)
            return folder
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for the one that works
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        signal.signal(signal.SIGINT, before)
        if code not in (0, EXIT_SOME_FAILED):
            raise SystemExit(code if code > 0 else 128 - code)
        failed = code or failed
    named = " ".join(f"-s {shlex.quote(one.name)}" for one in chosen_stores([*stores.values()])[0])
    click.echo(f'To ask them together: corpus-agent {named} ask "…"')
    raise SystemExit(failed)
