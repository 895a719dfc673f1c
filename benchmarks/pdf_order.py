"""Reading order of PDF: edit distance to known text, and heads that recur in passages.

    python benchmarks/pdf_order.py [--before FOLDER] [--truth FOLDER] [--seed N] [--heads N]

Files of known text are made for the run (pdf_truth.py); `--truth` names a folder with pairs of
NAME.pdf and NAME.txt, corrected by hand, besides. The control is pdfium's own text in the same
run; `--before` names a copy of the project at an earlier state, whose `indexer` reads the same
files. Distances are in characters per thousand of the truth, white space of one kind, and none
beside letters that are written without. Then the longest contracts and annual reports: lines at
the edges of pages that recur on others near them, in pdfium's text and in our passages.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import pypdfium2
from common import data, print_table
from pdf_truth import Known, known_files

from indexer.errors import UnreadableDocument
from indexer.extract import open_document

NEAR = 8  # pages on either side, as far as a head is looked for again
RECURS = 3  # pages near each other that have the line
EDGE_LINES = 3
_READ = """
import json, sys
sys.path.insert(0, sys.argv[1])
from indexer.extract import open_document
lines = open_document(open(sys.argv[2], "rb").read(), "a.pdf").lines
print(json.dumps([line.text for line in lines if not line.is_mark and line.page]))
"""


def ours(path: Path) -> str:
    """The text of the pages, without marks and without what is kept at the end."""
    try:
        lines = list(open_document(path.read_bytes(), path.name).lines)
    except UnreadableDocument:
        return ""
    return "\n".join(line.text for line in lines if not line.is_mark and line.page)


def earlier(path: Path, folder: Path) -> str:
    """The same by the project as it stands in another folder."""
    command = [sys.executable, "-c", _READ, str(folder), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return "\n".join(json.loads(done.stdout))


def plain(path: Path) -> str:
    """Pdfium's own text."""
    return "\n".join(pages_of(path))


def pages_of(path: Path) -> list[str]:
    """Pdfium's own text, page by page."""
    with pypdfium2.PdfDocument(path) as document:
        return [
            str(document[index].get_textpage().get_text_range()) for index in range(len(document))
        ]


_SPACELESS = r"[\u3000-\u9fff\uff00-\uffef]"


def spaced(text: str) -> str:
    """White space of one kind; none beside Chinese and Japanese."""
    text = re.sub("[\ufffe\x02]", "-\n", text)
    text = " ".join(text.split())
    return re.sub(f"(?<={_SPACELESS}) | (?={_SPACELESS})", "", text)


def distance(first: str, second: str) -> int:
    """Levenshtein's, a column at a time in the bits of integers (Myers 1999, Hyyrö 2003)."""
    if not first:
        return len(second)
    places: dict[str, int] = {}
    for index, char in enumerate(first):
        places[char] = places.get(char, 0) | (1 << index)
    full = (1 << len(first)) - 1
    last = 1 << (len(first) - 1)
    up, down, score = full, 0, len(first)
    for char in second:
        same = places.get(char, 0)
        level = (((same & up) + up) ^ up) | same | down
        right, left = down | (full & ~(level | up)), up & level
        score += bool(right & last) - bool(left & last)
        right, left = ((right << 1) | 1) & full, (left << 1) & full
        up, down = left | (full & ~(level | right)), right & level
    return score


def rows(known: Iterable[Known], before: Path | None) -> Iterable[Sequence[object]]:
    """A row of the table for each file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.pdf"
        for file in known:
            path.write_bytes(file.content)
            truth = spaced(file.text)
            texts = [plain(path), earlier(path, before) if before else None, ours(path)]
            per_mille = [
                "-" if text is None else 1000 * distance(truth, spaced(text)) / len(truth)
                for text in texts
            ]
            body = ours(path)
            left = sum(spaced(head) in map(spaced, body.splitlines()) for head in file.heads)
            yield (file.name, len(truth), *per_mille, left if file.heads else "-")


def pairs(folder: Path) -> Iterable[Known]:
    """Files with their text beside them."""
    for path in sorted(folder.rglob("*.pdf")):
        truth = path.with_suffix(".txt")
        if truth.exists():
            yield Known(path.stem[:40], path.read_bytes(), truth.read_text("utf-8"))


# --- Heads that recur ---------------------------------------------------------------------------


def recurring(pages: Sequence[Sequence[str]]) -> int:
    """How many lines at the edges of pages recur at those of pages near, but for numbers."""
    edges = [{shape(line) for line in [*page[:EDGE_LINES], *page[-EDGE_LINES:]]} for page in pages]
    found = 0
    for number, edge in enumerate(edges):
        near = edges[max(0, number - NEAR) : number + NEAR + 1]
        counts = Counter(line for other in near for line in other)
        found += sum(counts[line] >= max(RECURS, len(near) // 2) for line in edge)
    return found


def shape(line: str) -> str:
    """A line without its numbers."""
    return re.sub(r"\d+|\b[ivxl]+\b", "#", " ".join(line.split()))


def long_files(number: int) -> list[Path]:
    """The longest contracts, and as many annual reports."""
    contracts = sorted(data("fields", "cuad-dev", "pdf").glob("*.pdf"), key=pages_in)[-number:]
    reports = sorted(data("qa", "financebench", "pdfs").glob("*.pdf"), key=pages_in)[-number:]
    return [*contracts, *reports]


def pages_in(path: Path) -> int:
    with pypdfium2.PdfDocument(path) as document:
        return len(document)


def head_rows(paths: Sequence[Path]) -> Iterable[Sequence[object]]:
    """A row for each file: what recurs in pdfium's text, and in ours."""
    for path in paths:
        own: dict[int, list[str]] = {}
        kept = 0
        for line in open_document(path.read_bytes(), path.name).lines:
            if line.page and not line.is_mark and line.text.strip():
                own.setdefault(line.page, []).append(line.text)
            kept += line.part is not None and not line.is_mark
        before = [[line for line in page.splitlines() if line.strip()] for page in pages_of(path)]
        yield path.stem[:40], len(before), recurring(before), recurring(list(own.values())), kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, help="an earlier state of the project")
    parser.add_argument("--truth", type=Path, help="PDF files with their text beside them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--heads", type=int, default=15, help="files of each kind; 0: none")
    arguments = parser.parse_args()
    known = list(known_files(arguments.seed))
    if arguments.truth:
        known += pairs(arguments.truth)
    header = ("file", "characters", "pdfium", "before", "ours", "heads left")
    print_table(header, rows(known, arguments.before))
    if arguments.heads:
        print()
        header = ("file", "pages", "recurring, pdfium", "recurring, ours", "kept at the end")
        print_table(header, head_rows(long_files(arguments.heads)))


if __name__ == "__main__":
    main()
