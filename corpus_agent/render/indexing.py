"""Renders the outcome of `index`, or its plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from corpus_agent.render.common import as_object, taken
from corpus_agent.render.files import problem_object, why_unread
from corpus_agent.render.upkeep import waiting_text
from corpus_agent.text.naming import PATH, called, unambiguous
from corpus_agent.text.sanitize import one_line
from corpus_agent.text.wording import number_of

if TYPE_CHECKING:
    from pathlib import Path

    from corpus_agent.render.common import Object
    from indexer import FileRow, Outcome, Plan, Progress, ShardCounts, Status, ToRecognise

_COUNTS = """
    version added updated unchanged removed moved spared ignored chunks embedded reused interrupted
    rebuilt recognised
"""
_UNREAD: tuple[Status, ...] = ("empty", "failed", "skipped", "unreachable")
FEW_FILES = 3  # that are named one by one
FILES_TO_ESTIMATE = 5  # that are done before the time left is told


def index_object(outcome: Outcome) -> Object:
    """The JSON of `index`."""
    report = as_object(index=run_object(outcome))
    if outcome.cluster is not None and outcome.cluster.egress:
        report["egress"] = outcome.cluster.egress
    return report


def run_object(outcome: Outcome) -> Object:
    """The counts of a run."""
    cluster = outcome.cluster
    return {
        **taken(outcome, _COUNTS),
        "renamed": [
            {"was": unambiguous(was), "source": unambiguous(now)} for was, now in outcome.renamed
        ],
        "kept_out": len(outcome.kept_out),
        **{status: _problems(outcome, status) for status in _UNREAD},
        "waiting": outcome.waiting_pages + outcome.waiting_pictures,
        "repaired": one_line(outcome.repaired) or None,
        "seconds": round(outcome.seconds, 2),
        "cluster": _cluster_object(cluster) if cluster else None,
    }


def _cluster_object(counts: ShardCounts) -> Object:
    again = [one_line(why) for why in counts.again]
    return {**taken(counts, "where shards here"), "again": again}


def _problems(outcome: Outcome, status: Status) -> list[Object]:
    return [problem_object(row) for row in outcome.problems if row.status == status]


def index_lines(outcome: Outcome) -> Iterator[str]:
    """The outcome of a run as text: what the index holds, and what could not be read."""
    documents = outcome.added + outcome.updated + outcome.unchanged
    if not (documents or outcome.problems or outcome.removed or outcome.interrupted):
        yield "There are no documents in this folder; put some in and run the same command again."
        return
    holds = f"{number_of(documents, 'document')}, {number_of(outcome.chunks, 'passage')}"
    changes = _changes(outcome)
    if not changes:
        done = "; nothing changed."
    elif outcome.added == documents and not outcome.removed:
        done = f" in {outcome.seconds:.1f} s."
    else:
        done = f": {changes}, in {outcome.seconds:.1f} s."
    yield f"{holds}{done}{_recognised(outcome.recognised)}"
    if outcome.cluster is not None:
        yield from _cluster_lines(outcome.cluster)
    if changes:  # else it was said when it came to be so
        yield from _unread_lines(
            [row for row in outcome.problems if row.is_unread and not row.waiting]
        )
    yield from _left_lines(outcome)
    if outcome.repaired:
        yield f"The index was made anew. Before: {one_line(outcome.repaired)}"
    if outcome.interrupted:
        yield "Stopped early. What was done is kept; run the same command to go on."


def _recognised(pages: int) -> str:
    if not pages:
        return ""
    some = "One page was" if pages == 1 else f"{pages:,} pages were"
    return f" {some} recognised from a scan."


def _changes(outcome: Outcome) -> str:
    """How many documents were added, moved, updated and so on, without what is none."""
    counts = (
        (outcome.added - outcome.moved, "added"),
        (outcome.moved, "moved"),
        (outcome.updated, "updated"),
        (outcome.removed - outcome.moved, "removed"),
    )
    return ", ".join(f"{count:,} {what}" for count, what in counts if count)


def _cluster_lines(counts: ShardCounts) -> Iterator[str]:
    """What came of the shards of a cluster."""
    egress = f" (egress: {one_line(counts.egress)})" if counts.egress else ""
    yield f"{number_of(counts.shards, 'shard')} by {one_line(counts.where)}{egress}"
    if counts.again:
        last = one_line(counts.again[-1])
        yield f"{number_of(len(counts.again), 'time')} a shard was done again; the last: {last}"


def store_lines(
    store: Path, root: Path, *, new: bool, named: bool, flag: str = ""
) -> Iterator[str]:
    """What to do next with an index that was made just now, and where it lies if not in its folder.

    Of one that is there already, whose it is, unless somebody `named` its folder. `flag` names it.
    """
    if store.parent != root or not (named or new):
        yield f"The index of {called(str(root), kind=PATH)} is in {called(str(store), kind=PATH)}."
    if new:
        yield f'Ask with: corpus-agent {flag}ask "…"'


def _left_lines(outcome: Outcome) -> Iterator[str]:
    """What waits, cannot be looked at, or stays though it is gone; and the command for it."""
    waiting = waiting_text(outcome.waiting_pages, outcome.waiting_pictures)
    if waiting and not outcome.interrupted:
        yield f"Not yet recognised: {waiting}. See: corpus-agent status"
    if left := sum(row.status == "unreachable" for row in outcome.problems):
        stay = number_of(
            left,
            "could not be looked at and stays as it was",
            "could not be looked at and stay as they were",
        )
        yield f"{stay}: corpus-agent files --status unreachable"
        yield "To remove what cannot be looked at: corpus-agent index --prune-unreachable"
    if outcome.spared:
        spared = number_of(
            outcome.spared, "is gone from the folder and stays", "are gone from the folder and stay"
        )
        yield f"{spared} in the index (--no-prune)"


def _unread_lines(unread: list[FileRow]) -> Iterator[str]:
    """The files that could not be read: a few with their reasons, many by their number."""
    if not unread:
        return
    said = number_of(len(unread), "file could not be read", "files could not be read")
    if len(unread) <= FEW_FILES:
        yield f"{said}: {', '.join(f'{called(row.source)} ({why_unread(row)})' for row in unread)}"
        return
    reasons = Counter(row.reason or "" for row in unread).most_common()
    counted = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in reasons)
    yield f"{said} ({counted}): corpus-agent files --status failed,empty"


def waiting_line(waiting: ToRecognise) -> str:
    """What is to be recognised, and about how long it takes."""
    found = waiting_text(waiting.pages, waiting.pictures)
    return (
        f"Recognising {found} takes about {duration(waiting.seconds)}. Everything else can be "
        "searched now. After Ctrl-C the next run goes on; --ocr off leaves scans out."
    )


def page_line(done: Progress, elapsed: float) -> str:
    """How far recognition is, after `elapsed` seconds."""
    left = elapsed / done.pages * (done.all_pages - done.pages)
    about = f", about {duration(left)} left" if done.pages < done.all_pages else ""
    return f"recognised {done.pages:,} of {done.all_pages:,} ({called(done.source)}){about}"


def file_progress_line(done: Progress, elapsed: float) -> str:
    """How far reading and embedding are, after `elapsed` seconds of work.

    The time left is told from some files on, or a quarter of all bytes: the first tell little.
    """
    known = done.files >= FILES_TO_ESTIMATE or done.bytes * 4 >= done.all_bytes > 0
    left = elapsed / done.bytes * (done.all_bytes - done.bytes) if known and done.bytes else 0.0
    about = f", about {duration(left)} left" if left else ""
    return f"indexed {done.files:,} of {done.all_files:,} files ({called(done.source)}){about}"


def duration(seconds: float) -> str:
    """A time as a person says it: "40 s", "12 min", "3.5 h"."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 5_400:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3_600:.1f} h"


