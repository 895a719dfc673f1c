"""Extractive answers to 354 XQuAD questions over 240 paragraphs, and how they compare.

Control: the plain encoder and word overlap, sentence by sentence over the same hits.

    python benchmarks/xquad.py
"""

from __future__ import annotations

from statistics import mean, median

import numpy as np
import sentencex

from benchmarks.common import corpus_of, data, print_table, read_jsonl, timed
from corpus_agent.answering.extractive import ExtractiveAnswerer
from indexer.index import Index
from indexer.records import Query


def plain(question: str, corpus: Index) -> list[str]:
    """Three sentences by cosine and shared words: the control."""
    sentences = [
        (sentence.strip(), hit.cosine)
        for hit in corpus.search(Query(question, 5, per_source=None))
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


def has(answers: list[str], texts: list[str]) -> bool:
    shown = " ".join(" ".join(texts).split())
    return any(" ".join(answer.split()) in shown for answer in answers)


def main() -> None:
    questions = read_jsonl(data("qa", "xquad-dev.jsonl"))
    folder = data("qa", "xquad-paragraphs")
    paragraphs = {path.read_text("utf-8").strip(): path.name for path in folder.iterdir()}
    rows, times, words = [], [], []
    with corpus_of(folder) as corpus:
        answerer = ExtractiveAnswerer(corpus.encoder)
        for entry in questions:
            asked, gold = entry["question"], entry["answers"]
            seconds, _, answer = timed(lambda asked=asked: answerer.answer(asked, corpus))
            times.append(seconds)
            texts = [passage.text for passage in answer.passages]
            words += [(each.word, has(gold, [each.text])) for each in answer.passages]
            control = plain(asked, corpus)
            found = [hit.chunk.source for hit in corpus.search(Query(asked, 5, per_source=1))]
            right = paragraphs[entry["paragraph"].strip()]
            rows.append(
                (
                    has(gold, [citation.quote for citation in answer.citations[:1]]),
                    has(gold, texts),
                    answer.status == "not_found",
                    sum(map(len, texts)),
                    right in found[:1],
                    right in found,
                    has(gold, control[:1]),
                    has(gold, control),
                )
            )
    first, shown, refused, chars, best, five, plain_first, plain_three = zip(*rows, strict=True)
    print_table(
        ("answerer", "answer in the first likely lines", "among what is shown", "refused"),
        [
            ("extractive", mean(first), mean(shown), mean(refused)),
            ("plain control", mean(plain_first), mean(plain_three), 0.0),
        ],
    )
    print(f"characters shown, median {median(chars):.0f}; p50 {median(times) * 1000:.0f} ms")
    print(f"right paragraph first {mean(best):.3f}, in the first five {mean(five):.3f}")
    for word in ("answered", "likely", "perhaps"):
        own = [right for each, right in words if each == word]
        print(f"{word}: {len(own)} passages, {mean(own or [0]):.3f} hold the answer")


if __name__ == "__main__":
    main()
