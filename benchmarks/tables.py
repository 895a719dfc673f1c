"""Whether the row that holds an answer is found, in tables of the web that are kept as CSV.

A question counts if a cell of its table is the answer; its row is found if one of the first five
passages has a line with every cell of that row.

    python benchmarks/tables.py [--store DIR]
"""

from __future__ import annotations

import argparse
import csv
import tempfile
from collections.abc import Iterator, Sequence
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path, help="keep the index here")
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(data("tables", "wtq-dev", "csv").glob("*/*.csv")):
            write_csv(Path(folder, f"{path.parent.name}-{path.name}"), read_rows(path))
        with corpus_of(Path(folder), parser.parse_args().store) as corpus:
            for question, name, gold in questions():
                hits = corpus.search(Query(question, FIRST, per_source=2))
                own = [hit.chunk.text for hit in hits if Path(hit.chunk.source).stem == name]
                found.append(any(holds(text, row) for text in own for row in gold))
    print_table(("questions", f"row in the first {FIRST}"), [(len(found), mean(found))])


if __name__ == "__main__":
    main()
