"""One file of the folder -> its row and its chunks.

Reads the bytes once, so that the hash in the row is that of the bytes that were extracted. Every
way in which a file can give no text ends in a row with a status and a reason; nothing raises.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import replace
from pathlib import Path

from indexer.chunk import Chunker
from indexer.errors import Refused, UnreadableDocument
from indexer.extract import extract
from indexer.records import Chunk, FileRow, Status
from indexer.walk import SeenFile, read_beneath

# Reasons for which a file is no document of this kind, rather than a broken one.
SKIP_REASONS = frozenset({"symlink", "special", "secret", "too_large", "name"}) | frozenset(
    {"binary", "unsupported"}
)
EMPTY_REASONS = frozenset({"no_bytes", "no_text", "no_text_layer"})


def read_file(root: Path, seen: SeenFile, chunker: Chunker) -> tuple[FileRow, list[Chunk]]:
    """The file's row and chunks; a file that cannot be read costs nothing but itself."""
    started = time.monotonic()
    row = FileRow(seen.source, "failed", bytes=seen.bytes, mtime_ns=seen.mtime_ns)
    try:
        data = read_beneath(root, seen.source)
        row = replace(row, bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
        document = extract(data, seen.source)
    except UnreadableDocument as error:
        return replace(_unread(row, error), seconds=time.monotonic() - started), []
    except Refused as error:
        return replace(row, reason="changed", detail=error.message), []
    except OSError as error:
        reason = "permission" if isinstance(error, PermissionError) else "unreadable"
        return replace(row, reason=reason, detail=error.strerror), []
    chunks = chunker.chunk(document)
    pages = document.lines[-1].page
    row = replace(
        row,
        status="indexed",
        chunks=len(chunks),
        lines=len(document.lines),
        pages=pages,
        title=document.title,
        extractor=document.extractor,
        seconds=round(time.monotonic() - started, 4),
    )
    return row, chunks


def problem_row(seen: SeenFile) -> FileRow:
    """The row of a file that the walk itself found unreadable."""
    row = FileRow(seen.source, "failed", bytes=seen.bytes, mtime_ns=seen.mtime_ns)
    assert seen.problem is not None
    return _unread(row, UnreadableDocument(seen.problem, seen.detail or ""))


def _unread(row: FileRow, error: UnreadableDocument) -> FileRow:
    """The row of a file that gave no text."""
    status: Status = "failed"
    if error.reason in EMPTY_REASONS:
        status = "empty"
    elif error.reason in SKIP_REASONS:
        status = "skipped"
    return replace(
        row,
        status=status,
        reason=error.reason,
        detail=error.detail or None,
        extractor=error.extractor,
    )
