"""A value that its sentence denies, or says to be a former one, is no value of the field."""

import pytest

from corpus_agent.fields.definition import field_of
from corpus_agent.fields.page import DocumentText
from corpus_agent.fields.records import SaidValue
from corpus_agent.fields.said_values import proposals_of
from corpus_agent.fields.table import proposed
from indexer import Line


def values(field: str, text: str) -> list[str]:
    document = DocumentText("a.txt", [Line(line) for line in text.splitlines()])
    return [one.normal for one in proposed(document, field_of(field))]


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("rent", "The rent is not 900 euros."),
        ("rent", "The rent is no longer 900 euros."),
        ("rent", "The rent (formerly 900 euros) is under review."),
        ("rent", "The former rent was 900 euros."),
        ("rent", "There is no rent of 900 euros."),
        ("rent", "900 euros is not the rent."),
        ("rent", "The rent of 900 euros no longer applies."),
        ("rent", "Rent: no longer 900 EUR"),
        ("rent", "Die Miete beträgt nicht 900 Euro."),
        ("rent", "Die Miete von 900 Euro gilt nicht mehr."),
        ("rent", "Die bisherige Miete war 900 Euro."),
        ("rent", "Le loyer n'est pas de 900 euros."),
        ("rent", "Le loyer n'est plus de 900 euros."),
        ("rent", "El alquiler ya no es de 900 euros."),
        ("rent", "Il canone non è di 900 euro."),
        ("rent", "De huur is niet meer 900 euro."),
        ("due date", "The due date is not 3 May 2024."),
        ("due date", "Due date (previously 03/04/2024): to be agreed"),
        ("notice period", "The notice period is not three months."),
        ("interest rate", "The interest rate is not 5 %."),
        ("number of rooms", "The number of rooms is not 5."),
        ("expiry", "This agreement does not expire on 3 May 2024."),
    ],
)
def test_what_a_document_denies_is_no_value(field, text):
    assert values(field, text) == []


def test_a_model_cannot_point_to_a_value_that_is_denied():
    found = {}
    for text in ("The rent is not 900 euros today.", "The rent is still 900 euros today."):
        document = DocumentText("a.txt", [Line(text)])
        said = SaidValue(0, "900 euros", text)
        found[text] = [one.normal for one in proposals_of(document, field_of("rent"), said)]
    assert list(found.values()) == [[], ["EUR 900"]]
