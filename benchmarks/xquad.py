"""Extractive answers to 354 XQuAD questions over 240 paragraphs, and how they compare.

Control: the plain encoder and word overlap, sentence by sentence over the same hits.

    python benchmarks/xquad.py [--store DIR]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from statistics import mean, median

import numpy as np
from common import corpus_of, data, print_table, read_jsonl

from corpus_agent.answering.extractive import ExtractiveAnswerer
from indexer.index import Index
from indexer.records import Query


def plain(question: str, corpus: Index) -> list[str]:
    """Three sentences by cosine and shared words: the control."""
    import sentencex

    hits = corpus.search(Query(question, 5, per_source=None))
    sentences = [
        (sentence.strip(), hit.cosine)
        for hit in hits
        for sentence in sentencex.segment("en", hit.chunk.text)
    ]
    vectors = corpus.encoder.encode([question, *(text for text, _ in sentences)])
    asked = set(question.lower().split())
    scores = [
        float(vector @ vectors[0])
        + 0.5 * len(asked & set(text.lower().split())) / len(asked)
        + near
        for vector, (text, near) in zip(vectors[1:], sentences, strict=True)
    ]
    return [sentences[i][0] for i in np.argsort(scores)[::-1][:3]]


def has(answers: list[str], text: str) -> bool:
    return any(" ".join(answer.split()) in " ".join(text.split()) for answer in answers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path)
    questions = read_jsonl(data("qa", "xquad-dev.jsonl"))
    folder = data("qa", "xquad-paragraphs")
    paragraphs = {path.read_text("utf-8").strip(): path.name for path in folder.iterdir()}
    with corpus_of(folder, parser.parse_args().store) as corpus:
        answerer = ExtractiveAnswerer(corpus.encoder)
        first, three, refused, control = [], [], [], []
        shown, times, ranks, words = [], [], [], []
        for entry in questions:
            started = time.perf_counter()
            answer = answerer.answer(entry["question"], corpus)
            times.append(time.perf_counter() - started)
            quotes = [citation.quote for citation in answer.citations]
            refused.append(answer.status == "not_found")
            shown.append(sum(len(passage.text) for passage in answer.passages))
            first.append(has(entry["answers"], " ".join(quotes[:1])))
            texts = [passage.text for passage in answer.passages]
            three.append(has(entry["answers"], " ".join(texts)))
            words += [(p.word, has(entry["answers"], p.text)) for p in answer.passages]
            sentences = plain(entry["question"], corpus)
            control.append(
                (has(entry["answers"], sentences[0]), has(entry["answers"], " ".join(sentences)))
            )
            found = [
                hit.chunk.source for hit in corpus.search(Query(entry["question"], 5, per_source=1))
            ]
            wanted = paragraphs[entry["paragraph"].strip()]
            ranks.append(found.index(wanted) if wanted in found else 99)
    print_table(
        ("answerer", "answer in the first likely lines", "among what is shown", "refused"),
        [
            ("extractive", mean(first), mean(three), mean(refused)),
            ("plain control", mean(c[0] for c in control), mean(c[1] for c in control), 0.0),
        ],
    )
    print(f"characters shown, median {median(shown):.0f}")
    for word in ("answered", "likely", "perhaps"):
        own = [right for each, right in words if each == word]
        print(f"{word}: {len(own)} passages, {mean(own or [0]):.3f} hold the answer")
    print(
        f"right paragraph first {mean(r == 0 for r in ranks):.3f}, "
        f"in the first five {mean(r < 5 for r in ranks):.3f}; "
        f"answer p50 {median(times) * 1000:.0f} ms"
    )


if __name__ == "__main__":
    main()
