"""Values as documents write them, in one form for all spellings."""

import pytest

from corpus_agent.fields.amounts import find_amounts, find_durations
from corpus_agent.text.dates import find_dates, habit


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
    assert normal(find_dates("due 03/04/2024", day_first=True)) == ["2024-04-03"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("€ 1.234,50", "EUR 1234.5"),
        ("1 234,50 EUR", "EUR 1234.5"),
        ("$5,000", "USD 5000"),
        ("$55 CAD", "CAD 55"),
        ("US$ 1.2 million", "USD 1200000"),
        ("CHF 1'200.-", "CHF 1200"),
        ("100 dollars", "USD 100"),
        ("£190m", "GBP 190000000"),
        ("2.5k €", "EUR 2500"),
        ("12,50 zł", "PLN 12.5"),
    ],
)
def test_a_sum_has_its_currency_and_a_plain_number(text, expected):
    assert normal(find_amounts(f"to pay {text} now", "money")) == [expected]
    assert find_amounts("to pay 5 visits to room 12", "money") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("three (3) years", "P3Y"),
        ("twenty-four months", "P24M"),
        ("FIVE (5) year period", "P5Y"),
        ("12 full calendar months", "P12M"),
        ("thirty (30) days'", "P30D"),
        ("the third anniversary", "P3Y"),
        ("drei Monate", "P3M"),
        ("un an", "P1Y"),
        ("48 hours", "PT48H"),
        ("30 Minuten", "PT30M"),
    ],
)
def test_a_duration_has_one_form(text, expected):
    assert normal(find_durations(f"for {text}")) == [expected]
