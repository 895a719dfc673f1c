"""Files, runs of `index` and their plans, and `forget`: on a screen and in JSON."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpus_agent.render.common import advised, as_object, taken
from corpus_agent.render.stores import waiting_text
from corpus_agent.text.naming import PATH, called, unambiguous
from corpus_agent.text.sanitize import inert, one_line
from corpus_agent.text.wording import UNREAD_FILES, number_of

if TYPE_CHECKING:
    from corpus_agent.render.common import Object
    from indexer import Excluded, FileRow, Forgotten, Outcome, Plan, Progress, Status

FEW_FILES = 3  # that are named one by one

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
    return _reason(reason) if reason not in _reasons() else f"it {_reason(reason)}"


def _reason(reason: str, *, many: bool = False) -> str:
    """What is said of a file behind "it", and of `many` behind their number."""
    of_one, _, of_many = _reasons().get(reason, reason.replace("_", " ")).partition(" / ")
    return one_line(inert(of_many if many and of_many else of_one))


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


def index_lines(outcome: Outcome, *, strict: bool = False) -> Iterator[str]:
    """The outcome of a run as text: what the index holds, and what could not be read.

    With `strict` also where it was said before, since the run ends with 4 for it.
    """
    documents = outcome.added + outcome.updated + outcome.unchanged
    holds = f"{number_of(documents, 'document')}, {number_of(outcome.chunks, 'passage')}"
    if not (documents or outcome.problems or outcome.removed or outcome.interrupted):
        yield "There are no documents in this folder; put some in and run the same command again."
        return
    if outcome.interrupted:
        some = f"Stopped. {number_of(outcome.chunks, 'passage')} can be searched already."
        some = some if outcome.chunks else "Stopped before the first document could be searched."
        old = "Stopped. The old index answers until the new one is complete."
        yield advised(f"{old if outcome.rebuilt else some} Go on: corpus-agent index")
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
    if changes or strict:  # else it was said when it came to be so
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


def store_lines(store: Path, root: Path, *, new: bool, named: bool) -> Iterator[str]:
    """Where a new index lies, and what to do next."""
    if store.parent != root or not (named or new):
        yield f"The index of {called(str(root), kind=PATH)} is in {called(str(store), kind=PATH)}."
    if new:
        yield advised('Ask with: corpus-agent ask "…"')


def _left_lines(outcome: Outcome) -> Iterator[str]:
    """What waits, and what could not be looked at; and the command for it."""
    waiting = waiting_text(outcome.waiting_pages, outcome.waiting_pictures)
    if waiting:
        yield advised(f"Not yet recognised: {waiting}. What to do: corpus-agent status")
    if left := sum(row.status == "unreachable" for row in outcome.problems):
        stay = "file could not be opened and stays", "files could not be opened and stay"
        listed = advised("corpus-agent files --status unreachable")
        yield f"{number_of(left, *stay)} in the index: {listed}"
        yield advised("To remove them: corpus-agent index --prune-unreachable")


def _unread_lines(unread: list[FileRow]) -> Iterator[str]:
    """The files that could not be read: a few with their reasons, many by their number."""
    if not unread:
        return
    said = number_of(len(unread), "file could not be read", "files could not be read")
    if len(unread) <= FEW_FILES:
        yield f"{said}: {', '.join(map(_unread, unread))}"
        return
    reasons = Counter(row.reason or "" for row in unread).most_common()
    counted = ", ".join(f"{count:,} {_reason(name, many=count > 1)}" for name, count in reasons)
    yield f"{said} ({counted}): {advised(UNREAD_FILES)}"


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
