"""What is shown for a question, and what its word of confidence is worth, over many kinds.

Of the answerable: a passage that holds the answer is first, among the shown, and how many are told
"nothing". The AUC of the probability, answerable against not. For each word: passages so called,
and the share that holds the answer; "likely" or better as a share of the answerable. Control: the
first hit of `search`, and the first three.

    python benchmarks/passages.py [--stores DIR] [--most 40] [SET ...]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

from benchmarks.common import Asked, few, print_table
from benchmarks.sets import SETS, corpora, history
from corpus_agent.answering.decision import ANSWERED_FROM, LIKELY_FROM
from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.answering.records import Answer
from indexer.records import Query

WORDS = (
    ("answered", ANSWERED_FROM, 2.0),
    ("likely", LIKELY_FROM, ANSWERED_FROM),
    ("perhaps", 0.0, LIKELY_FROM),
)


@dataclass(frozen=True)
class Shown:
    """A question with its answer, and whether each of the first hits of `search` holds it."""

    asked: Asked
    answer: Answer
    hits: list[bool]

    @property
    def passages(self) -> list[tuple[float, bool]]:
        """The probability of each passage, and whether it holds the answer."""
        found = []
        for each in self.answer.passages:
            holds = self.asked.held_by(each.citation.source, each.citation.page, each.text)
            found.append((each.probability or 0.0, holds))
        return found


def shown(which: str, most: int, stores: Path | None) -> Iterator[Shown]:
    """The questions of a set, at most so many of each group and sort, with what is shown."""
    for index, every in corpora(which, stores):
        answerer = ExtractiveAnswerer(index.encoder)
        for asked in few(every, most):
            answer = answerer.answer(asked.text, index, history(answerer, asked, index))
            found = [hit.chunk for hit in index.search(Query(asked.text, 3, per_source=2))]
            hits = [asked.held_by(each.source, each.page_start, each.text) for each in found]
            yield Shown(asked, answer, hits)


def auc(best: Sequence[tuple[bool, float]]) -> float | str:
    """Of a probability, answerable questions against the others; "" where there is one sort."""
    yes, no = ([p for answerable, p in best if answerable is sort] for sort in (True, False))
    if not (yes and no):
        return ""
    return sum((a > b) + (a == b) / 2 for a in yes for b in no) / (len(yes) * len(no))


def row_of(which: str, rows: Sequence[Shown]) -> list[object]:
    some = [row for row in rows if row.asked.answerable]
    held = [[holds for _, holds in row.passages] for row in some]
    every = [one for row in rows for one in row.passages]
    cells = []
    for _, low, high in WORDS:
        own = [holds for p, holds in every if low <= p < high]
        cells.append(f"{len(own)}, {mean(own):.2f}" if own else "0")
    return [
        which,
        f"{len(some)} of {len(rows)}",
        mean(any(each[:1]) for each in held),
        mean(map(any, held)),
        mean(any(row.hits[:1]) for row in some),
        mean(any(row.hits) for row in some),
        mean(row.answer.status == "not_found" for row in some),
        auc([(row.asked.answerable, row.answer.probability or 0.0) for row in rows]),
        *cells,
        mean((row.answer.probability or 0.0) >= LIKELY_FROM for row in some),
        median(sum(len(p.text) for p in row.answer.passages) for row in some),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=tuple(SETS))
    parser.add_argument("--stores", type=Path, help="keep the indexes here")
    parser.add_argument("--most", type=int, default=40, help="of a group, of each sort")
    arguments = parser.parse_args()
    table = [
        row_of(which, [*shown(which, arguments.most, arguments.stores)]) for which in arguments.sets
    ]
    words = [f"{word}: count, hold" for word, *_ in WORDS]
    header = ("set", "answerable", "first", "shown", "first hit", "three hits", "nothing", "AUC")
    print_table((*header, *words, "likely or better", "characters"), table)


if __name__ == "__main__":
    main()
