"""Everyday questions about a household's papers, in English and German, answered without a model.

The documents and questions of everyday.toml, in two halves: `seen` was looked at when rules were
set, `counted` never. Right is a quotation that holds what the question's entry says.

    python benchmarks/everyday.py
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.common import corpus_of_texts, print_table
from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.answering.records import Answer


@dataclass(frozen=True)
class Asked:
    """A question of everyday.toml with its answer."""

    entry: dict[str, Any]
    answer: Answer

    def holds(self, most: int | None = None) -> bool:
        """Whether one of the first quotations says what it should."""
        quotes = [" ".join(citation.quote.split()) for citation in self.answer.citations]
        return any(self.entry["holds"] in quote for quote in quotes[:most])

    @property
    def told(self) -> bool:
        """Whether a passage is marked as replaced by a newer one."""
        return any(passage.age == "older" for passage in self.answer.passages)


def count(asked: Sequence[Asked], status: str) -> int:
    return sum(each.answer.status == status for each in asked)


def main() -> None:
    papers = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    texts = {entry["path"]: entry["text"].removeprefix("\n") for entry in papers["documents"]}
    with corpus_of_texts(texts) as corpus:
        answerer = ExtractiveAnswerer(corpus.encoder)
        every = [Asked(e, answerer.answer(e["asked"], corpus)) for e in papers["questions"]]
    rows, misses = [], []
    for half in ("seen", "counted"):
        own = [each for each in every if each.entry["half"] == half]
        some = [each for each in own if each.entry["holds"]]
        none = [each for each in own if not each.entry["holds"]]
        dated = [each for each in some if "older" in each.entry]
        right = sum(each.holds(1) for each in some), sum(each.holds() for each in some)
        rows.append((half, len(some), *right, count(some, "not_found")))
        told = sum(each.told for each in dated)
        wrongly = sum(each.told for each in own) - told
        refused, answered = count(none, "not_found"), count(none, "answered")
        misses.append((half, len(none), refused, answered, f"{told} of {len(dated)}", wrongly))
    print_table(("half", "questions", "first right", "shown right", "refused"), rows)
    header = ("near misses", "refused", "answered", "an older one told", "wrongly")
    print_table(("half", *header), misses)


if __name__ == "__main__":
    main()
