"""A question that two documents answer, each of its own thing, is asked back; others are not."""

from dataclasses import replace

import pytest

from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.answering.records import Turn
from corpus_agent.render.answers import answer_lines, answer_object
from corpus_agent.render.for_parent import claims, render
from corpus_agent.text.delimiters import Frame
from indexer.embed import FolderEncoder
from tests.support.fakes import MemoryCorpus

OAK = """# Storage unit at Oak Street

The fee is £64 per month. The key is with Mrs Lund.
"""
ELM = """# Storage unit at Elm Yard

The fee is £81 per month. The key is with Mr Abara.
"""
BREAD = "# Sourdough\n\nThe loaf bakes at 230 °C for 40 minutes.\n"
VAGUE = "What is the fee per month?"


@pytest.fixture(scope="module")
def answerer() -> ExtractiveAnswerer:
    return ExtractiveAnswerer(FolderEncoder())


@pytest.fixture
def corpus() -> MemoryCorpus:
    return MemoryCorpus({"units/oak.md": OAK, "units/elm.md": ELM, "bread.md": BREAD})


@pytest.mark.slow
def test_what_leaves_open_which_is_meant_is_asked_back_with_the_candidates_cited(answerer, corpus):
    answer = answerer.answer(VAGUE, corpus)
    assert (answer.status, answer.probability) == ("unclear", None)
    assert answer.text.startswith("Which storage: ")
    assert all(name in answer.text for name in ("Oak Street [", "Elm Yard ["))
    assert {c.source for c in answer.citations} == {"units/oak.md", "units/elm.md"}
    assert all(c.verdict == "verified" for c in answer.citations)
    assert answer_object(answer, "enforced")["status"] == "unclear"
    assert answer.text in list(answer_lines(answer))
    assert claims(answer) == []
    assert render(Frame(), answer).startswith("NOT answered: it may mean several things")


class French(MemoryCorpus):
    """A corpus whose passages are all in French."""

    def search(self, query):
        """The passages of another, said to be French."""
        found = super().search(query)
        return [replace(hit, chunk=replace(hit.chunk, language="fr")) for hit in found]


@pytest.mark.slow
def test_it_is_asked_back_in_the_language_of_the_question(answerer):
    papers = {
        f"{name}.md": f"# Box de la rue {name}\n\nLa cotisation est de {fee} euros par mois. "
        "La clef est chez le gardien, qui la reprend aussi.\n"
        for name, fee in (("Monge", 64), ("Cassini", 81))
    }
    french = answerer.answer("quelle est la cotisation par mois ?", French(papers))
    assert french.status == "unclear"
    assert french.text.startswith("De quoi s'agit-il : ")
    assert " ou " in french.text


@pytest.mark.parametrize(
    "question",
    [
        "What is the fee per month at Elm Yard?",
        "What is the monthly fee of the storage unit in oak street?",
        "At what temperature does the loaf bake?",
    ],
)
def test_a_question_that_says_which_is_answered(answerer, corpus, question):
    answer = answerer.answer(question, corpus)
    assert answer.status in ("answered", "closest")


def test_values_that_agree_leave_nothing_to_ask(answerer):
    same = MemoryCorpus({"units/oak.md": OAK, "units/elm.md": ELM.replace("81", "64")})
    assert answerer.answer(VAGUE, same).status in ("answered", "closest")


def test_what_the_talk_is_about_is_not_asked_again(answerer, corpus):
    before = "Who has the key of the unit in Elm Yard?"
    first = answerer.answer(before, corpus)
    only_elm = [Turn(before, first)]
    assert {c.source for c in first.citations} == {"units/elm.md"}
    answer = answerer.answer(VAGUE, corpus, only_elm)
    assert answer.status in ("answered", "closest")
    assert "£81" in answer.text and "£64" not in answer.text


def test_the_names_of_columns_are_no_names_of_whom_is_asked_for(answerer):
    said = "The porter, Ugo Salvi, asks €180 a trip.\n"
    rows = [("Beds", 71000), ("Fees", 12500), ("Insurance", -3700), ("Porter", -1602)]
    table = "| Item | Actual |\n" + "".join(f"| Item: {a} | Actual: {b} |\n" for a, b in rows)
    corpus = MemoryCorpus({"minutes/extra.txt": said, "season.xlsx": table})
    answer = answerer.answer("Who is the porter?", corpus)
    assert answer.status in ("answered", "closest")
    assert "Ugo Salvi" in answer.citations[0].quote
    staff = "| Post | Name |\n| Post: Cook | Name: Tom Reed |\n| Post: Porter | Name: Ida Kolb |\n"
    two = MemoryCorpus({"minutes/extra.txt": said, "season.xlsx": staff})
    assert answerer.answer("Who is the porter?", two).status == "unclear"


LIBRARIES = {
    "a.md": "The Marl Valley Library lends books and tools to the public.",
    "b.md": "Services of the Saint Brice Library: reading rooms, a café, and Wi-Fi.",
    "c.md": "Loaves bake for 40 minutes.",
}


def test_this_library_is_asked_back_where_several_are_named_and_none_was_spoken_of(answerer):
    asked, corpus = "What services does this library provide?", MemoryCorpus(LIBRARIES)
    answer = answerer.answer(asked, corpus)
    assert answer.status == "unclear"
    assert answer.text.startswith("Which library: ")
    assert {c.source for c in answer.citations} == {"a.md", "b.md"}
    before = Turn("Where is the Marl Valley Library?", answer)
    assert answerer.answer(asked, corpus, [before]).status != "unclear"
    one = MemoryCorpus({name: text for name, text in LIBRARIES.items() if name != "b.md"})
    assert answerer.answer(asked, one).status != "unclear"
    assert answerer.answer("What services does the library provide?", corpus).status != "unclear"
