"""What a relay is for, as a value: fixed before the seal, out of reach from inside."""

from __future__ import annotations

from dataclasses import dataclass

from corpus_agent.seal.address import Address


@dataclass(frozen=True, slots=True)
class Gate:
    """The one server that may be asked, and how.

    `models` are the names that a request may carry. `owners` are the users whose process may
    answer, None where that is not looked at.
    """

    address: Address
    models: frozenset[str]
    owners: frozenset[int] | None
