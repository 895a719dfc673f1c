"""Follow-ups without a model, and what the topic before does to questions that stand alone.

The follow-ups of conversations.toml over sample_corpus and over 240 paragraphs: the passage that
answers is first, and is quoted first, with the questions before, written out and without them. Then
each question of XQuAD (answerable ones of SQuAD 2.0, the sample's) after one about something else.

    python benchmarks/conversations.py [--half dev|held]
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from asked import SAMPLE, Asked, few, index_of, sample, squad, xquad
from common import data, print_table

from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.answering.follow_up import carried_over
from corpus_agent.answering.records import Turn
from corpus_agent.answering.whole_corpus import asks_all
from indexer.index import Index

SQUAD_PER_ARTICLE = 50
LANGUAGES = ("de", "es")


def tables() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def of_half(entries: Sequence[Any], half: str) -> Sequence[Any]:
    return entries[0 if half == "dev" else 1 :: 2]


def both_shown(corpus: Index, entries: Sequence[dict[str, Any]]) -> tuple[int, float, float]:
    """How many comparisons, and of them the shares with one and with both sides in the answer."""
    answerer = ExtractiveAnswerer(corpus.encoder)
    one, two = [], []
    for entry in entries:
        answer = answerer.answer(entry["asked"], corpus)
        shown = " ".join(" ".join(c.quote.split()) for c in answer.citations)
        held = [each in shown for each in entry["holds"]]
        one.append(any(held))
        two.append(all(held) and len(answer.citations) == len(held))
        print(f"  {sum(held)} of 2: {entry['asked']}")
    return len(entries), mean(one), mean(two)


def whole_corpus(half: str) -> tuple[object, ...]:
    """Shares that are taken for questions about all documents: of such ones, and of others."""
    own = {kind: of_half(each, half) for kind, each in tables()["whole_corpus"].items()}
    others = [each.text for _, every in (xquad("en"), squad()) for each in every]
    return (
        len(own["all"]),
        mean(map(asks_all, own["all"])),
        mean(map(asks_all, own["one"])),
        len(others),
        sum(map(asks_all, others)),
    )


def first(corpus: Index, asked: str, history: Sequence[Turn]) -> str:
    """The text of the passage with the best sentence; "" without one."""
    found = ExtractiveAnswerer(corpus.encoder).read(asked, corpus, history)
    best = found.ranking.sentences
    return found.hits[best[0].passage].chunk.text if best else ""


def measured(corpus: Index, entries: Sequence[dict[str, Any]]) -> Iterator[list[bool]]:
    """For each: whether the passage is right as a follow-up, written out, and on its own."""
    answerer = ExtractiveAnswerer(corpus.encoder)
    for entry in entries:
        history: list[Turn] = []
        for question in entry["before"]:
            history.append(Turn(question, answerer.answer(question, corpus, history)))
        ways = ((entry["asked"], history), (entry["whole"], []), (entry["asked"], []))
        found = [entry["holds"] in first(corpus, *way) for way in ways]
        yield found
        print(f"  {''.join('-+'[ok] for ok in found)} {entry['asked']}")


def mixed(corpus: Index, asked: Sequence[Asked]) -> tuple[float, float, float]:
    """Shares of questions after another article's that take its words, are read otherwise, fail.

    The last is of those whose first passage is right alone and another one after that question.
    """
    answerer = ExtractiveAnswerer(corpus.encoder)
    takes, changes, fails = [], [], []
    for n, each in enumerate(asked):
        before = asked[(n + len(asked) // 2) % len(asked)].text
        takes.append(carried_over(each.text, before) != each.text)
        if not takes[-1]:
            changes.append(False)
            fails.append(False)
            continue
        history = [Turn(before, answerer.answer(before, corpus))]
        alone, after = (first(corpus, each.text, h) for h in ((), history))
        changes.append(alone != after)
        right = [any(answer in text for answer in each.answers) for text in (alone, after)]
        fails.append(right == [True, False])
    return mean(takes), mean(changes), mean(fails)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=("dev", "held"), default="held")
    half = parser.parse_args().half
    rows: list[list[bool]] = []
    for name, folder in (("sample", SAMPLE), ("xquad", data("qa", "xquad-paragraphs"))):
        with index_of(folder) as corpus:
            own = [entry for entry in tables()["follow_ups"] if entry["corpus"] == name]
            rows += measured(corpus, of_half(own, half))
            if name == "sample":
                compared = both_shown(corpus, of_half(tables()["comparisons"], half))
    shares = [mean(row[way] for row in rows) for way in range(3)]
    print_table(
        ("follow-ups", "count", "with the questions before", "written out", "alone"),
        [(half, len(rows), *shares)],
    )
    print_table(("comparisons", "one side shown", "both, and nothing else"), [compared])
    print_table(
        ("about all documents", "recognised", "of others", "XQuAD and SQuAD 2.0", "recognised"),
        [whole_corpus(half)],
    )
    sets = [sample(), squad(), *(xquad(lang) for lang in ("en", *LANGUAGES))]
    stand: list[tuple[object, ...]] = []
    for folder, every in sets:
        asked = few([each for each in every if each.answers], SQUAD_PER_ARTICLE)
        with index_of(folder) as corpus:
            stand.append((asked[0].which, len(asked), *mixed(corpus, asked)))
    print_table(
        (
            "questions that stand alone",
            "count",
            "take words along",
            "other passage",
            "right one lost",
        ),
        stand,
    )


if __name__ == "__main__":
    main()
