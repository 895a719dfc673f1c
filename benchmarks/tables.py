"""Whether the row that holds an answer is found, by the format in which the table is kept.

105 tables of WikiTableQuestions are written as CSV and as HTML (with `th`), and each format is
indexed alone. A question counts if a cell of its table is the answer; its row is found if one of
the first five passages has a line with every cell of that row.

    python benchmarks/tables.py [--stores DIR]
"""

from __future__ import annotations

import argparse
import csv
import html
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import mean

from benchmarks.common import corpus_of, data, flat, print_table, read_jsonl
from indexer.records import Query

Rows = list[list[str]]
FIRST = 5


def read_rows(path: Path) -> Rows:
    """The cells of a table of the set, which escapes quotation marks by a backslash."""
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines, escapechar="\\", doublequote=False))
    return [[" ".join(cell.split()) for cell in row] for row in rows]


def write_csv(path: Path, rows: Rows) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)


def write_html(path: Path, rows: Rows) -> None:
    lines = []
    for number, row in enumerate(rows):
        tag = "td" if number else "th"
        lines.append("<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row))
    path.write_text(f"<!doctype html><body><table>{''.join(lines)}</table></body>", "utf-8")


WRITERS: dict[str, Callable[[Path, Rows], None]] = {"csv": write_csv, "html": write_html}


def holds(passage: str, row: Sequence[str]) -> bool:
    """Whether a line of a passage contains all cells of a row."""
    cells = [flat(cell) for cell in row if cell]
    return any(all(cell in line for cell in cells) for line in map(flat, passage.split("\n")))


def questions() -> Iterator[tuple[str, str, Rows]]:
    """(question, name of the table, rows that hold the answer)."""
    folder = data("tables", "wtq-dev")
    for entry in read_jsonl(folder / "questions.jsonl"):
        wanted = {flat(part) for part in entry["targetValue"].split("|")}
        rows = read_rows(folder / entry["context"])[1:]
        gold = [row for row in rows if any(flat(cell) in wanted for cell in row)]
        if gold:
            name = entry["context"].removeprefix("csv/").removesuffix(".csv").replace("/", "-")
            yield entry["utterance"], name, gold


def measure(kind: str, stores: Path) -> tuple[object, ...]:
    """How often the row is found in one format."""
    folder = stores / f"{kind}-files"
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(data("tables", "wtq-dev", "csv").glob("*/*.csv")):
        WRITERS[kind](folder / f"{path.parent.name}-{path.stem}.{kind}", read_rows(path))
    found = []
    with corpus_of(folder, stores / kind) as corpus:
        for question, name, gold in questions():
            hits = corpus.search(Query(question, FIRST, per_source=2))
            own = [hit.chunk.text for hit in hits if Path(hit.chunk.source).stem == name]
            found.append(any(holds(text, row) for text in own for row in gold))
    return kind, len(found), mean(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stores", type=Path, help="keep files and indexes here")
    with tempfile.TemporaryDirectory() as scratch:
        stores = parser.parse_args().stores or Path(scratch)
        rows = [measure(kind, stores) for kind in WRITERS]
    print_table(("tables as", "questions", f"row in the first {FIRST}"), rows)


if __name__ == "__main__":
    main()
