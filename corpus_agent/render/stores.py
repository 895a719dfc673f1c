"""What is known of an index on a screen and in JSON: `status`, `forget`, `trust`, `stores`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from corpus_agent.render.common import as_object, local_time, size_of, taken
from corpus_agent.text.naming import PATH, called, unambiguous
from corpus_agent.text.sanitize import one_line
from corpus_agent.text.wording import UNREAD_FILES, number_of
from indexer import INSTALL_OCR, LEAST_UNREAD, paths

if TYPE_CHECKING:
    from corpus_agent.render.common import Object, Seal
    from corpus_agent.service.service import IndexStatus
    from corpus_agent.trust.known import KnownStore
    from corpus_agent.trust.stores import Permission
    from indexer import Forgotten

_COUNTED = "indexed empty failed skipped unreachable kept_out blank waiting pictures"
MULTILINGUAL = "corpus-agent --model multilingual index"


def _path(shown: str) -> str:
    """A path of the JSON, as it is typed."""
    return called(shown, kind=PATH, again=True)


# ---- forget


def forget_object(done: Forgotten, seal: Seal) -> Object:
    """The JSON of `forget`."""
    return as_object(
        version=done.version,
        source=unambiguous(done.source),
        forgotten=done.row is not None,
        keep_out={"file": unambiguous(str(done.rules)), "line": done.rule},
        seal=seal,
    )


def forget_lines(done: Forgotten) -> Iterator[str]:
    """The outcome of `forget` as text, and how to keep the document out."""
    source = called(done.source)
    if done.row is None:
        yield f"{source} is not in the index; nothing changed."
        return
    passages = number_of(done.row.chunks, "passage")
    yield f"{source} is out of the index, with {passages}. The file stays."
    if done.rule:
        yield "The next run of index takes it up again, unless a rule keeps it out."
        yield f"Add to {called(str(done.rules), kind=PATH)} this line:"
        yield done.rule  # has no control or invisible characters
    else:
        yield "The next run of index takes it up again; rename it, or move it elsewhere."


# ---- status


def status_object(status: IndexStatus, seal: Seal) -> Object:
    """The JSON of `status`."""
    manifest, recogniser = status.manifest, status.recogniser
    scans = None  # the command that reads them, if any waits
    if manifest.waiting_pages or manifest.waiting_pictures:
        scans = "corpus-agent index --ocr auto" if recogniser else INSTALL_OCR
    return as_object(
        version=manifest.version,
        store=unambiguous(str(status.store)),
        root=unambiguous(str(status.root)),
        root_exists=status.root_exists,
        files={
            **taken(manifest.coverage, _COUNTED),
            "ignored": manifest.ignored,
        },
        recognition={
            "engine": recogniser,
            "tesseract": list(status.tesseract),
            **taken(manifest, "waiting_pages waiting_pictures"),
            "command": scans,
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
        seal=seal,
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


def status_lines(status: Object, *, verbose: bool = False) -> Iterator[str]:
    """The status as text, from its JSON; without `verbose` only what is there and what lacks."""
    files = status["files"]
    yield _held(files["indexed"], status)
    if not status["complete"]:
        yield "The last run did not end: corpus-agent index goes on from there"
    yield f"folder   {_root(status)}"
    yield f"index    {_path(status['store'])}, {size_of(status['bytes'])}"
    if unread := files["failed"] + files["empty"] - files["blank"] - files["waiting"]:
        yield f"unread   {number_of(unread, 'file')}: {UNREAD_FILES}"
    if files["unreachable"]:
        yield f"unseen   {number_of(files['unreachable'], 'file')}: corpus-agent files"
    recognition, languages = status["recognition"], status["languages"]
    if recognition["command"]:
        waiting = waiting_text(recognition["waiting_pages"], recognition["waiting_pictures"])
        then = "" if recognition["engine"] else ", then: corpus-agent index"
        yield f"scans    {waiting} without text. To read them: {recognition['command']}{then}"
    if languages["command"]:
        yield (
            f"language {not_read(languages['unread'])}. For any language: {languages['command']}"
        )
    if verbose:
        yield from _details(status)


def _details(status: Object) -> Iterator[str]:
    files = status["files"]
    unused = ((files["skipped"] - files["pictures"], "of other kinds"), (files["blank"], "empty"))
    if counts := ", ".join(f"{count:,} {what}" for count, what in unused if count):
        yield f"other    {counts}"
    if files["ignored"]:
        yield f"ignored  {number_of(files['ignored'], 'file')}: corpus-agent files --ignored"
    yield f"model    {status['model']}"
    yield f"engine   {status['engine']}"


def _held(documents: int, found: Object) -> str:
    counts = f"{number_of(documents, 'document')}, {number_of(found['chunks'], 'passage')}"
    return f"{counts}, brought up to date {local_time(found['updated'])}"


def _root(found: Object) -> str:
    return _path(found["root"]) + ("" if found["root_exists"] else "  (MISSING)")


# ---- trust and stores


def _told(manifest: object | None, names: str) -> Object:
    return taken(manifest, names) if manifest else dict.fromkeys(names.split())


def trust_object(found: Permission, *, recorded: bool) -> Object:
    """The JSON of `trust`; `recorded` is whether the store is trusted from now on."""
    manifest = found.manifest
    return as_object(
        trust={
            "store": unambiguous(str(found.place.store)),
            "root": unambiguous(str(found.place.root)),
            "root_exists": paths.is_folder(found.place.root),
            "owner": found.owner,
            "documents": manifest.coverage.indexed if manifest else None,
            **_told(manifest, "version updated"),
            "settings": found.settings,
            "recorded": recorded,
            "already": found.recorded,
        }
    )


def trust_lines(content: Object) -> Iterator[str]:
    """The same as text, from its JSON."""
    trust = content["trust"]
    yield f"store     {_path(trust['store'])}, owner {trust['owner']}"
    yield f"root      {_root(trust)}"
    yield "          every file that the index names in it can be searched, read and shown"
    if trust["documents"] is None:
        yield "documents none yet: its first run did not finish"
    else:
        made = local_time(trust["updated"])
        yield (
            f"documents {trust['documents']:,}, as of {made}; "
            "the text of answers and passages comes from there"
        )
    settings = ", ".join(f"{key} = {value}" for key, value in trust["settings"].items())
    yield f"settings  {settings or 'none'}"
    said = "Trusted already." if trust["already"] else "Trusted from now on."
    yield said if trust["recorded"] else "Nothing was changed."


def stores_object(found: Sequence[KnownStore]) -> Object:
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
                **_told(one.manifest, "chunks version updated"),
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
        yield f"{one['name']:<{wide}}  {_root(one)}"
        unusable = one["problem"] and f"cannot be used: {one['problem']}"
        yield f"{'':{wide}}  {unusable or _held(one['documents'], one)}"
        yield f"{'':{wide}}  in {_path(one['store'])}, yours since {local_time(one['since'])}"
    if not found:
        yield "No index of yours is recorded. Make one: corpus-agent index FOLDER"
