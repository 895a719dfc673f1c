"""Commands that care for an installation: what is wrong, the seal, which indexes are yours."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import get_completion_class

import indexer
from corpus_agent import doctor as examination
from corpus_agent import render
from corpus_agent import selftest as tests
from corpus_agent import trust as trusted
from corpus_agent.cli.common import (
    JSON,
    Llm,
    is_verbose,
    launched,
    llm_options,
    main,
    settings_in_force,
    startup,
)
from corpus_agent.cli.printing import print_json, print_lines
from corpus_agent.text.naming import PATH, called
from indexer import SealUnavailable

if TYPE_CHECKING:
    from corpus_agent.doctor import Check, Diagnosis
    from corpus_agent.settings import Settings

_NAME = "corpus-agent"
_VARIABLE = "_CORPUS_AGENT_COMPLETE"  # which click looks for in the environment of `corpus-agent`


@main.command()
@JSON
def selftest(as_json: bool) -> None:
    """Try every way out of this process, sealed and not, and say which are closed.

    Exit 0 only if every attempt fails under the seal and every one of them works without it.
    """
    trial = tests.trial
    rows = trial.run_selftest()
    if as_json:
        print_json(render.as_object(**trial.as_json(rows)))
    else:
        click.echo(trial.table(rows))
    if not all(row.passed for row in rows):
        raise SystemExit(1)


@main.command()
@llm_options
@JSON
def doctor(as_json: bool, llm: Llm) -> None:
    """Look for what is wrong here, and name the command that mends it.

    Looks at the installation, the processor, the kernel, the model server, and at the index if
    there is one. Changes nothing. Exit 1 if anything is wrong; a warning is not. -v shows the
    checks that are fine, too.
    """
    settings = settings_in_force(to_come=True, **llm)
    server = examination.checks.model_server(settings)
    findings = list(examination.examine(_checks(settings, server)))
    content = examination.as_json(findings)
    if as_json:
        print_json(render.as_object(doctor=content))
    else:
        print_lines(examination.lines(findings, verbose=is_verbose()))
    if not content["passed"]:
        raise SystemExit(1)


def _checks(settings: Settings, server: Diagnosis) -> Iterator[Check]:
    """All checks; those of the index only if this process could be sealed before."""
    try:
        seal_off = click.get_current_context().obj["unsealed"]
        launch, problem = startup().for_examining(settings, seal_off=seal_off)
    except SealUnavailable as error:
        return examination.checks.of_machine(settings, error, server)
    checks = examination.checks
    settings = launched(launch).settings
    return chain(
        checks.of_machine(settings, launch.seal, server), checks.of_index(settings, problem)
    )


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
    found = trusted.stores.permission(indexer.storage.named_store(store), root)
    if not dry_run:
        trusted.stores.record(found.place, indexer.storage.identity_of(found.place.store))
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
        click.echo(f"Off the list: {called(str(trusted.stores.drop(drop)), kind=PATH)}", err=True)
    # None is looked for: the list is for where several are meant, or one is gone.
    settings = settings_in_force(several=True, finding=False)
    content = render.stores_object(trusted.which_index.known_stores(settings))
    if as_json:
        return print_json(content)
    return print_lines(render.stores_lines(content))


@main.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion of commands and options for SHELL.

    \b
      bash   eval "$(corpus-agent completion bash)"        in ~/.bashrc
      zsh    eval "$(corpus-agent completion zsh)"         in ~/.zshrc
      fish   corpus-agent completion fish | source         in ~/.config/fish/config.fish
    """  # noqa: D301 - click reads the control character itself
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(main, {}, _NAME, _VARIABLE).source())
