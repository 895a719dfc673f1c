"""What the benchmark scripts share: where the data is, an index of it, a table of results."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.golden import EVAL
from corpus_agent.service import session
from corpus_agent.settings import Settings
from indexer.index import Index

Result = TypeVar("Result")


def data(*parts: str) -> Path:
    """A file or folder of the evaluation data; ends the script with a reason where it is absent."""
    path = EVAL.joinpath(*parts)
    if not path.exists():
        sys.exit(f"skipped: there is no evaluation data at {'/'.join(parts)}")
    return path


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON lines file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def document_files(name: str, folder: Path) -> dict[str, str]:
    """Write the documents of a retrieval set as Markdown files; document ids by source."""
    ids = {}
    for entry in read_jsonl(data("retrieval", name, "corpus.jsonl")):
        source = re.sub(r"\.md$", "", entry["_id"]) + ".md"
        path = folder / source
        path.parent.mkdir(parents=True, exist_ok=True)
        title = entry["title"].strip()
        path.write_text(f"# {title}\n\n{entry['text']}" if title else entry["text"], "utf-8")
        ids[source] = entry["_id"]
    return ids


@contextmanager
def corpus_of(folder: Path, store: Path | None = None) -> Iterator[Index]:
    """The corpus of a folder: indexed for this run, or kept in `store` from an earlier one."""
    with tempfile.TemporaryDirectory() as scratch:
        settings = Settings(store=store or Path(scratch) / "store")
        outcome = session.index(settings, folder)
        print(f"{outcome.chunks} chunks, {outcome.embedded} embedded, {outcome.seconds:.1f} s")
        yield session.open_corpus(settings)


def processor_seconds() -> float:
    """What this process and those of its children that have ended took."""
    return sum(os.times()[:4])


def timed(work: Callable[[], Result]) -> tuple[float, float, Result]:
    """Seconds by the clock and of the processors, ended children included, and the result."""
    started, used = time.perf_counter(), processor_seconds()
    result = work()
    return time.perf_counter() - started, processor_seconds() - used, result


def print_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A Markdown table."""
    print(f"| {' | '.join(header)} |")
    print(f"|{'|'.join('---' for _ in header)}|")
    for row in rows:
        cells = (f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row)
        print(f"| {' | '.join(cells)} |")
