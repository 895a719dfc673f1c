"""Renders the status of files, as JSON and as lines of text."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from corpus_agent.render.common import SCHEMA_VERSION, taken
from corpus_agent.text.naming import called, unambiguous
from corpus_agent.text.sanitize import inert, one_line
from corpus_agent.text.wording import number_of

if TYPE_CHECKING:
    from corpus_agent.render.common import Object, Seal
    from indexer import Excluded, FileRow


def problem_object(row: FileRow) -> Object:
    """One file that yielded no text, with the reason."""
    return {"source": unambiguous(row.source), "reason": row.reason, "detail": detail(row)}


def detail(row: FileRow) -> str | None:
    """A parser's message about a file, sanitised, since it may quote the file."""
    return one_line(row.detail) if row.detail else row.detail


_AS_THEY_ARE = """
    status reason bytes sha256 chunks pages lines extractor seconds waiting date language
"""
# What a person is told of a file without text, where nothing more is known of it.
REASONS = {
    "no_text_layer": "it has no text",
    "encrypted": "it is encrypted",
    "malformed": "it is damaged",
    "timeout": "reading it took too long",
    "memory": "reading it takes too much memory",
    "crashed": "its reader ended",
    "too_large": "it is too large",
    "too_large_unpacked": "it is too large once unpacked",
    "output": "it has too much text",
    "binary": "it is not text",
    "encoding": "its encoding is not known",
    "unsupported": "its format is not read",
    "no_bytes": "it is empty",
    "changed": "it changed while it was read",
}


def why_unread(row: FileRow) -> str:
    """Why a file has no text, as in "it ends too early"."""
    return one_line(row.detail) if row.detail else plain_reason(row.reason or "")


def plain_reason(reason: str) -> str:
    """What a person is told in place of a reason's code."""
    return one_line(inert(REASONS.get(reason, reason.replace("_", " "))))


def problem_line(row: FileRow) -> str:
    """One line on a file that yielded no text."""
    return f"{row.status} {called(row.source)} ({why_unread(row)})"


def files_object(rows: Iterable[FileRow], version: int, seal: Seal) -> Object:
    """The JSON of `files`."""
    entries = [file_object(row) for row in rows]
    return {"schema_version": SCHEMA_VERSION, "version": version, "files": entries, "seal": seal}


def file_object(row: FileRow) -> Object:
    """One file of the JSON of `files`."""
    return {
        "source": unambiguous(row.source),
        **taken(row, _AS_THEY_ARE),
        "detail": detail(row),
        "title": one_line(row.title) if row.title else None,
        "modified": _modified(row),
        "author": one_line(row.author) if row.author else None,
        "tags": [one_line(tag) for tag in (row.tags or "").split()],
        "links": [one_line(target) for target in (row.links or "").splitlines()],
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
        return problem_line(row)
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
