"""Renders the versions of an index, what changed between two, and a rollback."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from corpus_agent.render.common import SCHEMA_VERSION, place, size_mb
from corpus_agent.text.naming import called, unambiguous
from corpus_agent.text.sanitize import enclosed, one_line, visible
from corpus_agent.text.wording import number_of

if TYPE_CHECKING:
    from corpus_agent.render.json_lists import (
        DiffResult,
        HistoryResult,
        PassagePlace,
        RollbackResult,
    )
    from corpus_agent.render.json_types import Seal
    from indexer import Chunk, history

_SHOWN_CHARS = 160  # of a passage, on a line
_SHOWN_BEFORE = 40  # of them before the first difference
_SHOWN_PASSAGES = 5  # of a document; the JSON has all
_TO_KEEP = "To keep former versions from now on: corpus-agent index --keep 30d"
_KINDS: tuple[history.ChangeKind, ...] = ("added", "changed", "moved", "removed")


def history_object(found: history.History, seal: Seal) -> HistoryResult:
    """The JSON of `history`."""
    return {
        "schema_version": SCHEMA_VERSION,
        "version": found.versions[0].number,
        "keep": found.keep,
        "former_bytes": found.former_bytes,
        "versions": [
            {
                "version": each.number,
                "made": each.made,
                "documents": each.documents,
                "chunks": each.chunks,
                "complete": each.complete,
                "current": each.current,
                "changes": each.changes,
                "same_as": each.same_as,
            }
            for each in found.versions
        ],
        "seal": seal,
    }


def history_lines(found: history.History) -> Iterator[str]:
    """A line a version, newest first, and what is kept."""
    heads = "".join(f"{kind:>9}" for kind in _KINDS)
    yield f"version  made              documents{heads}"
    for each in found.versions:
        counts = (f"{each.changes[kind]:,}" if each.changes else "" for kind in _KINDS)
        made = each.made[:16].replace("T", " ")
        row = f"{each.number:>7}  {made}  {each.documents:>9,}{''.join(f'{n:>9}' for n in counts)}"
        state = "  current" if each.current else ""
        state += f"  as version {each.same_as} was" if each.same_as is not None else ""
        state += "" if each.complete else ", not complete"
        yield f"{row}{state}".rstrip()
    yield ""
    if found.keep == "0":
        yield f"No former versions are kept. {_TO_KEEP}"
        return
    kept = f"of {found.keep[:-1]} days" if found.keep.endswith("d") else f"{found.keep} at most"
    taken = f", {size_mb(found.former_bytes)} besides the current one"
    yield f"Former versions that are kept: {kept}{taken}. To change it: corpus-agent index --keep N"


def diff_object(found: history.Difference, seal: Seal) -> DiffResult:
    """The JSON of `diff`."""
    return {
        "schema_version": SCHEMA_VERSION,
        "first": found.first,
        "second": found.second,
        "unchanged": found.unchanged,
        "documents": [
            {
                "source": unambiguous(change.source),
                "change": change.kind,
                "was": unambiguous(change.was) if change.was is not None else None,
                "chunks_before": change.chunks[0],
                "chunks_after": change.chunks[1],
                "passages": [
                    {
                        "change": passage.kind,
                        "before": _passage_object(passage.before),
                        "after": _passage_object(passage.after),
                    }
                    for passage in change.passages
                ],
            }
            for change in found.documents
        ],
        "seal": seal,
    }


def _passage_object(chunk: Chunk | None) -> PassagePlace | None:
    if chunk is None:
        return None
    return {
        "line_start": chunk.line_start,
        "line_end": chunk.line_end,
        "page": chunk.page_start,
        "heading": one_line(chunk.heading),
        "text": visible(chunk.text),
    }


def diff_lines(found: history.Difference) -> Iterator[str]:
    """The counts, then a line a document, with the passages of one that changed."""
    if found.first == found.second:
        yield f"Both are version {found.first}: nothing changed. Others: corpus-agent history"
        return
    kinds = [change.kind for change in found.documents]
    counts = ", ".join(f"{kinds.count(kind):,} {kind}" for kind in _KINDS)
    yield f"From version {found.first} to {found.second}: {counts}, {found.unchanged:,} unchanged"
    for change in found.documents:
        yield f"\n{change.kind:<8} {_document(change)}"
        for passage in change.passages[:_SHOWN_PASSAGES]:
            start = _shown_from(passage)
            for sign, chunk in (("-", passage.before), ("+", passage.after)):
                if chunk is not None:
                    yield f"  {sign} {_passage(chunk, start)}"
        more = len(change.passages) - _SHOWN_PASSAGES
        if more > 0:
            yield f"  and {number_of(more, 'more passage')} (--json has all)"


def _document(change: history.DocumentChange) -> str:
    if change.kind == "moved" and change.was is not None:
        return f"{called(change.was)} is {called(change.source)} now"
    if change.kind != "changed":
        return f"{called(change.source)} ({number_of(max(change.chunks), 'passage')})"
    kinds = [passage.kind for passage in change.passages]
    counts = ", ".join(
        f"{kinds.count(kind):,} {kind}" for kind in ("added", "changed", "removed") if kind in kinds
    )
    return f"{called(change.source)} (passages: {counts or 'the same text'})"


def _shown_from(passage: history.PassageChange) -> int:
    """Where the shown part of both texts begins: some words before their first difference."""
    if passage.before is None or passage.after is None:
        return 0
    before, after = one_line(passage.before.text), one_line(passage.after.text)
    pairs = enumerate(zip(before, after, strict=False))
    same = next((at for at, (old, new) in pairs if old != new), min(len(before), len(after)))
    if before == after or same < _SHOWN_CHARS // 2:
        return 0
    start = same - _SHOWN_BEFORE
    return before.rfind(" ", start - _SHOWN_BEFORE, start) + 1 or start


def _passage(chunk: Chunk, start: int) -> str:
    text = one_line(chunk.text)
    text = f"…{text[start:]}" if start else text
    text = text if len(text) <= _SHOWN_CHARS else f"{text[: _SHOWN_CHARS - 1]}…"
    where = place(chunk.source, chunk.line_start, chunk.line_end, chunk.page_start)
    return f"{where} {enclosed(text, '“', '”')}"


def rollback_object(done: history.RolledBack, seal: Seal) -> RollbackResult:
    """The JSON of `rollback`."""
    return {
        "schema_version": SCHEMA_VERSION,
        "version": done.version,
        "before": done.before,
        "target": done.target,
        "seal": seal,
    }


def rollback_lines(done: history.RolledBack) -> Iterator[str]:
    """What is current now, and what the next run does."""
    yield f"Version {done.target} is current again, as version {done.version}. No file was touched."
    yield "The next run of index or watch brings the index up to date with the folder."
    yield f"To undo it: corpus-agent rollback {done.before}"
