"""Commands that put the product's promises to the test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from corpus_agent import answering, render, service
from corpus_agent import doctor as examination
from corpus_agent.cli.common import (
    JSON,
    Llm,
    launch_to_read,
    launched,
    llm_options,
    main,
    settings_in_force,
)
from corpus_agent.cli.printing import print_json, print_lines
from indexer import SealUnavailable

if TYPE_CHECKING:
    from corpus_agent.doctor import Check, Finding
    from corpus_agent.settings import Settings


@main.command()
@click.argument("file", type=click.Path(path_type=Path))
@JSON
def verify(file: Path, as_json: bool) -> None:
    """Check every quotation of a receipt against today's files, parsed anew; no model takes part.

    FILE is what ask --receipt wrote, or receipts.jsonl in the index folder. Exit 0 when every
    quotation still stands in its document, 1 otherwise.
    """
    receipts = answering.receipt.load(file)  # it may lie anywhere, so it is read before the seal
    launch = launch_to_read(settings_in_force(several=True))

    # A run that a document took over may have written what the store keeps of a text.
    corpus = service.session.open_corpus(launch.settings, searching=False, anew=True)
    checked = [
        (content, list(answering.receipt.check(content, corpus, corpus.file, corpus.stores)))
        for content in receipts
    ]
    if as_json:
        print_json(render.verify_object(checked, corpus.version, launch.seal.state), corpus)
    else:
        print_lines(render.verify_lines(checked))
    if not all(found.holds for _, rows in checked for found in rows):
        raise SystemExit(1)


@main.command()
@JSON
def selftest(as_json: bool) -> None:
    """Try every way out of this process, sealed and not, and say which are closed.

    Exit 0 only if every attempt fails under the seal and every one of them works without it.
    """
    from corpus_agent.selftest.escape import trial

    rows = trial.run_selftest()
    if as_json:
        print_json(render.as_object(**trial.as_json(rows)))
    else:
        click.echo(trial.table(rows))
    if not all(row.passed for row in rows):
        raise SystemExit(1)


@main.command()
@llm_options
@click.option("-v", "--verbose", is_flag=True, help="Show the checks that are fine, too.")
@JSON
def doctor(verbose: bool, as_json: bool, llm: Llm) -> None:
    """Look for what is wrong here, and name the command that mends it.

    Looks at the installation, the processor, the kernel, the model server, and at the index if
    there is one: rows, keys, vectors, and whether today's model still makes them. Of several that
    are named each is looked at. Changes nothing. Exit 1 if anything is wrong; a warning is not.
    """
    settings = settings_in_force(several=True, to_come=True, **llm)
    server = examination.environment.model_server(settings)
    findings = list(examination.examine(_checks(settings, server)))
    content = examination.as_json(findings)
    if as_json:
        print_json(render.as_object(doctor=content))
    else:
        print_lines(examination.lines(findings, verbose=verbose))
    if not content["passed"]:
        raise SystemExit(1)


def _checks(settings: Settings, server: Finding) -> Iterator[Check]:
    """All checks; those of the index only if this process could be sealed before."""
    from corpus_agent.startup import for_examining

    environment = examination.environment
    try:
        seal_off = click.get_current_context().obj["unsealed"]
        launch, indexes = for_examining(settings, seal_off=seal_off)
    except SealUnavailable as error:
        yield from environment.checks(settings, None, error, server)
        return
    launched(launch)
    yield from environment.checks(settings, indexes[0].store, launch.seal, server)
    for one in indexes:
        of = f"{one.name}: " if one.name else ""
        for check in examination.store.checks(one.settings, one.store, one.problem):
            yield replace(check, name=f"{of}{check.name}")
