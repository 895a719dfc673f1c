"""What a follow-up takes along from the questions before it, and what stands alone."""

import pytest

from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.answering.follow_up import leans, readings
from corpus_agent.answering.records import Answer, Citation, Turn
from indexer import Coverage
from indexer.embed import FolderEncoder
from tests.support.fakes import MemoryCorpus, passages

DAL = "The dal simmers for 35 minutes in the large pot."


ENCODER = FolderEncoder()


def turn(question: str, quote: str) -> Turn:
    citation = Citation(1, "a.md", None, 1, 1, quote, "verified")
    return Turn(
        question, Answer(question, quote, "perhaps", "m", passages(citation), Coverage(), 1)
    )


@pytest.mark.parametrize(
    ("question", "alone"),
    [
        ("How long does that take?", "What is the pass that won the game?"),
        ("Is it covered there?", "How many districts are there in Warsaw?"),
        ("What is his phone number?", "What did Tesla get after he sold his company?"),
        ("Which one is cheaper?", "Which is one of the two topics of the paper?"),
        ("And in winter?", "And how many balls did Josh Norman intercept?"),
        ("Und wie hoch darf sie sein?", "Wie hoch darf das Haus sein?"),
        ("What does it cost?", "What does it cost to send a parcel?"),
        ("Why?", "Who fixes the boiler?"),
        ("¿Cuánto cuesta eso?", "¿Cuál es el apellido del jugador?"),
    ],
)
def test_what_points_at_nothing_in_its_question_leans(question, alone):
    assert leans(question)
    assert not leans(alone)


def test_a_question_that_stands_alone_has_one_reading_whatever_was_asked_before():
    history = [turn("How long does the dal simmer?", DAL)]
    assert readings("Who fixes the boiler?", history) == ("Who fixes the boiler?",)
    assert len(readings("And who stirs it?", history)) > 1  # the control


def test_the_words_of_the_question_before_rank_the_sentences_too():
    rice = "Rice takes twelve minutes in the small pot."
    corpus, answerer = MemoryCorpus({"dal.md": DAL, "rice.md": rice}), ExtractiveAnswerer(ENCODER)
    dal = turn("In which pot is the dal cooked?", "The dal is cooked in the large pot.")
    found = answerer.read("How long does it take?", corpus, [dal])
    assert found.ranking.sentences[0].text == DAL
    of_rice = turn("In which pot is the rice cooked?", rice)  # the control
    found = answerer.read("How long does it take?", corpus, [of_rice])
    assert found.ranking.sentences[0].text == rice
