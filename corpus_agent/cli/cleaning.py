"""The command that frees disk space."""

from __future__ import annotations

import click

from corpus_agent import render, service
from corpus_agent.cli.common import (
    JSON,
    launch_to_read,
    main,
    print_json,
    print_lines,
    settings_in_force,
)


@main.command()
@click.option("--dry-run", is_flag=True, help="Say what could go and change nothing.")
@JSON
def cleanup(dry_run: bool, as_json: bool) -> None:
    """Give back the disk space that the index does not need.

    Merges its tables, and drops versions that nobody reads and vectors of text that is gone.
    `index` does the same when enough has gathered. Reading goes on meanwhile.
    """
    settings = launch_to_read(settings_in_force()).settings

    done = service.cleanup.cleanup(settings, dry_run=dry_run)
    if as_json:
        return print_json(render.cleanup_object(done))
    return print_lines(render.cleanup_lines(done))
