"""The MCP server, imported after the seal, and the configuration of its clients."""

from __future__ import annotations

import json
import os
import re
import shlex
import site
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from corpus_agent.text.sanitize import visible
from indexer import CorpusError

NAME = "corpus-agent"


@dataclass(frozen=True, slots=True)
class Client:
    """The place of a client's server list: the file, the key in it, and what a server there has."""

    file: str
    key: str = ""
    form: Literal["server", "toml", "opencode", "command"] = "server"
    extra: Mapping[str, str] = field(default_factory=dict)


_PASSED_ON = "XDG_STATE_HOME"
_TABLE = tomllib.loads(Path(__file__).with_name("clients.toml").read_text("utf-8"))
CLIENTS = {name: Client(**row) for name, row in _TABLE.items()}


def command() -> list[str]:
    """A command that starts this program from any folder without running code from that folder.

    A client starts it in a project folder, with the client's environment: so not by the script,
    which imports modules from PYTHONPATH, where an empty entry is that folder.
    """
    from indexer.confine import starting  # not for the help, which lists the clients

    packages = starting.packages()
    if packages in site.getsitepackages() and starting.user_site() is None:
        return [sys.executable, "-I", "-m", "corpus_agent"]
    program = "from corpus_agent.__main__ import run; run()"
    boot = f"import sys; sys.path.insert(0, {packages!r}); {program}"
    return [sys.executable, "-I", "-c", starting.with_user_site(boot)]


def snippet(client: str, arguments: Sequence[str]) -> str:
    """The configuration that has a client start the program with these arguments."""
    where = CLIENTS[client]
    program, *rest = [*command(), *arguments]
    # Clients pass few variables on; without this the server would not know the index for yours.
    state = os.environ.get(_PASSED_ON)
    variables = {_PASSED_ON: state} if state else {}
    for word in (program, *rest, *variables.values()):
        if visible(word) != word or re.search("[\t\n\ud800-\udfff]", word):
            message = f"The configuration of {client} cannot name {word!a}."
            raise CorpusError(message, "Rename it, or make a link to it.")
    server: dict[str, Any] = {"command": program, "args": rest}
    server |= {"env": variables} if variables else {}
    if where.form == "command":
        given = [part for name, value in variables.items() for part in ("-e", f"{name}={value}")]
        return shlex.join(["claude", "mcp", "add", NAME, *given, "--", program, *rest])
    if where.form == "toml":  # JSON strings and arrays of strings are TOML as well
        lines = [f"[{where.key}.{NAME}]", f"command = {_json(program)}", f"args = {_json(rest)}"]
        pairs = ", ".join(f"{name} = {_json(value)}" for name, value in variables.items())
        return "\n".join([*lines, *([f"env = {{ {pairs} }}"] if variables else [])])
    if where.form == "opencode":
        server = {"type": "local", "command": [program, *rest]}
        server |= {"environment": variables} if variables else {}
    return json.dumps({where.key: {NAME: {**where.extra, **server}}}, indent=2, ensure_ascii=False)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
