"""Heads and feet of pages that stay in the text of long PDF: lines that recur near the edges.

The longest contracts and annual reports, 15 of each. A line recurs if it stands, but for numbers,
at the edges of half of the pages near its own. The control is pdfium's own text of the same files.

    python benchmarks/heads.py
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pypdfium2

from benchmarks.common import data, print_table
from indexer.extract import open_document

FILES = 15  # of each kind
NEAR = 8  # pages on either side, as far as a head is looked for again
RECURS = 3  # pages near each other that have the line
EDGE_LINES = 3


def shape(line: str) -> str:
    return re.sub(r"\d+|\b[ivxl]+\b", "#", " ".join(line.split()))


def recurring(pages: Sequence[Sequence[str]]) -> int:
    """How many lines at the edges of pages recur at those of pages near, but for numbers."""
    edges = [{shape(line) for line in [*page[:EDGE_LINES], *page[-EDGE_LINES:]]} for page in pages]
    found = 0
    for number, edge in enumerate(edges):
        near = edges[max(0, number - NEAR) : number + NEAR + 1]
        counts = Counter(line for other in near for line in other)
        found += sum(counts[line] >= max(RECURS, len(near) // 2) for line in edge)
    return found


def by_pdfium(path: Path) -> list[list[str]]:
    with closing(pypdfium2.PdfDocument(path)) as document:
        texts = [page.get_textpage().get_text_range() for page in document]
    return [[line for line in text.splitlines() if line.strip()] for text in texts]


def ours(path: Path) -> list[list[str]]:
    """The lines of each page that has any, as they are indexed."""
    pages: dict[int, list[str]] = {}
    for line in open_document(path.read_bytes(), path.name).lines:
        if line.page and not line.is_mark and line.text.strip():
            pages.setdefault(line.page, []).append(line.text)
    return list(pages.values())


def length(path: Path) -> int:
    with closing(pypdfium2.PdfDocument(path)) as document:
        return len(document)


def main() -> None:
    rows = []
    for folder in (data("fields", "cuad-dev", "pdf"), data("qa", "financebench", "pdfs")):
        files = sorted(folder.glob("*.pdf"), key=length)[-FILES:]
        rows += [(p.stem[:40], recurring(by_pdfium(p)), recurring(ours(p))) for p in files]
    _, control, own = zip(*rows, strict=True)
    print_table(("file", "pdfium", "ours"), [*rows, ("all", sum(control), sum(own))])


if __name__ == "__main__":
    main()
