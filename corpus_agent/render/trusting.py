"""Renders the output of `trust`, the permissions of a store for review, and of `stores`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from corpus_agent.render.common import as_object, local_time
from corpus_agent.text.naming import PATH, called, unambiguous
from corpus_agent.text.sanitize import one_line
from corpus_agent.text.wording import number_of
from indexer import paths

if TYPE_CHECKING:
    from corpus_agent.trust.known import KnownStore
    from corpus_agent.trust.stores import Permission


def trust_object(found: Permission, *, recorded: bool) -> dict[str, Any]:
    """The JSON of `trust`; `recorded` is whether the store is trusted from now on."""
    manifest = found.manifest
    return as_object(
        trust={
            "store": unambiguous(str(found.place.store)),
            "root": unambiguous(str(found.place.root)),
            "root_exists": paths.is_folder(found.place.root),
            "owner": found.owner,
            "documents": manifest.coverage.indexed if manifest else None,
            "version": manifest.version if manifest else None,
            "updated": manifest.updated if manifest else None,
            "settings": found.settings,
            "recorded": recorded,
            "already": found.recorded,
        }
    )


def trust_lines(content: dict[str, Any]) -> Iterator[str]:
    """The same as text, from its JSON."""
    trust = content["trust"]
    yield f"store     {_path(trust['store'])}, owner {trust['owner']}"
    missing = "" if trust["root_exists"] else "  (MISSING)"
    yield f"root      {_path(trust['root'])}{missing}"
    yield "          whatever the index names below it can be searched, read and shown"
    if trust["documents"] is None:
        yield "documents none yet: its first run did not finish"
    else:
        made = local_time(trust["updated"])
        yield (
            f"documents {trust['documents']:,}, version {trust['version']} of {made}; "
            "the text of answers and passages comes from there"
        )
    settings = ", ".join(f"{key} = {value}" for key, value in trust["settings"].items())
    yield f"settings  {settings or 'none'}"
    said = "Trusted already." if trust["already"] else "Trusted from now on."
    yield said if trust["recorded"] else "Nothing was changed."


def _path(shown: str) -> str:
    """A path of the JSON, as it is typed."""
    return called(shown, kind=PATH, again=True)


def stores_object(found: Sequence[KnownStore]) -> dict[str, Any]:
    """The JSON of `stores`."""
    return as_object(
        stores=[
            {
                "name": one.name,
                "store": unambiguous(str(one.store)),
                "root": unambiguous(str(one.root)),
                "root_exists": paths.is_folder(one.root),
                "problem": one_line(one.problem) if one.problem else None,
                "documents": one.manifest.coverage.searched if one.manifest else None,
                "chunks": one.manifest.chunks if one.manifest else None,
                "version": one.manifest.version if one.manifest else None,
                "updated": one.manifest.updated if one.manifest else None,
                "since": one_line(one.since),
            }
            for one in found
        ]
    )


def stores_lines(content: dict[str, Any]) -> Iterator[str]:
    """The same as text, from its JSON."""
    found = content["stores"]
    wide = max((len(one["name"]) for one in found), default=0)
    for one in found:
        missing = "" if one["root_exists"] else "  (MISSING)"
        yield f"{one['name']:<{wide}}  {_path(one['root'])}{missing}"
        if one["problem"]:
            yield f"{'':{wide}}  NOT USABLE: {one['problem']}"
        else:
            counts = (
                f"{number_of(one['documents'], 'document')}, {number_of(one['chunks'], 'passage')}"
            )
            yield f"{'':{wide}}  {counts}, version {one['version']} of {local_time(one['updated'])}"
        yield f"{'':{wide}}  in {_path(one['store'])}, yours since {local_time(one['since'])}"
    if not found:
        yield "No index of yours is recorded. Make one: corpus-agent index FOLDER"
