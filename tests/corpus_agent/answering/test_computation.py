"""What is computed over a table, and all that keeps it from being computed."""

import pytest

from corpus_agent.answering.computation import computed
from corpus_agent.text.table_rows import table_at
from indexer import Line

PAYMENTS = """\
| Date | Payee | Amount | Share |
| Date: 2024-01-03 | Payee: Dunmoor Heating | Amount: 120.00 | Share: 7% |
| Date: 2024-02-09 | Payee: Harlow Roofing | Amount: 1,400.00 | Share: 88% |
| Date: 2025-03-09 | Payee: Dunmoor Heating | Amount: 80.50 | Share: 5% |"""
TOWNS = """\
| Town | County | Population | Area (km2) |
|---|---|---|---|
| Alder | North | 12,000 | 3.5 |
| Birch | South | 9,500 | 8.25 |
| Cedar | North | 700 | 1.25 |"""
PAID = "How much did we pay Dunmoor Heating in all?"


def of(question, text, about=""):
    table = table_at([Line(line) for line in text.split("\n")], 2)
    assert table is not None
    return computed(question, table, about)


@pytest.mark.parametrize(
    ("question", "text", "value", "lines"),
    [
        (PAID, PAYMENTS, "200.50", [2, 4]),
        ("How much did we pay Dunmoor in 2024 and in 2025 in all?", PAYMENTS, None, []),
        ("What is the total amount?", PAYMENTS, "1600.50", [2, 3, 4]),
        ("How many towns are there in the county North?", TOWNS, "2", [3, 5]),
        ("How many different counties are there?", TOWNS, "2", [3, 4]),
        ("How many counties are there?", TOWNS, None, []),  # rows of them, or different ones
        ("How many towns have a population of at least 9,500?", TOWNS, "2", [3, 4]),
        ("How many towns have a population over 9,500?", TOWNS, "1", [3]),
        ("Which town has the largest area?", TOWNS, "Birch", [4, 3, 5]),
        ("Which town has the smallest population?", TOWNS, "Cedar", [5, 4, 3]),
        ("What is the highest population?", TOWNS, "12,000", [3, 4, 5]),
        ("What is the difference in population between Alder and Cedar?", TOWNS, "11,300", [3, 5]),
        ("What is the average area in the county North?", TOWNS, "2.375", [3, 5]),
    ],
)
def test_what_is_certain_is_computed_from_its_cells(question, text, value, lines):
    found = of(question, text)
    assert (found and found.value) == value
    assert [cell.line for cell in found.cells] == lines if found else not lines


def test_a_unit_in_the_name_of_a_column_is_said():
    found = of("What is the average area in the county North?", TOWNS)
    assert found is not None and found.unit == "km2"


@pytest.mark.parametrize(
    "question",
    [
        "How much did we not pay Dunmoor Heating in all?",
        "How much did we pay Dunmoor Heating before 2025 in all?",
        "How much did we pay Dunmoor Heating in March in all?",
        "How much did we pay anyone but Dunmoor Heating in all?",
        "How much did we pay Dunmoor Plumbing in all?",
        "How much did we pay Dunmoor Heating on average and in all?",
        "What is the total share?",  # percentages do not add up
        "When did we pay Dunmoor Heating?",
    ],
)
def test_a_question_with_a_word_that_is_not_bound_is_not_computed(question):
    assert of(PAID, PAYMENTS) is not None
    assert of(question, PAYMENTS) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Amount: 80.50", "Note: void"),  # a blank cell
        ("Amount: 80.50", "Amount: €80.50"),
        ("Amount: 80.50", "Amount: about 80"),
        ("| Amount: 80.50", "| Amount: 80.50 | 12 | 9"),  # a row that does not fit
        ("2025-03-09 |", "Subtotal |"),  # its own row of totals, and one payment alone
    ],
)
def test_cells_that_do_not_go_together_are_not_added(old, new):
    assert old in PAYMENTS
    assert of(PAID, PAYMENTS.replace(old, new)) is None


def test_a_column_of_currencies_must_say_one():
    text = "| Payee | Sum | Currency |\n|---|---|---|\n| Ash | 3 | EUR |\n| Ash | 4 | EUR |"
    question = "How much did we pay Ash in all?"
    found = of(question, text)
    assert found is not None and found.value == "7"
    assert of(question, text.replace("4 | EUR", "4 | USD")) is None


def test_a_row_of_totals_is_left_out_and_must_agree():
    total = f"{PAYMENTS}\n| Date: Total | Amount: 1,600.50 |"
    found = of("What is the total amount?", total)
    assert found is not None and (found.value, found.left_out, found.rows) == ("1600.50", (5,), 4)
    assert of("What is the total amount?", total.replace("1,600.50", "1,700.50")) is None


def test_places_and_ties_have_no_highest():
    text = "| Name | Points |\n|---|---|\n| Ash | 7 |\n| Birch | 9 |\n| Cedar | 4 |"
    question = "Which name has the highest points?"
    found = of(question, text)
    assert found is not None and found.value == "Birch"
    assert of(question, text.replace("7", "9")) is None
    ranks = text.replace("7", "1").replace("9", "2").replace("4", "3")
    assert of(question, ranks) is None


def test_the_words_that_a_table_stands_under_are_bound():
    question = "What is the total amount of the payments to Dunmoor Heating?"
    assert of(question, PAYMENTS) is None
    found = of(question, PAYMENTS, "payments")
    assert found is not None and found.value == "200.50"


def test_nothing_is_computed_over_two_columns_of_one_name():
    text = """\
| Town | Sum | Sum |
| Town: Alder | Sum: 5 | Sum: 7 |
| Town: Birch | Sum: 10 | Sum: 21 |"""
    assert of("What is the total sum?", text) is None
    renamed = text.replace("| Sum |\n", "| Fee |\n").replace("Sum: 7", "Fee: 7")
    found = of("What is the total sum?", renamed.replace("Sum: 21", "Fee: 21"))
    assert found is not None and found.value == "15"
