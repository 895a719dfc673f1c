"""The frame of every command: its options, the settings in force, and the launch.

What is heavy is imported inside functions, so that `--help` and `status` start at once.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import click

import indexer
from corpus_agent import service, trust
from corpus_agent.cli.group import Commands
from corpus_agent.cli.printing import print_notes
from corpus_agent.render.common import AGAIN
from corpus_agent.settings import check_one, load, unknown_variables
from corpus_agent.text.sanitize import visible
from indexer import __version__, paths

if TYPE_CHECKING:
    from corpus_agent.service.service import Service
    from corpus_agent.settings import Settings
    from corpus_agent.startup import Launch
    from indexer import Index

Among = tuple[tuple[str, ...], tuple[str, ...], str]  # paths, paths to leave out, a filter
Command = Callable[..., None]
Llm = dict[str, Any]  # --llm, --llm-model, --allow-remote-llm


def startup() -> ModuleType:
    """The module of the launch, which `--help` does not load."""
    from corpus_agent import startup

    return startup


def launched(launch: Launch) -> Launch:
    """Remember the launch of this process, which is now sealed unless that was switched off."""
    click.get_current_context().obj["launch"] = launch
    if launch.seal.state == "off":
        click.echo("Warning: running without the seal; nothing stops a library.", err=True)
    if launch.egress:
        host = visible(launch.egress.removeprefix("remote-llm "))
        click.echo(f"Warning: questions and passages go to {host}, not encrypted.", err=True)
    return launch


def launch_to_read(
    settings: Settings,
    *,
    asking: bool = False,
    typed: bool = False,
    listener: int | None = None,
) -> Launch:
    """A sealed process that may read the index and, with `asking`, use the model.

    With `typed` it is an error that there is no model: who names one wants no answer without it.
    With `listener` it accepts that socket's connections.
    """
    seal_off = click.get_current_context().obj["unsealed"]
    ready = startup().for_reading(settings, seal_off=seal_off, asking=asking, listener=listener)
    launch = launched(ready)
    if typed and launch.unavailable is not None:
        raise launch.unavailable
    if not asking:  # otherwise they are part of the answer
        print_notes(launch.notices)
    return launch


def is_verbose() -> bool:
    """Whether more is to be said."""
    return bool(click.get_current_context().obj["verbose"])


def opened(among: Among = ((), (), ""), *, searching: bool = False) -> tuple[Service, Index]:
    """What serves the index from within the seal, and the documents that the options choose."""
    launch = launch_to_read(settings_in_force(several=True))
    served = service.service.Service(launch, searching=searching)
    corpus = served.among(*among)
    print_notes(service.service.notices_of(corpus))
    return served, corpus


def launch_to_index(settings: Settings, path: Path | None, *, dry_run: bool = False) -> Launch:
    """A sealed process that may write the index of the folder `path`."""
    seal_off = click.get_current_context().obj["unsealed"]
    launch = launched(startup().for_indexing(settings, path, seal_off=seal_off, dry_run=dry_run))
    if not click.get_current_context().obj["stores"]:
        AGAIN.set(f"{launch.flag}{AGAIN.get()}")
    print_notes(launch.notices)
    return launch


def _checked_filter(_: click.Context, __: click.Parameter, where: str) -> str:
    """The filter as it was typed."""
    if where:
        indexer.parse_filter(where)  # not imported for the help
    return where


_BELOW = (
    click.option(
        "--path",
        "paths",
        multiple=True,
        metavar="PATH",
        help="Only documents below PATH, or that a glob names; repeatable.",
    ),
    click.option(
        "--not-path", "not_paths", multiple=True, metavar="PATH", help="Without these; repeatable."
    ),
    click.option(
        "--where",
        metavar="FILTER",
        default="",
        callback=_checked_filter,
        help="Only such documents: 'type=pdf date>=2024-03 tag:tax'.",
    ),
)
_LLM = (
    click.option(
        "--llm",
        metavar="WHERE",
        help="auto (default), none, http://127.0.0.1:PORT, unix:SOCKET or gguf:FILE.",
    ),
    click.option("--llm-model", metavar="NAME", help="Which of the server's models."),
    click.option(
        "--allow-remote-llm",
        metavar="HOST",
        help="Permit that passages leave this machine to HOST.",
    ),
)


def below(command: Command) -> Command:
    """Add the options that choose documents; the command gets them as `among`."""

    @wraps(command)
    def chosen(
        *, paths: tuple[str, ...], not_paths: tuple[str, ...], where: str, **own: object
    ) -> None:
        command(among=(paths, not_paths, where), **own)

    return options(_BELOW)(chosen)


def llm_options(command: Command) -> Command:
    """Add the options that choose a model; the command gets them as `llm`."""

    @wraps(command)
    def chosen(
        *, llm: str | None, llm_model: str | None, allow_remote_llm: str | None, **own: object
    ) -> None:
        flags = {"llm": llm, "llm_model": llm_model, "allow_remote_llm": allow_remote_llm}
        command(llm=flags, **own)

    return options(_LLM)(chosen)


def options(some: Sequence[Callable[..., Any]]) -> Callable[[Command], Command]:
    """A decorator that adds options to a command, in this order."""

    def add(command: Command) -> Command:
        for option in reversed(some):
            command = option(command)
        return command

    return add


JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
OCR = click.option(
    "--ocr",
    type=click.Choice(["auto", "off", "all"]),
    help="Which scans and pictures are recognised. Default: auto.",
)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "-s",
    "--store",
    "stores",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="NAME|DIR",
    help="The index, by its name (see stores) or folder; repeatable.",
)
@click.option("--all-stores", is_flag=True, help="Read all your indexes together.")
@click.option("-v", "--verbose", is_flag=True, help="Say more.")
@click.option(
    "--model",
    type=click.Path(path_type=Path),
    metavar="NAME|DIR",
    help="minilm, multilingual, or the folder of a model.",
)
@click.option(
    "--device",
    type=click.Choice(["auto", "cpu", "cuda", "mps", "xpu"]),
    metavar="WHERE",
    help="What index embeds on: auto, cpu, cuda, mps or xpu.",
)
@click.option(
    "--config", type=click.Path(path_type=Path), metavar="FILE", help="A file of settings (TOML)."
)
@click.option(
    "--trust-store",
    is_flag=True,
    default=None,
    help="Use an index that was not made by you here.",
)
@click.option("--unsealed", is_flag=True, help="Run without the kernel's seal.")
@click.version_option(__version__, prog_name="corpus-agent")
@click.pass_context
def main(
    ctx: click.Context,
    /,
    stores: tuple[Path, ...],
    all_stores: bool,
    config: Path | None,
    unsealed: bool,
    verbose: bool,
    **flags: Any,  # noqa: ANN401
) -> None:
    """Ask your private documents. Nothing leaves the machine.

    \b
      corpus-agent index ./docs       make the index, or bring it up to date
      corpus-agent ask "…"            an answer with checked quotations
      corpus-agent chat               a conversation
    """  # noqa: D301 - click reads the control character itself
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # of signs that its encoding lacks
    which = {"stores": stores, "all_stores": all_stores}
    ctx.obj = {"flags": flags, "config": config, "unsealed": unsealed, "verbose": verbose, **which}


def settings_in_force(
    *,
    several: bool = False,
    finding: bool = True,
    to_come: bool = False,
    **flags: Any,  # noqa: ANN401
) -> Settings:
    """The settings, with the group's flags and `flags` in force; `several` stores may be named.

    Where none is named it is looked for, unless `finding` is false: by where one stands. What is
    named has to be there, if it is not `to_come` or made by the command.
    """
    given = click.get_current_context().obj
    for name in unknown_variables(os.environ):
        click.echo(f"Note: {name} is not a setting of corpus-agent and is ignored.", err=True)
    to_read = finding and not to_come
    chosen, left_out = trust.which_index.chosen_stores(
        given["stores"], everything=given["all_stores"], to_read=to_read
    )
    print_notes(left_out)
    store = chosen[0].store if chosen else None
    settings = load({**given["flags"], "store": store, **flags}, given["config"], os.environ)
    if settings.store is None and not chosen and finding:
        found = trust.which_index.store_here(paths.working_folder())
        if found is None and not to_come:
            raise trust.which_index.no_index_here()
        chosen = trust.which_index.chosen_stores([found])[0] if found is not None else ()
    if len(chosen) > 1:
        settings = replace(settings, store=None, several=chosen)
        if not several:
            check_one(settings)
    elif chosen:
        settings = replace(settings, store=chosen[0].store)
    return settings
