"""Whether sentences get a passage that says them, and others get none: benchmarks/claims.toml.

python benchmarks/claims.py [--store DIR] [--failures]
"""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path
from typing import Any

from common import corpus_of, print_table

from corpus_agent.answering.support import Judgement, Supporter
from indexer.index import Index
from indexer.records import Query

CLAIMS = Path(__file__).parent / "claims.toml"
SAMPLE = Path(__file__).parent.parent / "sample_corpus"


def measured(
    corpus: Index, entry: dict[str, Any], *, vectors: bool
) -> list[tuple[bool, bool, str]]:
    """For each sentence whether a document says it, whether support was found, and the sentence."""
    rows = []
    for says, key in ((True, "supported"), (False, "not")):
        for claim in entry[key]:
            # What a model has seen that writes this: the question's search and one of its own.
            hits = [*corpus.search(Query(entry["question"])), *corpus.search(Query(claim))]
            passages = [hit.chunk for hit in hits]
            encode = corpus.encoder.encode_tokens if vectors else None
            support = Supporter(passages, encode).support(claim)
            rows.append((says, not isinstance(support, Judgement), claim))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--failures", action="store_true")
    arguments = parser.parse_args()
    entries = tomllib.loads(CLAIMS.read_text("utf-8"))["claims"]
    table = []
    with corpus_of(SAMPLE, arguments.store) as corpus:
        for name, vectors in (("words and vectors", True), ("words alone", False)):
            rows = [row for entry in entries for row in measured(corpus, entry, vectors=vectors)]
            found = sum(given for says, given, _ in rows if says)
            wrong = sum(given for says, given, _ in rows if not says)
            good, bad = sum(says for says, _, _ in rows), sum(not says for says, _, _ in rows)
            table.append((name, f"{found} of {good}", f"{wrong} of {bad}", found / (found + wrong)))
            if arguments.failures:
                for says, given, claim in rows:
                    if says != given:
                        print(f"{name}: {'missed' if says else 'WRONG'}: {claim}")
    print_table(("with", "supported found", "unsupported accepted", "precision"), table)


if __name__ == "__main__":
    main()
