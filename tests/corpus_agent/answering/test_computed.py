"""Computed answers: cells cited row by row, and the tables that nothing is computed with."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from corpus_agent.answering.citations import Numbers
from corpus_agent.answering.computed import MAX_CITED, MAX_ROWS, computed_answer
from corpus_agent.answering.receipt import receipt
from corpus_agent.answering.records import Answer
from corpus_agent.render.answers import answer_object
from corpus_agent.render.for_parent import claims, handed_over, render
from corpus_agent.text.delimiters import Frame
from indexer import Coverage, Line, Query
from tests.support.fakes import MemoryCorpus

HEADER = "| Date | Payee | Amount |"
ROWS = [
    "| Date: 3 May | Payee: Dunmoor Heating | Amount: 120.00 |",
    "| Date: 4 May | Payee: Harlow Roofing | Amount: 90.00 |",
    "| Date: 9 May | Payee: Dunmoor Heating | Amount: 80.50 |",
]
QUESTION = "How much did we pay Dunmoor Heating in all?"


def asked(documents, question=QUESTION):
    corpus = MemoryCorpus(documents)
    hits = corpus.search(Query(question, 10, per_source=None))
    assert hits  # what follows is about tables that are found
    numbers = Numbers([])
    return computed_answer(question, hits, corpus, numbers), numbers.used()


def test_a_sum_cites_the_row_of_each_cell():
    found, citations = asked({"paid.csv": "\n".join([HEADER, *ROWS])})
    assert found is not None
    text, value = found
    assert text == "200.50: sum of Amount (Payee: dunmoor heating), 120.00 [1] + 80.50 [2]"
    assert (value.source, value.rows, [cell.n for cell in value.cells]) == ("paid.csv", 3, [1, 2])
    assert [(c.line_start, c.quote, c.verdict) for c in citations] == [
        (2, ROWS[0], "verified"),
        (4, ROWS[2], "verified"),
    ]


def test_of_a_highest_value_the_first_two_rows_are_cited():
    rows = [HEADER, *ROWS]
    found, citations = asked({"paid.csv": "\n".join(rows)}, "Which payee has the highest amount?")
    assert found is not None
    assert found[0].startswith("Dunmoor Heating: highest of Amount, 120.00 [1] before 90.00 [2]")
    assert len(citations) == 2 and len(found[1].cells) == 3


@pytest.mark.parametrize(
    ("above", "unit"),
    [
        ("Amounts in thousands of pounds", "(Amounts in thousands)"),
        ("Payments (in EUR millions)", "(in EUR millions)"),
        ("Payments, £m", "(£m)"),
        ("Zahlungen in T€", "(T€)"),
        ("Payments in May", ""),
    ],
)
def test_the_scale_that_a_table_stands_under_is_said(above, unit):
    found, _ = asked({"paid.md": "\n".join([above, "", HEADER, *ROWS])})
    assert found is not None
    assert (found[1].value, found[1].unit) == ("200.50", unit)
    assert found[0].startswith(f"200.50 {unit}".strip())


MARKED = [Line(ROWS[2], page=2)]
PAGE = [Line("--- Page 2 ---", page=2)]
WHOLE = [Line(text, page=1) for text in (HEADER, *ROWS)]


@pytest.mark.parametrize(
    "lines",
    [
        [*WHOLE, *PAGE, *MARKED],  # it goes on behind a page's end
        [Line("--- Page 1 ---", page=1), *WHOLE[:-1], Line(ROWS[2], page=1, hidden=True)],
        [*WHOLE[:-1], Line(ROWS[2], page=1, confidence=0.9)],
        [*WHOLE, Line("| a row that | does not | fit | at all |", page=1)],
    ],
)
def test_a_table_that_is_not_surely_whole_is_not_computed_with(lines):
    control, _ = asked({"a.pdf": [*WHOLE, *PAGE, Line("The end of all payments.", page=2)]})
    assert control is not None
    found, citations = asked({"a.pdf": lines})
    assert found is None and citations == ()


def test_two_tables_that_answer_are_not_chosen_from():
    text = "\n".join([HEADER, *ROWS])
    assert asked({"a.csv": text, "b.csv": "nothing paid to Dunmoor"})[0] is not None
    assert asked({"a.csv": text, "b.csv": text.replace("80.50", "81.50")})[0] is None


@pytest.mark.parametrize(("cited", "given"), [(MAX_CITED, True), (MAX_CITED + 1, False)])
def test_as_many_rows_are_cited_as_a_person_reads(cited, given):
    rows = [
        f"| Date: {n} May | Payee: Dunmoor Heating | Amount: {n * n}.00 |" for n in range(cited)
    ]
    found, _ = asked({"a.csv": "\n".join([HEADER, *rows])})
    assert (found is not None) == given


@pytest.mark.slow
def test_a_table_of_too_many_rows_is_not_computed_with():
    others = [f"| Date: {n} | Payee: Ash | Amount: 1.00 |" for n in range(MAX_ROWS)]
    few = [HEADER, *ROWS, *others[: MAX_ROWS - 4]]
    assert asked({"a.csv": "\n".join(few)})[0] is not None
    assert asked({"a.csv": "\n".join([HEADER, *ROWS, *others])})[0] is None


def test_a_computed_answer_is_told_apart_at_each_door():
    found, citations = asked({"paid.csv": "\n".join([HEADER, *ROWS])})
    assert found is not None
    text, value = found
    answer = Answer(
        QUESTION, text, "answered", "extractive", citations, Coverage(1), 1, computed=value
    )
    shown = answer_object(answer, "enforced")["computed"]
    assert shown is not None and shown["value"] == "200.50"
    assert [cell["n"] for cell in shown["cells"]] == [1, 2]
    started = datetime(2026, 1, 1, tzinfo=UTC)
    kept = receipt(answer, lambda _: None, seal="off", server=None, started=started, seconds=0)
    assert kept["computed"]["cells"][1]["text"] == "80.50"
    crossed = handed_over(answer)
    assert crossed.computed == value
    assert [claim.supported for claim in claims(crossed)] == [True]
    head = render(Frame(), crossed).split("\n")[0]
    assert head.startswith("Answered with evidence (computed from the cells of a table)")
    assert "computed" not in render(Frame(), replace(answer, computed=None)).split("\n")[0]
