"""What another engine of the packaged model costs in retrieval: vectors alone, nDCG@10.

ONNX Runtime in int8 (what runs on a processor), sentence-transformers (what runs on a GPU), and the
two mixed: documents embedded by the one, questions by the other. With --device, documents a second
of each, and what fp16 does to the vectors.

    python benchmarks/engines.py [--sets cacm,time] [--device cpu|cuda|mps|xpu] [--limit N]
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from common import data, print_table, read_jsonl
from precision import DEPTH, gain, judgments

from indexer.embed.folder import ModelFolder
from indexer.embed.onnx_engine import OnnxEngine
from indexer.embed.torch_engine import TorchEngine


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default="cacm,time")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--limit", type=int, default=None, help="of documents, of each set")
    given = parser.parse_args()
    model = ModelFolder()
    engines = {"int8": OnnxEngine(model, "int8"), "library": TorchEngine(model, given.device)}
    rows = []
    for name in given.sets.split(","):
        relevant = judgments(name)
        documents = read_jsonl(data("retrieval", name, "corpus.jsonl"))[: given.limit]
        texts = [f"{d.get('title', '')}\n{d['text']}".strip() for d in documents]
        known = {document["_id"] for document in documents}
        asked = [
            query
            for query in read_jsonl(data("retrieval", name, "queries.jsonl"))
            if known & relevant.get(query["_id"], {}).keys()
        ]
        stored, wanted, speed = {}, {}, {}
        for kind, engine in engines.items():
            began = time.perf_counter()
            stored[kind] = engine.encode(texts)
            speed[kind] = len(texts) / (time.perf_counter() - began)
            wanted[kind] = engine.encode([query["text"] for query in asked])
        likeness = float((stored["int8"] * stored["library"]).sum(axis=1).min())
        rates = ", ".join(f"{kind} {rate:.0f}" for kind, rate in speed.items())
        print(f"{name}: least cosine of {len(texts):,} documents {likeness:.4f}, a second: {rates}")
        for by, questions in (("int8", "int8"), ("library", "library"), ("library", "int8")):
            near = wanted[questions] @ stored[by].T
            scores = []
            for query, cosines in zip(asked, near, strict=True):
                grades = relevant[query["_id"]]
                best = np.argsort(-cosines, kind="stable")[:DEPTH]
                reached = gain([grades.get(documents[at]["_id"], 0) for at in best])
                ideal = gain(sorted(grades.values(), reverse=True))
                scores.append(reached / ideal)
            rows.append([name, by, questions, len(asked), f"{np.mean(scores):.4f}"])
    print_table(["set", "documents by", "questions by", "questions", "nDCG@10"], rows)


if __name__ == "__main__":
    main()
