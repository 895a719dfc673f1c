"""The frame of every command: settings in force, the launch, output, errors and exit codes.

Data on stdout, everything else on stderr. Heavy modules are imported inside functions, so that
`--help` and `status` start at once.
"""

from __future__ import annotations

import copy
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click
from click.core import ParameterSource

from corpus_agent import render
from corpus_agent.settings import load, unknown_variables
from corpus_agent.text.sanitize import visible
from indexer import CorpusError, __version__

if TYPE_CHECKING:
    from corpus_agent.settings import Settings
    from corpus_agent.startup import Launch

EXIT_SOME_FAILED = 4
EXIT_NOT_ANSWERED = 6
EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells count


class Command(click.Command):
    """A command that takes the options of all commands behind its name, too."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The command's own parameters, and those of the group, which its help leaves out."""
        group = ctx.find_root().command
        shared = [option for option in group.params if isinstance(option, click.Option)]
        return [*super().get_params(ctx), *map(_behind, shared)]


def _behind(option: click.Option) -> click.Option:
    """An option of all commands as a command takes it: its value counts as the group's."""
    name, behind = option.name, copy.copy(option)
    if option.expose_value:  # --version acts alone, here as there

        def into_group(ctx: click.Context, own: click.Parameter, value: object) -> None:
            if own.name and ctx.get_parameter_source(own.name) is not ParameterSource.DEFAULT:
                given = ctx.obj["flags"] if name in ctx.obj["flags"] else ctx.obj
                given[name] = value

        behind.callback = into_group
    behind.name, behind.expose_value, behind.hidden = f"of_all_{name}", False, True
    return behind


class Commands(click.Group):
    """A group in which a CorpusError becomes one line, a hint and its exit code."""

    command_class = Command

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's signature
        """The command's result; exits with the error's code if it fails."""
        try:
            return super().invoke(ctx)
        except CorpusError as error:
            _fail(error, as_json="--json" in sys.argv[1:])
        except KeyboardInterrupt:  # click would call it an error like any other
            click.echo("Stopped.", err=True)
            raise SystemExit(EXIT_INTERRUPTED) from None
        except BrokenPipeError:
            # The reader of our output has closed the pipe, as in `corpus-agent files | head`.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(1) from None


def _fail(error: CorpusError, *, as_json: bool) -> NoReturn:
    click.echo(f"Error: {clean(error.message)}", err=True)
    if error.hint:
        click.echo(clean(error.hint), err=True)
    if as_json:
        message, hint = clean(error.message), clean(error.hint)
        problem = {"message": message, "hint": hint, "exit_code": error.exit_code}
        print_json(render.as_object(error=problem))
    raise SystemExit(error.exit_code)


def clean(text: str) -> str:
    """`text` with terminal control characters made visible."""
    return visible(text)


def print_json(content: Mapping[str, object]) -> None:
    """Print one object, stamped with the state of the seal."""
    launch = click.get_current_context().obj.get("launch")
    stamp = {"seal": launch.seal.state} if launch else {}
    if launch and launch.egress:
        stamp["egress"] = launch.egress
    click.echo(json.dumps({**content, **stamp}, ensure_ascii=False))


def launched(launch: Launch) -> Launch:
    """Remember the launch of this process, which is now sealed unless that was switched off."""
    click.get_current_context().obj["launch"] = launch
    if launch.seal.state == "off":
        click.echo("Warning: running without the seal; nothing stops a library.", err=True)
    if launch.egress:
        host = clean(launch.egress.removeprefix("remote-llm "))
        click.echo(f"Warning: questions and passages go to {host}, not encrypted.", err=True)
    return launch


