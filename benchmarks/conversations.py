"""What the topic before does to questions that stand alone, and what is taken for one about all.

How many of XQuAD's questions take words along from one about another article, and lose their
passage by it. Then how many questions are taken for ones about all documents: of those of
conversations.toml the half that was only counted, and of other people's.

    python benchmarks/conversations.py
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

from benchmarks.common import Asked, corpus_of, print_table, squad, xquad
from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.answering.reading import asks_all, carried_over
from corpus_agent.answering.records import Turn
from indexer.index import Index


def first(corpus: Index, asked: str, history: Sequence[Turn]) -> str:
    """The text of the passage with the best sentence; "" without one."""
    found = ExtractiveAnswerer(corpus.encoder).read(asked, corpus, history)
    best = found.sentences
    return found.hits[best[0].passage].chunk.text if best else ""


def standing_alone(corpus: Index, asked: Sequence[Asked]) -> tuple[float, float]:
    """Shares of questions after another article's that take its words, and that fail by it."""
    answerer = ExtractiveAnswerer(corpus.encoder)
    takes, fails = [], []
    for n, each in enumerate(asked):
        before = asked[(n + len(asked) // 2) % len(asked)].text
        takes.append(carried_over(each.text, before) != each.text)
        if takes[-1]:
            history = [Turn(before, answerer.answer(before, corpus))]
            texts = [first(corpus, each.text, said) for said in ((), history)]
            right = [any(answer in text for answer in each.answers) for text in texts]
            fails.append(right == [True, False])
    return mean(takes), sum(fails) / len(asked)


def main() -> None:
    tables = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    folder, asked = xquad("en")
    with corpus_of(folder) as corpus:
        alone = standing_alone(corpus, [each for each in asked if each.answers])
    print_table(("questions that stand alone", "take words along", "lose their passage"),
                [(len(asked), *alone)])  # fmt: skip
    whole = tables["whole_corpus"]
    others = [each.text for _, every in (xquad("en"), squad()) for each in every]
    counts = [mean(map(asks_all, whole[kind][1::2])) for kind in ("all", "one")]
    header = ("about all documents", "look-alikes", f"of {len(others)} others")
    print_table(header, [(*counts, sum(map(asks_all, others)))])


if __name__ == "__main__":
    main()
