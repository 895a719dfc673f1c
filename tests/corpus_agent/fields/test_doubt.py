"""A value whose sentence denies it, makes it conditional or quotes somebody is doubtful."""

import pytest

from corpus_agent.fields.condition import parse_condition
from corpus_agent.fields.definition import field_of
from corpus_agent.fields.table import table_of
from corpus_agent.fields.timeline import listed
from indexer import Line
from tests.support.fakes import ListedCorpus


def cell(field: str, text: str | list[Line]):
    return table_of(ListedCorpus({"a.md": text}), [field_of(field)]).rows[0].cells[0]


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("rent", "The rent is not 900 euros."),
        ("rent", "The rent is no longer 900 euros."),
        ("rent", "The rent (formerly 900 euros) is under review."),
        ("rent", "The former rent was 900 euros."),
        ("rent", "There is no rent of 900 euros."),
        ("rent", "The rent of 900 euros no longer applies."),
        ("rent", "Die Miete beträgt nicht 900 Euro."),
        ("rent", "Die Miete von 900 Euro gilt nicht mehr."),
        ("rent", "Die bisherige Miete war 900 Euro."),
        ("rent", "Le loyer n'est pas de 900 euros."),
        ("rent", "El alquiler ya no es de 900 euros."),
        ("rent", "Il canone non è di 900 euro."),
        ("rent", "De huur is niet meer 900 euro."),
        ("rent", "If the tenant keeps a dog, the rent is 900 euros."),
        ("rent", "The rent is 900 euros, unless the tenant pays for heating."),
        ("rent", "Wenn der Mieter einen Hund hält, beträgt die Miete 900 Euro."),
        ("rent", "For example, the rent is 900 euros in a small town."),
        ("rent", "Draft: the rent is 900 euros a month."),
        ("rent", "The neighbour writes: “My rent is 900 euros a month and I like it.”"),
        ("rent", "The rеnt of 900 euros."),  # with a Cyrillic "е"
        ("due date", "The due date is not 3 May 2024."),
        ("expiry", "This agreement does not expire on 3 May 2024."),
        ("governing law", "This agreement is not governed by the laws of Florida."),
        ("notice period", "The notice period is not three months."),
    ],
)
def test_what_is_said_otherwise_of_a_value_makes_it_doubtful_or_takes_it_out(field, text):
    assert cell(field, text).status in ("doubtful", "silent")
    if "rеnt" not in text:
        condition = parse_condition(f"{field} contains zzz")
        assert listed(ListedCorpus({"a.md": text}), condition).count("yes") == 0


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("rent", "The rent is 900 euros."),
        ("rent", "The rent is 900 euros, payable without deduction."),
        ("deposit", "The deposit is not more than 900 euros."),
        ("rent", "“Rent” is 900 euros a month."),
        ("expiry", "This agreement ends on 3 May 2024 unless it is terminated earlier."),
        ("notice period", "Either party may, if it wishes, end it with three months' notice."),
        ("governing law", "It is governed by the laws of Florida, except its conflict rules."),
    ],
)
def test_a_plain_statement_is_not_doubtful(field, text):
    assert cell(field, text).status == "found"


def test_what_a_document_hides_or_strikes_out_says_nothing():
    assert cell("rent", [Line("The rent is 900 euros.", hidden=True)]).status == "silent"
    assert cell("rent", "The rent is ~~900 euros~~.").status == "silent"
    struck = cell("rent", "Rent: ~~900 euros~~ 950 euros")
    assert [value.normal for value in struck.values] == ["EUR 950"]


def test_a_doubtful_value_is_shown_with_its_sentence_and_not_counted():
    corpus = ListedCorpus({"a.md": "If it rains, the rent is 900 euros."})
    made = table_of(corpus, [field_of("rent")])
    (value,) = made.rows[0].cells[0].values
    assert (value.shown, value.citations[0].quote) == (
        "900 euros (doubtful: a condition)",
        "If it rains, the rent is 900 euros.",
    )
    assert (made.count(0, "found", "several"), made.count(0, "doubtful")) == (0, 1)
    assert listed(corpus, parse_condition("rent > 800")).verdicts == ("unclear",)
