"""Renders the output of `trust`: the permissions of a store, for review."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from corpus_agent.render.common import as_object
from corpus_agent.text.sanitize import one_line

if TYPE_CHECKING:
    from corpus_agent.trust.stores import Permission


def trust_object(found: Permission, *, recorded: bool) -> dict[str, Any]:
    """The JSON of `trust`; `recorded` is whether the store is trusted from now on."""
    manifest = found.manifest
    return as_object(
        trust={
            "store": one_line(str(found.place.store)),
            "root": one_line(str(found.place.root)),
            "root_exists": found.place.root.is_dir(),
            "owner": found.owner,
            "documents": manifest.coverage.indexed if manifest else None,
            "version": manifest.version if manifest else None,
            "updated": manifest.updated if manifest else None,
            "settings": found.settings,
            "recorded": recorded,
        }
    )


def trust_lines(content: dict[str, Any]) -> Iterator[str]:
    """The same as text, from its JSON."""
    said = content["trust"]
    yield f"store     {said['store']}, owner {said['owner']}"
    missing = "" if said["root_exists"] else "  (MISSING)"
    yield f"root      {said['root']}{missing}"
    yield "          whatever the index names below it can be searched, read and shown"
    if said["documents"] is None:
        yield "documents none yet: its first run did not finish"
    else:
        yield (
            f"documents {said['documents']:,}, version {said['version']} of {said['updated']}; "
            "the text of answers and passages comes from there"
        )
    settings = ", ".join(f"{key} = {value}" for key, value in said["settings"].items())
    yield f"settings  {settings or 'none'}"
    yield "Trusted from now on." if said["recorded"] else "Nothing was changed."
