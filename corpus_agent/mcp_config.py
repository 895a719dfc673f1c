"""What a person puts into the configuration of an MCP client. Pure; reads no store."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NAME = "corpus-agent"


@dataclass(frozen=True, slots=True)
class Client:
    """Where a client keeps its servers: the file, and the key in it."""

    file: str
    key: str
    toml: bool = False
    extra: tuple[tuple[str, str], ...] = ()


CLIENTS = {
    "claude": Client(".mcp.json of a project, or claude_desktop_config.json", "mcpServers"),
    "cursor": Client("~/.cursor/mcp.json, or .cursor/mcp.json of a project", "mcpServers"),
    "vscode": Client(".vscode/mcp.json", "servers", extra=(("type", "stdio"),)),
    "codex": Client("~/.codex/config.toml", "mcp_servers", toml=True),
}


def command() -> list[str]:
    """How this program is started from anywhere: its script, else its interpreter and module."""
    script = Path(sys.executable).with_name("corpus-agent")
    return [str(script)] if script.exists() else [sys.executable, "-P", "-m", "corpus_agent"]


def snippet(client: str, arguments: Sequence[str]) -> str:
    """The configuration that has a client start the program with these arguments."""
    where = CLIENTS[client]
    program, *rest = [*command(), *arguments]
    if where.toml:
        # JSON strings and arrays of strings are TOML as well.
        lines = [f"[{where.key}.{NAME}]", f"command = {_json(program)}", f"args = {_json(rest)}"]
        return "\n".join(lines)
    server: dict[str, Any] = {**dict(where.extra), "command": program, "args": rest}
    return json.dumps({where.key: {NAME: server}}, indent=2, ensure_ascii=False)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
