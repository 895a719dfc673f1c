"""Where a model is: the values of `--llm`, the servers that answer there, and whose they are."""

from __future__ import annotations

import http.client
import ipaddress
import json
import os
import re
import socket
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from corpus_agent.seal.address import Address, TcpAddress, UnixAddress
from corpus_agent.seal.owner import (
    OwnerUnknown,
    SocketLookup,
    all_users_are_known,
    checked,
    owner_text,
    peer_of,
)
from corpus_agent.seal.routes import Route
from corpus_agent.seal.upstream import Failed, Wire, request_bytes
from corpus_agent.text.naming import MODEL, called, quoted
from corpus_agent.text.sanitize import inert, one_line
from corpus_agent.trust import user_state
from indexer import CorpusError, UsageError, paths

# ---- The values of `--llm`

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

    address: Address
    remote: str | None = None
    owner: str | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return str(self.address) if isinstance(self.address, UnixAddress) else self.base_url

    @property
    def base_url(self) -> str:
        """What the paths of its requests begin with."""
        return f"{self.address.base_url}/v1"

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
        return Server(UnixAddress(str(_named_file(llm, "socket"))))
    if llm.startswith("gguf:"):
        return GgufFile(_named_file(llm, "file"))
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
    return Server(TcpAddress(host, port), remote)


def _named_file(llm: str, kind: str) -> Path:
    """The socket or the file that a value names."""
    path = paths.expanded(Path(llm.partition(":")[2]))
    if not (path.is_socket() if kind == "socket" else path.is_file()):
        raise UsageError(f"--llm {llm!r}: there is no {kind} {str(path)!r}.", _FORMS)
    return path.resolve()


def _permitted(llm: str, host: str, port: int) -> Server:
    """The server on a host that the user permitted, at its first address, which is then fixed."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise UsageError(f"--llm {llm!r}: {host!r} does not resolve ({error}).", _FORMS) from error
    address = TcpAddress(str(found[0][4][0]), port)
    return server_at(address.ip, port, None if address.is_local else host)


def _loopback(llm: str, host: str) -> str:
    """The numeric loopback address that `host` is: 127.0.0.0/8 in decimal, ::1, or localhost."""
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


# ---- The servers that answer

PROBE_SECONDS = 0.5  # for one server, connection and answer together
BUSY_SECONDS = 30.0  # a server that loads its model says 503 meanwhile
RETRY_SECONDS = 0.5
MAX_LIST_BYTES = 1_000_000
MAX_SAID = 200  # characters of a server's words that are shown

_LIST = Route("GET", "/v1/models")
_ONE_WORD = re.compile(r"[\w.:@+/-]{1,100}")
_NOT_FOR_CHAT = re.compile("embed|rerank", re.IGNORECASE)
# Ollama forwards requests for such a model to its vendor's machines.
_ELSEWHERE = re.compile(r"[:-]cloud\Z", re.IGNORECASE)
FILE_NAME = "servers.json"


class ModelUnavailable(CorpusError):
    """There is no model, or no usable reply; the question can be answered without it.

    `said` are the server's own words, cleaned and in quotation marks, for people: no message, and
    nothing that a parent gets, has them.
    """

    code = "model_unavailable"

    def __init__(self, message: str, hint: str = "", *, said: str = "") -> None:
        super().__init__(message, hint)
        words = one_line(inert(said[:MAX_SAID]))
        self.said = f"The server says “{words}”." if words else ""


@dataclass(frozen=True, slots=True)
class Model:
    """A model under its server's name for it."""

    server: Server
    name: str
    owners: frozenset[int] | None = field(default=None, compare=False)
    notices: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Listing:
    """The names of a server's models, and whose process answered; None if that is not known."""

    names: list[str]
    owners: frozenset[int] | None


def find(
    wanted: Wanted, model_name: str | None = None, ports: Iterable[int] = tuple(PORTS.values())
) -> Model | None:
    """The requested model; None for `none`, or for `auto` if no server on `ports` has one.

    Raises UsageError if no server has a model of that name, ModelUnavailable if the named server
    does not answer or has no model, or if none of those found may be used.
    """
    assert not isinstance(wanted, GgufFile)
    if wanted == "none":
        return None
    if isinstance(wanted, Server):
        return _at(wanted, model_name)
    seen: list[str] = []
    refused: list[ModelUnavailable] = []
    for port in ports:
        server = server_at("127.0.0.1", port)
        listing = listing_of(server)
        if listing is None:
            continue
        if (why := refusal(server, listing.owners)) is not None:
            refused.append(why)
            continue
        chosen = _choose(listing.names, model_name)
        if chosen is not None:
            return _model(server, chosen, listing)
        seen += listing.names
    if model_name is not None and seen:
        raise UsageError(
            f"No model server on this machine has a model {quoted(model_name)}.",
            f"There are: {', '.join(called(name, kind=MODEL, again=True) for name in seen)}.",
        )
    if refused:
        raise refused[0]
    return None


def shown_name(model: str) -> str:
    """A model's name, which its server chose, as it is shown: one word, or the end of a path."""
    name = one_line(model)
    words = (name, name.rpartition("/")[2])
    return next((word for word in words if _ONE_WORD.fullmatch(word)), "a model")


