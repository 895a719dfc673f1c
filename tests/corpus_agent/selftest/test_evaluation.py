"""The figures of an evaluation are what their names say."""

import pytest

from corpus_agent.answering.records import Answer, Citation
from corpus_agent.selftest.evaluation import Question, Result, summarise
from indexer.records import Coverage
from tests.support.fakes import passages


def question(*sources: str, answers: tuple[str, ...] = ("24 °C",), page: int | None = None):
    return Question("How warm?", frozenset(sources), answers if sources else (), page)


def result(asked: Question, ranked: tuple[str, ...], said: str, *cited: Citation) -> Result:
    status = "answered" if said else "not_found"
    answer = Answer("How warm?", said, status, "extractive", passages(*cited), Coverage(), 1)
    return Result(asked, ranked, answer, 0.1, 0.2)


def cite(source: str, page: int | None = None, verdict: str = "verified") -> Citation:
    return Citation(1, source, page, 1, 1, "24 °C" if source == "a" else "30 °C", verdict)


def test_the_figures_are_what_their_names_say():
    scores = summarise(
        [
            result(question("a"), ("a", "b"), "At 24  °c.", cite("a")),
            result(question("a"), ("b", "c", "d", "a"), "At 30 °C.", cite("b")),
            result(question("a", "b"), ("x", "a"), ""),
            result(question(), ("x",), ""),
            result(question(), ("x",), "At 24 °C.", cite("x")),
        ]
    )
    expected = {
        "recall@1": 1 / 3,
        "recall@5": (1 + 1 + 0.5) / 3,
        "mrr": (1 + 1 / 4 + 1 / 2) / 3,
        "citation_precision": 0.5,
        "not_found_recall": 0.5,
        "false_not_found": 1 / 3,
    }
    assert {name: scores[name] for name in expected} == pytest.approx(expected, abs=1e-4)
