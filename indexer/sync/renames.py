"""Which added documents are removed ones under another name, with some of their lines changed.

Pure but for the kept texts that it is given. Called by run.py for the outcome alone: the index does
the same work either way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from indexer.parsers.protocol import decoded
from indexer.parsers.worker import Text
from indexer.records import FileRow

MOST = 20  # documents on either side: more are no edit of a person
ALIKE = 0.5  # of the lines of both


def renamed(
    removed: Sequence[FileRow],
    added: Sequence[FileRow],
    text_of: Callable[[str, str], Text | None],
) -> list[tuple[str, str]]:
    """The former and the new source of each pair, the most similar first; each source once.

    Documents with the same bytes are moved, and no pair. `text_of` returns the text that is kept
    for a hash and a source.
    """
    same = {row.sha256 for row in removed} & {row.sha256 for row in added}
    old, new = _documents(removed, same), _documents(added, same)
    if not (old and new) or max(len(old), len(new)) > MOST:
        return []
    before, after = _lines(old, text_of), _lines(new, text_of)
    pairs = sorted(
        (-_likeness(before[one], after[other]), one, other) for one in before for other in after
    )
    taken: set[str] = set()
    found = []
    for unlike, one, other in pairs:
        if -unlike >= ALIKE and not taken & {one, other}:
            taken |= {one, other}
            found.append((one, other))
    return found


def _documents(rows: Iterable[FileRow], same: set[str | None]) -> list[FileRow]:
    return [row for row in rows if row.is_document and row.sha256 not in same]


def _lines(
    rows: Iterable[FileRow], text_of: Callable[[str, str], Text | None]
) -> dict[str, Counter[str]]:
    """The lines of each document whose text is kept, blank ones left out."""
    found = {}
    for row in rows:
        text = text_of(row.sha256 or "", row.source)
        if text is not None:
            found[row.source] = Counter(
                line.text for line in decoded(text.encoding) if line.text.strip()
            )
    return found


def _likeness(one: Counter[str], other: Counter[str]) -> float:
    """The share of lines that both have, of those of the two together (Dice 1945)."""
    return 2 * (one & other).total() / max(1, one.total() + other.total())
