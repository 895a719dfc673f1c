"""What the benchmark scripts share: data, questions, indexes, clocks, tables of results."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.golden import EVAL, REPOSITORY
from corpus_agent.selftest.evaluation import load
from corpus_agent.service import session
from corpus_agent.settings import Settings
from indexer.index import Index

SAMPLE = REPOSITORY / "sample_corpus"
Result = TypeVar("Result")


def data(*parts: str) -> Path:
    """A file or folder of the evaluation data; ends the script with a reason where it is absent."""
    path = EVAL.joinpath(*parts)
    if not path.exists():
        sys.exit(f"skipped: there is no evaluation data at {'/'.join(parts)}")
    return path


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def document_files(name: str, folder: Path) -> dict[str, str]:
    """Write the documents of a retrieval set as Markdown files; document ids by source."""
    ids = {}
    for entry in read_jsonl(data("retrieval", name, "corpus.jsonl")):
        source = re.sub(r"\.md$", "", entry["_id"]) + ".md"
        path = folder / source
        path.parent.mkdir(parents=True, exist_ok=True)
        title = entry["title"].strip()
        path.write_text(f"# {title}\n\n{entry['text']}" if title else entry["text"], "utf-8")
        ids[source] = entry["_id"]
    return ids


@contextmanager
def corpus_of(
    folder: Path, store: Path | None = None, model: Path | None = None
) -> Iterator[Index]:
    """The corpus of a folder: indexed for this run, or kept in `store` from an earlier one."""
    with tempfile.TemporaryDirectory() as scratch:
        settings = Settings(store=store or Path(scratch) / "store", model=model)
        session.index(settings, folder)
        yield session.open_corpus(settings)


def written(texts: dict[str, str], folder: Path) -> Path:
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


@dataclass(frozen=True)
class Asked:
    """A question: its set, what it is split by, where its answer is and what that holds.

    A passage holds the answer that has one of `answers`; if there are `places`, sources or sources
    and pages, one that stands there. With neither it is unanswerable. `before` are the questions
    before it.
    """

    which: str
    group: str
    text: str
    source: str = ""
    answers: tuple[str, ...] = ()
    places: tuple[tuple[str, int | None], ...] = ()
    before: tuple[str, ...] = ()

    @property
    def answerable(self) -> bool:
        return bool(self.answers or self.places)

    def held_by(self, source: str, page: int | None, text: str) -> bool:
        """Whether a passage holds the answer."""
        if self.places:
            return (source, None) in self.places or (source, page) in self.places
        shown = flat(text)
        return any(flat(answer) in shown for answer in self.answers)


def xquad(lang: str) -> tuple[Path, list[Asked]]:
    folder = data("languages", "xquad-r-dev", lang, "paragraphs")
    titles = {entry["id"]: entry["title"] for entry in read_jsonl(data("qa", "xquad-dev.jsonl"))}
    name = "xquad" if lang == "en" else f"xquad {lang}"
    return folder, [
        Asked(name, titles[e["id"]], e["question"], e["source"], tuple(e["answers"]))
        for e in read_jsonl(data("languages", "xquad-r-dev", lang, "questions.jsonl"))
    ]


def squad() -> tuple[Path, list[Asked]]:
    folder = data("refusal", "squad2-dev")
    return folder / "paragraphs", [
        Asked("squad", s.rpartition("-")[0], e["question"], s, tuple(e["answers"]))
        for e in read_jsonl(folder / "questions.jsonl")
        for s in [e["source"]]
    ]


def sample() -> tuple[Path, list[Asked]]:
    return SAMPLE, [
        Asked(
            "sample", min(q.sources, default=q.text), q.text, min(q.sources, default=""), q.answers
        )
        for q in load(SAMPLE / "questions.toml")
        if len(q.sources) < 2
    ]


def few(asked: Iterable[Asked], most: int) -> list[Asked]:
    """At most so many answerable and so many other questions of each article, evenly taken."""
    groups = defaultdict(list)
    for each in asked:
        groups[each.group, each.answerable].append(each)
    return [each for group in groups.values() for each in group[:: -(-len(group) // most)]]


def held_out(asked: Sequence[Asked]) -> list[Asked]:
    held = sorted({each.group for each in asked})[1::2]
    return [each for each in asked if each.group in held]


def flat(text: str) -> str:
    return " ".join(text.casefold().split())


def timed(work: Callable[[], Result]) -> tuple[float, float, Result]:
    """Seconds by the clock and of the processors, ended children included, and the result."""
    started, used = time.perf_counter(), sum(os.times()[:4])
    result = work()
    return time.perf_counter() - started, sum(os.times()[:4]) - used, result


def print_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    print(f"| {' | '.join(header)} |")
    print(f"|{'|'.join('---' for _ in header)}|")
    for row in rows:
        cells = (f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row)
        print(f"| {' | '.join(cells)} |")
