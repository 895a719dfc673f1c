"""Computed answers over 105 tables of WikiTableQuestions: how many are computed, how many right.

The questions are split by table: what is computed was written while looking at one half only.
First each question is asked of its own table alone, then through the index of all 105 tables.

    python benchmarks/computing.py [--stores DIR] [--half looked|held] [--show]
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from hashlib import sha256
from pathlib import Path
from typing import Any

from common import corpus_of, data, print_table, read_jsonl
from tables import read_rows, write_csv

from corpus_agent.answering.citations import Numbers
from corpus_agent.answering.computation import computed, operation_of
from corpus_agent.answering.computed import computed_answer
from corpus_agent.answering.extractive import POOL
from corpus_agent.text.table_rows import table_at
from indexer.index import Index
from indexer.records import Query

HALVES = ("looked", "held")


def half_of(context: str) -> str:
    """The half that a table is in, by the hash of its name."""
    return HALVES[sha256(context.encode()).digest()[0] % 2]


def questions(half: str) -> Iterator[dict[str, Any]]:
    for entry in read_jsonl(data("tables", "wtq-dev", "questions.jsonl")):
        if half_of(entry["context"]) == half:
            yield entry


def name_of(context: str) -> str:
    return context.removeprefix("csv/").removesuffix(".csv").replace("/", "-") + ".csv"


def is_right(value: str, gold: str) -> bool:
    """Whether a value is the gold one: the same text, or the same number, with a unit or none."""
    one, other = (" ".join(text.casefold().split()) for text in (value, gold))
    other = re.sub(r"^([\d.,]+) [a-z]+$", r"\1", other)
    try:
        return Decimal(one.replace(",", "")) == Decimal(other.replace(",", ""))
    except InvalidOperation:
        return one.strip('"') == other.strip('"')


def alone(corpus: Index, entry: dict[str, Any]) -> str | None:
    """The value computed over the question's own table."""
    lines = corpus.read(name_of(entry["context"])).lines
    tables = {
        table.header: table for n in range(1, len(lines) + 1) if (table := table_at(lines, n))
    }
    if len(tables) != 1:
        return None
    found = computed(entry["utterance"], *tables.values())
    return found.value if found else None


def searched(corpus: Index, entry: dict[str, Any]) -> str | None:
    """The value computed where the table has to be found as well."""
    if operation_of(entry["utterance"]) is None:
        return None
    hits = corpus.search(Query(entry["utterance"], POOL, per_source=None))
    found = computed_answer(entry["utterance"], hits, corpus, Numbers([]))
    return found[1].value if found else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stores", type=Path, help="keep files and index here")
    parser.add_argument("--half", choices=HALVES, default="held")
    parser.add_argument("--only", choices=("alone", "searched"))
    parser.add_argument("--show", action="store_true", help="print what was computed")
    arguments = parser.parse_args()
    ways = {"alone": alone, "searched": searched}
    with tempfile.TemporaryDirectory() as scratch:
        folder = (arguments.stores or Path(scratch)) / "csv-files"
        folder.mkdir(parents=True, exist_ok=True)
        for path in sorted(data("tables", "wtq-dev", "csv").glob("*/*.csv")):
            write_csv(folder / f"{path.parent.name}-{path.name}", read_rows(path))
        with corpus_of(folder, (arguments.stores or Path(scratch)) / "csv") as corpus:
            rows = []
            for way, found in ways.items():
                if arguments.only not in (None, way):
                    continue
                asked = list(questions(arguments.half))
                given = [(e, value) for e in asked if (value := found(corpus, e)) is not None]
                right = [is_right(value, e["targetValue"]) for e, value in given]
                if arguments.show:
                    for (e, value), good in zip(given, right, strict=True):
                        sign = "" if good else "WRONG "
                        print(
                            f"{sign}{e['utterance']} -> {value} ({e['targetValue']})", e["context"]
                        )
                share = sum(right) / len(right) if right else "-"
                rows.append((way, len(asked), len(given), len(given) / len(asked), share))
    print_table(("table", "questions", "computed", "coverage", "precision"), rows)


if __name__ == "__main__":
    main()
