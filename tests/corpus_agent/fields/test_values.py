"""Values as documents write them: in one form, with their sign, each where it stands."""

from dataclasses import replace

import pytest

from corpus_agent.fields.amounts import find_amounts, find_durations
from corpus_agent.fields.lexicon import field_of
from corpus_agent.fields.page import DocumentText, FieldValue
from corpus_agent.fields.table import checked_value, table_of
from corpus_agent.text.dates import Reading, find_dates, habit
from indexer import Line
from tests.support.fakes import ListedCorpus


def normal(readings) -> list[str]:
    return [reading.normal for reading in readings]


DAYS = """
2024-03-12; 2024/3/12; 12.03.2024; 12 March 2024; 12th day of March, 2024; 12t h day of March 2024
March 12, 2024; Mar. 12th, 2024; 12-Mar-24; 12. März 2024; 12 mars 2024; 12 de marzo de 2024
12 marzo 2024; 12 de março de 2024; 12 maart 2024; 12 marca 2024; 12 марта 2024; 2024年3月12日
2024년 3월 12일; 25/12/2023 und 12/03/2024"""


def test_a_day_has_one_form_in_every_language():
    for text in DAYS.replace("\n", "; ").strip("; ").split("; "):
        found = find_dates(f"on {text}, at noon", day_first=habit(text))
        assert normal(found)[-1] == "2024-03-12", text


def test_a_date_that_may_be_read_in_two_ways_is_both_unless_others_say_which():
    assert normal(find_dates("due 03/04/2024")) == ["2024-03-04", "2024-04-03"]
    assert habit("sent 25/12/2023, due 03/04/2024") is True
    assert habit("sent 12/25/2023, due 03/04/2024") is False
    assert habit("sent May 4, 2023, due 03/04/2024") is False
    assert habit("due 03/04/2024") is None
    assert normal(find_dates("our rules (v4, January 2025)")) == ["2025-01"]
    assert normal(find_dates("due 03/04/2024", day_first=True)) == ["2024-04-03"]


SUMS = """
€ 1.234,50 = EUR 1234.5; 1 234,50 EUR = EUR 1234.5; $5,000 = USD 5000; $55 CAD = CAD 55
US$ 1.2 million = USD 1200000; CHF 1'200.- = CHF 1200; 100 dollars = USD 100
£190m = GBP 190000000; 2.5k € = EUR 2500; 12,50 zł = PLN 12.5"""
SPANS = """
three (3) years = P3Y; twenty-four months = P24M; FIVE (5) year period = P5Y
12 full calendar months = P12M; thirty (30) days' = P30D; the third anniversary = P3Y
drei Monate = P3M; un an = P1Y; 48 hours = PT48H; 30 Minuten = PT30M"""


def test_a_sum_and_a_duration_have_one_form():
    assert normal(find_amounts("1,207 807", "number", bare=True)) == ["1207", "807"]  # two columns
    for rows, find in ((SUMS, lambda text: find_amounts(text, "money")), (SPANS, find_durations)):
        for row in rows.replace("\n", "; ").strip("; ").split("; "):
            text, expected = row.split(" = ")
            assert normal(find(f"to pay {text} now")) == [expected], row
    assert find_amounts("to pay 5 visits to room 12", "money") == []
    assert normal(find_amounts("Tablets 60 £0.62 £37.20", "money")) == ["GBP 0.62", "GBP 37.2"]


# ---- Signs


MAY_BE_NEGATIVE = """
Balance: – 900.00
Balance: 900.00- EUR
The balance is about -900 EUR.
Balance: ▲900
Balance: EUR 1,900-
Balance: 900 EUR -
Balance: 900 EUR (-)
Balance: EUR (900)
Balance: -**900 EUR**
Balance: **(900 EUR)**
Balance: -\u200b900 EUR
Balance: \u2012900 EUR
Balance: \uff08900 EUR\uff09
Balance: (900) (800)
The balance is (900 EUR).
Balance: minus  900 EUR
Balance: ./. 900 EUR
"""
ROWS = ("- 900", "900 -", "-**900**", "**(900)**")


def status(text: str, field: str = "balance", kind: str = "money") -> str:
    return table_of(ListedCorpus({"a.md": text}), [field_of(field, kind)]).rows[0].cells[0].status


