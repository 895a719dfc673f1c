"""Questions with known answers -> the usual measures of search and of answers.

Works for any folder and any file of questions. Retrieval is measured over documents: the sources
of the hits in order, each counted once.
"""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import mean, median
from typing import TYPE_CHECKING, Any

from corpus_agent.service import session
from indexer import Query

if TYPE_CHECKING:
    from corpus_agent.answering.records import Answer, Answerer
    from corpus_agent.selftest.evaluation.questions import Question
    from indexer import Index

DEPTH = 10


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
    def correct(self) -> bool:
        """Whether it was answered, and with every expected string."""
        return self.holds and not self.unsure

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
    answer = session.ask(question.text, corpus, answerer)
    done = time.perf_counter()
    ranked = tuple(dict.fromkeys(hit.chunk.source for hit in hits))
    return Result(question, ranked, answer, found - started, done - found)


def summarise(results: Sequence[Result]) -> dict[str, float | int | None]:
    """The measures; None where there is nothing to divide by.

    `not_found_precision` is the share of correct refusals, `false_not_found` the share of
    answerable questions that were refused, `citation_precision` the share of citations that name
    a needed source (and page, where one is given) and whose quotation was found there.
    What is no more than `perhaps` is neither an answer nor a refusal: `correct` counts the answers
    that are at least likely, `shown` whatever holds the answer, `answered_precision` is the share
    of these answers that hold it, `false_unsure` and `unsure_recall` the shares of answerable and
    other questions with passages that are no more than `perhaps`.
    """
    answerable = [result for result in results if result.answerable]
    unanswerable = [result for result in results if not result.answerable]
    refused = [result for result in results if result.refused]
    answered = [result for result in results if not (result.refused or result.unsure)]
    return {
        "questions": len(results),
        "answerable": len(answerable),
        "recall@1": _mean(answerable, lambda result: result.recall(1)),
        "recall@5": _mean(answerable, lambda result: result.recall(5)),
        "recall@10": _mean(answerable, lambda result: result.recall(10)),
        "mrr": _mean(answerable, lambda result: result.reciprocal_rank),
        "correct": _mean(answerable, lambda result: result.correct),
        "shown": _mean(answerable, lambda result: result.holds),
        "answered_precision": _mean(answered, lambda result: result.holds),
        "citation_precision": _mean(list(_citations(answerable)), float),
        "not_found_precision": _mean(refused, lambda result: not result.answerable),
        "not_found_recall": _mean(unanswerable, lambda result: result.refused),
        "false_not_found": _mean(answerable, lambda result: result.refused),
        "unsure_recall": _mean(unanswerable, lambda result: result.unsure),
        "false_unsure": _mean(answerable, lambda result: result.unsure),
        "search_seconds_p50": round(median(result.search_seconds for result in results), 4),
        "answer_seconds_p50": round(median(result.answer_seconds for result in results), 4),
    }


def _mean(items: Sequence[Any], value: Callable[[Any], float]) -> float | None:
    return round(float(mean(value(item) for item in items)), 4) if items else None


def _citations(results: Sequence[Result]) -> Iterator[bool]:
    """For the first citation of each answer, whether it is correct."""
    for result in results:
        for citation in [p.citation for n, p in enumerate(result.answer.passages) if not n]:
            page = result.question.page
            right_page = page is None or citation.page is None or citation.page == page
            right = citation.source in result.question.sources and right_page
            yield right and citation.stands and citation.verdict != "moved"


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
        wrong = not result.correct if result.answerable else not result.refused
        if wrong or (result.answerable and result.recall(5) < 1):
            answer = result.answer.text.replace("\n", " ")[:160]
            yield f"\n[{result.question.kind}] {result.question.text}"
            yield f"  wanted {sorted(result.question.sources)} {result.question.answers}"
            yield f"  found  {list(result.ranked[:3])}"
            yield f"  said   {result.answer.status}: {answer}"
