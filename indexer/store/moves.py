"""Which documents have another name than before: for a run.

Pure. A document that was edited as well was removed, and another added.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from indexer.records import FileRow


def moves(removed: Iterable[FileRow], added: Iterable[FileRow]) -> dict[str, str]:
    """The former name of each document that was moved, by its new one: the bytes are the same.

    Of several with the same bytes the first by name is the first, and each is moved once.
    """
    gone: dict[str | None, list[str]] = defaultdict(list)
    for row in sorted(removed, key=lambda row: row.source, reverse=True):
        gone[row.sha256].append(row.source)
    new = sorted(added, key=lambda row: row.source)
    return {row.source: gone[row.sha256].pop() for row in new if gone[row.sha256]}
