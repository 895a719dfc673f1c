"""Where a model is: the meaning of `--llm`, and what answers on loopback.

Accepts loopback addresses alone and asks a server for the names of its models; it sends no
question and no text of a document. Called by the command line; agent.py does the talking.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, cast

from corpus_agent.clean import one_line
from indexer.errors import CorpusError, UsageError

PROBE_SECONDS = 0.5  # for one server, connection and answer together
MAX_LIST_BYTES = 1_000_000
PORTS = {"Ollama": 11434, "llama.cpp": 8080, "LM Studio": 1234, "vLLM": 8000}

_EXAMPLE = f"http://127.0.0.1:{PORTS['Ollama']}"
_FORMS = f"Give --llm auto, --llm none or --llm {_EXAMPLE}."
# The whole of what an address may be spelled with; what is missing here (user names, percent signs,
# backslashes, white space, other scripts) is read differently by different libraries.
_URL = re.compile(
    r"http://(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(?::(?P<port>[0-9]{1,5}))?(?:/(?:v1/?)?)?",
    re.IGNORECASE,
)
_DOTTED = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")
_NOT_FOR_CHAT = re.compile("embed|rerank", re.IGNORECASE)


class ModelUnavailable(CorpusError):
    """There is no model, or it gave nothing usable; the question can be answered without it."""


@dataclass(frozen=True, slots=True)
class Server:
    """A model server on this machine; `host` is a numeric loopback address, without brackets."""

    base_url: str
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class Model:
    """A model that a server offers, under the server's name for it."""

    server: Server
    name: str


def parse(llm: str) -> Server | Literal["auto", "none"]:
    """What `--llm` says. Raises UsageError for all that is not this machine."""
    if llm == "auto":
        return "auto"
    if llm == "none":
        return "none"
    if llm.startswith(("unix:", "gguf:")):
        raise UsageError(
            f"--llm {llm!r}: {llm[:5]} is not supported by this version.",
            f"Start a model server on this machine and give --llm {_EXAMPLE}.",
        )
    match = _URL.fullmatch(llm)
    if match is None:
        raise UsageError(f"--llm {llm!r} is {_defect(llm)}.", _FORMS)
    host = _loopback(llm, match["host"].lower().strip("[]"))
    if match["port"] is None:
        raise UsageError(f"--llm {llm!r} names no port.", f"Give --llm {_EXAMPLE}.")
    port = int(match["port"])
    if not 1 <= port <= 65535:
        raise UsageError(f"--llm {llm!r}: a port is 1 to 65535, not {port}.", _FORMS)
    return server_at(host, port)


def server_at(host: str, port: int) -> Server:
    """The server at a numeric address."""
    shown = f"[{host}]" if ":" in host else host
    return Server(f"http://{shown}:{port}/v1", host, port)


def find(
    llm: str, model_name: str | None = None, ports: Iterable[int] = tuple(PORTS.values())
) -> Model | None:
    """The model that `--llm` and an optional name mean; None for `none`, or `auto` without any.

    With `auto`, the first server on `ports` that has a model, or the one named. Raises UsageError
    for a host that is not loopback, or a name that no server found has; ModelUnavailable where the
    one server that was named does not answer or has no model.
    """
    wanted = parse(llm)
    if wanted == "none":
        return None
    if isinstance(wanted, Server):
        return _at(wanted, model_name)
    seen: list[str] = []
    for port in ports:
        server = server_at("127.0.0.1", port)
        names = model_names(server)
        chosen = _choose(names, model_name) if names else None
        if chosen is not None:
            return Model(server, chosen)
        seen += names or []
    if model_name is not None and seen:
        raise UsageError(
            f"No model server on this machine has a model {model_name!r}.",
            f"There are: {', '.join(map(one_line, seen))}.",
        )
    return None


