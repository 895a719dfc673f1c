"""Whether the row that holds an answer is found, by the format in which the table is kept.

105 tables of WikiTableQuestions are written as CSV, HTML and DOCX, none with marks of a header but
HTML (`th`), and each format is indexed alone. A question counts if a cell of its table
is the answer; its row is found if one of the first five passages has a line with every cell of that
row. With `--answers` also whether one of the extractive answer's sentences contains the answer.
Then the tables of TAT-QA with the text around them, as HTML without `th`: the right document, and
one of the answer's figures in a passage of it.

    python benchmarks/tables.py [--stores DIR] [--formats csv html …] [--answers] [--limit N]
"""

from __future__ import annotations

import argparse
import csv
import html
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import mean

from common import corpus_of, data, print_table, read_jsonl

from corpus_agent.answering.extractive import ExtractiveAnswerer
from indexer.index import Index
from indexer.records import Query

Rows = list[list[str]]
FIRST = 5


def read_rows(path: Path) -> Rows:
    """The cells of a table of the set, which escapes quotation marks by a backslash."""
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines, escapechar="\\", doublequote=False))
    return [[" ".join(cell.split()) for cell in row] for row in rows]


# --- The same table in each format ---------------------------------------------------------------


def write_csv(path: Path, rows: Rows) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)


def html_table(rows: Rows, header: str) -> str:
    lines = []
    for number, row in enumerate(rows):
        tag = "td" if number else header
        lines.append("<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row))
    return f"<table>{''.join(lines)}</table>"


def write_html(path: Path, rows: Rows) -> None:
    path.write_text(f"<!doctype html><body>{html_table(rows, 'th')}</body>", "utf-8")


def write_docx(path: Path, rows: Rows) -> None:
    import docx

    document = docx.Document()
    table = document.add_table(len(rows), max(map(len, rows)))
    cells = table._cells
    width = max(map(len, rows))
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            cells[i * width + j].text = cell
    document.save(str(path))


WRITERS: dict[str, Callable[[Path, Rows], None]] = {
    "csv": write_csv,
    "html": write_html,
    "docx": write_docx,
}

# --- WikiTableQuestions --------------------------------------------------------------------------


def plain(text: str) -> str:
    return " ".join(text.casefold().split())


def rows_of_answer(rows: Rows, answer: str) -> list[list[str]]:
    """The rows below the first with a cell equal to one of the answers."""
    wanted = {plain(part) for part in answer.split("|")}
    return [row for row in rows[1:] if any(plain(cell) in wanted for cell in row)]


def holds(passage: str, row: Sequence[str]) -> bool:
    """Whether a line of a passage contains all cells of a row."""
    cells = [plain(cell) for cell in row if cell]
    return any(all(cell in line for cell in cells) for line in map(plain, passage.split("\n")))


def questions(limit: int | None) -> Iterator[tuple[str, str, str, list[list[str]]]]:
    """(question, answer, name of the table, rows that hold the answer)."""
    folder = data("tables", "wtq-dev")
    for entry in read_jsonl(folder / "questions.jsonl")[:limit]:
        gold = rows_of_answer(read_rows(folder / entry["context"]), entry["targetValue"])
        if gold:
            yield entry["utterance"], entry["targetValue"], _name(entry["context"]), gold


def _name(context: str) -> str:
    return context.removeprefix("csv/").removesuffix(".csv").replace("/", "-")


def row_found(
    corpus: Index, question: str, name: str, gold: Sequence[Sequence[str]], most: int | None
) -> bool:
    hits = corpus.search(Query(question, FIRST, per_source=most))
    return any(
        holds(hit.chunk.text, row)
        for hit in hits
        if Path(hit.chunk.source).stem == name
        for row in gold
    )


def measure(kind: str, stores: Path, limit: int | None, answers: bool) -> tuple[object, ...]:
    """The table's row for one format."""
    folder = stores / f"{kind}-files"
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(data("tables", "wtq-dev", "csv").glob("*/*.csv")):
        WRITERS[kind](folder / f"{path.parent.name}-{path.stem}.{kind}", read_rows(path))
    found, alone, answered = [], [], []
    with corpus_of(folder, stores / kind) as corpus:
        answerer = ExtractiveAnswerer(corpus.encoder)
        for question, answer, name, gold in questions(limit):
            found.append(row_found(corpus, question, name, gold, 2))
            alone.append(row_found(corpus, question, name, gold, None))
            if answers:
                given = answerer.answer(question, corpus)
                quotes = plain(" ".join(citation.quote for citation in given.citations))
                answered.append(any(plain(part) in quotes for part in answer.split("|")))
    shown = mean(answered) if answers else "-"
    return (f"wtq-dev, {kind}", len(found), mean(found), mean(alone), shown)


# --- TAT-QA --------------------------------------------------------------------------------------


def tatqa(stores: Path, limit: int | None) -> tuple[object, ...]:
    """The table's row for annual reports: an answer found in a passage of its own document."""
    folder = stores / "tatqa-files"
    folder.mkdir(parents=True, exist_ok=True)
    entries = json.loads(data("tables", "tatqa-dev-half.json").read_text("utf-8"))
    asked = []
    for number, entry in enumerate(entries):
        texts = [f"<p>{html.escape(part['text'])}</p>" for part in entry["paragraphs"]]
        page = "".join([*texts, html_table(entry["table"]["table"], "td")])
        (folder / f"{number}.html").write_text(f"<!doctype html><body>{page}</body>", "utf-8")
        for question in entry["questions"]:
            if question["answer_type"] in ("span", "multi-span"):
                parts = question["answer"]
                asked.append((question["question"], number, [plain(str(part)) for part in parts]))
    found = []
    with corpus_of(folder, stores / "tatqa") as corpus:
        for question, number, parts in asked[:limit]:
            hits = corpus.search(Query(question, FIRST, per_source=None))
            own = " ".join(
                plain(hit.chunk.text) for hit in hits if hit.chunk.source == f"{number}.html"
            )
            found.append(all(part in own for part in parts))
    return ("tatqa-dev, html", len(found), "-", mean(found), "-")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stores", type=Path, help="keep files and indexes here")
    parser.add_argument("--formats", nargs="*", default=[*WRITERS, "tatqa"])
    parser.add_argument("--answers", action="store_true")
    parser.add_argument("--limit", type=int, help="questions of each set")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        stores = arguments.stores or Path(scratch)
        rows = [
            tatqa(stores, arguments.limit)
            if kind == "tatqa"
            else measure(kind, stores, arguments.limit, arguments.answers)
            for kind in arguments.formats
        ]
    found = f"found in the first {FIRST}"
    print_table(("tables", "questions", found, "of any number a document", "answered"), rows)


if __name__ == "__main__":
    main()
