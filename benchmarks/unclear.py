"""How often a question is asked back without a model: clear ones, and those of MTRAG-UN.

Clear: XQuAD, answerable ones of SQuAD 2.0, the sample's. Turns of MTRAG-UN are asked without what
was said before, over all passages of the file; its answerable ones beside them.

    python benchmarks/unclear.py
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path

from asked import few, index_of, sample, squad, xquad
from common import data, print_table, read_jsonl

from corpus_agent.answering.extractive import ExtractiveAnswerer
from indexer.index import Index

PER_ARTICLE = 50


def asked_back(name: str, corpus: Index, questions: Iterable[str]) -> tuple[object, ...]:
    answerer = ExtractiveAnswerer(corpus.encoder)
    answers = [answerer.answer(question, corpus) for question in questions]
    back = [answer for answer in answers if answer.status == "unclear"]
    for answer in back:
        print(f"  {answer.question} -> {answer.text}")
    return name, len(answers), len(back), len(back) / len(answers)


def main() -> None:
    rows = []
    for folder, every in (sample(), xquad("en"), squad()):
        clear = few([each for each in every if each.answers], PER_ARTICLE)
        with index_of(folder) as corpus:
            rows.append(asked_back(clear[0].which, corpus, [each.text for each in clear]))
    turns = read_jsonl(data("refusal", "mtrag-un-dev.jsonl"))
    with tempfile.TemporaryDirectory() as scratch:
        for passage in (passage for turn in turns for passage in turn["contexts"]):
            name = passage["document_id"].replace("/", "_")[:100]
            Path(scratch, f"{name}.txt").write_text(passage["text"], "utf-8")
        with index_of(Path(scratch)) as corpus:
            for kind in ("ANSWERABLE", "UNDERSPECIFIED"):
                own = (turn for turn in turns if turn["answerability"] == [kind])
                asked = [turn["input"][-1]["text"] for turn in own]
                rows.append(asked_back(f"mtrag {kind.lower()}", corpus, asked))
    print_table(("set", "questions", "asked back", "share"), rows)


if __name__ == "__main__":
    main()
