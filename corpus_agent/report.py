"""Results as JSON objects and as lines for people. Pure: takes records, returns values.

The keys are a contract (docs/json.md): they are added to, never renamed. All text that comes from
documents goes through clean.py here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from corpus_agent.answer import Answer, Citation
from corpus_agent.clean import inert, one_line, visible
from corpus_agent.cleaning import Cleaned
from corpus_agent.corpus import Window
from corpus_agent.forgetting import Forgotten
from corpus_agent.receipt import Checked, Receipt
from corpus_agent.snippet import snippet
from indexer.folder import Usage
from indexer.manifest import Manifest
from indexer.plan import Plan
from indexer.records import Coverage, FileRow, Hit
from indexer.sync import Outcome

SCHEMA_VERSION = 1

CheckedReceipt = tuple[Receipt, Sequence[Checked]]


def as_object(**content: Any) -> dict[str, Any]:  # noqa: ANN401
    """A JSON object with its schema version first."""
    return {"schema_version": SCHEMA_VERSION, **content}


# -- index


def index_object(outcome: Outcome) -> dict[str, Any]:
    """The JSON of `index`."""
    by_status = {
        status: [_problem(row) for row in outcome.problems if row.status == status]
        for status in ("empty", "failed", "skipped")
    }
    return as_object(
        index={
            "version": outcome.version,
            "added": outcome.added,
            "updated": outcome.updated,
            "unchanged": outcome.unchanged,
            "removed": outcome.removed,
            "moved": outcome.moved,
            "spared": outcome.spared,
            "ignored": outcome.ignored,
            **by_status,
            "chunks": outcome.chunks,
            "embedded": outcome.embedded,
            "reused": outcome.reused,
            "interrupted": outcome.interrupted,
            "rebuilt": outcome.rebuilt,
            "seconds": round(outcome.seconds, 2),
        }
    )


def _problem(row: FileRow) -> dict[str, Any]:
    return {"source": one_line(row.source), "reason": row.reason, "detail": _detail(row)}


def _detail(row: FileRow) -> str | None:
    """What a parser says of a file, which may repeat some of it."""
    return one_line(row.detail) if row.detail else row.detail


def problem_line(row: FileRow) -> str:
    """One line on a file that yielded no text."""
    detail = f": {one_line(row.detail)}" if row.detail else ""
    return f"{row.status} {one_line(row.source)} ({row.reason}{detail})"


def index_lines(outcome: Outcome) -> Iterator[str]:
    """What a run did, for a person."""
    if not outcome.chunks and not outcome.problems and not outcome.removed:
        yield "There are no documents in this folder; put some in and run the same command again."
    counts = [
        f"{count:,} {what}"
        for count, what in (
            (outcome.added - outcome.moved, "added"),
            (outcome.moved, "moved"),
            (outcome.updated, "updated"),
            (outcome.unchanged, "unchanged"),
            (outcome.removed - outcome.moved, "removed"),
        )
        if count
    ]
    yield (
        f"{', '.join(counts) or 'nothing to index'}; {outcome.chunks:,} chunks, "
        f"{outcome.embedded:,} newly embedded, in {outcome.seconds:.1f} s (version "
        f"{outcome.version})"
    )
    unread = [row for row in outcome.problems if row.status != "skipped"]
    skipped = len(outcome.problems) - len(unread)
    if unread or skipped:
        yield (
            f"{len(unread):,} could not be read, {skipped:,} are no documents: "
            "corpus-agent files --status empty,failed,skipped"
        )
    if outcome.spared:
        yield f"{outcome.spared:,} are gone from the folder and stay in the index (--no-prune)"
    if outcome.ignored:
        yield f"{outcome.ignored:,} ignored by rule (dot-files, ignore files, system folders)"
    if outcome.interrupted:
        yield "Stopped early. What was done is kept; run the same command to go on."


def watch_line(outcome: Outcome) -> str:
    """What changed while the folder was watched, on one line."""
    counts = f"{outcome.added:,} added, {outcome.updated:,} updated, {outcome.removed:,} removed"
    return f"{counts}; {outcome.chunks:,} chunks (version {outcome.version})"


def plan_object(todo: Plan) -> dict[str, Any]:
    """The JSON of `index --dry-run`."""
    groups = {
        name: [one_line(seen.source) for seen in files] for name, files in _groups(todo).items()
    }
    removed = [one_line(source) for source in todo.remove]
    spared = [one_line(source) for source in todo.spared]
    return as_object(
        plan={
            **groups,
            "remove": removed,
            "spared": spared,
            "keep": len(todo.keep),
            "reasons": list(todo.reasons),
        }
    )


def _groups(todo: Plan) -> dict[str, Any]:
    return {"add": todo.add, "update": todo.update, "record": todo.record, "touch": todo.touch}


def plan_lines(todo: Plan) -> Iterator[str]:
    """The plan, one line a file, for a person."""
    yield from todo.reasons
    for name, files in _groups(todo).items():
        for seen in files:
            why = f" ({seen.problem})" if seen.problem else ""
            yield f"{name:<7}{one_line(seen.source)}{why}"
    for what, sources in (("remove", todo.remove), ("spared", todo.spared)):
        for source in sources:
            yield f"{what:<7}{one_line(source)}"
    size = sum(seen.bytes for seen in todo.work)
    yield f"{len(todo.keep):,} unchanged; {len(todo.work):,} files, {size:,} bytes to index"


# -- forget


def forget_object(done: Forgotten) -> dict[str, Any]:
    """The JSON of `forget`."""
    return as_object(
        version=done.version,
        source=one_line(done.source),
        forgotten=done.row is not None,
        keep_out={"file": one_line(str(done.rules)), "line": done.rule},
    )


def forget_lines(done: Forgotten) -> Iterator[str]:
    """What `forget` did, for a person, and how the document stays out."""
    source = one_line(done.source)
    if done.row is None:
        near = ", ".join(one_line(name) for name in done.near)
        yield f"{source} is not in the index; nothing changed." + (
            f" There is: {near}" if near else ""
        )
        return
    yield (
        f"{source} is out of the index, with {done.row.chunks:,} chunks (version {done.version}). "
        "The file stays."
    )
    if done.rule:
        yield "The next run of index or watch takes it up again, unless a rule keeps it out."
        yield f"Add to {one_line(str(done.rules))} this line:"
        yield done.rule  # nothing in it acts or hides
    else:
        yield "The next run of index or watch takes it up again; rename it, or move it elsewhere."


# -- search, read, files, status


def search_object(query: str, hits: Sequence[Hit], version: int) -> dict[str, Any]:
    """The JSON of `search`."""
    return as_object(
        version=version,
        query=visible(query),
        results=[_hit_object(hit, query) for hit in hits],
    )


def _hit_object(hit: Hit, query: str) -> dict[str, Any]:
    return {
        "source": one_line(hit.chunk.source),
        "heading": one_line(hit.chunk.heading),
        "page": hit.chunk.page_start,
        "line_start": hit.chunk.line_start,
        "line_end": hit.chunk.line_end,
        "score": round(hit.score, 4),
        "cosine": round(hit.cosine, 4),
        "bm25": round(hit.bm25, 4),
        "snippet": visible(snippet(hit.chunk.text, query)),
        "stale": hit.stale,
    }


def names(sources: Iterable[str]) -> dict[str, str]:
    """Each source under its own name and under every name that it is shown by.

    A name of its own goes before one that only looks the same.
    """
    listed = sorted(sources)
    shown = {name(source): source for name in (_in_answer, one_line) for source in listed}
    return {**shown, **{source: source for source in listed}}


def _in_answer(source: str) -> str:
    return inert(one_line(source))


def place(source: str, line_start: int, line_end: int, page: int | None) -> str:
    """Where a passage stands, as in "notes/a.md:10-24" or "b.pdf:80-91 (page 7)"."""
    lines = f"{line_start}-{line_end}" if line_end != line_start else f"{line_start}"
    return f"{one_line(source)}:{lines}" + (f" (page {page})" if page is not None else "")


def search_lines(query: str, hits: Sequence[Hit], coverage: Coverage) -> Iterator[str]:
    """Hits for a person: place, heading, score, and the snippet below."""
    plural = "" if len(hits) == 1 else "s"
    yield f"{len(hits)} result{plural} in {searched(coverage)}"
    for number, hit in enumerate(hits, start=1):
        chunk = hit.chunk
        stale = " · changed since it was indexed" if hit.stale else ""
        where = place(chunk.source, chunk.line_start, chunk.line_end, chunk.page_start)
        yield f"\n{number}. {where} · {one_line(chunk.heading)} · {hit.score:.2f}{stale}"
        for line in visible(snippet(chunk.text, query)).splitlines():
            yield f"   {line}" if line.strip() else ""


def explain_lines(hits: Sequence[Hit]) -> Iterator[str]:
    """The parts of each score."""
    yield "\nrank  score  cosine    bm25  source"
    for number, hit in enumerate(hits, start=1):
        source = one_line(hit.chunk.source)
        yield f"{number:>4}  {hit.score:5.3f}  {hit.cosine:6.3f}  {hit.bm25:6.2f}  {source}"


def searched(coverage: Coverage) -> str:
    """How many documents there are, and how many could not be read."""
    unread = f" ({coverage.unreadable} more could not be read)" if coverage.unreadable else ""
    plural = "" if coverage.indexed == 1 else "s"
    return f"{coverage.indexed:,} document{plural}{unread}"


def read_object(window: Window, version: int) -> dict[str, Any]:
    """The JSON of `read`."""
    return as_object(
        version=version,
        source=one_line(window.source),
        offset=window.offset,
        lines=[visible(line.text) for line in window.lines],
        total=window.total,
        next_offset=window.next_offset,
        stale=window.stale,
    )


def window_lines(window: Window) -> Iterator[str]:
    """The lines of a document for a person."""
    for line in window.lines:
        yield visible(line.text)


def file_object(row: FileRow) -> dict[str, Any]:
    """One file of the JSON of `files`."""
    return {
        "source": one_line(row.source),
        "status": row.status,
        "reason": row.reason,
        "detail": _detail(row),
        "title": one_line(row.title) if row.title else None,
        "bytes": row.bytes,
        "sha256": row.sha256,
        "chunks": row.chunks,
        "pages": row.pages,
        "lines": row.lines,
        "extractor": row.extractor,
        "seconds": row.seconds,
    }


def file_line(row: FileRow) -> str:
    """One file for a person."""
    if row.status != "indexed":
        return problem_line(row)
    size = f"{row.pages} pages" if row.pages else f"{row.lines} lines"
    return f"indexed {one_line(row.source)} ({size}, {row.chunks} chunks, {row.extractor})"


def status_object(
    manifest: Manifest, store: str, root: str, used: Usage, root_exists: bool
) -> dict[str, Any]:
    """The JSON of `status`."""
    coverage = manifest.coverage
    return as_object(
        version=manifest.version,
        store=one_line(store),
        root=one_line(root),
        root_exists=root_exists,
        files={
            "indexed": coverage.indexed,
            "empty": coverage.empty,
            "failed": coverage.failed,
            "skipped": coverage.skipped,
            "ignored": manifest.ignored,
        },
        chunks=manifest.chunks,
        bytes=used.bytes,
        disk=_usage_object(used),
        model=manifest.fingerprint.model,
        chunker=manifest.fingerprint.chunker,
        complete=manifest.complete,
        updated=manifest.updated,
    )


def _usage_object(used: Usage) -> dict[str, int]:
    return {"tables": used.tables, "vectors": used.vectors, "versions": used.versions}


def status_lines(status: dict[str, Any]) -> Iterator[str]:
    """The status for a person, from its JSON."""
    files = status["files"]
    yield f"corpus   {one_line(status['root'])}" + ("" if status["root_exists"] else "  (MISSING)")
    disk = status["disk"]
    yield (
        f"store    {one_line(status['store'])}, {_mb(status['bytes'])} "
        f"({_mb(disk['tables'])} tables, {_mb(disk['vectors'])} saved vectors; "
        f"table versions: {disk['versions']:,})"
    )
    yield (
        f"files    {files['indexed']:,} indexed, {files['empty']:,} empty, {files['failed']:,} "
        f"failed, {files['skipped']:,} skipped, {files['ignored']:,} ignored"
    )
    yield f"chunks   {status['chunks']:,}, embedded by {status['model']}"
    state = "complete" if status["complete"] else "NOT COMPLETE: run corpus-agent index to go on"
    yield f"version  {status['version']}, {status['updated']}, {state}"


def cleanup_object(done: Cleaned) -> dict[str, Any]:
    """The JSON of `cleanup`."""
    after = {"bytes": done.after.bytes, **_usage_object(done.after)} if done.after else None
    return as_object(
        cleanup={
            "store": one_line(str(done.store)),
            "before": {"bytes": done.before.bytes, **_usage_object(done.before)},
            "after": after,
            "held_versions": done.held,
            "spare_vectors": done.spare_vectors,
        }
    )


def cleanup_lines(done: Cleaned) -> Iterator[str]:
    """What was given back, or could be, for a person."""
    if done.after is None:
        yield (
            f"{_mb(done.before.bytes)} in {_versions(done.before)}; "
            f"{_mb(done.spare_vectors)} of vectors belong to no passage. Nothing was changed."
        )
    else:
        yield (
            f"{_mb(done.before.bytes - done.after.bytes)} given back; {_mb(done.after.bytes)} "
            f"left, in {_versions(done.after)}."
        )
    if done.held:
        yield f"Older versions that are being read, and stay until that ends: {done.held:,}."


def _versions(used: Usage) -> str:
    return f"{used.versions:,} version{'' if used.versions == 1 else 's'} of the tables"


def _mb(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"


# -- answers


def answer_object(answer: Answer) -> dict[str, Any]:
    """The JSON of `ask`."""
    coverage = answer.coverage
    return as_object(
        question=visible(answer.question),
        answer=inert(answer.text),
        status=answer.status,
        answerer=answer.answerer,
        citations=[_citation_object(citation) for citation in answer.citations],
        coverage={
            "indexed": coverage.indexed,
            "empty": coverage.empty,
            "failed": coverage.failed,
        },
        version=answer.version,
        notices=[inert(notice) for notice in answer.notices],
        egress=answer.egress,
        unsupported=[inert(sentence) for sentence in answer.unsupported],
    )


def _citation_object(citation: Citation) -> dict[str, Any]:
    return {
        "n": citation.n,
        "source": _in_answer(citation.source),
        "page": citation.page,
        "line_start": citation.line_start,
        "line_end": citation.line_end,
        "quote": inert(citation.quote),
        "verdict": citation.verdict,
    }


def answer_lines(answer: Answer) -> Iterator[str]:
    """An answer for a person, its citations below."""
    yield inert(answer.text)
    if answer.citations:
        yield ""
    yield from citation_lines(answer.citations)
    yield ""
    for notice in answer.notices:
        yield f"Note: {one_line(inert(notice))}"
    if answer.egress:
        yield f"egress: {one_line(answer.egress)}"
    yield f"({answer.answerer}; searched {searched(answer.coverage)})"


def citation_lines(citations: Iterable[Citation]) -> Iterator[str]:
    """Each citation with its place, verdict and quotation."""
    for citation in citations:
        where = place(citation.source, citation.line_start, citation.line_end, citation.page)
        yield f"[{citation.n}] {inert(where)} · {citation.verdict}"
        yield f"    “{one_line(inert(citation.quote))}”"


# -- receipts


def verify_object(checked: Sequence[CheckedReceipt], version: int) -> dict[str, Any]:
    """The JSON of `verify`."""
    receipts = [
        {
            "question": visible(str(content.get("question", ""))),
            "started": visible(str(content.get("started", ""))),
            "holds": all(found.holds for found in rows),
            "citations": [_checked_object(found) for found in rows],
        }
        for content, rows in checked
    ]
    holds = all(one["holds"] for one in receipts)
    return as_object(version=version, verify={"holds": holds, "receipts": receipts})


def _checked_object(found: Checked) -> dict[str, Any]:
    return {
        "n": found.n,
        "source": _in_answer(found.source),
        "verdict": found.verdict,
        "file": found.file,
        "was": {"line_start": found.was[0], "line_end": found.was[1]},
        "page": found.page,
        "line_start": found.line_start or None,
        "line_end": found.line_end or None,
        "quote": inert(found.quote) or None,
    }


def verify_lines(checked: Sequence[CheckedReceipt]) -> Iterator[str]:
    """Each quotation of each receipt, and what became of it, for a person."""
    for content, rows in checked:
        yield one_line(inert(f"{content.get('started', '')} {content.get('question', '')}"))
        for found in rows:
            where = inert(place(found.source, *found.was, None))
            yield f"[{found.n}] {where} · {_became(found)}"
            if not found.holds and found.quote:
                yield f"    now “{one_line(inert(found.quote))}”"
        if not rows:
            yield "(nothing was quoted)"
    every = [found for _, rows in checked for found in rows]
    holding = sum(found.holds for found in every)
    yield f"{holding} of {len(every)} quotations still stand in their documents"


def _became(found: Checked) -> str:
    """What became of one quotation, as in "holds, now in lines 20-21 (file changed)"."""
    if found.file == "gone":
        return "the document is gone"
    changed = " (the file changed)" if found.file == "changed" else ""
    if found.verdict == "not_found":
        return f"no longer there{changed}"
    lines = f"{found.line_start}-{found.line_end}"
    if found.verdict == "altered":
        return f"altered, in lines {lines}{changed}"
    moved = "" if found.line_start == found.was[0] else f", now in lines {lines}"
    return f"holds{moved}{changed}"
