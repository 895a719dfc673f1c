"""The commands that serve: a person in a browser, other programs."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

import indexer
from corpus_agent import service
from corpus_agent import web as pages
from corpus_agent.cli.common import (
    Llm,
    launch_to_read,
    llm_options,
    main,
    settings_in_force,
)
from corpus_agent.cli.group import EXIT_INTERRUPTED
from corpus_agent.cli.printing import print_notes
from corpus_agent.mcp import CLIENTS, snippet
from corpus_agent.render.common import AGAIN
from corpus_agent.settings import absolute, stores_to_read
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
def mcp(llm: Llm, client: str | None) -> None:
    """Serve the index, or several together, to an MCP client over standard input and output.

    Tools: vectordb_search, vectordb_read, ask_corpus, corpus_check, corpus_table, list_sources,
    corpus_status; documents as resources. The client starts this command; --print-config says how.
    """
    # A configuration may be written before the index is made.
    settings = settings_in_force(several=True, to_come=client is not None, **llm)
    if client is not None:
        _print_config(client, settings, llm)
        return
    if sys.stdin.isatty():
        click.echo("Waiting for an MCP client on standard input; see --print-config.", err=True)

    AGAIN.set("")  # a client is told of no place on this machine
    streams = service.process.take_standard_streams()
    launch = launch_to_read(settings, asking=True)
    print_notes(launch.notices)
    from corpus_agent.mcp.server import serve

    serve(launch, *streams)


def _print_config(client: str, settings: Settings, llm: Llm) -> None:
    """Print what has a client start this command with the options that were given to it."""
    given = click.get_current_context().obj
    found = settings.store or Path(indexer.storage.STORE_NAME)  # perhaps still to be made
    stores = [one.store for one in settings.several] or [found]
    settings = absolute(replace(settings, several=()))  # stores are named
    named = [
        *(("--store", paths.from_here(one)) for one in stores),
        ("--model", settings.model),
        ("--config", paths.from_here(given["config"]) if given["config"] else None),
    ]
    unsealed = ["--unsealed"] if given["unsealed"] else []
    of_mcp = (("--llm", llm["llm"]), ("--llm-model", llm["llm_model"]))
    arguments = [*_words(named), *unsealed, "mcp", *_words(of_mcp)]
    click.echo(f"For {CLIENTS[client].file}:", err=True)
    click.echo(snippet(client, arguments))


def _words(flags: Iterable[tuple[str, object]]) -> list[str]:
    return [word for flag, value in flags if value is not None for word in (flag, str(value))]


@main.command()
@llm_options
@click.option(
    "--port",
    type=click.IntRange(1, 65_535),
    help="The port of 127.0.0.1. Default: 8377, or the next one that is free.",
)
@click.option("--open", "opening", is_flag=True, help="Open the address in your browser.")
def web(llm: Llm, port: int | None, opening: bool) -> None:
    """Serve a page to your browser, on this machine alone: ask, search, see the words in place.

    The address that is printed opens it once; then your browser has the key. From inside the seal
    the process accepts connections and makes none. Ctrl-C ends it.

    Several indexes are served together, and none of them is written: no run, no history.
    """
    settings = settings_in_force(several=True, **llm)
    stores_to_read(settings)  # before anything listens
    keys = pages.listening.new_keys()
    served = pages.listening.listen(port)
    # The browser waits for an answer meanwhile.
    problem = pages.listening.open_browser(served.url(keys)) if opening else None
    launch = launch_to_read(
        settings, asking=True, typed=llm["llm"] is not None, listener=served.socket.fileno()
    )
    print_notes((*launch.notices, *((problem,) if problem else ())))
    click.echo(served.url(keys))
    click.echo(
        "Open this address in your browser; it works once. Ctrl-C ends the server.", err=True
    )
    from corpus_agent.web.server import serve

    ended_by = serve(launch, served, keys)
    sys.stdout.flush()
    # What still goes on has no reader any more: do not wait for its threads.
    os._exit(EXIT_INTERRUPTED if ended_by == signal.SIGINT else 0)
