"""Model servers that may be used without being named: this user's, and those named before.

On a shared machine any user may listen on a model server's port, and would be sent passages.
"""

from __future__ import annotations

import os
from typing import Any

from corpus_agent.seal.address import TcpAddress
from corpus_agent.seal.owner import owner_text
from corpus_agent.trust import user_state

FILE_NAME = "servers.json"
_OWNERS = "owners"  # of an entry: user numbers


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
