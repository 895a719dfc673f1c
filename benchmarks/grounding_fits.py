"""The thresholds of grounding.py on sentences with known support. Run by fit_ranking.py."""

from __future__ import annotations

import random
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import mean
from typing import Any

from common import print_table

from benchmarks.answers import Answered, answered, shown
from benchmarks.asked import (
    SAMPLE,
    index_of,
)
from benchmarks.ranking_fits import sweep
from corpus_agent.answering import (
    agreement,
    evidence,
    grounding,
)
from corpus_agent.answering.coverage import EncodeTokens
from corpus_agent.answering.verification import UNSUPPORTED
from indexer import Encoded
from indexer.index import Index
from indexer.records import Chunk, Query

CLAIMS = Path(__file__).parent / "claims.toml"
ANSWERS = 150  # of benchmarks/answers.py, of each set


Judged = tuple[bool, str, list[Chunk], EncodeTokens]


def show_claims() -> None:
    """The thresholds of grounding.py on sentences of the sample; every other question held out."""
    entries = tomllib.loads(CLAIMS.read_text("utf-8"))["claims"]
    with index_of(SAMPLE) as corpus:
        known: dict[str, Encoded] = {}

        def encode(texts: list[str]) -> list[Encoded]:
            new = [text for text in dict.fromkeys(texts) if text not in known]
            known.update(zip(new, corpus.encoder.encode_tokens(new), strict=True))
            return [known[text] for text in texts]

        judged = [list(_judged(corpus, entry, encode)) for entry in entries]
        fit = [row for rows in judged[::2] for row in rows]
        held = [row for rows in judged[1::2] for row in rows]
        print(f"\ngrounding: found of {_count(held)} less accepted of the others, held out\n")
        constants: tuple[tuple[str, tuple[float, ...], bool], ...] = (
            ("ENOUGH", (0.4, 0.45, 0.5, 0.525, 0.55, 0.6, 0.65), True),
            ("ENOUGH_COVERED", (0.5, 0.6, 0.65, 0.7, 0.75, 0.8), False),
            ("SURELY_COVERED", (0.7, 0.8, 0.9, 1.0), True),
            ("CLEARLY", (0.05, 0.1, 0.2, 0.3, 0.5), True),
            ("LONGEST_WINDOW", (1, 2, 3), True),
            ("CONTEXT", (0, 200, 800, 2000), True),
            ("MAX_LIKELY", (5, 10, 30, 60), True),
            ("MAX_COMPARED", (2, 4, 8, 16), True),
            ("_NEARLY", (0.5, 0.6, 0.7, 0.8, 0.9), True),
        )
        table = []
        for name, values, vectors in constants:
            merit = partial(_claims, vectors=vectors)
            table.append(sweep(_HOLDING.get(name, grounding), name, values, merit, fit, held))
    print_table(("constant", "code", "refit", "held out"), table)
    print(
        "\nThe same on answers.py: contradictions marked less right answers marked, words alone\n"
    )
    sets = [list(islice(answered(which, random.Random(1)), ANSWERS)) for which in ("dev", "held")]
    swept = (
        ("SPEAKS_OF", (0.3, 0.4, 0.5, 0.6, 0.7)),
        ("ENOUGH_COVERED", (0.5, 0.6, 0.7, 0.8)),
        ("_NEARLY", (0.5, 0.6, 0.7, 0.8, 0.9)),
    )
    table = [
        sweep(_HOLDING.get(name, grounding), name, values, _marked, *sets) for name, values in swept
    ]
    print_table(("constant", "code", "refit", "held out"), table)


def _marked(cases: Sequence[Answered]) -> float:
    """The share of wrong answers that is marked less that of right ones."""
    given = defaultdict(list)
    for case in cases:
        given[case.kind == "honest"].append(UNSUPPORTED in shown(case))
    return mean(given[False]) - mean(given[True])


def _judged(corpus: Index, entry: Mapping[str, Any], encode: EncodeTokens) -> Iterator[Judged]:
    for says, key in ((True, "supported"), (False, "not")):
        for claim in entry[key]:
            hits = [*corpus.search(Query(entry["question"])), *corpus.search(Query(claim))]
            yield says, claim, [hit.chunk for hit in hits], encode


def _count(rows: Sequence[Judged]) -> str:
    return f"{sum(says for says, *_ in rows)} of {len(rows)}"


# The modules of the constants that are not grounding.py's own.
_HOLDING = {"LONGEST_WINDOW": evidence, "CONTEXT": evidence, "_NEARLY": agreement}
_SUPPORTERS: dict[tuple[object, ...], grounding.Supporter] = {}


def _claims(rows: Sequence[Judged], vectors: bool) -> float:
    """The share of what is said that is found, less the share of the rest that is accepted."""
    given = defaultdict(list)
    for says, claim, passages, encode in rows:
        key = (id(passages), vectors, evidence.LONGEST_WINDOW, evidence.CONTEXT)
        if key not in _SUPPORTERS:  # what other constants bear on is asked anew for every claim
            _SUPPORTERS[key] = grounding.Supporter(passages, encode if vectors else None)
        given[says].append(_SUPPORTERS[key].support(claim) is not None)
    return mean(given[True]) - mean(given[False])
