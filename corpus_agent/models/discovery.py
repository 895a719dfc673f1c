"""Finds the model: asks servers for the names of their models, and whose process answers."""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from corpus_agent.models.address import PORTS, GgufFile, Server, Wanted, server_at
from corpus_agent.seal.address import TcpAddress, UnixAddress
from corpus_agent.seal.owner import (
    OwnerUnknown,
    SocketTables,
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
from corpus_agent.trust.user_state import NoUserState
from indexer import CorpusError, UsageError

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
_OWNERS = "owners"  # of an entry: user numbers


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
    """A model under its server's name for it; `listed` are all that its server has here."""

    server: Server
    name: str
    listed: tuple[str, ...] = field(default=(), compare=False)
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
        if (refusal := _refusal(server, listing.owners)) is not None:
            refused.append(refusal)
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


class Busy(Exception):
    """The server says that it will answer later."""


def listing_of(server: Server, seconds: float = PROBE_SECONDS) -> Listing | None:
    """The models in the server's order, and its owner; None if no model server answers."""
    try:
        return _listing(server, seconds)
    except Busy:
        return None


def _listing(server: Server, seconds: float) -> Listing | None:
    answer = _answer(server, seconds)
    listing, owners = answer if answer is not None else (None, None)
    entries = listing.get("data") if isinstance(listing, dict) else None
    if entries is None and isinstance(listing, dict) and listing.get("object") == "list":
        return Listing([], owners)  # Ollama without models: {"object": "list", "data": null}
    if not isinstance(entries, list):
        return None
    names = [entry.get("id") for entry in entries if isinstance(entry, dict)]
    texts = [name for name in names if isinstance(name, str) and name]
    return Listing(texts, owners) if len(texts) == len(entries) else None


def _refusal(server: Server, owners: frozenset[int] | None) -> ModelUnavailable | None:
    """The reason why a server that was not named may not be used; None if it may."""
    assert isinstance(server.address, TcpAddress)
    hint = f"If you trust it, name it once: --llm {server.address.base_url}"
    try:
        message = refusal(server.address, owners)
    except NoUserState as error:
        message = f"The model server at {server.address} is not yours. {error}"
    return ModelUnavailable(message, hint) if message is not None else None


def _at(server: Server, model_name: str | None) -> Model:
    listing = _waited_for(server)
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
    return replace(_model(server, name, listing), notices=_remembered(server, listing.owners))


def _waited_for(server: Server) -> Listing | None:
    """The listing of a named server, which may be loading its model."""
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            return _listing(server, 10 * PROBE_SECONDS)
        except Busy:
            if time.monotonic() > until:
                return None
            time.sleep(RETRY_SECONDS)


def _remembered(server: Server, owners: frozenset[int] | None) -> tuple[str, ...]:
    """Record that this server was named; returns a notice if that fails."""
    if isinstance(server.address, TcpAddress) and server.remote is None:
        try:
            remember(server.address, owners)
        except NoUserState as error:
            return (f"The address {server.address} could not be remembered: {error.message}",)
    return ()


def _model(server: Server, name: str, listing: Listing) -> Model:
    owner = owner_text(listing.owners) if listing.owners else None
    here = tuple(each for each in listing.names if not _ELSEWHERE.search(each))
    return Model(replace(server, owner=owner), name, here, listing.owners)


def _choose(names: list[str], wanted: str | None) -> str | None:
    """The requested name in the server's spelling, or the first local chat model."""
    if wanted is not None:
        return next((name for name in names if name in (wanted, f"{wanted}:latest")), None)
    unfit = (_NOT_FOR_CHAT, _ELSEWHERE)
    return next((name for name in names if not any(each.search(name) for each in unfit)), None)


def _answer(server: Server, seconds: float) -> tuple[object, frozenset[int] | None] | None:
    """The JSON of a server's list with status 200, and the owner of the process; else None."""
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
            if response.status == http.client.SERVICE_UNAVAILABLE:
                raise Busy
            if response.status != http.client.OK:
                return None
            owners = _owners(server, sock)
            wire.begin_body()
            body = response.read(MAX_LIST_BYTES + 1)
            return (json.loads(body), owners) if len(body) <= MAX_LIST_BYTES else None
        except (OSError, Failed, http.client.HTTPException, ValueError, RecursionError):
            return None


def _owners(server: Server, connected: socket.socket) -> frozenset[int] | None:
    """The users whose process accepted a connection and answered; None if not determined."""
    if server.remote is not None:
        return None
    try:
        if isinstance(server.address, UnixAddress):
            return checked(peer_of(connected), all_users_are_known())
        tables = SocketTables.open()
        try:
            return tables.owners(server.address, connected.getsockname()[:2]) or None
        finally:
            tables.close()
    except OwnerUnknown:
        return None


# ---- Servers that may be used without being named: this user's, and those named before.
# On a shared machine any user may listen on a model server's port, and would be sent passages.


def refusal(address: TcpAddress, owners: frozenset[int] | None) -> str | None:
    """The reason why a server may not be used unnamed, in one line; None if it may."""
    if owners is None:
        return f"The owner of the model server at {address} is not known, so it was not asked."
    if owners <= {os.geteuid()}:
        return None
    named = _named(address)
    if owners == named:
        return None
    other = f"The model server at {address} belongs to {owner_text(owners)}"
    if named is not None:
        return f"{other}; when it was named, to {owner_text(named)}. It was not asked."
    return f"{other}, not to you, so it was not asked."


def remember(address: TcpAddress, owners: frozenset[int] | None) -> None:
    """Record that the user named this server; the user's own servers are not recorded."""
    if owners is None or owners <= {os.geteuid()} or owners == _named(address):
        return

    def added(known: dict[str, Any]) -> dict[str, Any]:
        return {**known, str(address): {_OWNERS: sorted(owners)}}

    user_state.update(FILE_NAME, added)


def _named(address: TcpAddress) -> frozenset[int] | None:
    """The owners that a server had when it was named; None if it never was."""
    entry = user_state.load(FILE_NAME).get(str(address))
    owners = entry.get(_OWNERS) if isinstance(entry, dict) else None
    if not isinstance(owners, list) or not all(type(uid) is int for uid in owners):
        return None
    return frozenset(owners)
