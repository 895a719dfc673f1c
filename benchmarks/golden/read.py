"""What is read of each file: status, reason, pages, lines, title, outline, and the text as indexed.

The files go through the walk, the sealed parsers and the chunker as in `index`, without a model and
without recognition. Of text a hash is kept for each page, or for 200 lines where there are none.
The toy tokenizer cuts the passages, so that no model's own is part of the record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.golden import EVAL, REPOSITORY, digest
from benchmarks.golden.compare import GONE, NEW
from indexer.chunk import Chunker, heading_paths
from indexer.extract import writes_markdown
from indexer.files.walk import walk
from indexer.parsers.worker import Text
from indexer.records import Chunk, FileRow, Line
from indexer.sync.read import document_of, problem_row, read_all
from tests.support.fakes import ToyEncoder

NAME = "read"
BLOCK = 200  # lines, where there are no pages
PARSERS = 2
SAMPLE = "sample_corpus"
OTHERS = (
    *("extract/markitdown", "extract/tika", "extract/py-pdf-sample-files", "scans"),
    *("fields/cuad-dev", "qa/financebench", "corpora/til"),
)
SETS = {SAMPLE: REPOSITORY / SAMPLE} | {name: EVAL / name for name in OTHERS}
QUICK = frozenset(SETS) - {"qa/financebench"}
# Reasons that a machine with much other work gives to a file that it could read otherwise.
OF_LIMITS = ("timeout", "memory", "crashed")


class Kept:
    """The cache that the reader is given: it has no text, and keeps each until it is taken."""

    def __init__(self) -> None:
        self.texts: dict[str, Text] = {}

    def get(self, sha256: str, source: str) -> None:
        """None: every file is parsed."""

    def put(self, sha256: str, source: str, text: Text) -> None:
        self.texts[source] = text


def take(names: set[str] | None, report: Callable[[str], None]) -> dict[str, Any]:
    """An entry for each file of the sets that are named; None: of all."""
    entries: dict[str, Any] = {}
    for name, folder in SETS.items():
        if names is not None and name not in names:
            continue
        if not folder.is_dir():
            entries.setdefault("skipped", {})[name] = "the evaluation data is not here"
            continue
        report(name)
        entries |= {f"{name}/{source}": entry for source, entry in entries_of(folder)}
    return entries


def entries_of(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    files = walk(folder).files
    read = [seen for seen in files if not seen.problem]
    yield from ((seen.source, entry(problem_row(seen), None, ())) for seen in files if seen.problem)
    encoder, kept = ToyEncoder(), Kept()
    chunker = Chunker(encoder)
    for seen, row, chunks in read_all(folder, read, chunker, kept, workers=PARSERS):
        yield seen.source, entry(row, kept.texts.pop(seen.source, None), chunks)


def entry(row: FileRow, text: Text | None, chunks: Iterable[Chunk]) -> dict[str, Any]:
    """What is recorded of a file; what it does not have is left out."""
    values: dict[str, Any] = {"status": row.status, "reason": row.reason, "waiting": row.waiting}
    if text is not None and row.status == "indexed":
        document = document_of(text, row.source)
        headings = heading_paths(document) if writes_markdown(row.extractor or "") else ()
        parts = [*headings, *(line.part for line in document.lines if line.part)]
        cut = [(c.text, c.heading, c.line_start, c.line_end, c.page_start) for c in chunks]
        values |= {
            "pages": row.pages,
            "lines": row.lines,
            "title": digest(row.title),
            "outline": counted([name for name, _ in groupby(parts)]),
            "about": digest(row.date, row.author, row.tags, "", row.language),
            "passages": counted(cut),
            "text": list(blocks(document.lines)),
        }
    return {name: value for name, value in values.items() if value not in (None, 0, [], "")}


def counted(items: list[Any]) -> str:
    """How many there are and their hash; "" for none."""
    return f"{len(items)} {digest(*items)}" if items else ""


def blocks(lines: Iterable[Line]) -> Iterator[str]:
    """Page ("-" for none), lines and hash of each page or of each 200 lines."""

    def place(numbered: tuple[int, Line]) -> tuple[int | str, int]:
        number, line = numbered
        return ("-", (number - 1) // BLOCK) if line.page is None else (line.page, 0)

    for (page, _), some in groupby(enumerate(lines, start=1), place):
        block = list(some)
        shown = digest(*((line.text, line.part, line.hidden) for _, line in block))
        yield f"{page} {block[0][0]}-{block[-1][0]} {shown}"


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Every difference, as in "extract/tika/testPDF.pdf page 3 (lines 41-88): text differs"."""
    found = []
    for key in sorted({*old, *new}):
        if key not in new or key not in old:
            found.append(f"{key}: {GONE if key not in new else NEW}")
        elif old[key] != new[key]:
            found += (f"{key}{what}" for what in _of_file(old[key], new[key]))
    return found


def _of_file(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    for name in ("status", "reason", "waiting", "pages", "lines"):
        was, now = old.get(name), new.get(name)
        if was != now:
            busy = " (a limit: again where less else runs)" if now in OF_LIMITS else ""
            yield f": {name} was {was}, is {now}{busy}"
    for name in ("title", "outline", "about", "passages"):
        if old.get(name) != new.get(name):
            yield f": {name} differs"
    was, now = (by_page(entry.get("text", ())) for entry in (old, new))
    for place, (lines, shown) in {**now, **was}.items():
        page = f"lines {lines}" if place[0] == "-" else f"page {place[0]} (lines {lines})"
        if place not in now or place not in was:
            yield f" {page}: text {GONE if place not in now else NEW}"
        elif shown != now[place][1]:
            yield f" {page}: text differs"


def by_page(text: Iterable[str]) -> dict[tuple[str, int], tuple[str, str]]:
    """Lines and hash of the blocks by their page and how often that came before."""
    seen: Counter[str] = Counter()
    found = {}
    for page, lines, shown in map(str.split, text):
        found[page, seen[page]] = lines, shown
        seen[page] += 1
    return found
