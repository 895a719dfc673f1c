"""The command line: parse, build, call one function, print. The only package that knows click.

`common` has what all commands share; `live` and `progress` draw; each other module has the commands
of one kind.
"""

from corpus_agent.cli import (
    asking,
    checking,
    completing,
    indexing,
    serving,
    tabling,
    trusting,
    watching,
)
from corpus_agent.cli.common import main

__all__ = [
    "asking",
    "checking",
    "completing",
    "indexing",
    "main",
    "serving",
    "tabling",
    "trusting",
    "watching",
]
