"""Values below the name of a column, and that each stands in what is quoted for it."""

from dataclasses import replace

import pytest

from corpus_agent.fields.checked import checked_value, shown_in
from corpus_agent.fields.condition import parse_condition
from corpus_agent.fields.definition import field_of
from corpus_agent.fields.page import DocumentText
from corpus_agent.fields.records import ProposedValue
from corpus_agent.fields.table import proposed, table_of
from corpus_agent.fields.timeline import listed, timeline_of
from corpus_agent.text.values import Reading
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


@BLANKS
def test_a_list_quotes_the_row_too(blank):
    row = f"| Flat | 900{blank}EUR |"
    corpus = ListedCorpus({"lease.md": f"{DEPOSIT}| Item | Rent |\n|---|---|\n{row}\n"})
    made = listed(corpus, parse_condition("documents with a rent over 800 euros"))
    assert [one.citations[0].quote for one in made.table.rows[0].cells[0].values] == [row]
    assert made.verdicts == ("yes",)


@pytest.mark.parametrize(
    ("above", "row", "place"),
    [
        ("| No. | Rent | Due |", "| 12 | 12 | 2 May 2024 |", 7),
        ("| Due | Rent |", r"| a \| 12 | 12 |", 12),
        ("  | Due | Rent |  ", "  | 120 | 12 |  ", 10),
    ],
)
def test_a_value_is_that_of_its_column_where_another_says_the_same_before(above, row, place):
    document = document_of(f"{above}\n|---|---|---|\n{row}\n")
    (rent,) = proposed(document, field_of("rent"))
    assert (rent.start - document.line_start(3), rent.normal) == (place, "12")


LEASE = "The lease of Ann Smith began on 3 May 2020.\n\nThe rent is 900\u00a0EUR a month.\n"
RENT = Reading(57, 64, "900 EUR", "EUR 900")
SAID = ProposedValue((RENT,), 45, 73, 1.0)


def test_a_value_is_shown_with_the_sentence_that_it_stands_in():
    checked = checked_value(document_of(LEASE), SAID, "money")
    assert checked is not None
    assert checked.citations[0].quote == "The rent is 900\u00a0EUR a month."


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
    assert checked_value(document_of(LEASE), moved, "money") is None


@pytest.mark.parametrize(
    ("value", "quote"),
    [
        ("**900 EUR**", "The rent is **900 EUR"),  # a quotation ends before the mark-up behind it
        ("Ann <b>Smith</b>", "the lease of Ann <b>Smith"),
        ("[Ann Smith](http://ann.example)", "the lease of [Ann Smith"),
        ("Ann\nSmith", "of Ann\u00a0Smith"),
        ("—", "the rent: —"),
    ],
)
def test_mark_up_and_blanks_are_no_difference_between_a_value_and_its_quotation(value, quote):
    assert shown_in(value, quote)


@pytest.mark.parametrize("value", ["900 EUR", "", " ", "**", "—", "Ann Smith II"])
def test_other_words_are(value):
    assert not shown_in(value, "The lease of Ann Smith began on 3 May 2020.")


def test_every_date_of_a_timeline_stands_in_its_quotation():
    corpus = ListedCorpus({"a.md": "| Due |\n|---|\n| 3\u00a0May 2020 and 4 May 2020 |\n"})
    made = timeline_of(corpus)
    assert [one.day for one in made.statements] == ["2020-05-03", "2020-05-04"]
    assert made.unverified == 0


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Total 8,940.00", ["8940"]),
        ("Total  EUR 8,940.00", ["EUR 8940"]),
        ("**Summe** 31.450,00", ["31450"]),
        ("Total -350.00", ["-350"]),
        ("Total 12", []),  # of pieces, or a page
        ("Total 3 8,940.00", []),  # two columns: which is it?
        ("Total 5,480.00 8,940.00", []),
        ("In total 8,940.00", []),
        ("Total 8,940.00 to be paid", []),
        ("Total 12.50.00", []),
    ],
)
def test_a_row_without_marks_says_its_sum_behind_its_label(line, expected):
    text = f"Item Amount\nTank, 6,000 l 5,480.00\n{line}\nThanks."
    made = table_of(ListedCorpus({"a.txt": text}), [field_of("total")])
    assert [value.normal for value in made.rows[0].cells[0].values] == expected
