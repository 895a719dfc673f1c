"""Configuration snippets for MCP clients. Pure; reads no store."""

from __future__ import annotations

import json
import os
import shlex
import site
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from corpus_agent.text.sanitize import visible
from indexer import CorpusError

NAME = "corpus-agent"


@dataclass(frozen=True, slots=True)
class Client:
    """The place of a client's server list: the file, and the key in it."""

    file: str
    key: str
    form: Literal["server", "toml", "opencode", "command"] = "server"
    extra: tuple[tuple[str, str], ...] = ()


_PASSED_ON = ("XDG_STATE_HOME",)

CLIENTS = {
    "claude": Client(".mcp.json of a project, or claude_desktop_config.json", "mcpServers"),
    "claude-code": Client("a terminal", "", form="command"),
    "cursor": Client("~/.cursor/mcp.json, or .cursor/mcp.json of a project", "mcpServers"),
    "vscode": Client(".vscode/mcp.json", "servers", extra=(("type", "stdio"),)),
    "codex": Client("~/.codex/config.toml", "mcp_servers", form="toml"),
    "windsurf": Client("~/.codeium/windsurf/mcp_config.json", "mcpServers"),
    "zed": Client("~/.config/zed/settings.json", "context_servers", extra=(("source", "custom"),)),
    "opencode": Client(
        "opencode.json of a project, or ~/.config/opencode/opencode.json", "mcp", form="opencode"
    ),
    "gemini": Client(
        "~/.gemini/settings.json, or .gemini/settings.json of a project", "mcpServers"
    ),
}


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
    """The configuration that has a client start the program with these arguments.

    Raises CorpusError for a path that its form cannot name: one invalid string and a client reads
    nothing of its file.
    """
    where = CLIENTS[client]
    program, *rest = [*command(), *arguments]
    # Clients pass few variables on; without these the server would not know the index for yours.
    variables = {name: os.environ[name] for name in _PASSED_ON if os.environ.get(name)}
    unnamed = [word for word in (program, *rest, *variables.values()) if _is_no_text(word)]
    if unnamed and where.form != "command":
        raise CorpusError(
            f"The configuration of {client} cannot name {unnamed[0]!a}, which is not UTF-8.",
            "Rename it, or make a link to it.",
        )
    if where.form == "command":
        given = [part for name, value in variables.items() for part in ("-e", f"{name}={value}")]
        words = ["claude", "mcp", "add", NAME, *given, "--", program, *rest]
        return " ".join(map(_shell_word, words))
    if where.form == "opencode":
        local: dict[str, Any] = {"type": "local", "command": [program, *rest]}
        local |= {"environment": variables} if variables else {}
        return _json({where.key: {NAME: local}})
    if where.form == "toml":
        # JSON strings and arrays of strings are TOML as well.
        lines = [f"[{where.key}.{NAME}]", f"command = {_toml(program)}", f"args = {_toml(rest)}"]
        pairs = ", ".join(f"{name} = {_toml(value)}" for name, value in variables.items())
        return "\n".join([*lines, *([f"env = {{ {pairs} }}"] if variables else [])])
    server: dict[str, Any] = {**dict(where.extra), "command": program, "args": rest}
    if variables:
        server["env"] = variables
    return _json({where.key: {NAME: server}})


def _is_no_text(word: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in word)


# A path may have characters that act on the terminal on which this is printed, or hide there: each
# form has an escape for them.


def _json(value: object) -> str:
    written = json.dumps(value, indent=2, ensure_ascii=False)
    # DEL, which JSON leaves as it is, has four digits too.
    return _escaped(written, lambda c: json.dumps(c)[1:-1] if c > "\x7f" else r"\u007f")


def _toml(value: object) -> str:
    written = json.dumps(value, ensure_ascii=False)
    return _escaped(written, lambda c: rf"\U{ord(c):08x}")


def _shell_word(word: str) -> str:
    if visible(word) == word and not {"\n", "\t"} & {*word}:
        return shlex.quote(word)
    quoted = word.translate({ord("\\"): r"\\", ord("'"): r"\'", ord("\n"): r"\n", ord("\t"): r"\t"})
    return f"$'{_escaped(quoted, _bytes)}'"  # of bash and zsh


def _bytes(char: str) -> str:
    return "".join(rf"\x{byte:02x}" for byte in os.fsencode(char))


def _escaped(text: str, escape: Callable[[str], str]) -> str:
    return "".join(c if visible(c) == c else escape(c) for c in text)
