"""Whether an answer that contradicts its own quotation is marked, and a right one is not.

Three hundred answers by a model that quotes the documents rightly; a third of them say something
else than their quotation: another figure, a negation more or less, another name, the one for the
other. The facts and sentences are those of answers.toml.

    python benchmarks/answers.py [--seed 1] [--set dev|held|last]
"""

from __future__ import annotations

import argparse
import random
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from corpus_agent.answering.coverage import EncodeTokens
from corpus_agent.answering.drafts import DraftChecker
from corpus_agent.service import session
from corpus_agent.settings import Settings
from corpus_agent.tools.corpus import passage
from indexer.records import Line
from tests.support.fakes import MemoryCorpus

MARKED = re.compile(r"\[unsupported\]|\[differs: ")
KINDS = ("figure", "negation", "name", "swap")
SOURCE = "notes/house.md"
TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


@dataclass(frozen=True, slots=True)
class Answered:
    """What a document says, what a model says of it, and in which way that is wrong if it is."""

    kind: str
    lang: str
    document: tuple[str, ...]
    question: str
    fact: str
    sentence: str

    @property
    def draft(self) -> str:
        """The sentence with its quotation, as the system prompt asks for it."""
        stop = "。" if self.lang == "zh" else "."
        place = f"[{SOURCE}:3]" if self.lang != "zh" else f" [{SOURCE}:3]"
        return f"{self.sentence.rstrip('.。')} {place} “{self.fact}”{stop}"


def answered(which: str, chance: random.Random) -> Iterator[Answered]:
    """Answers without end, every third of them wrong."""
    kinds = [kind for kind in KINDS for _ in (1, 2)]
    while True:
        yield _one(which, "honest", chance)
        yield _one(which, chance.choice(kinds), chance)
        yield _one(which, "honest", chance)


def _one(which: str, kind: str, chance: random.Random) -> Answered:
    fact = chance.choice([f for f in TABLES["facts"] if f["set"] == which and kind in f])
    lang = fact["lang"]
    a, b, c = chance.sample(TABLES["names"][lang], 3)
    n, m = chance.sample(range(12, 990), 2)
    words = {"A": a, "B": b, "C": c, "N": n, "M": m, "Y": chance.randint(1960, 2020)}

    def filled(text: str) -> str:
        return text.format(**words)

    document = ("# House", "", filled(fact["fact"]), filled(fact["about"]))
    sentence = filled(chance.choice(fact[kind]))
    return Answered(kind, lang, document, filled(fact["question"]), filled(fact["fact"]), sentence)


def shown(case: Answered, encode: EncodeTokens | None = None) -> str:
    """The answer's text as a user would see it."""
    documents = MemoryCorpus({SOURCE: [*map(Line, case.document)]})
    source = passage(SOURCE, 1, "\n".join(case.document))
    evidence = DraftChecker(
        documents,
        lambda name: name,
        lambda: [source],
        question=case.question,
        encode=encode,
    )
    return evidence.finish(evidence.settle(case.draft)).text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", choices=("dev", "held", "last"), default="dev")
    arguments = parser.parse_args()
    encode = session.encoder_for(Settings(), None).encode_tokens
    made = answered(arguments.set, random.Random(arguments.seed))
    cases = [next(made) for _ in range(arguments.answers)]
    marked = [bool(MARKED.search(shown(case, encode))) for case in cases]
    every = Counter(case.kind for case in cases)
    marks = Counter(case.kind for case, mark in zip(cases, marked, strict=True) if mark)
    wrong = sum(every[kind] - marks[kind] for kind in KINDS)
    honest = every["honest"]
    print(f"{wrong} of {len(cases) - honest} contradictions unmarked; "
          f"{marks['honest']} of {honest} right ones marked")  # fmt: skip


if __name__ == "__main__":
    main()
