"""An amount has the sign that stands beside it in its document, or it is no value of a table."""

from corpus_agent.fields.definition import field_of
from corpus_agent.fields.table import table_of
from tests.support.fakes import ListedCorpus

MONEY, SHARE, NUMBER = "balance:money", "growth:percent", "points:number"


MAY_BE_NEGATIVE = (
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
)


def status(text: str, field: str) -> str:
    name, _, kind = field.partition(":")
    return table_of(ListedCorpus({"a.md": text}), [field_of(name, kind)]).rows[0].cells[0].status


def test_an_amount_that_may_be_negative_is_doubtful():
    assert {text for text, field in MAY_BE_NEGATIVE if status(text, field) != "doubtful"} == set()
    assert status("Balance: 900 EUR", MONEY) == "found"  # the control
    assert status("Balance: -900 EUR", MONEY) == "found"  # as EUR -900
