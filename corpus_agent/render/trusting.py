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
    trust = content["trust"]
    yield f"store     {trust['store']}, owner {trust['owner']}"
    missing = "" if trust["root_exists"] else "  (MISSING)"
    yield f"root      {trust['root']}{missing}"
    yield "          whatever the index names below it can be searched, read and shown"
    if trust["documents"] is None:
        yield "documents none yet: its first run did not finish"
    else:
        yield (
            f"documents {trust['documents']:,}, version {trust['version']} of {trust['updated']}; "
            "the text of answers and passages comes from there"
        )
    settings = ", ".join(f"{key} = {value}" for key, value in trust["settings"].items())
    yield f"settings  {settings or 'none'}"
    yield "Trusted from now on." if trust["recorded"] else "Nothing was changed."
