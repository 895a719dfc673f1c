"""Everyday questions about a household's papers, in English and German, answered without a model.

The documents and questions of everyday.toml, in two halves: `seen` was looked at when rules were
set, `counted` never. Right is a quotation that holds what the question's entry says.

    python benchmarks/everyday.py [--failures]
"""

from __future__ import annotations

import argparse
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common import corpus_of, print_table

from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.answering.records import Answer

HALVES = ("seen", "counted")
KINDS = ("plain", "apart", "dated")


@dataclass(frozen=True)
class Asked:
    """A question of everyday.toml with its answer."""

    entry: dict[str, Any]
    answer: Answer

    @property
    def quotes(self) -> list[str]:
        return [" ".join(citation.quote.split()) for citation in self.answer.citations]

    @property
    def first(self) -> bool:
        return any(self.entry["holds"] in quote for quote in self.quotes[:1])

    @property
    def shown(self) -> bool:
        return any(self.entry["holds"] in quote for quote in self.quotes)

    @property
    def refused(self) -> bool:
        return self.answer.status == "not_found"

    @property
    def told(self) -> bool:
        """Whether the answer says that an older document says otherwise."""
        return any("lder document" in notice for notice in self.answer.notices)


def told(asked: list[Asked]) -> list[str]:
    """How many say that an older document says otherwise, of those of which one does, and others.

    The others are those with an answer, and the near misses.
    """
    dated = [each for each in asked if "older" in each.entry]
    other = [each for each in asked if each.entry["holds"] and each not in dated]
    none = [each for each in asked if not each.entry["holds"]]
    return [f"{sum(e.told for e in some)} of {len(some)}" for some in (dated, other, none)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--failures", action="store_true", help="of the half that may be seen")
    failures = parser.parse_args().failures
    papers = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    with tempfile.TemporaryDirectory() as scratch:
        for document in papers["documents"]:
            path = Path(scratch, "papers", document["path"])
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(document["text"].removeprefix("\n"), "utf-8")
        with corpus_of(Path(scratch, "papers")) as corpus:
            answerer = ExtractiveAnswerer(corpus.encoder)
            every = [Asked(e, answerer.answer(e["asked"], corpus)) for e in papers["questions"]]
    rows, misses = [], []
    for half in HALVES:
        own = [each for each in every if each.entry["half"] == half]
        for kinds in (KINDS, *((kind,) for kind in KINDS)):
            some = [each for each in own if each.entry["kind"] in kinds]
            counts = [sum(getattr(e, w) for e in some) for w in ("first", "shown", "refused")]
            rows.append((half, "all" if kinds is KINDS else kinds[0], len(some), *counts))
        none = [each for each in own if not each.entry["holds"]]
        answered = sum(each.answer.status == "answered" for each in none)
        misses.append((half, len(none), sum(e.refused for e in none), answered, *told(own)))
    print_table(("half", "kind", "questions", "first right", "shown right", "refused"), rows)
    print()
    told_of = ("an older one told", "where there is none", "of near misses")
    header = ("near misses", "refused", "answered", *told_of)
    print_table(("half", *header), misses)
    for each in every if failures else ():
        entry = each.entry
        if entry["half"] == "seen" and (not entry["holds"] or not each.first):
            print(f"\n{entry['asked']} ({entry['holds'] or 'not there'}) {each.answer.status}")
            print("\n".join([*each.answer.text.split("\n"), *each.answer.notices]))


if __name__ == "__main__":
    main()
