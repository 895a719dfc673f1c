"""Commands that put the product's promises to the test."""

from __future__ import annotations

from pathlib import Path

import click

from corpus_agent.cli.frame import (
    JSON,
    main,
    print_json,
    say,
)
from indexer.errors import UsageError


@main.command()
@click.option("--attack", is_flag=True, help="Attack by text instead; see below.")
@click.option(
    "--strings",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Plant the strings of a JSONL file (id, class, text, canary), not the packaged ones.",
)
@JSON
def selftest(attack: bool, strings: Path | None, as_json: bool) -> None:
    """Try every way out of this process, sealed and not, and say which are closed.

    Exit 0 only if every attempt fails under the seal and every one of them works without it.

    With --attack: plant strings that instruct, exfiltrate, act or hide in documents, file names,
    titles and PDF metadata, and let a model that obeys all it reads answer from inside the seal.
    Exit 0 only if nothing leaked and every detector caught the same model unprotected. Documents,
    model and listener are made for the run, on this machine; strings are never printed.
    """
    if attack:
        return _attack(strings, as_json=as_json)
    if strings is not None:
        raise UsageError(
            "--strings has a meaning with --attack alone.",
            "Run: corpus-agent selftest --attack --strings FILE",
        )
    from corpus_agent import report
    from corpus_agent.seal.selftest import as_json as rows_as_json
    from corpus_agent.seal.selftest import run_selftest, table

    rows = run_selftest()
    if as_json:
        print_json(report.as_object(**rows_as_json(rows)))
    else:
        click.echo(table(rows))
    if not all(row.passed for row in rows):
        raise SystemExit(1)
    return None


def _attack(strings: Path | None, *, as_json: bool) -> None:
    from corpus_agent import report
    from corpus_agent.attack.shown import as_json as verdict_as_json
    from corpus_agent.attack.shown import table
    from corpus_agent.attack.trial import run_attack

    verdict = run_attack(strings, on_event=say)
    if as_json:
        print_json(report.as_object(attack=verdict_as_json(verdict)))
    else:
        click.echo(table(verdict))
    if not verdict.passed:
        raise SystemExit(1)
