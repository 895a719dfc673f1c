"""An amount has the sign that stands beside it in its document, or it is no value of a table."""

from corpus_agent.fields.lexicon import field_of
from corpus_agent.fields.table import table_of
from tests.support.fakes import ListedCorpus

MAY_BE_NEGATIVE = """
Balance: – 900.00
Balance: 900.00- EUR
The balance is about -900 EUR.
Balance: ▲900
Balance: EUR 1,900-
Balance: 900 EUR -
Balance: 900 EUR (-)
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
