"""The command that prints what a shell needs to complete commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from corpus_agent.cli.common import main

_NAME = "corpus-agent"
_VARIABLE = "_CORPUS_AGENT_COMPLETE"  # which click looks for in the environment of `corpus-agent`


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
