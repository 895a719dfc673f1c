"""Commands about former versions of an index: which there are, what changed, and back to one."""

from __future__ import annotations

import click

from corpus_agent import render, service
from corpus_agent.cli.common import JSON, launch_to_read, main, settings_in_force
from corpus_agent.cli.printing import print_each, print_json, print_lines
from corpus_agent.settings import one_by_one


@main.command()
@JSON
def history(as_json: bool) -> None:
    """List the versions of the index that are kept, and what changed in each.

    Each `index` that changes something commits a version. `index --keep 30d` keeps those of the
    last 30 days from now on (the last one of each day, of the last 24 hours all), `--keep 12` the
    last twelve, at most 100. `ask`, `search` and `read` take --at VERSION or --at DATE.
    """
    launch = launch_to_read(settings_in_force(several=True))

    seal = launch.seal.state
    listed = [(n, service.upkeep.versions(each)) for n, each in one_by_one(launch.settings)]
    return print_each(
        [(name, render.history_object(found, seal)) for name, found in listed],
        [render.history_lines(found) for _, found in listed],
        as_json=as_json,
    )


@main.command()
@click.argument("first", metavar="VERSION|DATE")
@click.argument("second", metavar="[VERSION|DATE]", required=False)
@JSON
def diff(first: str, second: str | None, as_json: bool) -> None:
    """Say which documents and passages changed between two versions, or since one.

    Versions are named as with --at; without a second one it is the current one.
    """
    launch = launch_to_read(settings_in_force())

    found = service.upkeep.difference(launch.settings, first, second)
    if as_json:
        return print_json(render.diff_object(found, launch.seal.state))
    return print_lines(render.diff_lines(found))


@main.command()
@click.argument("at", metavar="VERSION|DATE")
@JSON
def rollback(at: str, as_json: bool) -> None:
    """Make a former version that is kept the current one, in one commit; no file is touched.

    The next `index` or `watch` brings the index up to date with the folder again.
    """
    launch = launch_to_read(settings_in_force())

    done = service.upkeep.roll_back(launch.settings, at)
    if as_json:
        return print_json(render.rollback_object(done, launch.seal.state))
    return print_lines(render.rollback_lines(done))
