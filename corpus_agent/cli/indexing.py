"""Commands that make an index, list its content and keep it small."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

import indexer
from corpus_agent import render, service
from corpus_agent.cli.common import (
    JSON,
    OCR,
    VERBOSE,
    below,
    launch_to_index,
    launch_to_read,
    main,
    settings_in_force,
)
from corpus_agent.cli.group import EXIT_INTERRUPTED, EXIT_SOME_FAILED
from corpus_agent.cli.printing import clean, print_each, print_json, print_lines
from corpus_agent.cli.progress import index_progress
from corpus_agent.cli.several_folders import one_of
from corpus_agent.cli.watching import follow, store_lines
from corpus_agent.settings import Settings, engine_of, existing_place, extensions, one_by_one
from indexer import STATUSES, Choices, UsageError, storage

if TYPE_CHECKING:
    from corpus_agent.startup import Launch


@main.command()
@click.argument("folders", nargs=-1, metavar="[PATH]...", type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Print the plan and change nothing.")
@click.option("--force", is_flag=True, help="Index every file anew.")
@click.option("--verify", is_flag=True, help="Compare the bytes of every file, not only its time.")
@click.option(
    "--prune/--no-prune",
    default=True,
    help="Remove documents that are gone from the folder. Default: --prune.",
)
@click.option(
    "--prune-unreachable",
    is_flag=True,
    help="Remove also documents that could not be looked at. They stay otherwise.",
)
@click.option(
    "--strict", is_flag=True, help="Exit with 4 if a file could not be read or looked at."
)
@click.option(
    "--cluster",
    metavar="WHERE",
    help="Have documents read and embedded by several sealed processes: local:N, N of this "
    "machine; auto or HOST:PORT, those of a Ray cluster (extra [cluster]). The index is the same.",
)
@click.option(
    "--watch",
    is_flag=True,
    help="Then go on: what is saved or removed is searchable seconds later. Ctrl-C ends it.",
)
@click.option("--chunk-tokens", type=int, metavar="N", help="How large passages are. Default: 200.")
@click.option(
    "--chunk-overlap", type=int, metavar="N", help="How much of one the next repeats. Default: 0."
)
@OCR
@VERBOSE
@JSON
def index(
    folders: tuple[Path, ...],
    dry_run: bool,
    force: bool,
    verify: bool,
    prune: bool,
    prune_unreachable: bool,
    strict: bool,
    cluster: str | None,
    watch: bool,
    chunk_tokens: int | None,
    chunk_overlap: int | None,
    ocr: str | None,
    verbose: bool,
    as_json: bool,
) -> None:
    """Make the index of the folder PATH, or bring it up to date.

    Without PATH: the folder of the index found here, else the current folder. Files that are
    gone are removed from the index, files that did not change cost nothing.

    The index is .corpus-agent in that folder; --store DIR puts it elsewhere. Of several PATHs
    each gets its own.
    """
    path = one_of(folders, {"--watch": watch, "--json": as_json, "--dry-run": dry_run})
    if watch:
        given = {"--dry-run": dry_run, "--strict": strict, "--no-prune": not prune}
        given |= {"--prune-unreachable": prune_unreachable, "--cluster": bool(cluster)}
        given |= {"--chunk-tokens": chunk_tokens is not None}
        _refuse_beside_watch({**given, "--chunk-overlap": chunk_overlap is not None})
        return follow(path, ocr=ocr, force=force, verify=verify, verbose=verbose, as_json=as_json)

    settings = settings_in_force(
        finding=False, ocr=ocr, chunk_tokens=chunk_tokens, chunk_overlap=chunk_overlap
    )
    hands = None if dry_run else _hands(cluster, settings)
    launch = launch_to_index(settings, path, dry_run=dry_run)
    settings = launch.settings
    print_lines((f"Note: {clean(notice)}" for notice in launch.notices), err=True)

    choices = Choices(force, verify, prune, prune_unreachable)
    if dry_run:
        todo = service.session.dry_run(settings, path, choices)
        if as_json:
            return print_json(render.plan_object(todo))
        return print_lines(render.plan_lines(todo))

    with index_progress(verbose=verbose) as shown:
        outcome = service.session.index(settings, path, choices, hands=hands, display=shown)
    _print_outcome(outcome, launch, named=path is not None, as_json=as_json)
    if outcome.interrupted:
        raise SystemExit(EXIT_INTERRUPTED)
    if strict and any(row.status in ("failed", "unreachable") for row in outcome.problems):
        raise SystemExit(EXIT_SOME_FAILED)
    return None


def _refuse_beside_watch(given: Mapping[str, bool]) -> None:
    """Raise UsageError for a flag that --watch does not take."""
    for other in (flag for flag, is_given in given.items() if is_given):
        raise UsageError(f"--watch and {other} contradict each other.", "Leave one out.")


def _print_outcome(outcome: indexer.Outcome, launch: Launch, *, named: bool, as_json: bool) -> None:
    """Print what a run did, and where the index is that is new, or whose folder is not `named`."""
    if as_json:
        noted = {"notices": list(launch.notices)} if launch.notices else {}
        return print_json({**render.index_object(outcome), **noted})
    print_lines(render.index_lines(outcome))
    print_lines(store_lines(launch, named=named) if outcome.chunks else ())
    return None


def _hands(cluster: str | None, settings: Settings) -> indexer.Hands | None:
    """Who reads the documents, None for this process; a cluster elsewhere is warned of."""
    hands = service.cluster.hands_for(cluster, settings) if cluster else None
    if hands is not None and hands.egress:
        where = clean(hands.egress)
        print_lines([f"Warning: names and sizes of documents go to the {where}."], err=True)
    return hands


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
    settings = launch.settings

    corpus = service.session.open_corpus(settings, searching=False)
    done = service.session.forget(settings, service.places.on_disk(corpus, source))
    if as_json:
        return print_json(render.forget_object(done, launch.seal.state))
    return print_lines(render.forget_lines(done))


@main.command()
@click.option("--status", metavar="LIST", help="Only these, as in empty,failed,skipped.")
@click.option(
    "--ignored", is_flag=True, help="Instead: what rules keep out now, and where each rule stands."
)
@below
@JSON
def files(
    status: str | None,
    ignored: bool,
    paths: tuple[str, ...],
    not_paths: tuple[str, ...],
    where: str,
    as_json: bool,
) -> None:
    """List every file that was seen, with its status and the reason if it has no text.

    A FILTER is written as for search; the JSON has what it can ask for.
    """
    if ignored:
        return _list_ignored(as_json=as_json)
    wanted = set(status.split(",")) if status else set(STATUSES)
    if unknown := wanted - set(STATUSES):
        raise UsageError(
            f"Unknown status {sorted(unknown)[0]!r}.", f"Known are: {', '.join(STATUSES)}."
        )
    launch = launch_to_read(settings_in_force(several=True))

    corpus = service.session.open_corpus(launch.settings, searching=False)
    among = service.places.chosen_rows(corpus, paths, not_paths, where)
    rows = [row for row in among if row.status in wanted]
    if as_json:
        return print_json(render.files_object(rows, corpus.version, launch.seal.state), corpus)
    return print_lines(render.file_line(row) for row in rows)


def _list_ignored(*, as_json: bool) -> None:
    _, root = existing_place(launch_to_read(settings_in_force()).settings)
    entries = indexer.excluded(indexer.check_root(root))
    if as_json:
        return print_json(render.as_object(ignored=[*map(render.excluded_object, entries)]))
    return print_lines(map(render.excluded_line, entries))


@main.command()
@JSON
def status(as_json: bool) -> None:
    """Say what the index holds, where it is and whether it is complete."""
    launch = launch_to_read(settings_in_force(several=True))

    found = []
    for name, settings in one_by_one(launch.settings):
        store, root = existing_place(settings)
        content = render.status_object(
            storage.checked_manifest(store),
            store,
            root,
            storage.usage(store),
            launch.seal.state,
            root_exists=indexer.paths.is_folder(root),
            recognition=indexer.recognition_state(),
            engine=engine_of(settings),
            extensions=extensions(),
        )
        found.append((name, content))
    return print_each(found, [render.status_lines(each) for _, each in found], as_json=as_json)
