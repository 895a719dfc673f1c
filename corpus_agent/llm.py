"""Which model answers: what the server at an address offers.

Asks a server for the names of its models; sends no question and no text of a document. Where a
server may be is endpoint.py's business; agent.py does the talking.
"""

from __future__ import annotations

import http.client
import re
import socket
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from corpus_agent.endpoint import PORTS, GgufFile, Server, Wanted, server_at
from corpus_agent.naming import called_model, quoted
from corpus_agent.seal.broker import UnixAddress
from indexer.errors import CorpusError, UsageError

PROBE_SECONDS = 0.5  # for one server, connection and answer together
MAX_LIST_BYTES = 1_000_000

_NOT_FOR_CHAT = re.compile("embed|rerank", re.IGNORECASE)


class ModelUnavailable(CorpusError):
    """There is no model, or it gave nothing usable; the question can be answered without it."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model that a server offers, under the server's name for it."""

    server: Server
    name: str


def find(
    wanted: Wanted, model_name: str | None = None, ports: Iterable[int] = tuple(PORTS.values())
) -> Model | None:
    """The model that is wanted, by an optional name; None for `none`, or `auto` without any.

    With `auto`, the first server on `ports` that has a model, or the one named. Raises UsageError
    for a name that no server found has; ModelUnavailable where the one server that was named does
    not answer or has no model. A model file needs a server first, and is none of this one's.
    """
    assert not isinstance(wanted, GgufFile)
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
            f"No model server on this machine has a model {quoted(model_name)}.",
            f"There are: {', '.join(map(called_model, seen))}.",
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
            f"No model server answers at {server}.",
            "Start it, or use --llm none to get the passages without a model.",
        )
    # The name is not checked against the list: llama.cpp takes any, Ollama takes short forms.
    name = model_name or _choose(names, None)
    if name is None:
        raise ModelUnavailable(
            f"The model server at {server} has no model to chat with.",
            "Load one there (with Ollama: ollama pull NAME), or use --llm none.",
        )
    return Model(server, name)


def _choose(names: list[str], wanted: str | None) -> str | None:
    """The wanted name as the server writes it, or the first that is no embedding model."""
    if wanted is not None:
        return next((name for name in names if name in (wanted, f"{wanted}:latest")), None)
    return next((name for name in names if not _NOT_FOR_CHAT.search(name)), None)


def _get_json(server: Server, path: str, seconds: float) -> object:
    """The JSON that a GET returns with status 200, else None.

    http.client follows no redirect and reads no proxy setting.
    """
    import json

    deadline = time.monotonic() + seconds
    connection = _connection(server, seconds)
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


def _connection(server: Server, seconds: float) -> http.client.HTTPConnection:
    if isinstance(server.address, UnixAddress):
        return _UnixConnection(server.address.path, timeout=seconds)
    return http.client.HTTPConnection(server.address.ip, server.address.port, timeout=seconds)


class _UnixConnection(http.client.HTTPConnection):
    """A connection to a Unix socket."""

    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        """Connect; raises OSError."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)
