"""What becomes of a model's reply: every row of the table."""

from dataclasses import replace

import pytest

from corpus_agent.answering.decision import (
    READ_NO,
    READ_YES,
    decided,
    quotes_any,
    reading,
    said_by,
)
from corpus_agent.answering.records import Answer, Citation
from indexer.records import Coverage
from tests.support.fakes import passages


def cited(n: int, line: int, quote: str = "So.", source: str = "a.md") -> Citation:
    return Citation(n, source, None, line, line, quote, "verified")


def answer(text: str, *citations: Citation, by: str = "toy") -> Answer:
    return Answer("q", text, "perhaps", by, passages(*citations), Coverage(1), 1)


OWN = replace(answer("", cited(1, 9, "Nine."), by="extractive"), probability=0.5)
NONE = replace(answer("", by="extractive"), status="not_found")
SURE = replace(OWN, probability=0.95, status="answered")


@pytest.mark.parametrize(
    ("said", "own", "status", "text"),
    [
        ("yes", OWN, "likely", "So. [1]"),
        ("yes", SURE, "answered", "So. [1]"),
        ("yes", NONE, "likely", "So. [1]"),
        ("partly", SURE, "perhaps", "So. [1]"),
        ("partly", NONE, "perhaps", "So. [1]"),
        ("nothing", SURE, "answered", ""),
        ("nothing", NONE, "perhaps", "So. [1]"),
        ("no", OWN, "perhaps", ""),
        ("no", NONE, "not_found", ""),
        ("no", None, "not_found", ""),
    ],
)
def test_reply_and_evidence_decide_together(said, own, status, text):
    draft = answer("So. [1]", cited(1, 4))
    found = decided(draft, own, said)
    assert (found.status, found.text, found.answerer) == (status, text, "toy")
    shown = draft if text else own
    assert found.passages == (shown.passages if shown else ())


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
