"""What an index holds, runs of `index`, files and stores: on a screen and in JSON."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpus_agent.render.common import as_object, local_time, size_of, taken
from corpus_agent.text.naming import PATH, called, unambiguous
from corpus_agent.text.sanitize import inert, one_line
from corpus_agent.text.wording import UNREAD_FILES, number_of
from indexer import INSTALL_OCR, LEAST_UNREAD, paths

if TYPE_CHECKING:
    from corpus_agent.render.common import Object
    from corpus_agent.service.service import IndexStatus
    from corpus_agent.trust.known import KnownStore
    from corpus_agent.trust.stores import Permission, StorePlace
    from indexer import Excluded, FileRow, Forgotten, Outcome, Plan, Progress, Status, storage

FEW_FILES = 3  # that are named one by one
MULTILINGUAL = "corpus-agent --model multilingual index"

# ---- Files

_AS_THEY_ARE = """
    status reason detail bytes sha256 chunks pages lines extractor seconds waiting date language
    title author
"""


def why_unread(row: FileRow) -> str:
    """Why a file has no text, as in "it ends too early"."""
    said = "not yet recognised" if row.is_waiting else row.detail
    return one_line(said) if said else plain_reason(row.reason or "")


def _unread(row: FileRow) -> str:
    return f"{called(row.source)} ({why_unread(row)})"


def plain_reason(reason: str) -> str:
    """What a person is told in place of a reason's code, where nothing more is known."""
    return one_line(inert(_reasons().get(reason, reason.replace("_", " "))))


@cache
def _reasons() -> dict[str, str]:
    return tomllib.loads(Path(__file__).with_name("reasons.toml").read_text("utf-8"))


def files_object(rows: Iterable[FileRow], version: int) -> Object:
    """The JSON of `files`."""
    return as_object(version=version, files=[*map(file_object, rows)])


def file_object(row: FileRow) -> Object:
    """One file of the JSON of `files`."""
    return {
        "source": unambiguous(row.source),
        **taken(row, _AS_THEY_ARE),
        "modified": _modified(row),
        "tags": [one_line(tag) for tag in (row.tags or "").split()],
    }


def _path(shown: str) -> str:
    """A path of the JSON, as it is typed."""
    return called(shown, kind=PATH, again=True)


def _modified(row: FileRow) -> str | None:
    """When a file was last written to, ISO 8601; None where its time is in no calendar."""
    try:
        return datetime.fromtimestamp(row.mtime_ns // 10**9, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return None


def file_line(row: FileRow) -> str:
    """One file as a line of text."""
    if row.status != "indexed":
        return f"{row.status} {_unread(row)}"
    size = number_of(row.pages, "page") if row.pages else number_of(row.lines or 0, "line")
    size += f", {row.waiting} without text" if row.waiting else ""
    size += f", {number_of(row.chunks, 'passage')}"
    remark = f": {one_line(row.detail)}" if row.detail else ""
    return f"indexed {called(row.source)} ({size}){remark}"


def excluded_object(entry: Excluded) -> dict[str, Any]:
    """One entry of the JSON of `files --ignored`."""
    return {
        "source": unambiguous(entry.source),
        "place": unambiguous(entry.place) if entry.place else None,
        "rule": one_line(entry.rule) or None,
    }


def excluded_line(entry: Excluded) -> str:
    """What a rule keeps out, and where the rule stands, as a line of text."""
    if not entry.place:
        return f"{called(entry.source)} ({entry.rule or 'passed over by its name'})"
    return f"{called(entry.source)} ({called(entry.place)}: {one_line(entry.rule)})"


# ---- Runs and their plans

_COUNTS = """
    version added updated unchanged removed moved ignored chunks embedded reused interrupted
    rebuilt recognised
"""
_UNREAD: tuple[Status, ...] = ("empty", "failed", "skipped", "unreachable")


def run_object(outcome: Outcome) -> Object:
    """What the JSON of `index` has of a run."""
    unread: Object = {
        status: [
            {"source": unambiguous(row.source), **taken(row, "reason detail")}
            for row in outcome.problems
            if row.status == status
        ]
        for status in _UNREAD
    }
    return {
        **taken(outcome, _COUNTS),
        "spared": 0,  # a key of earlier releases: nothing that is gone is kept
        "renamed": _moves(outcome.renamed),
        "kept_out": len(outcome.kept_out),
        **unread,
        "waiting": outcome.waiting_pages + outcome.waiting_pictures,
        "repaired": one_line(outcome.repaired) or None,
        "seconds": round(outcome.seconds, 2),
    }


def _moves(pairs: Iterable[tuple[str, str]]) -> list[Object]:
    return [{"was": unambiguous(was), "source": unambiguous(now)} for was, now in pairs]


def index_lines(outcome: Outcome) -> Iterator[str]:
    """The outcome of a run as text: what the index holds, and what could not be read."""
    documents = outcome.added + outcome.updated + outcome.unchanged
    holds = f"{number_of(documents, 'document')}, {number_of(outcome.chunks, 'passage')}"
    if not (documents or outcome.problems or outcome.removed or outcome.interrupted):
        yield "There are no documents in this folder; put some in and run the same command again."
        return
    if outcome.interrupted:
        some = f"Stopped. {number_of(outcome.chunks, 'passage')} can be searched already."
        some = some if outcome.chunks else "Stopped before the first document could be searched."
        old = "Stopped. The old index answers until the new one is complete."
        yield f"{old if outcome.rebuilt else some} Go on: corpus-agent index"
        return
    changes = _changes(outcome)
    if not changes:
        done = "; nothing changed."
    elif outcome.added == documents and not outcome.removed:
        done = f" in {outcome.seconds:.1f} s."
    else:
        done = f": {changes}, in {outcome.seconds:.1f} s."
    pages = outcome.recognised
    some = "One page was" if pages == 1 else f"{pages:,} pages were"
    yield f"{holds}{done}{f' {some} recognised from a scan.' if pages else ''}"
    if changes:  # else it was said when it came to be so
        yield from _unread_lines([row for row in outcome.problems if row.is_unread])
    yield from _left_lines(outcome)
    if outcome.repaired:
        yield f"The index was made anew. Before: {one_line(outcome.repaired)}"


def _changes(outcome: Outcome) -> str:
    """How many documents were added, moved, updated and so on, without what is none."""
    counts = (
        (outcome.added - outcome.moved, "added"),
        (outcome.moved, "moved"),
        (outcome.updated, "updated"),
        (outcome.removed - outcome.moved, "removed"),
    )
    return ", ".join(f"{count:,} {what}" for count, what in counts if count)


def store_lines(
    store: Path, root: Path, *, new: bool, named: bool, flag: str = ""
) -> Iterator[str]:
    """Where a new index lies, and what to do next; `flag` is what names it from here."""
    if store.parent != root or not (named or new):
        yield f"The index of {called(str(root), kind=PATH)} is in {called(str(store), kind=PATH)}."
    if new:
        yield f'Ask with: corpus-agent {flag}ask "…"'


def _left_lines(outcome: Outcome) -> Iterator[str]:
    """What waits, and what could not be looked at; and the command for it."""
    waiting = waiting_text(outcome.waiting_pages, outcome.waiting_pictures)
    if waiting:
        yield f"Not yet recognised: {waiting}. What to do: corpus-agent status"
    if left := sum(row.status == "unreachable" for row in outcome.problems):
        stay = "file could not be opened and stays", "files could not be opened and stay"
        yield f"{number_of(left, *stay)} in the index: corpus-agent files --status unreachable"
        yield "To remove them: corpus-agent index --prune-unreachable"


def _unread_lines(unread: list[FileRow]) -> Iterator[str]:
    """The files that could not be read: a few with their reasons, many by their number."""
    if not unread:
        return
    said = number_of(len(unread), "file could not be read", "files could not be read")
    if len(unread) <= FEW_FILES:
        yield f"{said}: {', '.join(map(_unread, unread))}"
        return
    reasons = Counter(row.reason or "" for row in unread).most_common()
    counted = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in reasons)
    yield f"{said} ({counted}): {UNREAD_FILES}"


