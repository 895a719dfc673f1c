"""A few documents of a folder -> how much of it is not in English; before a model is chosen."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from indexer.embed.languages import SAMPLE_CHARS, language_of
from indexer.errors import Refused, UnreadableDocument
from indexer.files.walk import SeenFile, walk
from indexer.parsers.protocol import decoded
from indexer.parsers.worker import WINDOW, Worker
from indexer.records import is_other
from indexer.sync.read import copied

DOCUMENTS = 24  # of a folder, evenly over its names
LARGE = 500_000  # bytes: a report of a hundred pages takes seconds to open
PARTS = 3  # of a document, of SAMPLE_CHARS each


def share_in_other_languages(root: Path) -> float:
    """The share of a folder's documents that have text in another language than English; 0 to 1."""
    files = [seen for seen in walk(root).files if seen.problem is None and seen.bytes]
    small = [seen for seen in files if seen.bytes < LARGE]
    chosen = small[:: max(1, len(small) // DOCUMENTS)] if small else files[: DOCUMENTS // 8]
    with closing(Worker()) as worker:
        begun = [begin for seen in chosen if (begin := _beginning(root, seen, worker))]
    return sum(map(_is_in_another, begun)) / len(begun) if begun else 0.0


def _beginning(root: Path, seen: SeenFile, worker: Worker) -> str:
    """The first words of a document; "" where it gives none."""
    try:
        with copied(root, seen.source, seen.bytes) as copy:
            text = worker.read(copy.descriptor, seen.source, _enough, WINDOW)
    except (OSError, Refused, UnreadableDocument):
        return ""  # the run itself says what it could not read
    return "\n".join(line.text for line in decoded(text.encoding) if not line.is_mark)


def _enough(_: int, chars: int) -> bool:
    return chars >= PARTS * SAMPLE_CHARS


def _is_in_another(text: str) -> bool:
    parts = [text[at : at + SAMPLE_CHARS] for at in range(0, PARTS * SAMPLE_CHARS, SAMPLE_CHARS)]
    return any(is_other(language_of(part)) for part in parts if len(part) > SAMPLE_CHARS // 4)
