from dataclasses import replace
from pathlib import Path

import pytest

from corpus_agent.answering.records import Answer, Citation
from corpus_agent.selftest.evaluation.measure import Result, summarise, table
from corpus_agent.selftest.evaluation.questions import Question, load
from indexer.errors import UsageError
from indexer.records import Coverage


def question(*sources: str, answers: tuple[str, ...] = ("24 °C",), page: int | None = None):
    return Question("How warm?", frozenset(sources), answers if sources else (), page, "fact")


def result(asked: Question, ranked: tuple[str, ...], said: str, *cited: Citation) -> Result:
    status = "answered" if said else "not_found"
    answer = Answer("How warm?", said, status, "extractive", cited, Coverage(), 1)
    return Result(asked, ranked, answer, 0.1, 0.2)


def cite(source: str, page: int | None = None, verdict: str = "verified") -> Citation:
    return Citation(1, source, page, 1, 1, "24 °C", verdict)


def test_the_figures_are_what_their_names_say():
    results = [
        result(question("a"), ("a", "b"), "At 24  °c.", cite("a")),
        result(question("a"), ("b", "c", "d", "a"), "At 30 °C.", cite("b")),
        result(question("a", "b"), ("x", "a"), ""),
        result(question(), ("x",), ""),
        result(question(), ("x",), "At 24 °C.", cite("x")),
    ]
    scores = summarise(results)
    assert scores["recall@1"] == pytest.approx(1 / 3, abs=1e-4)
    assert scores["recall@5"] == pytest.approx((1 + 1 + 0.5) / 3, abs=1e-4)
    assert scores["mrr"] == pytest.approx((1 + 1 / 4 + 1 / 2) / 3, abs=1e-4)
    assert scores["correct"] == pytest.approx(1 / 3, abs=1e-4)
    assert scores["citation_precision"] == 0.5
    assert (scores["not_found_precision"], scores["not_found_recall"]) == (0.5, 0.5)
    assert scores["false_not_found"] == pytest.approx(1 / 3, abs=1e-4)


def test_the_closest_passages_are_neither_an_answer_nor_a_refusal():
    def closest(asked, said):
        given = result(asked, ("a",), said, cite("a"))
        return replace(given, answer=replace(given.answer, status="closest"))

    results = [
        result(question("a"), ("a",), "24 °C", cite("a")),
        closest(question("a"), "24 °C"),
        closest(question("a"), "30 °C"),
        closest(question(), "24 °C"),
        result(question(), ("a",), "24 °C", cite("a")),
    ]
    scores = summarise(results)
    assert (scores["correct"], scores["shown"]) == (
        pytest.approx(1 / 3, abs=1e-4),
        pytest.approx(2 / 3, abs=1e-4),
    )
    assert scores["answered_precision"] == 0.5
    assert scores["false_closest"] == pytest.approx(2 / 3, abs=1e-4)
    assert scores["closest_recall"] == 0.5
    assert (scores["not_found_recall"], scores["false_not_found"]) == (0, 0)


def test_a_citation_of_another_page_is_wrong():
    asked = question("a", page=3)
    assert summarise([result(asked, ("a",), "24 °C", cite("a", 3))])["citation_precision"] == 1
    assert summarise([result(asked, ("a",), "24 °C", cite("a", 4))])["citation_precision"] == 0


@pytest.mark.parametrize(
    ("verdict", "right"), [("verified", 1), ("verified in recognised text", 1), ("moved", 0)]
)
def test_recognised_text_is_a_right_citation_at_its_place(verdict, right):
    cited = cite("a", verdict=verdict)
    assert summarise([result(question("a"), ("a",), "24", cited)])["citation_precision"] == right


def test_figures_that_nothing_stands_behind_are_not_numbers():
    scores = summarise([result(question("a"), ("a",), "24 °C")])
    assert scores["not_found_recall"] is None
    assert "not_found_recall     -" in list(table(scores))


def test_every_expected_string_is_needed():
    both = question("a", answers=("24", "30"))
    assert not result(both, ("a",), "It is 24.").correct
    assert result(both, ("a",), "It is 24, then 30.").correct


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"holds no \[\[questions\]\]"),
        ("x = ", "cannot be read"),
        ('[[questions]]\nsources = ["a"]\n', "question 1: question and sources are needed"),
        ('[[questions]]\nquestion = "q"\nsources = ["a"]\n', "answer or answers is needed"),
    ],
)
def test_a_wrong_file_of_questions_is_explained(tmp_path: Path, text, message):
    path = tmp_path / "q.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=message):
        load(path)


def test_the_sample_questions_are_well_formed():
    from tests.support.places import SAMPLE

    asked = load(SAMPLE / "questions.toml")
    assert len(asked) >= 30
    kinds = {entry.kind for entry in asked}
    assert {"fact", "pdf", "two", "foreign", "none"} <= kinds
    for entry in asked:
        assert all((SAMPLE / source).is_file() for source in entry.sources)