def test_an_amount_that_may_be_negative_is_doubtful():
    rows = [f"| Item | Balance |\n|---|---|\n| Rent | {cell} |" for cell in ROWS]
    for text in (*MAY_BE_NEGATIVE.strip().splitlines(), *rows):
        assert status(text) == "doubtful", text
    assert status("Growth: (5.5%)", "growth", "percent") == "doubtful"
    assert status("Points: (5)", "points", "number") == "doubtful"  # "Rooms: (3)" are three
    assert status("Balance: 900 EUR") == "found"  # the control
    assert status("Balance: -900 EUR") == "found"  # as EUR -900


# ---- Columns


def test_a_figure_of_a_table_has_the_year_of_its_column_or_row():
    for text, expected in (
        ("| | 2024 | 2023 |\n|---|---|---|\n| Rent | 900 | 850 |", ["900 (2024)"]),
        ("| Year | Rent |\n|---|---|\n| 2023 | 12 |\n| 2024 | 13 |", ["12 (2023)", "13 (2024)"]),
        (
            "Millions of euros\n   2023   2022\nRent   18,400  17,900",
            ["18,400 (2023, in millions of euros)"],
        ),
        (
            "In thousands\n  Quarter Ended   Year Ended\n  2024   2024\nRent   51   99",
            ["51 (Quarter Ended 2024, in thousands)"],
        ),
        ("| | Q2 2024 | Q1 2024 |\n|---|---|---|\n| Rent | 77 | 70 |", ["77 (Q2 2024)"]),
        (
            "| EUR, so send me all the million | 2024 |\n|---|---|\n| Rent | 19 |",
            ["19 (2024, EUR, million)"],  # no words of the document but its unit
        ),
        ("| | 2024 | 2023 |\n| Rent | 2024: 900 | 2023: 850 |", ["900 (2024)"]),
        ("| Item | 2024 | 2023 |\n|---|---|---|\n| Item: Rent | 2024: 900 | |", ["900 (2024)"]),
        ("The rent is €2 million. It rose.", ["€2 million"]),
        ("Rent: 900 euros\nLeft in 2023 and 2022", ["900 euros"]),
    ):
        (cell,) = table_of(ListedCorpus({"a.md": text}), [field_of("rent")]).rows[0].cells
        assert [value.shown for value in cell.values] == expected, text


def test_a_currency_named_in_a_value_is_its_unit():
    for text in ("EUR -5", "-5 EUR", "EUR (5)", "(€5)", "5 €", "USD5", "CHF -5.-", "5"):
        made = table_of(ListedCorpus({"a": f"Revenue: {text}"}), [field_of("revenue")])
        assert ("unit" in made.rows[0].cells[0].values[0].shown) == (text == "5"), text


DEPOSIT = "Deposit paid on 3 May 2020.\n\n"


def document_of(text: str) -> DocumentText:
    return DocumentText("lease.md", [Line(line) for line in text.split("\n")])


def values(text: str, *fields: str) -> list[list[tuple[str, str, str]]]:
    """Of each field the values: normal form, words, and what is quoted."""
    made = table_of(ListedCorpus({"lease.md": text}), [field_of(field) for field in fields])
    assert made.unverified == 0
    return [
        [(one.normal, one.text, one.citations[0].quote) for one in cell.values]
        for cell in made.rows[0].cells
    ]


@pytest.mark.parametrize("blank", " \u00a0\u202f\u2007\u3000\t")
def test_a_value_with_any_blank_in_it_is_quoted_from_its_own_row(blank):
    row = f"| Flat | 900{blank}EUR | Ann{blank}Smith |"
    text = f"{DEPOSIT}| Item | Monthly{blank}rent | Landlord |\n|---|---|---|\n{row}\n"
    rent, landlord = values(text, "rent", "landlord")
    assert rent == [("EUR 900", "900 EUR", row)]
    assert landlord == [("Ann Smith", "Ann Smith", row)]


LEASE = "The lease of Ann Smith began on 3 May 2020.\n\nThe rent is 900\u00a0EUR a month.\n"
RENT = Reading(57, 64, "900 EUR", "EUR 900")


@pytest.mark.parametrize(
    "moved",
    [
        FieldValue((RENT,), 0, 43, 1.0),  # the quotation is of another sentence
        FieldValue((replace(RENT, start=-1, end=6),), -1, 6, 1.0),
        FieldValue((replace(RENT, start=4, end=11),), 0, 43, 1.0),  # it says "lease of" there
        FieldValue((replace(RENT, start=57, end=57, text=""),), 45, 73, 1.0),
        FieldValue((RENT, replace(RENT, start=13, end=22)), 0, 73, 1.0),
    ],
)
def test_a_value_that_does_not_stand_where_it_is_quoted_from_is_refused(moved):
    assert checked_value(document_of(LEASE), moved) is None
