"""Questions with known answers of three sets, and which half of their articles each is in."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from common import data, read_jsonl

from corpus_agent.answering import reading
from corpus_agent.selftest.evaluation.questions import load
from corpus_agent.service import session
from corpus_agent.settings import Settings
from indexer.index import Index
from indexer.records import Hit, Query

SAMPLE = Path(__file__).parent.parent / "sample_corpus"


@dataclass(frozen=True)
class Asked:
    """A question: its set, what it is split by, where its answer is and what that holds."""

    which: str
    group: str
    text: str
    source: str
    answers: tuple[str, ...]


def xquad(lang: str) -> tuple[Path, list[Asked]]:
    folder = data("languages", "xquad-r-dev", lang, "paragraphs")
    titles = {entry["id"]: entry["title"] for entry in read_jsonl(data("qa", "xquad-dev.jsonl"))}
    entries = read_jsonl(data("languages", "xquad-r-dev", lang, "questions.jsonl"))
    name = "xquad" if lang == "en" else f"xquad {lang}"
    return folder, [
        Asked(name, titles[e["id"]], e["question"], e["source"], tuple(e["answers"]))
        for e in entries
    ]


def squad() -> tuple[Path, list[Asked]]:
    entries = read_jsonl(data("refusal", "squad2-dev", "questions.jsonl"))
    return data("refusal", "squad2-dev", "paragraphs"), [
        Asked(
            "squad", e["source"].rpartition("-")[0], e["question"], e["source"], tuple(e["answers"])
        )
        for e in entries
    ]


def sample() -> tuple[Path, list[Asked]]:
    single = [q for q in load(SAMPLE / "questions.toml") if len(q.sources) < 2]
    return SAMPLE, [
        Asked(
            "sample", min(q.sources, default=q.text), q.text, min(q.sources, default=""), q.answers
        )
        for q in single
    ]


def few(asked: Iterable[Asked], most: int) -> list[Asked]:
    """At most so many answerable and so many other questions of each article, evenly taken."""
    groups = defaultdict(list)
    for each in asked:
        groups[each.group, bool(each.answers)].append(each)
    return [each for group in groups.values() for each in group[:: max(1, len(group) // most)]]


@contextmanager
def index_of(folder: Path) -> Iterator[Index]:
    with tempfile.TemporaryDirectory() as scratch:
        settings = Settings(store=Path(scratch) / "store")
        session.index(settings, folder)
        yield session.open_corpus(settings)


def flat(text: str) -> str:
    return " ".join(text.casefold().split())


def pool(corpus: Index, question: str) -> list[Hit]:
    return corpus.search(Query(question, reading.POOL, per_source=None))


def held_out(sets: Sequence[tuple[Path, Sequence[Asked]]]) -> dict[str, bool]:
    """Which articles are held out: every other one of each set; each is on one side in all sets."""
    held: dict[str, bool] = {}
    for _, every in reversed(sets):
        for n, group in enumerate(sorted({asked.group for asked in every})):
            held.setdefault(group, n % 2 == 1)
    return held
