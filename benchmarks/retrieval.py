"""nDCG@10 of the whole pipeline (files, index, search) on five sets, beside its own parts.

Each document of a set becomes a Markdown file, the index is made as `corpus-agent index` makes it,
and a document's rank is that of its best passage. Controls on the same index: BM25 alone,
vectors alone.

    python benchmarks/retrieval.py [--stores DIR] [SET ...]
"""

from __future__ import annotations

import argparse
import math
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import mean

from benchmarks.common import corpus_of, data, document_files, print_table, read_jsonl
from indexer.fusion import POOL
from indexer.index import Index
from indexer.records import Hit, Query

SETS = ("med", "cacm", "time", "scifact-train", "handbook-anchor")
CUT = 10

Judgments = dict[str, dict[str, int]]


def judgments(name: str) -> Judgments:
    table: Judgments = {}
    lines = data("retrieval", name, "qrels", "test.tsv").read_text("utf-8").splitlines()
    for line in lines[1:]:
        query, document, relevance = line.split("\t")
        table.setdefault(query, {})[document] = int(relevance)
    return table


def ndcg(ranking: Sequence[str], relevant: dict[str, int]) -> float:
    """nDCG@10 with linear gain, as trec_eval computes it (Jarvelin and Kekalainen 2002)."""
    gains = [relevant.get(document, 0) for document in ranking[:CUT]]
    ideal = sorted(relevant.values(), reverse=True)[:CUT]
    best = _discounted(ideal)
    return _discounted(gains) / best if best else 0.0


def _discounted(gains: Iterable[int]) -> float:
    return sum(gain / math.log2(rank + 2) for rank, gain in enumerate(gains))


def rankings(corpus: Index, query: str) -> dict[str, list[str]]:
    """The documents in the order of each way to rank, best first."""
    pool = corpus.search(Query(query, POOL, per_source=None))
    return {
        "hybrid": documents(pool),
        "BM25": documents(sorted((h for h in pool if h.bm25 > 0), key=lambda hit: -hit.bm25)),
        "vectors": documents(sorted(pool, key=lambda hit: -hit.cosine)),
    }


def documents(hits: Iterable[Hit]) -> list[str]:
    return list(dict.fromkeys(hit.chunk.source for hit in hits))


def measure(name: str, stores: Path, model: Path) -> dict[str, float]:
    """Mean nDCG@10 of a set by way to rank."""
    folder = stores / f"{name}-files"
    ids = document_files(name, folder)
    relevant = judgments(name)
    found: dict[str, list[float]] = {}
    with corpus_of(folder, stores / name, model) as corpus:
        for query in read_jsonl(data("retrieval", name, "queries.jsonl")):
            if query["_id"] in relevant:
                for way, ranking in rankings(corpus, query["text"]).items():
                    listed = [ids[source] for source in ranking]
                    found.setdefault(way, []).append(ndcg(listed, relevant[query["_id"]]))
    return {way: mean(values) for way, values in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--stores", type=Path, help="keep the indexes here")
    parser.add_argument("--model", type=Path, default=Path("minilm"), help="or multilingual")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        results = {
            name: measure(name, arguments.stores or Path(scratch), arguments.model)
            for name in arguments.sets
        }
    ways = ("hybrid", "BM25", "vectors")
    rows = [(name, *(scores[way] for way in ways)) for name, scores in results.items()]
    rows.append(("mean", *(mean(scores[way] for scores in results.values()) for way in ways)))
    print_table(("nDCG@10", *ways), rows)


if __name__ == "__main__":
    main()