def launch_to_read(
    settings: Settings, *, asking: bool = False, choosing: bool = False, typed: bool = False
) -> Launch:
    """A sealed process that may read the index and, with `asking`, use the model.

    With `choosing`, any model of its server. With `typed` it is an error that there is none: who
    names a model wants no answer without it.
    """
    from corpus_agent.startup import for_reading

    seal_off = click.get_current_context().obj["unsealed"]
    launch = launched(for_reading(settings, seal_off=seal_off, asking=asking, choosing=choosing))
    if typed and launch.unavailable is not None:
        raise launch.unavailable
    if not asking:  # otherwise they are part of the answer
        print_lines((f"Note: {clean(notice)}" for notice in launch.notices), err=True)
    return launch


def launch_to_index(
    settings: Settings, path: Path | None, *, dry_run: bool = False, watching: bool = False
) -> Launch:
    """A sealed process that may write the index of the folder `path`."""
    from corpus_agent.startup import for_indexing

    seal_off = click.get_current_context().obj["unsealed"]
    return launched(
        for_indexing(settings, path, seal_off=seal_off, dry_run=dry_run, watching=watching)
    )


def print_lines(lines: Iterable[str], *, err: bool = False) -> None:
    """Print each line; on stderr with `err`."""
    for line in lines:
        click.echo(line, err=err)


JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")


OCR = click.option(
    "--ocr",
    type=click.Choice(["auto", "off", "all"]),
    help="Pages without text that are recognised, with the extra [ocr]: auto (default: scanned "
    "pages, and pictures that show text), off, or all (every picture in full).",
)


def llm_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that choose an answerer."""
    command = click.option(
        "--llm",
        metavar="WHERE",
        help="auto (default: look on this machine), none, http://127.0.0.1:PORT, unix:SOCKET or "
        "gguf:FILE (starts llama-server).",
    )(command)
    command = click.option(
        "--allow-remote-llm",
        metavar="HOST",
        help="Permit the HOST of --llm although passages leave this machine; answers say so.",
    )(command)
    return click.option("--llm-model", metavar="NAME", help="Which of the server's models.")(
        command
    )


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "-s",
    "--store",
    type=click.Path(path_type=Path),
    help="The index folder. Default: .corpus-agent, found upwards from here. This and the options "
    "below may also stand behind the command.",
)
@click.option("--model", type=click.Path(path_type=Path), help="Folder of another embedding model.")
@click.option(
    "--reranker",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder of a cross-encoder that puts what was found into order.",
)
@click.option("--config", type=click.Path(path_type=Path), help="A configuration file (TOML).")
@click.option(
    "--trust-store",
    is_flag=True,
    help="Use an index that was not made here by you; for where nothing can be recorded.",
)
@click.option(
    "--unsealed", is_flag=True, help="Run without the kernel's seal; every answer says so."
)
@click.version_option(__version__, prog_name="corpus-agent")
@click.pass_context
def main(
    ctx: click.Context,
    store: Path | None,
    model: Path | None,
    reranker: Path | None,
    config: Path | None,
    trust_store: bool,
    unsealed: bool,
) -> None:
    """Ask your private documents. Nothing leaves the machine.

    \b
      corpus-agent index ./docs       make the index, or bring it up to date
      corpus-agent ask "…"            an answer with checked quotations
      corpus-agent chat               a conversation
    """  # noqa: D301 - click reads the control character itself
    flags = {
        "store": store,
        "model": model,
        "reranker": reranker,
        "trust_store": trust_store or None,
    }
    ctx.obj = {"flags": flags, "config": config, "unsealed": unsealed}


def settings_in_force(**flags: Any) -> Settings:  # noqa: ANN401
    """The settings, with the group's flags and `flags` in force."""
    given = click.get_current_context().obj
    for name in unknown_variables(os.environ):
        click.echo(f"Note: {name} is not a setting of corpus-agent and is ignored.", err=True)
    return load({**given["flags"], **flags}, given["config"], os.environ)


def print_event(line: str) -> None:
    """Print an event for a person at a terminal; nothing into a pipe."""
    if sys.stderr.isatty():
        click.echo(click.style(f"· {clean(line)}", dim="NO_COLOR" not in os.environ), err=True)
