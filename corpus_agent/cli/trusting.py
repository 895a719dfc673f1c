"""The command that records an index as trusted."""

from __future__ import annotations

from pathlib import Path

import click

from corpus_agent import render
from corpus_agent.cli.common import JSON, main, print_json, print_lines
from corpus_agent.trust import stores
from indexer import storage


@main.command()
@click.argument("store", type=click.Path(path_type=Path))
@click.option(
    "--root",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The folder of its documents, where that does not lie beside it.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be permitted and change nothing.")
@JSON
def trust(store: Path, root: Path | None, dry_run: bool, as_json: bool) -> None:
    """Take the index STORE for yours: one that was copied here, or made by an earlier version.

    Says what that permits: which folder may be read, how many documents there are, what its
    settings are and whose it is. An index that somebody else made can hold any text in the name of
    your documents; look at where it comes from.
    """
    found = stores.permission(storage.named_store(store), root)
    if not dry_run:
        stores.trust(found.place)
    content = render.trust_object(found, recorded=found.recorded or not dry_run)
    if as_json:
        return print_json(content)
    return print_lines(render.trust_lines(content))
