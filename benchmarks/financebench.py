"""Right report and right page among the first ten hits, for 25 questions over 19 annual reports.

Controls: each half of the hybrid alone, on the same index. Then the extractive answers: a quotation
on the right page; a figure of the answer in a quotation (of the answers whose figures stand in the
evidence); every quotation of the right report; refused.

Last, questions about single cells of the same reports: rows of figures below a line of years, each
asked for one year by its label and its company ("What was Adobe's net debt in 2022?"). A
cell counts as quoted if the row with its figure and the years above it are in the citations. The
reports are split by name: `looked` were looked at while the code was written, `held` were not.

    python benchmarks/financebench.py [--store DIR] [--by-hand N] [--cells N]
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from statistics import mean
from typing import Any

from common import corpus_of, data, print_table, read_jsonl

from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.answering.quotations import read_all
from indexer.index import Index
from indexer.records import Hit, Query

DEPTH = 10


def ranked(corpus: Index, question: str) -> dict[str, list[Hit]]:
    """The first hits of the hybrid and of each of its halves."""
    pool = corpus.search(Query(question, 200, per_source=None))
    return {
        "hybrid": pool[:DEPTH],
        "vectors alone": sorted(pool, key=lambda hit: -hit.cosine)[:DEPTH],
        "BM25 alone": sorted(pool, key=lambda hit: -hit.bm25)[:DEPTH],
    }


# ---- Extractive answers

FIGURE = re.compile(r"\d[\d.,]*\d|\d")
YEARS = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def figures_of(text: str) -> set[str]:
    """The figures of a text but years, without signs between the digits."""
    return {f.replace(",", "").rstrip("0").rstrip(".") for f in FIGURE.findall(YEARS.sub("", text))}


def answered(answerer: ExtractiveAnswerer, corpus: Index, entry: dict[str, Any]) -> list[object]:
    """Whether page, figure (None if the evidence has none) and report are right; if refused."""
    report = f"{entry['doc_name']}.pdf"
    pages = {evidence["evidence_page_num"] + 1 for evidence in entry["evidence"]}
    gold = figures_of(entry["answer"])
    gold &= figures_of(" ".join(evidence["evidence_text"] for evidence in entry["evidence"]))
    answer = answerer.answer(entry["question"], corpus)
    own = [cited for cited in answer.citations if cited.source == report]
    quoted = figures_of(" ".join(cited.quote for cited in own))
    return [
        any(cited.page in pages for cited in own),
        bool(gold & quoted) if gold else None,
        bool(own) and len(own) == len(answer.citations),
        answer.status == "not_found",
    ]


# ---- Single cells


@dataclass(frozen=True)
class CellQuestion:
    """A question about one cell: its row and the line of years above it, as they are written."""

    text: str
    source: str
    row: str
    years: str
    half: str


COMPANY = re.compile(r"[A-Za-z0-9]+(?=_\d{4})")
ROW = re.compile(r"(?P<label>[A-Z][A-Za-z,&'’ -]{9,60}?)[ :$]+(?P<cells>\(?\d[\d,.$() ]{5,})")
NAMES = {"BESTBUY": "Best Buy", "FOOTLOCKER": "Foot Locker", "GENERALMILLS": "General Mills"}
NAMES |= {"MGMRESORTS": "MGM Resorts", "ULTABEAUTY": "Ulta Beauty", "AMCOR": "Amcor"}
NAMES |= {"ACTIVISIONBLIZZARD": "Activision Blizzard", "PEPSICO": "PepsiCo"}


def company_of(source: str) -> str:
    """How a person calls the company that a report is of."""
    found = COMPANY.search(source)
    name = found[0] if found else ""
    return NAMES.get(name, name if len(name) < 4 else name.capitalize())


def cells_of(corpus: Index, source: str, most: int) -> list[CellQuestion]:
    """Questions about rows of a report whose label stands there once, spread over its pages."""
    lines = read_all(corpus, source)
    texts = [" ".join(line.text.split()) for line in lines]
    found: list[tuple[str, str, str]] = []
    years = ""
    for line, text in zip(lines, texts, strict=True):
        if line.is_mark:
            years = ""
        elif (named := YEARS.findall(text)) and re.fullmatch(
            r".{0,60}?(?:(?:19|20)\d\d ?){2,4}", text
        ):
            years = " ".join(named)
        elif years and (row := ROW.fullmatch(text)):
            cells = FIGURE.findall(row["cells"])
            if len(cells) == len(years.split()):
                found.append((row["label"].strip(), text, years))
    counts = Counter(label.casefold() for label, _, _ in found)
    once = [each for each in found if counts[each[0].casefold()] == 1 and len(each[0].split()) > 1]
    half = ("looked", "held")[sha256(source.encode()).digest()[0] % 2]
    return [
        CellQuestion(
            f"What was {company_of(source)}'s {label.lower()} in {years.split()[0]}?",
            source,
            text,
            years,
            half,
        )
        for label, text, years in once[:: max(1, len(once) // most)][:most]
    ]


def cell_quoted(answerer: ExtractiveAnswerer, corpus: Index, asked: CellQuestion) -> list[bool]:
    """Whether row, row with its years, only the right report are quoted; whether it is refused."""
    answer = answerer.answer(asked.text, corpus)
    own = [" ".join(c.quote.split()) for c in answer.citations if c.source == asked.source]
    has_row = any(asked.row in quote for quote in own)
    with_years = has_row and any(asked.years in " ".join(YEARS.findall(text)) for text in own)
    only = bool(own) and len(own) == len(answer.citations)
    return [has_row, with_years, only, answer.status == "not_found"]


def show_answers(corpus: Index, questions: Sequence[dict[str, Any]], cells: int) -> None:
    answerer = ExtractiveAnswerer(corpus.encoder)
    rows = [answered(answerer, corpus, entry) for entry in questions]
    shares = [mean(bool(x) for x in column if x is not None) for column in zip(*rows, strict=True)]
    header = ("answers", "questions", "cited page", "figure quoted", "right report only", "refused")
    print_table(header, [("extractive", len(rows), *shares)])
    if not cells:
        return
    sources = [row.source for row in corpus.files() if row.is_document]
    asked = [each for source in sources for each in cells_of(corpus, source, cells)]
    table = []
    for half in ("looked", "held"):
        own = [cell_quoted(answerer, corpus, each) for each in asked if each.half == half]
        table.append((half, len(own), *(mean(column) for column in zip(*own, strict=True))))
    header = ("cells", "questions", "row", "row with its years", "right report only", "refused")
    print_table(header, table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--by-hand", type=int, default=0, help="print N hits with their text")
    parser.add_argument("--cells", type=int, default=4, help="questions about cells of each report")
    arguments = parser.parse_args()
    questions = read_jsonl(data("qa", "financebench", "questions.jsonl"))
    found: dict[str, list[tuple[bool, bool]]] = {}
    with corpus_of(data("qa", "financebench", "pdfs"), arguments.store) as corpus:
        for number, entry in enumerate(questions):
            report = f"{entry['doc_name']}.pdf"
            pages = {evidence["evidence_page_num"] + 1 for evidence in entry["evidence"]}
            results = ranked(corpus, entry["question"])
            for name, hits in results.items():
                of_report = [hit.chunk for hit in hits if hit.chunk.source == report]
                right_page = any(chunk.page_start in pages for chunk in of_report)
                found.setdefault(name, []).append((bool(of_report), right_page))
            if number < arguments.by_hand:
                chunk = results["hybrid"][0].chunk
                print(f"{chunk.source} page {chunk.page_start}: {chunk.text[:90]!r}")
        show_answers(corpus, questions, arguments.cells)
    print_table(
        ("ranking", "right report", "right page"),
        [
            (name, mean(r for r, _ in rows), mean(p for _, p in rows))
            for name, rows in found.items()
        ],
    )


if __name__ == "__main__":
    main()
