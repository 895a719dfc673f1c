"""Retrieval and answers in eleven languages: XQuAD-R, every corpus and question in one language.

The articles are split in two: the weight of the vectors for other languages than English is set on
the first half, the figures that count are of the second. `--mixed` indexes several languages
together, and asks in each.

    python benchmarks/languages.py [--stores DIR] [--answers 200] [--mixed] [LANGUAGE ...]
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from common import print_table

from benchmarks.asked import Asked, flat, held_out, xquad
from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.service import session
from corpus_agent.settings import Settings
from indexer import retrieve
from indexer.embed.languages import is_english
from indexer.index import Index
from indexer.records import Query
from indexer.store.snapshot import Snapshot
from indexer.store.snapshots import Snapshots

LANGUAGES = ("en", "de", "es", "ru", "el", "tr", "vi", "zh", "ar", "hi", "th")
WEIGHTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, retrieve.VECTOR_WEIGHT)
FIVE = 5


@dataclass(frozen=True)
class Case:
    """A question, whether it is held out, and the rank of its paragraph by weight of vectors."""

    asked: Asked
    held: bool
    ranks: dict[float, int]


def ranked(snapshot: Snapshots, index: Index, asked: Asked) -> dict[float, int]:
    """The rank of the right paragraph, from 0, by weight."""
    query = Query(asked.text, retrieve.POOL, per_source=None)
    vector = index.encoder.encode([index.encoder.query_prefix + asked.text])[0]
    by_text = retrieve.by_words(snapshot, query)
    pool = snapshot.pool(snapshot.nearest(vector, query), by_text)
    ranks = {}
    for weight in WEIGHTS:
        order = retrieve.fuse(vector, pool, by_text, weight).order
        sources = list(dict.fromkeys(pool.sources[at] for at in order))
        ranks[weight] = sources.index(asked.source) if asked.source in sources else len(order)
    return ranks


@contextmanager
def stored(folder: Path, store: Path) -> Iterator[tuple[Snapshots, Index]]:
    """An index of a folder, made or brought up to date."""
    settings = Settings(store=store)
    session.index(settings, folder)
    yield Snapshots({"": Snapshot(store, folder)}), session.open_corpus(settings)


def share(cases: Sequence[Case], weight: float, most: int) -> float:
    """How often the right paragraph is among the first."""
    return mean(case.ranks[weight] < most for case in cases)


def answered(index: Index, cases: Sequence[Case]) -> tuple[float, float, float]:
    """Shares: the answer in the first sentence, in those that are shown, and refused."""
    answerer = ExtractiveAnswerer(index.encoder)
    first, shown, refused = [], [], []
    for case in cases:
        answer = answerer.answer(case.asked.text, index)
        quotes = [citation.quote for citation in answer.citations]
        wanted = [flat(text) for text in case.asked.answers]
        first.append(any(text in flat(" ".join(quotes[:1])) for text in wanted))
        shown.append(any(text in flat(" ".join(quotes)) for text in wanted))
        refused.append(answer.status == "not_found")
    return mean(first), mean(shown), mean(refused)


def apart(languages: Sequence[str], stores: Path, answers: int) -> None:
    """Each language in a corpus of its own."""
    held = held_out([xquad("en")])
    tables: tuple[list[list[object]], ...] = ([], [], [])
    for language in languages:
        folder, every = xquad(language)
        with stored(folder, stores / language) as (snapshot, index):
            cases = [Case(a, held[a.group], ranked(snapshot, index, a)) for a in every]
            setting = [case for case in cases if not case.held]
            unseen = [case for case in cases if case.held]
            weight = retrieve.VECTOR_WEIGHT if language == "en" else retrieve.OTHER_VECTOR_WEIGHT
            manifest = snapshot.parts[""].manifest
            told = manifest.languages.get(language, 0) / manifest.chunks
            asked = mean(is_english(a.text) for a in every)
            figures = [share(part, weight, n) for part in (setting, unseen) for n in (1, FIVE)]
            tables[0].append([language, told, asked, *figures])
            tables[1].append([language, *(share(setting, w, FIVE) for w in WEIGHTS)])
            for name, part in (("set on", setting), ("held out", unseen)) if answers else ():
                shown = answered(index, part[: answers // 2])
                tables[2].append([language, name, *shown])
                print(tables[2][-1], flush=True)
    print("\nRight paragraph, with the weights of the code\n")
    header = ("first, set on", "in five", "first, held out", "in five")
    print_table(("language", "passages told", "questions told English", *header), tables[0])
    print("\nRight paragraph in five by weight of the vectors, half that is set on\n")
    means = [mean(float(str(row[n])) for row in tables[1] if row[0] != "en")
             for n in range(1, len(WEIGHTS) + 1)]  # fmt: skip
    print_table(("language", *map(str, WEIGHTS)), [*tables[1], ["others, mean", *means]])
    if answers:
        print("\nAnswers\n")
        print_table(("language", "half", "first sentence", "shown", "refused"), tables[2])


def mixed(languages: Sequence[str], stores: Path) -> None:
    """All languages in one corpus: the right paragraph of the right language in five."""
    folder = stores / "mixed-files"
    for language in languages:
        if not (folder / language).exists():
            shutil.copytree(xquad(language)[0], folder / language)
    held = held_out([xquad("en")])
    rows = []
    with stored(folder, stores / "-".join(("mixed", *languages))) as (_, index):
        for language in languages:
            found = []
            for asked in (a for a in xquad(language)[1] if held[a.group]):
                hits = index.search(Query(asked.text, FIVE, per_source=1))
                sources = [hit.chunk.source for hit in hits]
                wanted = f"{language}/{asked.source}"
                found.append(sources.index(wanted) if wanted in sources else FIVE)
            rows.append((language, mean(r == 0 for r in found), mean(r < FIVE for r in found)))
    print("\nOne corpus of them all, held-out half\n")
    print_table(("asked in", "right paragraph first", "in five"), rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("languages", nargs="*", default=LANGUAGES)
    parser.add_argument("--stores", type=Path, help="keep the indexes here")
    parser.add_argument("--answers", type=int, default=0, help="questions that are answered")
    parser.add_argument("--mixed", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        stores = arguments.stores or Path(scratch)
        if arguments.mixed:
            mixed(arguments.languages, stores)
        else:
            apart(arguments.languages, stores, arguments.answers)


if __name__ == "__main__":
    main()
