"""The values of `--llm`: this machine alone, or one other host that is permitted by name."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from corpus_agent.seal.address import Address, TcpAddress, UnixAddress
from indexer import UsageError, paths

PORTS = {"Ollama": 11434, "llama.cpp": 8080, "LM Studio": 1234, "vLLM": 8000}

_EXAMPLE = f"http://127.0.0.1:{PORTS['Ollama']}"
_FORMS = f"Give --llm auto, none, {_EXAMPLE}, unix:SOCKET or gguf:FILE."
# All characters of a permitted address; the others (user names, percent signs, backslashes, white
# space, other scripts) are parsed differently by different libraries.
_URL = re.compile(
    r"http://(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(?::(?P<port>[0-9]{1,5}))?(?:/(?:v1/?)?)?",
    re.IGNORECASE,
)
_DOTTED = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")


@dataclass(frozen=True, slots=True)
class Server:
    """A model server; `remote` is a permitted host elsewhere, `owner` whose process answered."""

    base_url: str
    address: Address
    remote: str | None = None
    owner: str | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return str(self.address) if isinstance(self.address, UnixAddress) else self.base_url

    @property
    def egress(self) -> str | None:
        """The remote host, as recorded in every answer; None if passages stay on this machine."""
        return f"remote-llm {self.remote}" if self.remote else None


@dataclass(frozen=True, slots=True)
class GgufFile:
    """A model file, for which a server is to be started."""

    path: Path


Wanted = Server | GgufFile | Literal["auto", "none"]


def parse(llm: str, allow_remote: str | None = None) -> Wanted:
    """The parsed value of `--llm`; `allow_remote` is the one permitted host elsewhere."""
    if llm == "auto":
        return "auto"
    if llm == "none":
        return "none"
    if llm.startswith("unix:"):
        return _socket(llm)
    if llm.startswith("gguf:"):
        return _weights(llm)
    match = _URL.fullmatch(llm)
    if match is None:
        raise UsageError(f"--llm {llm!r} is not the address of a model server.", _FORMS)
    port = int(match["port"] or 0)
    if not 1 <= port <= 65535:
        raise UsageError(f"--llm {llm!r} has no port from 1 to 65535.", f"Give --llm {_EXAMPLE}.")
    host = match["host"].lower().strip("[]")
    if allow_remote is not None and host == allow_remote.lower().strip("[]"):
        return _permitted(llm, host, port)
    return server_at(_loopback(llm, host), port)


def server_at(host: str, port: int, remote: str | None = None) -> Server:
    """The server at a numeric address."""
    address = TcpAddress(host, port)
    return Server(f"{address.base_url}/v1", address, remote)


def server_on(path: Path) -> Server:
    """The server that listens on a Unix socket."""
    address = UnixAddress(str(path))
    return Server(f"{address.base_url}/v1", address)


def _socket(llm: str) -> Server:
    path = paths.expanded(Path(llm.removeprefix("unix:")))
    if not path.is_socket():
        raise UsageError(f"--llm {llm!r}: there is no socket {str(path)!r}.", _FORMS)
    return server_on(path.resolve())


def _weights(llm: str) -> GgufFile:
    path = paths.expanded(Path(llm.removeprefix("gguf:")))
    if not path.is_file():
        raise UsageError(f"--llm {llm!r}: there is no file {str(path)!r}.", _FORMS)
    return GgufFile(path.resolve())


def _permitted(llm: str, host: str, port: int) -> Server:
    """The server on a host that the user permitted, at its first address, which is then fixed."""
    import socket

    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise UsageError(f"--llm {llm!r}: {host!r} does not resolve ({error}).", _FORMS) from error
    address = TcpAddress(str(found[0][4][0]), port)
    return server_at(address.ip, port, None if address.is_local else host)


def _loopback(llm: str, host: str) -> str:
    """The numeric loopback address that `host` is: 127.0.0.0/8 in decimal, ::1, or localhost."""
    import ipaddress

    if host == "localhost":
        return "127.0.0.1"  # whatever /etc/hosts says; a server on ::1 alone is named by that
    try:
        address = ipaddress.ip_address(host) if _DOTTED.fullmatch(host) or ":" in host else None
    except ValueError:
        address = None
    if address is None or not address.is_loopback or getattr(address, "ipv4_mapped", None):
        raise UsageError(
            f"--llm {llm!r}: {host!r} is not this machine, and nothing may leave it.",
            "Use a host in 127.0.0.0/8, [::1] or localhost. To another machine, an ssh tunnel "
            f"keeps the address local; to send passages there, add --allow-remote-llm {host}",
        )
    return str(address)