def listing_of(server: Server, seconds: float = PROBE_SECONDS, wait: float = 0.0) -> Listing | None:
    """The models in the server's order, and its owner; None if no model server answers.

    One that is loading its model is waited for.
    """
    until = time.monotonic() + wait
    status, listing, owners = _answer(server, seconds)
    while status == http.client.SERVICE_UNAVAILABLE and time.monotonic() < until:
        time.sleep(RETRY_SECONDS)
        status, listing, owners = _answer(server, seconds)
    entries = listing.get("data") if isinstance(listing, dict) else None
    if isinstance(listing, dict) and listing.get("object") == "list":
        entries = entries or []  # Ollama without models: {"object": "list", "data": null}
    if not isinstance(entries, list):
        return None
    names = [entry.get("id") for entry in entries if isinstance(entry, dict)]
    texts = [name for name in names if isinstance(name, str) and name]
    return Listing(texts, owners) if len(texts) == len(entries) else None


def _at(server: Server, model_name: str | None) -> Model:
    listing = listing_of(server, 10 * PROBE_SECONDS, BUSY_SECONDS)
    if listing is None:
        raise ModelUnavailable(
            f"No model server answers at {server.address}.",
            "Start it, or use --llm none to get the passages without a model.",
        )
    # The name is not checked against the list: llama.cpp accepts any, Ollama accepts short forms.
    name = model_name or _choose(listing.names, None)
    if name is None:
        raise ModelUnavailable(
            f"The model server at {server.address} has no model to chat with.",
            "Load one there (with Ollama: ollama pull NAME), or use --llm none.",
        )
    notices: tuple[str, ...] = ()
    if isinstance(server.address, TcpAddress) and server.remote is None:
        try:
            remember(server.address, listing.owners)
        except user_state.NoUserState as error:
            notices = (f"The address {server.address} could not be remembered: {error.message}",)
    return replace(_model(server, name, listing), notices=notices)


def _model(server: Server, name: str, listing: Listing) -> Model:
    owner = owner_text(listing.owners) if listing.owners else None
    return Model(replace(server, owner=owner), name, listing.owners)


def _choose(names: list[str], wanted: str | None) -> str | None:
    """The requested name in the server's spelling, or the first local chat model."""
    if wanted is not None:
        return next((name for name in names if name in (wanted, f"{wanted}:latest")), None)
    unfit = (_NOT_FOR_CHAT, _ELSEWHERE)
    return next((name for name in names if not any(each.search(name) for each in unfit)), None)


def _answer(server: Server, seconds: float) -> tuple[int, object, frozenset[int] | None]:
    """The status of a server, 0 for none; with 200 the JSON of its list, and its owner."""
    address = server.address
    with socket.socket(address.family, socket.SOCK_STREAM) as sock:
        try:
            sock.settimeout(seconds)
            sock.connect(
                address.path if isinstance(address, UnixAddress) else (address.ip, address.port)
            )
            sock.sendall(request_bytes(address, _LIST, b""))
            wire = Wire(sock, seconds)
            response = http.client.HTTPResponse(wire)  # type: ignore[arg-type]
            response.begin()
            if response.status != http.client.OK:
                return response.status, None, None
            owners = _owners(server, sock)
            wire.begin_body()
            body = response.read(MAX_LIST_BYTES + 1)
            listed = json.loads(body) if len(body) <= MAX_LIST_BYTES else None
            return response.status, listed, owners
        except (OSError, Failed, http.client.HTTPException, ValueError, RecursionError):
            return 0, None, None


def _owners(server: Server, connected: socket.socket) -> frozenset[int] | None:
    """The users whose process accepted a connection and answered; None if not determined."""
    if server.remote is not None:
        return None
    try:
        if isinstance(server.address, UnixAddress):
            return checked(peer_of(connected), all_users_are_known())
        lookup = SocketLookup.open()
        try:
            return lookup.owners(server.address, connected.getsockname()[:2]) or None
        finally:
            lookup.close()
    except OwnerUnknown:
        return None


# ---- Servers that may be used without being named: this user's, and those named before.
# On a shared machine any user may listen on a model server's port, and would be sent passages.


def refusal(server: Server, owners: frozenset[int] | None) -> ModelUnavailable | None:
    """The reason why a server that was not named may not be used; None if it may."""
    assert isinstance(server.address, TcpAddress)
    whose = f"The model server at {server.address} belongs to {owner_text(owners or frozenset())}"
    if owners is None:
        message = f"The owner of the model server at {server.address} is not known"
    elif owners <= {os.geteuid()}:
        return None
    else:
        try:
            named = _named(server.address)
        except user_state.NoUserState as error:
            return ModelUnavailable(f"{whose}, not to you. {error}")
        if owners == named:
            return None
        message = f"{whose}, not to you"
        if named is not None:
            message = f"{whose}; when it was named, to {owner_text(named)}"
    hint = f"If you trust it, name it once: --llm {server.address.base_url}"
    return ModelUnavailable(f"{message}, so it was not asked.", hint)


def remember(address: TcpAddress, owners: frozenset[int] | None) -> None:
    """Record that the user named this server; the user's own servers are not recorded."""
    if owners is None or owners <= {os.geteuid()} or owners == _named(address):
        return

    def added(known: dict[str, Any]) -> dict[str, Any]:
        return {**known, str(address): {"owners": sorted(owners)}}

    user_state.update(FILE_NAME, added)


def _named(address: TcpAddress) -> frozenset[int] | None:
    """The owners that a server had when it was named; None if it never was."""
    entry = user_state.load(FILE_NAME).get(str(address))
    owners = entry.get("owners") if isinstance(entry, dict) else None
    if not isinstance(owners, list) or not all(type(uid) is int for uid in owners):
        return None
    return frozenset(owners)
