"""Figures that mislead though every word is bound: each beside a table where the same is computed.

The control of each is the same table without what misleads.
"""

import time

import pytest

from corpus_agent.answering.computation import computed
from corpus_agent.answering.pitfalls import MOST_TOTALS
from corpus_agent.text.table_rows import table_at
from indexer import Line


def of(question, rows, about="household"):
    texts = [" | ".join(row.split(",")) for row in rows]
    texts.insert(1, " | ".join("---" for _ in rows[0].split(",")))
    table = table_at([Line(f"| {text} |") for text in texts], 1)
    assert table is not None
    found = computed(question, table, about)
    return found and found.value


TOTAL = "What is the total amount?"
SPENT = "How much did we spend in total?"
BILLS = ("Item,Amount", "Gas,10.50", "Power,20.25", "Water,4.00")


@pytest.mark.parametrize(
    "row",
    [
        ",34.75",
        "Razem,34.75",
        "Endbetrag,34.75",
        "All of the household,34.75",
        "Carried forward,34.75",
    ],
)
def test_a_row_of_totals_that_no_word_gives_away_is_told_by_its_figure(row):
    assert of(TOTAL, BILLS) == "34.75"
    assert of(TOTAL, [*BILLS, row]) is None
    assert of("Which item cost the most?", [*BILLS, row.replace("Amount", "Cost")]) is None
    assert of(TOTAL, [BILLS[0], row, *BILLS[1:]]) is None


def test_subtotals_of_groups_are_told_by_their_figures():
    months = ["Month,Cost", "Jan,10", "Feb,21", "Mar,35", "Apr,7"]
    question = "What is the total cost?"
    assert of(question, months) == "73"
    assert of(question, [*months[:4], "Q1,66", months[4]]) is None


def test_a_sum_of_regions_is_not_counted_as_one():
    regions = ["Region,Sales,Staff", "North,10,3", "South,25,4"]
    assert of("How many regions are there?", [*regions, "West,40,9"]) == "3"
    assert of("How many regions are there?", [*regions, "World,35,7"]) is None


def test_what_is_called_a_total_must_be_one():
    fuel = ["Payee,Kind,Cost", "Shell,fuel,10", "BP,fuel,25", "Aldi,food,5"]
    question = "What is the total cost of the kind fuel?"
    assert of(question, fuel) == "35"
    assert of(question, [*fuel, "Total,,40"]) == "35"
    assert of(question, [*fuel, "Total,fuel,11"]) is None  # a payee of this name


@pytest.mark.parametrize(
    ("question", "clear", "unclear"),
    [
        ("What is the total price?", "Item,Shelf,Price", "Item,Qty,Price"),
        ("What is the total price?", "Item,Size,Price", "Item,Size,Price per piece"),
        ("What is the total cost?", "Item,Rooms,Cost", "Item,Hours,Cost"),
    ],
)
def test_a_price_for_one_piece_is_not_added(question, clear, unclear):
    rows = ["Bolt,10,2.50", "Nut,5,3.25"]
    assert of(question, [clear, *rows]) == "5.75"
    assert of(question, [unclear, *rows]) is None


def test_a_cost_that_is_the_product_of_quantity_and_price_is_added():
    rows = ["Item,Qty,Rate,Cost", "Bolt,10,2.50,25.00", "Nut,5,3.00,15.00"]
    assert of("What is the total cost?", rows) == "40.00"


def test_a_balance_is_not_added():
    rows = ["Booking,Amount,Left", "a,10.50,60.50", "b,20.25,80.75", "c,5.00,85.75"]
    question = "What is the total left?"
    assert of(question, rows) is None
    assert of(question, [*rows[:2], "b,20.25,61.00", "c,5.00,7.00"]) == "128.50"
    assert of("What is the total balance?", ["Month,Balance", "May,7", "June,9"]) is None
    assert of("What is the total balance?", ["Account,Balance", "Bank,7", "Cash,9"]) == "16"


@pytest.mark.parametrize(
    "row",
    ["Wages,-2000.00,", "Loan,9.00,open", "Loan,9.00,not paid", "Loan,9.00,income", "Loan,9.00,no"],
)
def test_what_was_not_paid_is_not_counted_as_paid(row):
    rows = ["Item,Amount,Note", "Gas,10.50,yes", "Power,20.25,yes"]
    assert of(SPENT, [*rows, "Loan,9.00,yes"]) == "39.75"
    assert of(SPENT, [*rows, row]) is None


def test_a_plan_is_not_what_was_spent():
    assert of(SPENT, BILLS, "bills 2024") == "34.75"
    assert of(SPENT, BILLS, "budget 2024") is None
    assert of(TOTAL, BILLS, "budget 2024") == "34.75"
    spent = [row.replace("Amount", "Planned,Spent").replace(",1", ",9,1") for row in BILLS[:2]]
    assert of(SPENT, [*spent, "Power,9,20.25"], "budget 2024") == "30.75"


def test_the_highest_cost_is_not_sought_among_negative_figures():
    rows = ["Item,Cost", "Gas,10", "Power,20", "Water,4"]
    question = "Which item has the highest cost?"
    assert of(question, rows) == "Power"
    assert of(question, [rows[0], *(row.replace(",", ",-") for row in rows[1:])]) is None


@pytest.mark.parametrize(
    ("question", "rows", "unclear"),
    [
        ("How much did rent cost in total?", ["Rent,1,10", "Rent,2,11"], "Car rent,3,30"),
        ("How much did rent cost in total?", ["Rent,1,10", "Rent,2,11"], ",3,30"),
        ("How much did Ash cost in total?", ["Ash Ltd,1,10", "Ash Ltd,2,11"], "Ash Bros,3,30"),
    ],
)
def test_words_that_choose_cells_in_two_senses_choose_none(question, rows, unclear):
    table = ["Item,Month,Cost", *rows, "Gas,4,9"]
    assert of(question, table) == "21"
    assert of(question, [*table[:3], unclear, table[3]]) is None


def test_a_month_of_two_years_is_none():
    rows = ["Date,Amount", "3 March 2024,10", "9 March 2024,21", "5 April 2024,4"]
    question = "What is the sum of the amounts in March?"
    assert of(question, rows) == "31"
    assert of(question, [rows[0], "3 March 2023,10", *rows[2:]]) is None


@pytest.mark.parametrize("about", ["Rent and food", "food/rent", "rent, food", "Rent vs. food"])
def test_one_of_two_things_that_a_table_stands_under_is_not_all_of_it(about):
    question = "What is the total amount of the rent?"
    assert of(question, BILLS, "Rent") == "34.75"
    assert of(question, BILLS, about) is None


def test_one_of_two_years_that_a_table_stands_under_is_not_all_of_it():
    question = "What is the total amount in 2023?"
    assert of(question, BILLS, "bills 2023") == "34.75"
    assert of(question, BILLS, "bills 2023 2024") is None


@pytest.mark.slow
def test_a_table_of_many_rows_costs_their_number():
    rows = [BILLS[0], *(f"Bill {n},{n * n}.50" for n in range(1, 2001))]
    started = time.process_time()
    assert of(TOTAL, rows) is not None
    assert of(TOTAL, [*rows, *("Total,7" for _ in range(MOST_TOTALS + 1))]) is None
    assert time.process_time() - started < 5
