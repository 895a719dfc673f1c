"""What becomes of a model's reply: every row of the table, and how passages are put below it."""

from dataclasses import replace

import pytest

from corpus_agent.answering.decision import (
    BELOW_NOTICE,
    READ_NO,
    READ_YES,
    decide,
    quotes_any,
    reading,
    said_by,
    with_passages,
)
from corpus_agent.answering.records import CLOSEST_HEADING, Answer, Citation, Computation, UsedCell
from indexer.records import Coverage


def cited(n: int, line: int, quote: str = "So.", source: str = "a.md") -> Citation:
    return Citation(n, source, None, line, line, quote, "verified")


def answer(text: str, *citations: Citation) -> Answer:
    return Answer("q", text, "closest", "toy", citations, Coverage(1), 1)


@pytest.mark.parametrize(
    ("said", "strong", "status", "passages"),
    [
        ("yes", True, "answered", False),
        ("yes", False, "answered", False),
        ("partly", True, "partial", True),
        ("partly", False, "partial", False),
        ("nothing", True, "closest", True),
        ("nothing", False, "partial", False),
        ("no", True, "closest", True),
        ("no", False, "not_found", False),
    ],
)
def test_reply_and_evidence_decide_together(said, strong, status, passages):
    decision = decide(said, strong=strong)
    assert (decision.status, decision.passages) == (status, passages)


@pytest.mark.parametrize(
    ("citations", "unsupported", "text", "whole", "said"),
    [
        ([cited(1, 1)], 0, True, True, "yes"),
        ([cited(1, 1)], 1, True, True, "partly"),
        ([cited(1, 1)], 0, True, False, "partly"),
        ([], 1, True, True, "nothing"),
        ([], 0, True, True, "nothing"),
        ([], 0, False, True, "no"),
    ],
)
def test_a_draft_that_quotes_nothing_says_nothing(citations, unsupported, text, whole, said):
    assert said_by(citations, unsupported, text=text, whole=whole) == said


def test_both_readings_count():
    assert reading(0.9, 2.0) > READ_YES > reading(0.2, 0.5)
    assert reading(0.5, -4.0) < READ_NO < reading(0.5, None)
    assert reading(None, None) == reading(0.2, None)
    assert abs(reading(1.0, 0.0)) < 7  # finite


def test_lines_in_common_are_a_quotation_of_the_same():
    assert quotes_any([cited(1, 4)], [cited(7, 4, "Other.")])
    assert not quotes_any([cited(1, 4)], [cited(1, 5), cited(2, 4, source="b.md")])
    assert not quotes_any([], [cited(1, 4)])


def test_passages_are_numbered_after_the_answers_own_and_a_common_one_is_named_once():
    draft = answer("It is so [1], or so [2].", cited(1, 4), cited(2, 9))
    own = answer(f"{CLOSEST_HEADING}\nNine. [1]\nTwelve. [2]", cited(1, 9), cited(2, 12))
    below = with_passages(draft, own)
    assert below.text == (
        "It is so [1], or so [2].\n\nThe closest passages are:\nNine. [2]\nTwelve. [3]"
    )
    assert [(c.n, c.line_start) for c in below.citations] == [(1, 4), (2, 9), (3, 12)]


def test_passages_below_nothing_keep_their_numbers():
    own = answer(f"{CLOSEST_HEADING}\nNine. [4]", cited(4, 9))
    assert with_passages(answer("No."), own).text == "No.\n\nThe closest passages are:\nNine. [4]"


def test_below_a_refusal_a_question_back_is_one_and_below_an_answer_it_is_not():
    own = replace(answer("Which: A [1] or B [2]?", cited(1, 4), cited(2, 9)), status="unclear")
    below = with_passages(answer("No."), own)
    assert below.status == "unclear"
    assert below.text == "No.\n\nIt may mean several things:\nWhich: A [1] or B [2]?"
    doubted = replace(answer("So. [1]", cited(1, 7)), status="partial")
    assert with_passages(doubted, own).status == "partial"


def test_below_a_refusal_what_was_computed_and_what_has_to_be_known_stay_with_the_passages():
    cells = (UsedCell(9, "3", 1), UsedCell(12, "4", 2), UsedCell(13, "0"))
    value = Computation("sum", "Amount", (), cells, "7", "", 3, source="a.md")
    own = answer("7: sum of Amount, 3 [1] + 4 [2]", cited(1, 9), cited(2, 12))
    own = replace(own, status="answered", computed=value, notices=("Rows were left out.",))
    below = with_passages(answer("It is so. [1]", cited(1, 4)), own)
    assert below.text.endswith("The documents say:\n7: sum of Amount, 3 [3] + 4 [2]")
    assert below.computed is not None
    assert [cell.n for cell in below.computed.cells] == [3, 2, None]
    assert below.notices == (BELOW_NOTICE, "Rows were left out.")
    plain = replace(own, computed=None, notices=())
    assert with_passages(answer("No."), plain).computed is None
