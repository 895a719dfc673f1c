"""Documents that a question names by a word of their file names."""

from corpus_agent.answering.reading import named_documents, without_names
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


def test_a_question_that_names_a_document_many_times_loses_each():
    question = "Blue Finch's earnings, BLUEFINCH 2021 stores and "
    once = without_names(question, SOURCES[0])
    assert once == " earnings,  stores and "
    assert without_names(question * 2_000, SOURCES[0]) == once * 2_000  # it recursed, name by name
