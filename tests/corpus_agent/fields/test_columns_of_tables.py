"""Values below the name of a column, and that each stands in what is quoted for it."""

from dataclasses import replace

import pytest

from corpus_agent.fields.lexicon import field_of
from corpus_agent.fields.page import DocumentText
from corpus_agent.fields.records import ProposedValue
from corpus_agent.fields.table import checked_value, table_of
from corpus_agent.text.dates import Reading
from indexer import Line
from tests.support.fakes import ListedCorpus

DEPOSIT = "Deposit paid on 3 May 2020.\n\n"
BLANKS = pytest.mark.parametrize("blank", " \u00a0\u202f\u2007\u3000\t")


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


@BLANKS
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
        ProposedValue((RENT,), 0, 43, 1.0),  # the quotation is of another sentence
        ProposedValue((replace(RENT, start=-1, end=6),), -1, 6, 1.0),
        ProposedValue((replace(RENT, start=4, end=11),), 0, 43, 1.0),  # it says "lease of" there
        ProposedValue((replace(RENT, start=57, end=57, text=""),), 45, 73, 1.0),
        ProposedValue((RENT, replace(RENT, start=13, end=22)), 0, 73, 1.0),
    ],
)
def test_a_value_that_does_not_stand_where_it_is_quoted_from_is_refused(moved):
    assert checked_value(document_of(LEASE), moved) is None
