"""Pages a second: the text of nineteen annual reports through the workers, and in this process.

    python benchmarks/extraction_speed.py

No chunking, no embedding, nothing kept. The control is the same extractor without processes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from common import data, print_table, timed

from indexer.extract import open_document
from indexer.files.walk import walk
from indexer.parsers.pool import in_order, worker_count
from indexer.parsers.protocol import decoded
from indexer.parsers.worker import Text, Worker
from indexer.sync.read import copied

ROUNDS = 2


def main() -> None:
    """Both ways, one after the other, as often as ROUNDS says; the better round of each counts."""
    root = data("qa", "financebench")
    sources = [seen.source for seen in walk(root).files if seen.source.endswith(".pdf")]
    ways: dict[str, Callable[[], int]] = {
        f"{worker_count()} workers": lambda: through_workers(root, sources, worker_count()),
        "1 worker": lambda: through_workers(root, sources, 1),
        "in this process": lambda: in_process(root, sources),
    }
    best: dict[str, tuple[float, float, int]] = {}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            taken = timed(way)
            best[name] = min(best.get(name, taken), taken)
    rows = [
        (name, pages, f"{wall:.1f}", f"{pages / wall:.0f}", f"{busy:.1f}")
        for name, (wall, busy, pages) in best.items()
    ]
    print_table(("way", "pages", "seconds", "pages/s", "processor seconds"), rows)


def through_workers(root: Path, sources: list[str], workers: int) -> int:
    """Pages of all reports, parsed by so many processes."""

    def read(worker: Worker, source: str) -> Text:
        with copied(root, source, 0) as copy:
            return worker.read(copy.descriptor, source)

    with in_order(read, sources, lambda text: len(text.encoding), workers=workers) as texts:
        return sum(max(line.page or 0 for line in decoded(text.encoding)) for text in texts)


def in_process(root: Path, sources: list[str]) -> int:
    """Pages of all reports, parsed here."""
    documents = (open_document((root / source).read_bytes(), source) for source in sources)
    return sum(max(line.page or 0 for line in document.lines) for document in documents)


if __name__ == "__main__":
    main()
