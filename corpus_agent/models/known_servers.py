"""Which model server may be asked without being named: one of this user, or one named before.

On a machine that several people use, whoever comes first may listen where a model server is
expected, and would be sent passages. So `--llm auto` asks the user's own servers; another user's, a
system service's and root's included, once it was named by `--llm URL` and as long as it belongs to
whom it belonged to then. Keeps that in the user's own state; called before the seal.
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
    """Why a server may not be asked unnamed, in one line; None where it may.

    `owners` are the users whose process answers there, None where that cannot be seen. Raises
    NoUserState where another user's server would have to be looked up and cannot be.
    """
    if owners is None:
        return f"Whose model server answers at {address} cannot be seen, so it was not asked."
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
    """Keep that the user named this server; nothing is kept of the user's own.

    Raises NoUserState where it cannot be kept.
    """
    if owners is None or owners <= {os.geteuid()} or owners == _named(address):
        return

    def added(known: dict[str, Any]) -> dict[str, Any]:
        return {**known, str(address): {_OWNERS: sorted(owners)}}

    user_state.update(FILE_NAME, added)


def _named(address: TcpAddress) -> frozenset[int] | None:
    """The owners that a server had when it was named; None where it never was."""
    entry = user_state.load(FILE_NAME).get(str(address))
    owners = entry.get(_OWNERS) if isinstance(entry, dict) else None
    if not isinstance(owners, list) or not all(type(uid) is int for uid in owners):
        return None
    return frozenset(owners)
