"""Documents that a question names by a word of their file names."""

import pytest

from corpus_agent.answering.named_documents import (
    file_stem,
    missing_names,
    named_documents,
    without_names,
)

SOURCES = (
    "BLUEFINCH_2021_10K.pdf",
    "BLUEFINCH_2023Q2_10Q.pdf",
    "Harrow_Harrow_2022.pdf",
    "4K_2018.pdf",
    "reports/marten.pdf",
    "notes.md",
)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What did Blue Finch earn?", SOURCES[:2]),
        ("What did BlueFinch's stores earn in FY2023?", SOURCES[1:2]),
        ("What did Bluefinch earn in 2019?", SOURCES[:2]),  # a report tells of years before it too
        ("Who leads Harrow & Harrow?", SOURCES[2:3]),
        ("What are the sales of 4K?", SOURCES[3:4]),
        ("Who chairs Marten?", SOURCES[4:5]),
        ("which notes speak of finches?", ()),  # no name
        ("What did Kestrel earn in 2021?", ()),
    ],
)
def test_names_are_found_however_they_are_written_apart(question, named):
    assert named_documents(question, SOURCES) == list(named)


def test_the_name_of_a_store_is_no_part_of_a_files_name():
    several = ["work:COCACOLA_2023.pdf", "home:work/notes.md", "home:boat.md"]
    assert named_documents("What did Coca Cola earn?", several) == several[:1]
    assert named_documents("Which Work is due at Home?", several) == []
    stems = {"a:b.md": "b", "a/b:c.md": "b:c", "Re: lease.md": "Re: lease", "b.md": "b"}
    assert {source: file_stem(source) for source in stems} == stems


def test_a_name_that_all_documents_bear_tells_nothing_apart():
    many = [f"bluefinch-{n}.pdf" for n in range(4)]
    assert named_documents("What did Bluefinch earn?", many) == []
    assert named_documents("What did Bluefinch earn?", [*many, "notes.md"]) == many[:3]


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
    assert without_names(question, SOURCES[5]) == question


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