def watch_line(outcome: Outcome) -> str:
    """One line with the changes of a run of `watch`."""
    changes = _changes(outcome) or "nothing to search changed"
    if outcome.renamed:
        pairs = (f"{called(was)} -> {called(now)}" for was, now in outcome.renamed)
        changes += f" ({', '.join(pairs)})"
    return f"{changes}; {number_of(outcome.chunks, 'passage')}"


def plan_object(todo: Plan) -> dict[str, Any]:
    """The JSON of `index --dry-run`."""
    groups = {
        name: [unambiguous(seen.source) for seen in files] for name, files in _groups(todo).items()
    }
    removed = [unambiguous(source) for source in todo.remove]
    spared = [unambiguous(source) for source in todo.spared]
    return as_object(
        plan={
            **groups,
            "remove": removed,
            "moved": [{"was": unambiguous(a), "source": unambiguous(b)} for a, b in todo.moved],
            "spared": spared,
            "unreachable": [unambiguous(seen.source) for seen in todo.unreachable],
            "keep": len(todo.keep),
            "reasons": list(todo.reasons),
        }
    )


def _groups(todo: Plan) -> dict[str, Any]:
    return {"add": todo.add, "update": todo.update, "record": todo.record, "touch": todo.touch}


def plan_lines(todo: Plan) -> Iterator[str]:
    """The plan as text, one line per file."""
    yield from todo.reasons
    moved = {source for pair in todo.moved for source in pair}
    for was, now in todo.moved:
        yield f"move   {called(was)} -> {called(now)}"
    for name, files in _groups(todo).items():
        for seen in files:
            if seen.source in moved:
                continue
            why = f" ({seen.problem})" if seen.problem else ""
            yield f"{name:<7}{called(seen.source)}{why}"
    for seen in todo.unreachable:
        yield f"unreachable {called(seen.source)} ({seen.problem})"
    for what, sources in (("remove", todo.remove), ("spared", todo.spared)):
        for source in sources:
            if source not in moved:
                yield f"{what:<7}{called(source)}"
    size = sum(seen.bytes for seen in todo.work)
    work = number_of(len(todo.work), "file")
    yield f"{len(todo.keep):,} unchanged; {work}, {number_of(size, 'byte')} to index"
