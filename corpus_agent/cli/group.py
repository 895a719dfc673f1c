"""How commands are called: options behind the command's name, errors as a line and an exit code."""

from __future__ import annotations

import copy
import errno
import os
import shlex
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import copy_context
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

import click
from click.core import ParameterSource

from corpus_agent import render
from corpus_agent.cli.printing import print_json
from corpus_agent.render.common import AGAIN, advised
from corpus_agent.text.sanitize import visible
from indexer import CorpusError, UsageError

EXIT_ERROR = 1
EXIT_SOME_FAILED = 4
EXIT_NOT_ANSWERED = 6
EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells count
EXIT_NO_READER = 141  # 128 + SIGPIPE, likewise
_TABLE = tomllib.loads(Path(__file__).with_name("commands.toml").read_text("utf-8"))
GROUPS: dict[str, dict[str, str]] = _TABLE["groups"]
GONE: dict[str, str] = _TABLE["gone"]
OTHERWISE = {word: name for name, words in _TABLE["otherwise"].items() for word in words}
USUAL: list[str] = _TABLE["usual"]
MOST_USUAL = 5  # options that the help of a command shows first
_OUTPUT_FAILS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def _write_options(
    command: click.Command, ctx: click.Context, formatter: click.HelpFormatter
) -> None:
    """The usual options, then the others."""
    options = [param for param in command.get_params(ctx) if isinstance(param, click.Option)]
    shown = [option for option in options if not option.hidden]
    first = sorted(filter(_is_usual, shown), key=lambda option: USUAL.index(option.opts[-1]))
    usual = first[:MOST_USUAL] or shown
    more = [option for option in shown if option not in usual]
    for title, some in (("Options", usual), ("More", more)):
        records = [record for option in some if (record := option.get_help_record(ctx))]
        if records:
            with formatter.section(title):
                formatter.write_dl(records)


def _is_usual(option: click.Option) -> bool:
    return option.opts[-1] in USUAL


class ProgramCommand(click.Command):
    """A command that takes the options of all commands behind its name, too."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The command's own parameters, and those of the group, which its help leaves out."""
        group = ctx.find_root().command
        shared = [option for option in group.params if isinstance(option, click.Option)]
        return [*super().get_params(ctx), *map(_behind, shared)]

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's signature
        """The command's result; commands that it advises take the options that it was given."""
        AGAIN.set("".join(f"{word} " for word in _again(ctx.obj)))
        return super().invoke(ctx)

    format_options = _write_options


def _again(given: dict[str, Any]) -> Iterator[str]:
    """The options of all commands without which the next one would not find the same index."""
    valued = [*(("-s", one) for one in given["stores"]), ("--config", given["config"])]
    for option, value in (*valued, ("--model", given["flags"]["model"])):
        yield from (option, shlex.quote(str(value))) if value else ()
    switches = ("all_stores", given["all_stores"]), ("trust_store", given["flags"]["trust_store"])
    for name, is_on in (*switches, ("unsealed", given["unsealed"])):
        yield from [f"--{name.replace('_', '-')}"] if is_on else ()


def _behind(option: click.Option) -> click.Option:
    """An option of all commands as a command takes it: its value counts as the group's."""
    name, behind = option.name, copy.copy(option)
    if option.expose_value:  # --version acts alone, here as there

        def into_group(ctx: click.Context, own: click.Parameter, value: Any) -> None:  # noqa: ANN401
            if own.name and ctx.get_parameter_source(own.name) is not ParameterSource.DEFAULT:
                given = ctx.obj["flags"] if name in ctx.obj["flags"] else ctx.obj
                given[name] = (*given[name], *value) if option.multiple else value

        behind.callback = into_group
    behind.name, behind.expose_value, behind.hidden = f"of_all_{name}", False, True
    return behind


class Commands(click.Group):
    """A group in which a CorpusError becomes one line, a hint and its exit code."""

    command_class = ProgramCommand

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is called; of one that is gone, or is called otherwise, says which."""
        name = args[0]
        if name in GONE:
            raise UsageError(f"{name} {GONE[name]}")
        if name not in self.commands and not name.startswith("-"):
            known = {each: each for each in self.commands} | OTHERWISE
            near = get_close_matches(name.lower(), known, 1)
            meant = f"Did you mean corpus-agent {known[near[0]]}? " if near else ""
            hint = f"{meant}All commands: corpus-agent --help"
            raise UsageError(f"There is no command {name!r}.", hint)
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands, then the options of all."""
        self.format_commands(ctx, formatter)
        _write_options(self, ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands in groups, a line each."""
        for group, commands in GROUPS.items():
            with formatter.section(group):
                formatter.write_dl([(f"{name:<10}", line) for name, line in commands.items()])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The command and its arguments."""
        with _refused():
            return super().parse_args(ctx, args)

    def main(self, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - click's signature
        """The program; quiet where the reader of its output has gone, one line where that fails."""
        output = sys.stdout
        if sys.stdin is None:  # closed before: its number would be given to the next file
            sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115
        try:
            return super().main(*arguments, **options)
        except OSError as error:
            if error.errno not in _OUTPUT_FAILS or output is None:
                raise
            # What is still to be written goes nowhere: it would fail once more at the end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())
            click.echo("Error: The output could not be written: its disk is full.", err=True)
            raise SystemExit(EXIT_ERROR) from None
        except SystemExit:
            if sys.stdout is not output:  # as in `corpus-agent files | head`: click put it aside
                raise SystemExit(EXIT_NO_READER) from None
            raise

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's signature
        """The command's result; exits with the error's code if it fails."""
        return copy_context().run(self._invoked, ctx)

    def _invoked(self, ctx: click.Context) -> Any:  # noqa: ANN401
        try:
            with _refused():
                return super().invoke(ctx)
        except CorpusError as error:
            _fail(error)
        except KeyboardInterrupt:  # click would call it an error like any other
            click.echo("Stopped.", err=True)
            raise SystemExit(EXIT_INTERRUPTED) from None


@contextmanager
def _refused() -> Iterator[None]:
    """What click refuses is said as any error is, with the help that names what can be given."""
    try:
        yield
    except click.exceptions.NoArgsIsHelpError:
        raise  # the help itself
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx is not None else "corpus-agent"
        _fail(UsageError(error.format_message(), f"Try: {where} --help"))


def _fail(error: CorpusError) -> NoReturn:
    hint = advised(visible(error.hint))
    click.echo(f"Error: {visible(error.message)}", err=True)
    if hint:
        click.echo(hint, err=True)
    if "--json" in sys.argv[1:]:  # the command may not even be parsed
        said = {"message": visible(error.message), "hint": hint}
        print_json(render.as_object(error={**said, "exit_code": error.exit_code}))
    raise SystemExit(error.exit_code)
