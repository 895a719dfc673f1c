"""Questions with known answers -> the usual measures of search and of answers."""

from __future__ import annotations

import time
import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING, Any

from corpus_agent import service
from indexer import Query, UsageError, read_regular

if TYPE_CHECKING:
    from corpus_agent.answering.records import Answer, Answerer
    from indexer import Index

DEPTH = 10
MAX_QUESTIONS_BYTES = 10_000_000


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the sources that answer it (none: not answerable) and the expected strings."""

    text: str
    sources: frozenset[str]
    answers: tuple[str, ...]
    page: int | None


def load(path: Path) -> list[Question]:
    """The questions of a TOML file; raises UsageError that names the wrong entry."""
    try:
        text = read_regular(path, MAX_QUESTIONS_BYTES).decode("utf-8")
        entries = tomllib.loads(text).get("questions", [])
    except (OSError, ValueError, RecursionError):
        hint = "It is a TOML file with [[questions]], as sample_corpus/questions.toml."
        raise UsageError(f"The questions {str(path)!r} cannot be read.", hint) from None
    if not entries:
        raise UsageError(f"{str(path)!r} holds no [[questions]].")
    return [_question(path, number, entry) for number, entry in enumerate(entries, start=1)]


def _question(path: Path, number: int, entry: dict[str, Any]) -> Question:
    text, sources = entry.get("question"), entry.get("sources")
    answers = entry.get("answers", [entry["answer"]] if entry.get("answer") else [])
    if not isinstance(text, str) or not isinstance(sources, list):
        raise UsageError(f"{str(path)!r}, question {number}: question and sources are needed.")
    if sources and not answers:
        raise UsageError(f"{str(path)!r}, question {number}: answer or answers is needed.")
    return Question(text, frozenset(sources), tuple(answers), entry.get("page"))


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a question; `ranked` are the distinct sources found, best first."""

    question: Question
    ranked: tuple[str, ...]
    answer: Answer
    search_seconds: float
    answer_seconds: float

    @property
    def holds(self) -> bool:
        """Whether every expected string occurs in what is shown, white space and case ignored."""
        shown = _folded("\n".join([self.answer.text, *(p.text for p in self.answer.passages)]))
        found = self.answer.status != "not_found" and bool(self.question.sources)
        return found and all(_folded(text) in shown for text in self.question.answers)

    @property
    def cited(self) -> bool | None:
        """Whether the first citation is of a needed source and page and stands; None for none."""
        if not self.answer.passages:
            return None
        first, page = self.answer.passages[0].citation, self.question.page
        right_page = page is None or first.page is None or first.page == page
        stands = first.stands and first.verdict != "moved"
        return first.source in self.question.sources and right_page and stands

    def measures(self) -> dict[str, float | None]:
        """What counts for each measure, None where the question says nothing of it.

        What is no more than `perhaps` is neither an answer nor a refusal: `correct` counts the
        answers that are at least likely, `shown` whatever holds the answer, `answered_precision`
        is the share of these answers that hold it, `unsure_recall` that of questions without an
        answer whose passages are no more than `perhaps`.
        """
        refused = self.answer.status == "not_found"
        unsure, holds = self.answer.status == "perhaps", self.holds
        answered = {"answered_precision": None if refused or unsure else float(holds)}
        if not self.question.sources:
            return answered | {"not_found_recall": float(refused), "unsure_recall": float(unsure)}
        wanted, cited = self.question.sources, self.cited
        ranks = [n for n, source in enumerate(self.ranked, 1) if source in wanted]
        return {
            **{f"recall@{k}": sum(n <= k for n in ranks) / len(wanted) for k in (1, 5, 10)},
            "mrr": 1 / ranks[0] if ranks else 0.0,
            "correct": float(holds and not unsure),
            "shown": float(holds),
            **answered,
            "citation_precision": None if cited is None else float(cited),
            "false_not_found": float(refused),
        }


def measure(question: Question, corpus: Index, answerer: Answerer) -> Result:
    """Search and answer one question."""
    started = time.perf_counter()
    hits = corpus.search(Query(question.text, DEPTH, per_source=1))
    found = time.perf_counter()
    answer = service.session.ask(question.text, corpus, answerer)
    done = time.perf_counter()
    ranked = tuple(dict.fromkeys(hit.chunk.source for hit in hits))
    return Result(question, ranked, answer, found - started, done - found)


MEASURES = """
    recall@1 recall@5 recall@10 mrr correct shown answered_precision citation_precision
    not_found_recall false_not_found unsure_recall
"""


def summarise(results: Sequence[Result]) -> dict[str, float | int | None]:
    """The means of all measures; None where no question says anything of one."""
    every = [result.measures() for result in results]
    scores: dict[str, float | int | None] = {
        "questions": len(results),
        "answerable": sum(bool(result.question.sources) for result in results),
    }
    for name in MEASURES.split():
        known = [value for row in every if (value := row.get(name)) is not None]
        scores[name] = round(mean(known), 4) if known else None
    for name in ("search_seconds", "answer_seconds"):
        scores[f"{name}_p50"] = round(median(getattr(result, name) for result in results), 4)
    return scores


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def table(scores: dict[str, float | int | None]) -> Iterator[str]:
    """The measures as lines."""
    for name, value in scores.items():
        shown = "-" if value is None else f"{value:.3f}" if isinstance(value, float) else value
        yield f"{name:<20} {shown}"
