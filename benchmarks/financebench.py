"""Right report and right page among the first ten hits, for 25 questions over 19 annual reports.

Controls: each half of the hybrid alone, on the same index.

    python benchmarks/financebench.py [--store DIR] [--by-hand N]
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import mean

from common import corpus_of, data, print_table, read_jsonl

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--by-hand", type=int, default=0, help="print N hits with their text")
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
    print_table(
        ("ranking", "right report", "right page"),
        [
            (name, mean(r for r, _ in rows), mean(p for _, p in rows))
            for name, rows in found.items()
        ],
    )


if __name__ == "__main__":
    main()
