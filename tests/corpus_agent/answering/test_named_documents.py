"""Documents that a question names by a word of their file names."""

import pytest

from corpus_agent.answering.named_documents import (
    missing_names,
    named_documents,
    without_names,
)
from indexer import Chunk, Hit

SOURCES = ("BLUEFINCH_2021_10K.pdf", "BLUEFINCH_2023Q2_10Q.pdf", "notes.md")


def test_of_the_documents_named_the_likeliest_are_searched():
    chances = {"a.pdf": 0.8, "b.pdf": 0.0, "c.pdf": 0.8, "d.pdf": 0.6}
    hits = [
        Hit(Chunk(source, 0, "", "", 1, 1), 1.0, 0.0, 0.0, "", named=chance)
        for source, chance in chances.items()
    ]
    assert named_documents(hits) == ["a.pdf", "c.pdf"]
    assert named_documents(hits[1:2]) == []


def test_a_question_about_a_named_document_is_ranked_without_its_name():
    question = "What was Blue Finch's net profit in 2021?"
    assert without_names(question, SOURCES[0]).split() == [
        "What",
        "was",
        "net",
        "profit",
        "in",
        "2021?",
    ]
    assert without_names(question, SOURCES[2]) == question


def test_names_that_no_text_has_are_told_as_they_are_written():
    question = "What did Kestrel pay Blue Finch and Marten?"
    texts = ["BLUEFINCH_2021.pdf Payments to Blue Finch", "marten, a supplier"]
    assert missing_names(question, texts) == ["Kestrel"]
    assert missing_names("Wie hoch ist die Miete?", texts) == []  # a noun
    assert missing_names("Kestrel paid what?", texts) == []  # the first word is always written so


@pytest.mark.parametrize(
    "written",
    [
        "2025-03-30",
        "30/03/2025",
        "30.3.25",
        "3/30/2025",
        "30 mars 2025",
        "Mar 30, 2025",
        "2025年3月30日",
    ],
)
def test_a_month_or_weekday_is_named_by_a_date_in_any_form(written):
    question = "Who fired the kiln on Sunday 30 March 2025?"
    assert missing_names(question, [f"Date: {written}, firer: Roe"]) == []
    assert missing_names(question, ["Date: 2025-04-29, firer: Roe"]) == ["Sunday", "March"]
    assert missing_names("Who let March Hall go?", [f"Date: {written}"]) == [
        "March",
        "Hall",
    ]  # none


def test_a_question_that_names_a_document_many_times_loses_each():
    question = "Blue Finch's earnings, BLUEFINCH 2021 stores and "
    once = without_names(question, SOURCES[0])
    assert once == " earnings,  stores and "
    assert without_names(question * 2_000, SOURCES[0]) == once * 2_000  # it recursed, name by name
