"""What 8-bit integers cost in retrieval: vectors alone, in float32 and in int8, on four sets.

nDCG@10 with each document cut at the model's window, and the mean difference by query with its
standard error, since sets of 30 to 300 queries are small.

    python benchmarks/precision.py [--sets med,cacm,time,scifact-train]
"""

from __future__ import annotations

import argparse
import math

import numpy as np
from common import data, print_table, read_jsonl
from retrieval import judgments, ndcg

from indexer.embed.folder import ModelFolder
from indexer.embed.onnx_engine import OnnxEngine


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default="med,cacm,time,scifact-train")
    model = ModelFolder()
    engines = [OnnxEngine(model, "float32"), OnnxEngine(model, "int8")]
    rows = []
    for name in parser.parse_args().sets.split(","):
        relevant = judgments(name)
        documents = read_jsonl(data("retrieval", name, "corpus.jsonl"))
        texts = [f"{d.get('title', '')}\n{d['text']}".strip() for d in documents]
        asked = [
            query
            for query in read_jsonl(data("retrieval", name, "queries.jsonl"))
            if query["_id"] in relevant
        ]
        scores, vectors = [], []
        for engine in engines:
            vectors.append(engine.encode(texts))
            near = engine.encode([query["text"] for query in asked]) @ vectors[-1].T
            scores.append([])
            for query, cosines in zip(asked, near, strict=True):
                ranking = [documents[at]["_id"] for at in np.argsort(-cosines, kind="stable")]
                scores[-1].append(ndcg(ranking, relevant[query["_id"]]))
        apart = np.array(scores[1]) - np.array(scores[0])
        cosine = (vectors[0] * vectors[1]).sum(axis=1)
        rows.append(
            (name, len(asked), float(np.mean(scores[0])), float(np.mean(scores[1])),
             f"{apart.mean():+.4f} ± {apart.std(ddof=1) / math.sqrt(len(apart)):.4f}",
             f"{cosine.mean():.4f} / {cosine.min():.3f}")
        )  # fmt: skip
        print_table(
            ("set", "queries", "float32", "int8", "difference", "cosine mean / least"), rows[-1:]
        )
    print_table(("set", "queries", "float32", "int8", "difference", "cosine mean / least"), rows)


if __name__ == "__main__":
    main()
