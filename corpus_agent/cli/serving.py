"""The command that serves other programs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from corpus_agent import mcp as mcp_door
from corpus_agent import service
from corpus_agent.cli.common import clean, launch_to_read, llm_options, main, settings_in_force
from corpus_agent.mcp.client_config import CLIENTS, snippet
from corpus_agent.settings import store_to_write
from indexer import paths

if TYPE_CHECKING:
    from corpus_agent.settings import Settings


@main.command()
@llm_options
@click.option(
    "--print-config",
    "client",
    type=click.Choice(list(CLIENTS)),
    help="Print what to put into the client's configuration, and serve nothing.",
)
def mcp(
    llm: str | None, llm_model: str | None, allow_remote_llm: str | None, client: str | None
) -> None:
    """Serve the index to an MCP client over standard input and output.

    Tools: vectordb_search, vectordb_read, ask_corpus, corpus_status; documents as resources. The
    client starts this command itself; --print-config says how.
    """
    settings = settings_in_force(llm=llm, llm_model=llm_model, allow_remote_llm=allow_remote_llm)
    if client is not None:
        _print_config(client, settings, llm, llm_model)
        return
    if sys.stdin.isatty():
        click.echo("Waiting for an MCP client on standard input; see --print-config.", err=True)

    streams = service.stdio.take_standard_streams()
    launch = launch_to_read(settings, asking=True)
    for notice in launch.notices:
        click.echo(clean(notice), err=True)
    mcp_door.server.serve(launch.settings, launch, *streams)


def _print_config(client: str, settings: Settings, llm: str | None, llm_model: str | None) -> None:

    given = click.get_current_context().obj
    arguments = ["--store", str(paths.from_here(store_to_write(settings)))]
    named = (
        ("--model", settings.model),
        ("--reranker", settings.reranker),
        ("--config", given["config"]),
    )
    for flag, value in named:
        arguments += [flag, str(paths.from_here(value))] if value is not None else []
    arguments += ["--unsealed"] if given["unsealed"] else []
    arguments.append("mcp")
    for flag, value in (("--llm", llm), ("--llm-model", llm_model)):
        arguments += [flag, value] if value is not None else []
    click.echo(f"For {CLIENTS[client].file}:", err=True)
    click.echo(snippet(client, arguments))
