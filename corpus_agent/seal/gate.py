"""The permissions of a relay as a value, fixed before the seal, out of reach from inside."""

from __future__ import annotations

from dataclasses import dataclass

from corpus_agent.seal.address import Address


@dataclass(frozen=True, slots=True)
class Gate:
    """The one server that a relay may use, and how.

    `models` are the model names that a request may contain. `owners` are the users whose process
    may answer, None if that is not checked.
    """

    address: Address
    models: frozenset[str]
    owners: frozenset[int] | None