def model_names(server: Server, seconds: float = PROBE_SECONDS) -> list[str] | None:
    """The models in the server's order; None where nothing, or something else, answers there."""
    listing = _get_json(server, "/v1/models", seconds)
    entries = listing.get("data") if isinstance(listing, dict) else None
    if entries is None and isinstance(listing, dict) and listing.get("object") == "list":
        return []  # Ollama without models: {"object": "list", "data": null}
    if not isinstance(entries, list):
        return None
    names = [entry.get("id") for entry in entries if isinstance(entry, dict)]
    texts = [name for name in names if isinstance(name, str) and name]
    return texts if len(texts) == len(entries) else None


def _at(server: Server, model_name: str | None) -> Model:
    names = model_names(server, seconds=10 * PROBE_SECONDS)
    if names is None:
        raise ModelUnavailable(
            f"No model server answers at {server.base_url}.",
            "Start it, or use --llm none to get the passages without a model.",
        )
    # The name is not checked against the list: llama.cpp takes any, Ollama takes short forms.
    name = model_name or _choose(names, None)
    if name is None:
        raise ModelUnavailable(
            f"The model server at {server.base_url} has no model to chat with.",
            "Load one there (with Ollama: ollama pull NAME), or use --llm none.",
        )
    return Model(server, name)


def _choose(names: list[str], wanted: str | None) -> str | None:
    """The wanted name as the server writes it, or the first that is no embedding model."""
    if wanted is not None:
        return next((name for name in names if name in (wanted, f"{wanted}:latest")), None)
    return next((name for name in names if not _NOT_FOR_CHAT.search(name)), None)


def _defect(llm: str) -> str:
    """What is wrong with a value that has none of the forms, for the message."""
    if "://" not in llm:
        return "not understood"
    scheme = llm.partition("://")[0]
    if "@" in llm:
        return "an address with a user name, which is not accepted"
    if scheme.isalnum() and scheme.lower() != "http":
        return f"an address of {scheme}; a model on this machine is reached by http"
    return "not an address of a model server, http://HOST:PORT"


def _loopback(llm: str, host: str) -> str:
    """The numeric loopback address that `host` is.

    127.0.0.0/8 in four decimal numbers, ::1, or localhost where it resolves to nothing else.
    """
    import ipaddress

    if host == "localhost":
        return _localhost(llm)
    try:
        address = ipaddress.ip_address(host) if _DOTTED.fullmatch(host) or ":" in host else None
    except ValueError:
        address = None
    if address is None or not address.is_loopback or getattr(address, "ipv4_mapped", None):
        raise UsageError(
            f"--llm {llm!r}: {host!r} is not this machine, and nothing may leave it.",
            "Use a host in 127.0.0.0/8, [::1] or localhost.",
        )
    return str(address)


def _localhost(llm: str) -> str:
    """The address of localhost, IPv4 first as model servers listen there; pinned from here on."""
    import ipaddress
    import socket

    try:
        found = socket.getaddrinfo("localhost", None, type=socket.SOCK_STREAM)
    except OSError as error:
        raise UsageError(
            f"--llm {llm!r}: localhost does not resolve ({error}).", f"Give --llm {_EXAMPLE}."
        ) from error
    addresses = {str(entry[4][0]) for entry in found}
    elsewhere = sorted(a for a in addresses if not ipaddress.ip_address(a).is_loopback)
    if elsewhere:
        raise UsageError(
            f"--llm {llm!r}: on this machine localhost also means {elsewhere[0]}.",
            f"Give --llm {_EXAMPLE}, or mend /etc/hosts.",
        )
    return min(addresses, key=lambda address: (":" in address, address))


def _get_json(server: Server, path: str, seconds: float) -> object:
    """The JSON that a GET returns with status 200, else None.

    http.client follows no redirect and reads no proxy setting.
    """
    import http.client
    import json

    deadline = time.monotonic() + seconds
    connection = http.client.HTTPConnection(server.host, server.port, timeout=seconds)
    try:
        connection.request("GET", path, headers={"Accept": "application/json"})
        response = connection.getresponse()
        body = b""
        while response.status == 200 and len(body) <= MAX_LIST_BYTES:
            if time.monotonic() > deadline:
                return None
            part = response.read1(65536)
            if not part:
                return cast(object, json.loads(body))
            body += part
    except (OSError, http.client.HTTPException, ValueError, RecursionError):
        return None
    finally:
        connection.close()
    return None
