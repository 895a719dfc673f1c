"""Retrieval and answers in eleven languages: XQuAD-R, every corpus and question in one language.

Half of the articles is held out: retrieval is measured on that, answers on questions of both.

    python benchmarks/languages.py [--stores DIR] [--answers 200] [LANGUAGE ...]
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

from benchmarks.common import Asked, corpus_of, flat, held_out, print_table, xquad
from corpus_agent.answering.extractive import ExtractiveAnswerer
from indexer.index import Index
from indexer.records import Query

LANGUAGES = ("en", "de", "es", "ru", "el", "tr", "vi", "zh", "ar", "hi", "th")
FIVE = 5


def ranks(index: Index, asked: Sequence[Asked]) -> tuple[float, float]:
    """How often the right paragraph is first, and among the first five."""
    found = []
    for each in asked:
        hits = index.search(Query(each.text, FIVE, per_source=1))
        found.append([hit.chunk.source for hit in hits] + [""])
    pairs = list(zip(asked, found, strict=True))
    return mean(a.source == f[0] for a, f in pairs), mean(a.source in f for a, f in pairs)


def answered(index: Index, asked: Sequence[Asked]) -> tuple[float, float, float]:
    """Shares: the answer in the first sentence, in those that are shown, and refused."""
    answerer = ExtractiveAnswerer(index.encoder)
    rows = []
    for each in asked:
        answer = answerer.answer(each.text, index)
        quotes = [flat(citation.quote) for citation in answer.citations]
        held = [any(flat(gold) in quote for gold in each.answers) for quote in quotes]
        rows.append((any(held[:1]), any(held), answer.status == "not_found"))
    first, shown, refused = map(mean, zip(*rows, strict=True))
    return first, shown, refused


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("languages", nargs="*", default=LANGUAGES)
    parser.add_argument("--stores", type=Path, help="keep the indexes here")
    parser.add_argument("--answers", type=int, default=0, help="questions that are answered")
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for language in arguments.languages:
            folder, every = xquad(language)
            held = held_out(every)
            with corpus_of(folder, (arguments.stores or Path(scratch)) / language) as index:
                if arguments.answers:
                    half = arguments.answers // 2
                    others = [asked for asked in every if asked not in held]
                    rows.append((language, *answered(index, [*others[:half], *held[:half]])))
                else:
                    rows.append((language, *ranks(index, held)))
                print(*rows[-1], flush=True)
    figures = ("first sentence", "shown", "refused") if arguments.answers else ("first", "in five")
    print_table(("language", *figures), rows)


if __name__ == "__main__":
    main()
