"""Commands that make an index, keep it up to date and list its content."""

from __future__ import annotations

import os
import shlex
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import indexer
from corpus_agent import render, service, trust
from corpus_agent.cli.common import (
    JSON,
    OCR,
    Among,
    below,
    is_verbose,
    launch_to_index,
    launch_to_read,
    main,
    opened,
    options,
    settings_in_force,
)
from corpus_agent.cli.group import EXIT_INTERRUPTED, EXIT_SOME_FAILED
from corpus_agent.cli.printing import index_progress, print_json, print_lines
from corpus_agent.settings import (
    Settings,
    existing_place,
    load,
)
from corpus_agent.text.naming import PATH, called
from corpus_agent.text.sanitize import visible
from indexer import STATUSES, Choices, UsageError

if TYPE_CHECKING:
    from corpus_agent.startup import Launch
    from indexer import Outcome


_INDEX = (
    click.option(
        "--watch",
        is_flag=True,
        help="Go on: what is saved is searchable seconds later. Ctrl-C ends it.",
    ),
    click.option("--dry-run", is_flag=True, help="Print the plan and change nothing."),
    click.option("--force", is_flag=True, help="Index every file anew."),
    click.option("--verify", is_flag=True, help="Compare the bytes of every file."),
    click.option(
        "--prune-unreachable", is_flag=True, help="Remove also what could not be looked at."
    ),
    click.option("--strict", is_flag=True, help="Exit with 4 if a file could not be read."),
    OCR,
    JSON,
)


@main.command()
@click.argument("folders", nargs=-1, metavar="[PATH]...", type=click.Path(path_type=Path))
@options(_INDEX)
def index(folders: tuple[Path, ...], as_json: bool, **given: Any) -> None:  # noqa: ANN401
    """Make the index of the folder PATH, or bring it up to date.

    Without PATH: the folder of the index found here, else the current folder. Files that are
    gone are removed from the index, files that did not change cost nothing.

    The index is .corpus-agent in that folder; --store DIR puts it elsewhere. Of several PATHs
    each gets its own.
    """
    path = _one_of(folders, {**given, "json": as_json})
    choices = Choices(given["force"], given["verify"], prune_unreachable=given["prune_unreachable"])
    if given["watch"]:
        for name in ("dry_run", "strict", "prune_unreachable"):
            if given[name]:
                flag = f"--{name.replace('_', '-')}"
                raise UsageError(f"--watch and {flag} contradict each other.", "Leave one out.")
        return _follow(path, choices, ocr=given["ocr"], as_json=as_json)
    settings = settings_in_force(finding=False, ocr=given["ocr"])
    if given["dry_run"]:
        launch = launch_to_index(settings, path, dry_run=True)
        todo = service.session.dry_run(launch.settings, path, choices)
        if as_json:
            return print_json(render.plan_object(todo))
        return print_lines(render.plan_lines(todo))
    outcome = _run(settings, path, choices, as_json=as_json, strict=given["strict"])
    if outcome.interrupted:
        raise SystemExit(EXIT_INTERRUPTED)
    if given["strict"] and any(r.status in ("failed", "unreachable") for r in outcome.problems):
        raise SystemExit(EXIT_SOME_FAILED)
    return None


def _run(
    settings: Settings, path: Path | None, choices: Choices, *, as_json: bool, strict: bool = False
) -> Outcome:
    """Index once, and print the outcome."""
    launch = launch_to_index(settings, path)
    with index_progress(verbose=is_verbose()) as shown:
        outcome = service.session.index(launch.settings, path, choices, display=shown)
    if as_json:
        noted = {"notices": list(launch.notices)} if launch.notices else {}
        print_json(render.as_object(index=render.run_object(outcome), **noted))
    else:
        print_lines(render.index_lines(outcome, strict=strict))
        print_lines(_store_lines(launch, named=path is not None) if outcome.chunks else ())
    return outcome


def _one_of(folders: Sequence[Path], flags: Mapping[str, object]) -> Path | None:
    """The folder to index, None if none is named; of several each, in a process of its own.

    Each is sealed to its folder alone; the process that was started waits for them and ends here.
    """
    if len(folders) < 2:
        return next(iter(folders), None)
    from indexer.confine import die_with_parent

    for name in ("watch", "json", "dry_run"):
        if flags[name]:
            flag = f"--{name.replace('_', '-')}"
            raise UsageError(f"{flag} is about one folder, and {len(folders)} are named.")
    given = click.get_current_context().obj
    if given["stores"] or given["all_stores"] or load({}, given["config"], os.environ).store:
        raise UsageError(
            "One index holds one folder, and several are named.",
            "Leave out --store, --all-stores and CORPUS_AGENT_STORE.",
        )
    roots = dict.fromkeys(map(indexer.check_root, folders))  # all, before any is indexed
    stores = {folder: trust.which_index.store_to_write(Settings(), folder) for folder in roots}
    parent, failed = os.getpid(), 0
    for folder in stores:
        click.echo(f"{called(str(folder), kind=PATH)}:", err=True)
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
    chosen, _ = trust.which_index.chosen_stores([*stores.values()])
    named = " ".join(f"-s {shlex.quote(one.name)}" for one in chosen)
    click.echo(f'To ask them together: corpus-agent {named} ask "…"')
    raise SystemExit(failed)


