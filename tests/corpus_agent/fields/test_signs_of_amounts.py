"""An amount has the sign that stands beside it in its document, or it is no value of a table."""

import pytest

from corpus_agent.fields.amounts import find_numbers, find_percentages, find_sums
from corpus_agent.fields.definition import field_of
from corpus_agent.fields.page import DocumentText
from corpus_agent.fields.records import Cell, FieldValue, SaidValue
from corpus_agent.fields.said_values import proposals_of, with_said
from corpus_agent.fields.table import table_of
from indexer import Line
from tests.support.cost import processor_seconds
from tests.support.fakes import ListedCorpus

MONEY, SHARE, NUMBER = "balance:money", "growth:percent", "points:number"


def shown(text: str, field: str) -> tuple[list[str], int]:
    """The values of a field in a document, and how many were refused."""
    name, _, kind = field.partition(":")
    made = table_of(ListedCorpus({"a.md": text}), [field_of(name, kind)])
    return [value.normal for value in made.rows[0].cells[0].values], made.unverified


@pytest.mark.parametrize(
    ("text", "field", "expected"),
    [
        ("Balance: -900.00", MONEY, "-900"),
        ("Balance: −900.00", MONEY, "-900"),
        ("Balance: –900.00 EUR", MONEY, "EUR -900"),
        ("Balance: EUR ‑900", MONEY, "EUR -900"),
        ("Balance: －900 EUR", MONEY, "EUR -900"),
        ("| Item | Balance |\n|---|---|\n| Rent | −900 |", MONEY, "-900"),
        ("Growth: -5.5%", SHARE, "-5.5%"),
        ("The growth was −5.5 percent.", SHARE, "-5.5%"),
        ("The points were −5.", NUMBER, "-5"),
        ("Balance: (900.00)", MONEY, "-900"),
        ("Balance: EUR (900)", MONEY, "EUR -900"),
        ("| Item | Balance |\n|---|---|\n| Rent | (900) |", MONEY, "-900"),
        ("Balance: minus 900 EUR", MONEY, "EUR -900"),
        ("The balance is − 900 EUR.", MONEY, "EUR -900"),
        ("Growth: minus 5.5 percent", SHARE, "-5.5%"),
        ("Balance: 900.00", MONEY, "900"),
        ("Balance: EUR 900.-", MONEY, "EUR 900"),  # no centimes
        ("Balance: **900 EUR**", MONEY, "EUR 900"),
        ("Balance: 900 EUR - net", MONEY, "EUR 900"),
        ("The balance is 900 EUR -\nthe rent is not in it.", MONEY, "EUR 900"),
        ("* **Balance**: 900 EUR (net)", MONEY, "EUR 900"),
        ("Balance - 900 EUR", MONEY, "EUR 900"),  # a dash that leads from a label to its value
        ("Balance from 10-30 EUR", MONEY, "EUR 30"),
        ("Balance (EUR 900)", MONEY, "EUR 900"),
        ("- Balance 900 EUR", MONEY, "EUR 900"),
        ("Growth: 5.5%", SHARE, "5.5%"),
        ("Points: 5", NUMBER, "5"),
    ],
)
def test_a_minus_is_read_with_its_amount(text, field, expected):
    assert shown(text, field) == ([expected], 0)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("| Item | Balance |\n|---|---|\n| Rent | - 900 |", MONEY),
        ("Balance: – 900.00", MONEY),
        ("Balance: 900.00- EUR", MONEY),
        ("The balance is about -900 EUR.", MONEY),
        ("Balance,-900 EUR", MONEY),
        ("Balance 2024 -900 EUR", MONEY),
        ("Balance: ▲900", MONEY),
        ("Growth: (5.5%)", SHARE),
        ("Points: – 5", NUMBER),
        ("Points: (5)", NUMBER),  # "Rooms: (3)" are three
        ("Balance: EUR 1,900-", MONEY),
        ("Balance: 900 EUR -", MONEY),
        ("Balance: 900 EUR -\nRent: 800 EUR", MONEY),
        ("Balance: 900 EUR (-)", MONEY),
        ("| Item | Balance |\n|---|---|\n| Rent | 900 - |", MONEY),
        ("| Item | Balance |\n|---|---|\n| Rent | -**900** |", MONEY),
        ("| Item | Balance |\n|---|---|\n| Rent | **(900)** |", MONEY),
        ("Balance: -**900 EUR**", MONEY),
        ("Balance: **(900 EUR)**", MONEY),
        ("The balance is **-**900 EUR.", MONEY),
        ("Balance: -\u200b900 EUR", MONEY),
        ("Balance: \u2012900 EUR", MONEY),
        ("Balance: —900 EUR", MONEY),
        ("Balance: \uff08900 EUR\uff09", MONEY),
        ("Balance: (900) (800)", MONEY),  # of two years
        ("Balance   (900)   (800)", MONEY),
        ("Balance\t(900 EUR)", MONEY),
        ("Balance: (900 EUR)¹", MONEY),
        ("The balance is (900 EUR).", MONEY),
        ("The balance is - 900 EUR.", MONEY),
        ("Balance: minus  900 EUR", MONEY),
        ("The balance is minus about 900 EUR.", MONEY),
        ("Balance: ./. 900 EUR", MONEY),
        ("Balance: -(900) EUR", MONEY),
    ],
)
def test_an_amount_that_may_be_negative_is_not_shown_without_its_sign(text, field):
    assert shown(text, field) == ([], 1)


def test_a_model_does_not_take_a_sign_away():
    for text, value in (("The balance is -900 EUR.", "-900 EUR"), ("Balance: −900", "-900")):
        document = DocumentText("a.md", [Line(text)])
        for said, expected in ((value, 1), (value[1:], 0)):
            found = proposals_of(document, field_of("balance", "money"), SaidValue(0, said, text))
            assert len(found) == expected, (text, said)


def test_a_model_that_says_another_sign_does_not_agree():
    cell = Cell("found", (FieldValue("900 EUR", "EUR 900", ()),))
    assert with_said(cell, [FieldValue("-900 EUR", "EUR -900", ())])[1] == 0
    assert with_said(cell, [FieldValue("900 €", "EUR 900", ())])[1] == 1


@pytest.mark.parametrize("find", [find_sums, find_percentages, find_numbers])
def test_two_amounts_with_a_dash_between_them_are_positive(find):
    unit = "%" if find is find_percentages else ""
    assert all(
        not one.normal.startswith("-") for one in find(f"5{unit} - 7{unit}, 5{unit}–7{unit}")
    )


def test_a_text_of_many_sums_is_read_in_time_as_its_length():
    def seconds(times: int) -> float:
        begun = processor_seconds()
        assert len(find_sums("| Rent | 900 | 5 EUR |\n" * times)) == 2 * times
        return processor_seconds() - begun

    seconds(100)  # its patterns are compiled
    assert seconds(6_000) < 10 * seconds(1_500)  # 4 times as long: it took 16 times
