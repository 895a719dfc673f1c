"""Manifests as who has seen a store can write them: with the sum that its key makes."""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from indexer.store.manifest import SCHEMA, sum_of


def signed(store: Path, content: Mapping[str, object]) -> str:
    """The text of a manifest that says this; one of another schema is left without a sum."""
    bare = {key: value for key, value in content.items() if key != "check"}
    if bare.get("schema") != SCHEMA:
        return json.dumps(bare, indent=1)
    return json.dumps({**bare, "check": sum_of(store, bare)}, indent=1)


def signed_text(store: Path, text: str) -> str:
    """A manifest's text, spelled as no writer would, with the sum of what it is read as."""
    with suppress(ValueError, RecursionError):
        content = json.loads(text)
        if isinstance(content, dict) and content.get("schema") == SCHEMA:
            return text.replace("{", f'{{"check": "{sum_of(store, content)}", ', 1)
    return text
