"""Right report and right page among the first ten hits, for 25 questions over 19 annual reports.

Controls: each half of the hybrid alone, on the same index. Then the extractive answers: a quotation
on the right page; a figure of the answer in a quotation (of the answers whose figures stand in the
evidence); every quotation of the right report; refused.

    python benchmarks/financebench.py [--store DIR]
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks.common import corpus_of, data, print_table, read_jsonl
from corpus_agent.answering.extractive import ExtractiveAnswerer
from indexer.index import Index
from indexer.records import Hit, Query

DEPTH = 10
FIGURE = re.compile(r"\d[\d.,]*\d|\d")
YEARS = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def ranked(corpus: Index, question: str) -> dict[str, list[Hit]]:
    """The first hits of the hybrid and of each of its halves."""
    pool = corpus.search(Query(question, 200, per_source=None))
    return {
        "hybrid": pool[:DEPTH],
        "vectors alone": sorted(pool, key=lambda hit: -hit.cosine)[:DEPTH],
        "BM25 alone": sorted(pool, key=lambda hit: -hit.bm25)[:DEPTH],
    }


def figures_of(text: str) -> set[str]:
    """The figures of a text but years, without signs between the digits."""
    return {f.replace(",", "").rstrip("0").rstrip(".") for f in FIGURE.findall(YEARS.sub("", text))}


def answered(answerer: ExtractiveAnswerer, corpus: Index, entry: dict[str, Any]) -> list[object]:
    """Whether page, figure (None if the evidence has none) and report are right; if refused."""
    report = f"{entry['doc_name']}.pdf"
    gold = figures_of(entry["answer"])
    gold &= figures_of(" ".join(evidence["evidence_text"] for evidence in entry["evidence"]))
    answer = answerer.answer(entry["question"], corpus)
    own = [cited for cited in answer.citations if cited.source == report]
    quoted = figures_of(" ".join(cited.quote for cited in own))
    return [
        any(cited.page in pages_of(entry) for cited in own),
        bool(gold & quoted) if gold else None,
        bool(own) and len(own) == len(answer.citations),
        answer.status == "not_found",
    ]


def pages_of(entry: dict[str, Any]) -> set[int]:
    return {evidence["evidence_page_num"] + 1 for evidence in entry["evidence"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path)
    questions = read_jsonl(data("qa", "financebench", "questions.jsonl"))
    found: dict[str, list[tuple[bool, bool]]] = {}
    with corpus_of(data("qa", "financebench", "pdfs"), parser.parse_args().store) as corpus:
        for entry in questions:
            for name, hits in ranked(corpus, entry["question"]).items():
                own = [h.chunk for h in hits if h.chunk.source == f"{entry['doc_name']}.pdf"]
                right_page = any(chunk.page_start in pages_of(entry) for chunk in own)
                found.setdefault(name, []).append((bool(own), right_page))
        answerer = ExtractiveAnswerer(corpus.encoder)
        answers = [answered(answerer, corpus, entry) for entry in questions]
    print_table(
        ("ranking", "right report", "right page"),
        [(name, *map(mean, zip(*rows, strict=True))) for name, rows in found.items()],
    )
    columns = [[bool(x) for x in column if x is not None] for column in zip(*answers, strict=True)]
    header = ("answers", "cited page", "figure quoted", "right report only", "refused")
    print_table(header, [("extractive", *map(mean, columns))])


if __name__ == "__main__":
    main()
