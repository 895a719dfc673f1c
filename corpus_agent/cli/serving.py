"""The commands that serve: a person in a browser, other programs."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from corpus_agent import mcp as mcp_door
from corpus_agent import service
from corpus_agent import web as web_door
from corpus_agent.cli.common import (
    launch_to_read,
    llm_options,
    main,
    settings_in_force,
)
from corpus_agent.cli.group import EXIT_INTERRUPTED
from corpus_agent.cli.printing import clean
from corpus_agent.mcp.client_config import CLIENTS, snippet
from corpus_agent.settings import absolute, stores_to_read
from indexer import UsageError, paths, storage

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
    """Serve the index, or several together, to an MCP client over standard input and output.

    Tools: vectordb_search, vectordb_read, ask_corpus, corpus_table, list_sources, corpus_status;
    documents as resources. The client starts this command itself; --print-config says how.
    """
    settings = settings_in_force(
        several=True,
        to_come=client is not None,  # a configuration may be written before the index is made
        llm=llm,
        llm_model=llm_model,
        allow_remote_llm=allow_remote_llm,
    )
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
    found = settings.store or Path(storage.STORE_NAME)  # where none is yet: the one of this folder
    stores = [one.store for one in settings.several] or [found]
    arguments = [part for one in stores for part in ("--store", str(paths.from_here(one)))]
    named = (
        ("--model", settings.model),
        ("--config", given["config"]),
    )
    for flag, value in named:
        arguments += [flag, str(paths.from_here(value))] if value is not None else []
    named_by_words = (
        ("--reranker", absolute(replace(settings, several=())).reranker),  # stores are named above
        ("--embedder", settings.embedder),
        ("--backend", settings.backend if settings.backend != "lance" else None),
    )
    for flag, words in named_by_words:
        arguments += [flag, words] if words is not None else []
    arguments += ["--unsealed"] if given["unsealed"] else []
    arguments.append("mcp")
    for flag, value in (("--llm", llm), ("--llm-model", llm_model)):
        arguments += [flag, value] if value is not None else []
    printed = snippet(client, arguments)
    click.echo(f"For {CLIENTS[client].file}:", err=True)
    click.echo(printed)


@main.command()
@llm_options
@click.option(
    "--port",
    type=click.IntRange(1, 65_535),
    help="The port of 127.0.0.1. Default: 8377, or the next one that is free.",
)
@click.option(
    "--unix",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Serve a Unix socket that only you may use, and no port.",
)
@click.option("--open", "opening", is_flag=True, help="Open the address in your browser.")
def web(
    llm: str | None,
    llm_model: str | None,
    allow_remote_llm: str | None,
    port: int | None,
    unix: Path | None,
    opening: bool,
) -> None:
    """Serve a page to your browser, on this machine alone: ask, search, see the words in place.

    The address that is printed opens it once; then your browser has the key. From inside the seal
    the process accepts connections and makes none. Ctrl-C ends it.

    Several indexes are served together, and none of them is written: no run, no history.
    """
    if unix is not None and (port is not None or opening):
        raise UsageError("--unix serves no port, and browsers open none.", "Leave one of them out.")
    settings = settings_in_force(
        several=True, llm=llm, llm_model=llm_model, allow_remote_llm=allow_remote_llm
    )
    stores_to_read(settings)  # before anything listens
    keys = web_door.listening.new_keys()
    served = (
        web_door.listening.listen_at(unix) if unix is not None else web_door.listening.listen(port)
    )
    # The browser waits for an answer meanwhile.
    problem = web_door.listening.open_browser(served.url(keys)) if opening else None
    launch = launch_to_read(
        settings, asking=True, typed=llm is not None, listener=served.socket.fileno()
    )
    for notice in (*launch.notices, *((problem,) if problem else ())):
        click.echo(f"Note: {clean(notice)}", err=True)
    click.echo(served.url(keys))
    click.echo(
        "Open this address in your browser; it works once. Ctrl-C ends the server.", err=True
    )
    ended_by = web_door.server.serve(launch.settings, launch, served, keys)
    sys.stdout.flush()
    # What still goes on has no reader any more: do not wait for its threads.
    os._exit(EXIT_INTERRUPTED if ended_by == signal.SIGINT else 0)
