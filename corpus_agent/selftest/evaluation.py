"""Questions with known answers -> the usual measures of search and of answers."""

from __future__ import annotations

import time
import tomllib
import unicodedata
from collections.abc import Callable, Iterator, Sequence
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
    kind: str


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
    kind = str(entry.get("kind", "fact" if sources else "none"))
    return Question(text, frozenset(sources), tuple(answers), entry.get("page"), kind)


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a question; `ranked` are the distinct sources found, best first."""

    question: Question
    ranked: tuple[str, ...]
    answer: Answer
    search_seconds: float
    answer_seconds: float

    @property
    def answerable(self) -> bool:
        """Whether the documents contain the answer."""
        return bool(self.question.sources)

    @property
    def refused(self) -> bool:
        """Whether the answer was "not found"."""
        return self.answer.status == "not_found"

    @property
    def unsure(self) -> bool:
        """Whether passages are shown that are not called likely."""
        return self.answer.status == "perhaps"

    @property
    def holds(self) -> bool:
        """Whether every expected string occurs in what is shown, white space and case ignored."""
        shown = _folded("\n".join([self.answer.text, *(p.text for p in self.answer.passages)]))
        holds = all(_folded(text) in shown for text in self.question.answers)
        return self.answerable and not self.refused and holds

    @property
    def cited(self) -> bool:
        """Whether its first citation names a needed source and page, and was found there."""
        first = self.answer.passages[0].citation
        page = self.question.page
        right_page = page is None or first.page is None or first.page == page
        stands = first.stands and first.verdict != "moved"
        return first.source in self.question.sources and right_page and stands

    def recall(self, k: int) -> float:
        """Share of the needed sources among the first k."""
        found = self.question.sources.intersection(self.ranked[:k])
        return len(found) / len(self.question.sources)

    @property
    def reciprocal_rank(self) -> float:
        """1 / rank of the first needed source, 0 if none is found."""
        ranks = [n for n, source in enumerate(self.ranked, 1) if source in self.question.sources]
        return 1 / ranks[0] if ranks else 0.0


def measure(question: Question, corpus: Index, answerer: Answerer) -> Result:
    """Search and answer one question."""
    started = time.perf_counter()
    hits = corpus.search(Query(question.text, DEPTH, per_source=1))
    found = time.perf_counter()
    answer = service.session.ask(question.text, corpus, answerer)
    done = time.perf_counter()
    ranked = tuple(dict.fromkeys(hit.chunk.source for hit in hits))
    return Result(question, ranked, answer, found - started, done - found)


def summarise(results: Sequence[Result]) -> dict[str, float | int | None]:
    """The measures; None where there is nothing to divide by.

    What is no more than `perhaps` is neither an answer nor a refusal: `correct` counts the answers
    that are at least likely, `shown` whatever holds the answer, `answered_precision` is the share
    of these answers that hold it, `false_unsure` and `unsure_recall` the shares of answerable and
    other questions with passages that are no more than `perhaps`.
    """
    answerable = [result for result in results if result.answerable]
    unanswerable = [result for result in results if not result.answerable]
    refused = [result for result in results if result.refused]
    answered = [result for result in results if not (result.refused or result.unsure)]
    cited = [result for result in answerable if result.answer.passages]
    return {
        "questions": len(results),
        "answerable": len(answerable),
        "recall@1": _mean(answerable, lambda result: result.recall(1)),
        "recall@5": _mean(answerable, lambda result: result.recall(5)),
        "recall@10": _mean(answerable, lambda result: result.recall(10)),
        "mrr": _mean(answerable, lambda result: result.reciprocal_rank),
        "correct": _mean(answerable, lambda result: result.holds and not result.unsure),
        "shown": _mean(answerable, lambda result: result.holds),
        "answered_precision": _mean(answered, lambda result: result.holds),
        "citation_precision": _mean(cited, lambda result: result.cited),
        "not_found_precision": _mean(refused, lambda result: not result.answerable),
        "not_found_recall": _mean(unanswerable, lambda result: result.refused),
        "false_not_found": _mean(answerable, lambda result: result.refused),
        "unsure_recall": _mean(unanswerable, lambda result: result.unsure),
        "false_unsure": _mean(answerable, lambda result: result.unsure),
        "search_seconds_p50": round(median(result.search_seconds for result in results), 4),
        "answer_seconds_p50": round(median(result.answer_seconds for result in results), 4),
    }


def _mean(results: Sequence[Result], value: Callable[[Result], float]) -> float | None:
    return round(float(mean(value(each) for each in results)), 4) if results else None


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def table(scores: dict[str, float | int | None]) -> Iterator[str]:
    """The measures as lines."""
    for name, value in scores.items():
        shown = "-" if value is None else f"{value:.3f}" if isinstance(value, float) else value
        yield f"{name:<20} {shown}"


def failures(results: Sequence[Result]) -> Iterator[str]:
    """The questions with wrong results, and what is wrong."""
    for result in results:
        right = result.holds and not result.unsure if result.answerable else result.refused
        if not right or (result.answerable and result.recall(5) < 1):
            answer = result.answer.text.replace("\n", " ")[:160]
            yield f"\n[{result.question.kind}] {result.question.text}"
            yield f"  wanted {sorted(result.question.sources)} {result.question.answers}"
            yield f"  found  {list(result.ranked[:3])}"
            yield f"  said   {result.answer.status}: {answer}"
