"""What is known of an index on a screen and in JSON: `status`, `trust`, `stores`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from corpus_agent.render.common import advised, as_object, local_time, size_of, taken
from corpus_agent.text.naming import PATH, called, unambiguous
from corpus_agent.text.sanitize import one_line
from corpus_agent.text.wording import UNREAD_FILES, number_of
from indexer import INSTALL_OCR, LEAST_UNREAD, paths

if TYPE_CHECKING:
    from corpus_agent.render.common import Object
    from corpus_agent.service.service import IndexStatus
    from corpus_agent.trust.stores import Permission, StorePlace
    from corpus_agent.trust.which_index import KnownStore
    from indexer import storage

MULTILINGUAL = "corpus-agent --model multilingual index"


def _path(shown: str) -> str:
    """A path of the JSON, as it is typed."""
    return called(shown, kind=PATH, again=True)


# ---- status

_COUNTED = "indexed empty failed skipped unreachable kept_out blank waiting pictures"


def status_object(status: IndexStatus) -> Object:
    """The JSON of `status`."""
    manifest = status.manifest
    waits = manifest.waiting_pages or manifest.waiting_pictures
    scans = "corpus-agent index --ocr auto" if status.recogniser else INSTALL_OCR
    return as_object(
        version=manifest.version,
        **_where(status),
        files=taken(manifest.coverage, _COUNTED) | {"ignored": manifest.ignored},
        recognition={
            "engine": status.recogniser,
            "tesseract": list(status.tesseract),
            **taken(manifest, "waiting_pages waiting_pictures"),
            "command": scans if waits else None,  # that reads them
        },
        languages={
            "chunks": manifest.languages,
            "unread": round(manifest.unread, 4),
            "command": MULTILINGUAL if not_read(manifest.unread) else None,
        },
        chunks=manifest.chunks,
        bytes=status.used.bytes,
        disk=taken(status.used, "tables versions"),
        **taken(manifest.fingerprint, "model chunker"),
        engine=status.engine,
        **taken(manifest, "complete updated"),
    )


def not_read(share: float) -> str:
    """What it means that this share of the passages is not in English; "" below a hundredth."""
    if share < LEAST_UNREAD:
        return ""
    return f"{share:.0%} of the passages are not English: found by words, less by meaning"


def waiting_text(pages: int, pictures: int) -> str:
    """How many pages and pictures wait, as text; "" for none."""
    counts = ((pages, "page"), (pictures, "picture"))
    return " and ".join(number_of(count, noun) for count, noun in counts if count)


def status_lines(
    status: Object, *, verbose: bool = False, name: str = "", places: bool = True
) -> Iterator[str]:
    """The status as text, from its JSON; without `verbose` only what is there and what lacks.

    `name` is that of one of several indexes; without `places` no path of this machine is named.
    """
    files, scans, languages = status["files"], status["recognition"], status["languages"]
    yield _held(files["indexed"], status)
    if not status["complete"]:
        yield advised("The last run did not end: corpus-agent index goes on from there", name)
    unread = files["failed"] + files["empty"] - files["blank"] - files["waiting"]
    waiting = waiting_text(scans["waiting_pages"], scans["waiting_pictures"])
    then = "" if scans["engine"] else ", then: corpus-agent index"
    foreign = f"{not_read(languages['unread'])}. For any language: {languages['command']}"
    rows = {
        "folder": _root(status) if places else "",
        "index": f"{_path(status['store'])}, {size_of(status['bytes'])}" if places else "",
        "unread": _files(unread, UNREAD_FILES),
        "unseen": _files(files["unreachable"], "corpus-agent files"),
        "scans": waiting and f"{waiting} without text. To read them: {scans['command']}{then}",
        "language": languages["command"] and foreign,
    }
    if verbose:
        unused = (files["skipped"] - files["pictures"], "of other kinds"), (files["blank"], "empty")
        rows |= {
            "other": ", ".join(f"{count:,} {what}" for count, what in unused if count),
            "ignored": _files(files["ignored"], "corpus-agent files --ignored"),
            "model": status["model"],
            "engine": status["engine"],
        }
    for row, said in rows.items():
        is_path = row in ("folder", "index")
        yield from [f"{row:<8} {said if is_path else advised(said, name)}"] if said else []


def _files(number: int, command: str) -> str:
    """How many files, and what lists them; "" for none."""
    return f"{number_of(number, 'file')}: {command}" if number else ""


def _held(documents: int, found: Object) -> str:
    counts = f"{number_of(documents, 'document')}, {number_of(found['chunks'], 'passage')}"
    when = "brought up to date" if found.get("complete", True) else "as of"
    return f"{counts}, {when} {local_time(found['updated'])}"


def _root(found: Object) -> str:
    return _path(found["root"]) + ("" if found["root_exists"] else "  (it is not there)")


# ---- trust and stores


def _where(place: KnownStore | StorePlace | IndexStatus) -> Object:
    """Where an index and its documents lie, as JSON has it."""
    found = {"store": unambiguous(str(place.store)), "root": unambiguous(str(place.root))}
    return {**found, "root_exists": paths.is_folder(place.root)}


def _told(manifest: storage.Manifest | None, documents: str, names: str) -> Object:
    """What JSON has of a store's index, null without one; `documents` is which are counted."""
    found = taken(manifest, names) if manifest else dict.fromkeys(names.split())
    return {"documents": getattr(manifest.coverage, documents) if manifest else None, **found}


def trust_object(found: Permission, *, recorded: bool) -> Object:
    """The JSON of `trust`; `recorded` is whether the store is trusted from now on."""
    return as_object(
        trust={
            **_where(found.place),
            "owner": found.owner,
            **_told(found.manifest, "indexed", "version updated"),
            "settings": found.settings,
            "recorded": recorded,
            "already": found.recorded,
        }
    )


def trust_lines(content: Object) -> Iterator[str]:
    """The same as text, from its JSON."""
    trust = content["trust"]
    held = "none yet: its first run did not finish"
    if trust["documents"] is not None:
        made = f"{trust['documents']:,}, as of {local_time(trust['updated'])}"
        held = f"{made}; the text of answers and passages comes from there"
    rows = {
        "store": f"{_path(trust['store'])}, owner {trust['owner']}",
        "root": _root(trust),
        "": "every file that the index names in it can be searched, read and shown",
        "documents": held,
        "settings": ", ".join(f"{k} = {v}" for k, v in trust["settings"].items()) or "none",
    }
    yield from (f"{name:<9} {said}" for name, said in rows.items())
    said = "Trusted already." if trust["already"] else "Trusted from now on."
    yield said if trust["recorded"] else "Nothing was changed."


def stores_object(found: Sequence[KnownStore]) -> Object:
    """The JSON of `stores`."""
    return as_object(
        stores=[
            {
                "name": one.name,
                **_where(one),
                "problem": one_line(one.problem) if one.problem else None,
                **_told(one.manifest, "searched", "chunks version updated"),
                "since": one_line(one.since),
            }
            for one in found
        ]
    )


def stores_lines(content: Object) -> Iterator[str]:
    """The same as text, from its JSON."""
    found = content["stores"]
    wide = max((len(one["name"]) for one in found), default=0)
    for one in found:
        yield f"{one['name']:<{wide}}  {_path(one['root'])}"
        unusable = one["problem"] and f"cannot be used: {one['problem']}"
        yield f"{'':{wide}}  {unusable or _held(one['documents'], one)}"
        yield f"{'':{wide}}  in {_path(one['store'])}, yours since {local_time(one['since'])}"
    if not found:
        yield "No index of yours is recorded. Make one: corpus-agent index FOLDER"
