"""Renders the output of `forget` and `status`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from corpus_agent.render.common import SCHEMA_VERSION, local_time, size_mb, taken
from corpus_agent.text.naming import PATH, called, unambiguous
from corpus_agent.text.wording import number_of
from indexer import LEAST_UNREAD

if TYPE_CHECKING:
    from corpus_agent.render.common import Object, Seal
    from corpus_agent.service.service import IndexStatus
    from indexer import Forgotten, RecognitionState, storage


def forget_object(done: Forgotten, seal: Seal) -> Object:
    """The JSON of `forget`."""
    return {
        "schema_version": SCHEMA_VERSION,
        "version": done.version,
        "source": unambiguous(done.source),
        "forgotten": done.row is not None,
        "keep_out": {"file": unambiguous(str(done.rules)), "line": done.rule},
        "seal": seal,
    }


def forget_lines(done: Forgotten) -> Iterator[str]:
    """The outcome of `forget` as text, and how to keep the document out."""
    source = called(done.source)
    if done.row is None:
        yield f"{source} is not in the index; nothing changed."
        return
    yield (
        f"{source} is out of the index, with {number_of(done.row.chunks, 'passage')} "
        f"(version {done.version}). The file stays."
    )
    if done.rule:
        yield "The next run of index takes it up again, unless a rule keeps it out."
        yield f"Add to {called(str(done.rules), kind=PATH)} this line:"
        yield done.rule  # has no control or invisible characters
    else:
        yield "The next run of index takes it up again; rename it, or move it elsewhere."


def status_object(status: IndexStatus, seal: Seal) -> Object:
    """The JSON of `status`."""
    manifest, recognition = status.manifest, status.recognition
    coverage = manifest.coverage
    return {
        "schema_version": SCHEMA_VERSION,
        "version": manifest.version,
        "store": unambiguous(str(status.store)),
        "root": unambiguous(str(status.root)),
        "root_exists": status.root_exists,
        "files": {
            **taken(coverage, "indexed empty failed skipped unreachable kept_out blank"),
            "ignored": manifest.ignored,
        },
        "recognition": {
            "engine": recognition.engine,
            "tesseract": list(recognition.tesseract),
            "waiting_pages": manifest.waiting_pages,
            "waiting_pictures": manifest.waiting_pictures,
            "command": what_reads_them(manifest, recognition),
        },
        "languages": {
            "chunks": manifest.languages,
            "unread": round(manifest.unread, 4),
            "command": MULTILINGUAL if not_read(manifest.unread) else None,
        },
        "chunks": manifest.chunks,
        "bytes": status.used.bytes,
        "disk": taken(status.used, "tables versions"),
        "model": manifest.fingerprint.model,
        "chunker": manifest.fingerprint.chunker,
        "engine": status.engine,
        "extensions": [
            {**taken(each, "kind name package version"), "refused": each.refused or None}
            for each in status.extensions
        ],
        "complete": manifest.complete,
        "updated": manifest.updated,
        "seal": seal,
    }


def what_reads_them(manifest: storage.Manifest, recognition: RecognitionState) -> str | None:
    """The command by which pages that wait are read; None if none waits."""
    if not (manifest.waiting_pages or manifest.waiting_pictures):
        return None
    return "corpus-agent index --ocr auto" if recognition.engine else recognition.install


LIST_OF_IGNORED = "corpus-agent files --ignored"
MULTILINGUAL = "corpus-agent --model multilingual index"


def not_read(share: float) -> str:
    """What it means that this share of the passages is not in English; "" below a hundredth."""
    if share < LEAST_UNREAD:
        return ""
    return f"{share:.0%} of the passages are not English: found by their words, less by meaning"


def waiting_text(pages: int, pictures: int) -> str:
    """How many pages and pictures wait, as text; "" for none."""
    counts = ((pages, "page"), (pictures, "picture"))
    return " and ".join(number_of(count, noun) for count, noun in counts if count)


def status_lines(status: Object, *, verbose: bool = False) -> Iterator[str]:
    """The status as text, from its JSON; without `verbose` only what is there and what lacks."""
    files = status["files"]
    yield (
        f"{number_of(files['indexed'], 'document')}, {number_of(status['chunks'], 'passage')}, "
        f"brought up to date {local_time(status['updated'])}"
    )
    if not status["complete"]:
        yield "The last run did not end: corpus-agent index goes on from there"
    missing = "" if status["root_exists"] else "  (MISSING)"
    yield f"folder   {called(status['root'], kind=PATH, again=True)}{missing}"
    yield f"index    {called(status['store'], kind=PATH, again=True)}, {size_mb(status['bytes'])}"
    if unread := files["failed"] + files["empty"] - files["blank"]:
        yield f"unread   {number_of(unread, 'file')}: corpus-agent files --status failed,empty"
    if files["unreachable"]:
        yield f"unseen   {number_of(files['unreachable'], 'file')}: corpus-agent files"
    recognition = status["recognition"]
    if recognition["command"]:
        waiting = waiting_text(recognition["waiting_pages"], recognition["waiting_pictures"])
        yield f"scans    without text: {waiting}; read by: {recognition['command']}"
    languages = status["languages"]
    if languages["command"]:
        yield (
            f"language {not_read(languages['unread'])}; the multilingual model mends it: "
            f"{languages['command']}"
        )
    if verbose:
        yield from _details(status)


def _details(status: Object) -> Iterator[str]:
    files = status["files"]
    yield f"other    {files['skipped']:,} of other kinds, {files['blank']:,} without a byte"
    kept_out = f", {files['kept_out']:,} by ignore files: {LIST_OF_IGNORED}"
    yield f"ignored  {files['ignored']:,}{kept_out if files['kept_out'] else ''}"
    yield f"model    {status['model']}"
    yield f"engine   {status['engine']}"
    for each in status["extensions"]:
        use = f"NOT used: {each['refused']}" if each["refused"] else "installed by you"
        yield f"extra    {each['kind']} {each['name']} ({each['package']} {each['version']}), {use}"
    yield f"version  {status['version']}"