def progress_line(done: Progress) -> str:
    """How far recognition, or reading and embedding, is."""
    said = f"indexed {done.files:,} of {done.all_files:,} files"
    if done.all_pages:
        said = f"recognised {done.pages:,} of {done.all_pages:,}"
    return f"{said} ({called(done.source)})" if done.source else said


_WORK = ("add", "update", "record", "touch")


def plan_object(todo: Plan) -> Object:
    """The JSON of `index --dry-run`."""
    seen = {name: getattr(todo, name) for name in (*_WORK, "unreachable")}
    return as_object(
        plan={
            **{name: [unambiguous(one.source) for one in files] for name, files in seen.items()},
            "remove": [*map(unambiguous, todo.remove)],
            "moved": _moves(todo.moved),
            "spared": [],
            "keep": len(todo.keep),
            "reasons": list(todo.reasons),
        }
    )


def plan_lines(todo: Plan) -> Iterator[str]:
    """The plan as text, one line per file."""
    yield from todo.reasons
    for was, now in todo.moved:
        yield f"move   {called(was)} -> {called(now)}"
    moved = {source for pair in todo.moved for source in pair}
    for name in (*_WORK, "unreachable"):
        for seen in getattr(todo, name):
            if seen.source not in moved:
                why = f" ({seen.problem})" if seen.problem else ""
                yield f"{name:<6} {called(seen.source)}{why}"
    yield from (f"remove {called(source)}" for source in todo.remove if source not in moved)
    size = sum(seen.bytes for seen in todo.work)
    work = number_of(len(todo.work), "file")
    yield f"{len(todo.keep):,} unchanged; {work}, {number_of(size, 'byte')} to index"


# ---- forget


def forget_object(done: Forgotten) -> Object:
    """The JSON of `forget`."""
    return as_object(
        version=done.version,
        source=unambiguous(done.source),
        forgotten=done.row is not None,
        keep_out={"file": unambiguous(str(done.rules)), "line": done.rule},
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


def status_lines(status: Object, *, verbose: bool = False) -> Iterator[str]:
    """The status as text, from its JSON; without `verbose` only what is there and what lacks."""
    files, scans, languages = status["files"], status["recognition"], status["languages"]
    yield _held(files["indexed"], status)
    if not status["complete"]:
        yield "The last run did not end: corpus-agent index goes on from there"
    unread = files["failed"] + files["empty"] - files["blank"] - files["waiting"]
    waiting = waiting_text(scans["waiting_pages"], scans["waiting_pictures"])
    then = "" if scans["engine"] else ", then: corpus-agent index"
    foreign = f"{not_read(languages['unread'])}. For any language: {languages['command']}"
    rows = {
        "folder": _root(status),
        "index": f"{_path(status['store'])}, {size_of(status['bytes'])}",
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
    yield from (f"{name:<8} {said}" for name, said in rows.items() if said)


def _files(number: int, command: str) -> str:
    """How many files, and what lists them; "" for none."""
    return f"{number_of(number, 'file')}: {command}" if number else ""


def _held(documents: int, found: Object) -> str:
    counts = f"{number_of(documents, 'document')}, {number_of(found['chunks'], 'passage')}"
    return f"{counts}, brought up to date {local_time(found['updated'])}"


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
