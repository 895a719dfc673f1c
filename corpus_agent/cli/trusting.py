"""The commands about which indexes are this user's own."""

from __future__ import annotations

from pathlib import Path

import click

from corpus_agent import render
from corpus_agent.cli.common import JSON, main, settings_in_force
from corpus_agent.cli.printing import print_json, print_lines
from corpus_agent.text.naming import called_path
from corpus_agent.trust import known
from corpus_agent.trust import stores as trusted
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
    found = trusted.permission(storage.named_store(store), root)
    if not dry_run:
        trusted.trust(found.place)
    content = render.trust_object(found, recorded=found.recorded or not dry_run)
    if as_json:
        return print_json(content)
    return print_lines(render.trust_lines(content))


@main.command()
@click.option("--drop", metavar="NAME", help="Take an index off the list that is gone.")
@JSON
def stores(drop: str | None, as_json: bool) -> None:
    """List your indexes by name: those that you made or trusted, wherever they are.

    Any command takes the name: corpus-agent -s notes status. Several are read together:
    corpus-agent search "rent" -s notes -s contracts.
    """
    if drop is not None:
        click.echo(f"Off the list: {called_path(trusted.drop(drop))}", err=True)
    # None is looked for: the list is for where several are meant, or one is gone.
    settings = settings_in_force(several=True, finding=False)
    content = render.stores_object(known.known_stores(settings))
    if as_json:
        return print_json(content)
    return print_lines(render.stores_lines(content))