def _store_lines(launch: Launch, *, named: bool) -> Iterator[str]:
    """Where the index of a launch is, if it is new or its folder was not `named`."""
    store, root = existing_place(launch.settings)
    named = named or root == indexer.paths.working_folder()
    return render.store_lines(store, root, new=launch.new_store, named=named)


def _follow(path: Path | None, choices: Choices, *, ocr: str | None, as_json: bool) -> None:
    """Watch until a signal; exit 0 after SIGTERM or SIGHUP, 130 after Ctrl-C.

    As text the first run is shown as by `index`, each later one as a line with the time; as JSON
    each is an object.
    """
    launch = launch_to_index(settings_in_force(finding=False, ocr=ocr), path)
    seen = 0

    def outcome(done: Outcome) -> None:
        nonlocal seen
        seen += 1
        if as_json:
            print_json(render.as_object(index=render.run_object(done)))
        elif seen == 1:
            print_lines([*render.index_lines(done), *_store_lines(launch, named=path is not None)])
            click.echo("Watching; Ctrl-C ends it.", err=True)
        else:
            click.echo(f"{time.strftime('%H:%M:%S')} {next(render.index_lines(done))}")

    def notice(line: str) -> None:
        click.echo(f"Note: {visible(line)}", err=True)
        if as_json:
            print_json(render.as_object(notice=visible(line)))

    with service.process.cancelled_by_signal() as cancel:
        display = partial(index_progress, verbose=is_verbose())
        callbacks = service.session.Callbacks(outcome, notice, display)
        service.session.watch(launch.settings, path, cancel.is_set, callbacks, choices)
    if cancel.signal == signal.SIGINT:
        raise SystemExit(EXIT_INTERRUPTED)


@main.command()
@click.argument("source")
@JSON
def forget(source: str, as_json: bool) -> None:
    """Drop the document SOURCE from the index; its file stays.

    SOURCE is its name in the index, or its path from the working folder or in full.
    It comes back with the next `index` unless a rule keeps it out: the line to add to
    .corpusignore is printed. A file that is not in the index is forgotten already.
    """
    launch = launch_to_read(settings_in_force())
    done = service.service.Service(launch, searching=False).forget(source)
    if as_json:
        return print_json(render.forget_object(done))
    return print_lines(render.forget_lines(done))


@main.command()
@click.option("--status", metavar="LIST", help="Only these, as in empty,failed,skipped.")
@click.option(
    "--ignored", is_flag=True, help="Instead: what rules keep out now, and where each rule stands."
)
@below
@JSON
def files(status: str | None, ignored: bool, among: Among, as_json: bool) -> None:
    """List every file that was seen, with its status and the reason if it has no text.

    A FILTER is written as for search; the JSON has what it can ask for.
    """
    if ignored:
        _, root = existing_place(launch_to_read(settings_in_force()).settings)
        entries = indexer.excluded(indexer.check_root(root))
        if as_json:
            return print_json(render.as_object(ignored=[*map(render.excluded_object, entries)]))
        return print_lines([*map(render.excluded_line, entries)] or ["No rule keeps a file out."])
    wanted = set(status.split(",")) if status else set(STATUSES)
    if unknown := wanted - set(STATUSES):
        raise UsageError(
            f"Unknown status {sorted(unknown)[0]!r}.", f"Known are: {', '.join(STATUSES)}."
        )
    _, corpus = opened()
    rows = [row for row in service.places.chosen_rows(corpus, *among) if row.status in wanted]
    if as_json:
        return print_json(render.files_object(rows, corpus.version), corpus)
    if status and not rows:
        click.echo(f"No file has the status {' or '.join(sorted(wanted))}.", err=True)
    return print_lines(render.file_line(row) for row in rows)


@main.command()
@JSON
def status(as_json: bool) -> None:
    """Say what the index holds, where it is and what it lacks; -v says more."""
    launch = launch_to_read(settings_in_force(several=True))
    every = [
        (name, render.status_object(one))
        for name, one in service.service.Service(launch, searching=False).status()
    ]
    if as_json:
        named = [{"name": name, **content} for name, content in every]
        return print_json(every[0][1] if not every[0][0] else render.as_object(stores=named))
    for name, content in every:
        print_lines([f"{name}:"] if name else [])
        print_lines(render.status_lines(content, verbose=is_verbose(), name=name))
    return None
