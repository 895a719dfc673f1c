"""The weights of answering/confidence.py beside a refit; what each word is worth on kinds left out.

Questions of several kinds (XQuAD, SQuAD 2.0, the sample; with --more LIT-RAG and MTRAG-UN as well):
the best sentence of each of the three best passages, and whether the passage holds an answer. Each
kind is judged by a fit of the others, all kinds weighing the same, that is held near the code's;
what tells near misses apart stays as it is.

    python benchmarks/fit_confidence.py [--questions 8] [--more]
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import (
    Asked,
    corpus_of,
    data,
    few,
    flat,
    print_table,
    read_jsonl,
    sample,
    squad,
    xquad,
)
from corpus_agent.answering import reading
from corpus_agent.answering.confidence import WEIGHTS
from corpus_agent.answering.passages import passage_of
from corpus_agent.answering.quotations import check_quotation
from corpus_agent.answering.ranking import figures, weighed
from indexer import Encoded
from indexer.index import Index
from indexer.records import Query

Floats = NDArray[np.float64]
RIDGE = 15.0
KEPT = ("strange", "count", "negations", "names", "code")
WORDS = (("answered", 0.9, 2.0), ("likely", 0.75, 0.9), ("perhaps", 0.4, 0.75), ("below", 0.0, 0.4))


@dataclass(frozen=True)
class Case:
    """A passage for a question: its kind, its figures, whether it holds the answer; the first?"""

    kind: str
    question: str
    answerable: bool
    figures: list[float]
    holds: bool


def cases_of(folder: Path, every: Sequence[Asked]) -> Iterator[Case]:
    """The cases of one kind; `source` of a question is where its answer is, if it has no string."""
    memory: dict[str, Encoded] = {}
    with corpus_of(folder) as corpus:
        for asked in every:
            hits = corpus.search(Query(asked.text, reading.POOL, per_source=None))
            own = weighed(asked.text, hits, corpus.encoder.encode_tokens, memory)
            if own is None:
                continue
            seen: set[int] = set()
            for at in map(int, np.argsort(-own.scores, kind="stable")):
                one = own.found[at]
                if one.passage not in seen and len(seen) < 3:
                    seen.add(one.passage)
                    source = hits[one.passage].chunk.source
                    holds = _holds(corpus, asked, source, one.text)
                    found = figures(asked.text, own, at)
                    yield Case(asked.which, asked.text, bool(asked.answers), found, holds)


def _holds(corpus: Index, asked: Asked, source: str, sentence: str) -> bool:
    if asked.which in ("litrag", "mtrag"):
        return bool(asked.answers) and source in asked.source.split("|")
    shown = flat(passage_of(corpus, check_quotation(corpus, 0, source, sentence)).text)
    return any(flat(answer) in shown for answer in asked.answers)


def more() -> Iterator[tuple[Path, list[Asked]]]:
    """LIT-RAG and MTRAG-UN: the passages of all questions in one folder each."""
    for which, name in (("litrag", "litrag-dev.jsonl"), ("mtrag", "mtrag-un-dev.jsonl")):
        folder, every = Path(tempfile.mkdtemp()), []
        for n, entry in enumerate(read_jsonl(data("refusal", name))):
            good = entry.get("positive_chunk_list") or entry.get("contexts") or []
            bad = entry.get("negative_chunk_list") or []
            for m, chunk in enumerate([*good, *bad]):
                (folder / f"{n}-{m}.txt").write_text(chunk.get("content") or chunk["text"])
            asked = (
                entry.get("question")
                or [turn["text"] for turn in entry["input"] if turn["speaker"] == "user"][-1]
            )
            has = bool(good) and "ANSWERABLE" in (entry.get("answerability") or ["ANSWERABLE"])
            places = "|".join(f"{n}-{m}.txt" for m in range(len(good)))
            every.append(Asked(which, str(n), asked, places, ("",) if has else ()))
        yield folder, every


def logistic(table: Floats, holds: Floats, weights: Floats) -> tuple[float, Floats]:
    """Bias and weights of a logistic regression held near the code's, by Newton's method."""
    middle, spread = table.mean(0), table.std(0) + 1e-9
    design = np.c_[np.ones(len(table)), (table - middle) / spread]
    ridge = np.diag([0.0, *(1e7 if name in KEPT else RIDGE for name in WEIGHTS)])
    code = np.array([0.0, *WEIGHTS.values()]) * np.array([1.0, *spread])
    found = code.copy()
    for _ in range(40):
        p = 1 / (1 + np.exp(-design @ found))
        hessian = (design * (weights * p * (1 - p))[:, None]).T @ design + ridge
        found += np.linalg.solve(
            hessian, design.T @ (weights * (holds - p)) - ridge @ (found - code)
        )
    return float(found[0] - (found[1:] / spread) @ middle), found[1:] / spread


def fitted(cases: Sequence[Case]) -> tuple[float, Floats]:
    """The fit of cases, each kind weighing the same."""
    kinds = [case.kind for case in cases]
    weights = np.array([len(kinds) / len(set(kinds)) / kinds.count(kind) for kind in kinds])
    table = np.array([case.figures for case in cases])
    return logistic(table, np.array([float(case.holds) for case in cases]), weights)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=8, help="of an article, of each sort")
    parser.add_argument("--more", action="store_true", help="LIT-RAG and MTRAG-UN too")
    arguments = parser.parse_args()
    data("qa", "xquad-dev.jsonl")
    sets = [xquad("en"), squad(), sample(), *(more() if arguments.more else ())]
    cases = [
        case for folder, every in sets for case in cases_of(folder, few(every, arguments.questions))
    ]
    rows = []
    for kind in dict.fromkeys(case.kind for case in cases):
        bias, weights = fitted([case for case in cases if case.kind != kind])
        own = [case for case in cases if case.kind == kind]
        chances = 1 / (1 + np.exp(-(np.array([case.figures for case in own]) @ weights + bias)))
        cells = []
        for _, low, high in WORDS:
            held = [c.holds for c, p in zip(own, chances, strict=True) if low <= p < high]
            cells.append(f"{len(held)}, {mean(held):.2f}" if held else "0")
        rows.append((kind, len(own), *cells))
    print_table(("kind left out", "passages", *(f"{w[0]}: count, hold" for w in WORDS)), rows)
    bias, weights = fitted(cases)
    print(f"\nBIAS = {bias:.3f}")
    print(json.dumps(dict(zip(WEIGHTS, weights.round(3).tolist(), strict=True)), indent=1))


if __name__ == "__main__":
    main()
