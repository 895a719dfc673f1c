"""Commands that make an index, list its content and keep it small."""

from __future__ import annotations

from pathlib import Path

import click

import indexer
from corpus_agent import render, service
from corpus_agent.cli.common import (
    EXIT_INTERRUPTED,
    EXIT_SOME_FAILED,
    JSON,
    OCR,
    clean,
    launch_to_index,
    launch_to_read,
    main,
    print_json,
    print_lines,
    settings_in_force,
)
from corpus_agent.cli.progress import index_progress
from corpus_agent.cli.watching import follow
from corpus_agent.settings import existing_place
from indexer import STATUSES, UsageError, recognition_state, storage


@main.command()
@click.argument("path", required=False, type=click.Path(path_type=Path))
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
@click.option("--watch", is_flag=True, help="Go on as `watch` does when the run is over.")
@OCR
@JSON
def index(
    path: Path | None,
    dry_run: bool,
    force: bool,
    verify: bool,
    prune: bool,
    prune_unreachable: bool,
    strict: bool,
    watch: bool,
    ocr: str | None,
    as_json: bool,
) -> None:
    """Make the index of the folder PATH, or bring it up to date.

    Without PATH: the folder of the index found here, else the current folder. Files that are
    gone are removed from the index, files that did not change cost nothing.
    """
    if watch:
        given = {"--dry-run": dry_run, "--strict": strict, "--no-prune": not prune}
        given["--prune-unreachable"] = prune_unreachable
        for other in (flag for flag, is_given in given.items() if is_given):
            raise UsageError(f"--watch and {other} contradict each other.", "Leave one out.")
        return follow(path, ocr=ocr, force=force, verify=verify, as_json=as_json)

    launch = launch_to_index(settings_in_force(ocr=ocr), path, dry_run=dry_run)
    settings = launch.settings
    print_lines((f"Note: {clean(notice)}" for notice in launch.notices), err=True)

    if dry_run:
        todo = service.session.dry_run(
            settings, path, force=force, verify=verify, prune=prune,
            prune_unreachable=prune_unreachable,
        )  # fmt: skip
        if as_json:
            return print_json(render.plan_object(todo))
        return print_lines(render.plan_lines(todo))

    with index_progress() as shown:
        outcome = service.session.index(
            settings, path, force=force, verify=verify, prune=prune,
            prune_unreachable=prune_unreachable, on_start=shown.start, on_waiting=shown.waiting,
            on_progress=shown.advance,
            on_problem=shown.problem,
        )  # fmt: skip
    if as_json:
        noted = {"notices": list(launch.notices)} if launch.notices else {}
        print_json({**render.index_object(outcome), **noted})
    else:
        print_lines(render.index_lines(outcome))
    if outcome.interrupted:
        raise SystemExit(EXIT_INTERRUPTED)
    if strict and any(row.status in ("failed", "unreachable") for row in outcome.problems):
        raise SystemExit(EXIT_SOME_FAILED)
    return None


@main.command()
@click.argument("source")
@JSON
def forget(source: str, as_json: bool) -> None:
    """Drop the document SOURCE from the index; its file stays.

    It comes back with the next `index` or `watch` unless a rule keeps it out: the line to add to
    .corpusignore is printed. What is not in the index is forgotten already.
    """
    settings = launch_to_read(settings_in_force()).settings

    known = service.session.open_corpus(settings, searching=False).files()
    done = service.upkeep.forget(
        settings, render.names(row.source for row in known).get(source, source)
    )
    if as_json:
        return print_json(render.forget_object(done))
    return print_lines(render.forget_lines(done))


@main.command()
@click.option("--status", metavar="LIST", help="Only these, as in empty,failed,skipped.")
@click.option(
    "--ignored", is_flag=True, help="Instead: what rules keep out now, and where each rule stands."
)
@JSON
def files(status: str | None, ignored: bool, as_json: bool) -> None:
    """List every file that was seen, with its status and the reason if it has no text."""
    if ignored:
        return _list_ignored(as_json=as_json)
    wanted = set(status.split(",")) if status else set(STATUSES)
    if unknown := wanted - set(STATUSES):
        raise UsageError(
            f"Unknown status {sorted(unknown)[0]!r}.", f"Known are: {', '.join(STATUSES)}."
        )
    settings = launch_to_read(settings_in_force()).settings

    corpus = service.session.open_corpus(settings, searching=False)
    rows = [row for row in corpus.files() if row.status in wanted]
    if as_json:
        content = render.as_object(
            version=corpus.version, files=[render.file_object(row) for row in rows]
        )
        return print_json(content)
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
    launch = launch_to_read(settings_in_force())

    store, root = existing_place(launch.settings)
    content = render.status_object(
        storage.checked_manifest(store),
        store,
        root,
        storage.usage(store),
        launch.seal.state,
        root_exists=root.is_dir(),
        recognition=recognition_state(),
    )
    if as_json:
        return print_json(content)
    return print_lines(render.status_lines(content))


@main.command()
@click.option("--dry-run", is_flag=True, help="Say what could go and change nothing.")
@JSON
def cleanup(dry_run: bool, as_json: bool) -> None:
    """Give back the disk space that the index does not need.

    Merges its tables, and drops versions that nobody reads and vectors of text that is gone.
    `index` does the same when enough has gathered. Reading goes on meanwhile.
    """
    settings = launch_to_read(settings_in_force()).settings

    done = service.upkeep.cleanup(settings, dry_run=dry_run)
    if as_json:
        return print_json(render.cleanup_object(done))
    return print_lines(render.cleanup_lines(done))
