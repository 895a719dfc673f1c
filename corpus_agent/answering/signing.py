"""The signature of a receipt: made here, and unchanged since. Pure; the key is user_state's."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corpus_agent.answering.receipt import Receipt


def signed(content: Receipt, key: bytes | None) -> Receipt:
    """The receipt with its signature; without one where there is no key."""
    return content if key is None else {**content, "signature": _signature(content, key)}


def is_own(content: Receipt, key: bytes | None) -> bool:
    """Whether this program made the receipt here, and nobody changed it since."""
    given = content.get("signature")
    if key is None or not isinstance(given, str) or not given.isascii():
        return False
    return hmac.compare_digest(given, _signature(content, key))


def _signature(content: Receipt, key: bytes) -> str:
    """HMAC-SHA256 of the canonical JSON of all but the signature itself."""
    rest = {name: value for name, value in content.items() if name != "signature"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return hmac.new(key, text.encode("ascii"), hashlib.sha256).hexdigest()
