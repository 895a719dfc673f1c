"""What a follow-up takes along from the questions before it, and what stands alone."""

import pytest

from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.answering.follow_up import carried_over, leans, readings, stands_alone
from corpus_agent.answering.records import Answer, Citation, Turn
from indexer import Coverage
from indexer.embed import FolderEncoder
from tests.support.fakes import MemoryCorpus, passages

BOILER = "Gareth Lowe of Dunmoor Heating looks after the boiler."
PHONES = """# Phone numbers

Dunmoor Heating, Gareth Lowe: 0114 496 0337.

Harbour Vets, Nadia Brandt: 0114 496 0777.
"""
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


@pytest.mark.slow
def test_whom_he_stands_for_is_taken_from_the_quotation_before():
    corpus = MemoryCorpus({"boiler.md": BOILER, "phones.md": PHONES, "dal.md": DAL})
    history = [turn("How long does the dal simmer?", DAL), turn("Who fixes the boiler?", BOILER)]
    answerer = ExtractiveAnswerer(ENCODER)
    found = answerer.read("What is his phone number?", corpus, history)
    assert "0337" in found.ranking.sentences[0].text
    assert "dal" not in found.asked


def test_the_words_of_the_question_before_rank_the_sentences_too():
    rice = "Rice takes twelve minutes in the small pot."
    corpus, answerer = MemoryCorpus({"dal.md": DAL, "rice.md": rice}), ExtractiveAnswerer(ENCODER)
    dal = turn("In which pot is the dal cooked?", "The dal is cooked in the large pot.")
    found = answerer.read("How long does it take?", corpus, [dal])
    assert found.ranking.sentences[0].text == DAL
    of_rice = turn("In which pot is the rice cooked?", rice)  # the control
    found = answerer.read("How long does it take?", corpus, [of_rice])
    assert found.ranking.sentences[0].text == rice


def test_what_is_new_takes_the_place_of_its_kind():
    for before, asked, left in (
        ("What was the revenue in 2022?", "And in 2023?", "2022"),
        ("How many guests came in March?", "and in June?", "march"),
        ("What does fault F28 of the boiler mean?", "What about F22?", "f28"),
    ):
        assert left not in carried_over(asked, before).removeprefix(asked), asked
        assert carried_over("And why?", before) != "And why?"  # the control
        assert left in carried_over("And why?", before), asked


def test_the_documents_say_what_the_new_thing_replaces():
    flat, garage = "The rent of the flat is £985 a month.", "For the garage the rent is £80."
    corpus = MemoryCorpus({"flat.md": flat, "garage.md": garage, "dal.md": DAL})
    history = [turn("How much is the rent of the flat per month?", flat)]
    for asked, best, searched in (
        ("And the garage?", garage, "And the garage? (rent)"),
        (
            "And in winter?",
            flat,
            "And in winter? (rent flat month)",
        ),  # none has it: the control
    ):
        found = ExtractiveAnswerer(ENCODER).read(asked, corpus, history)
        assert found.ranking.sentences[0].text == best, asked
        assert found.asked == searched


def test_what_a_question_went_on_to_is_what_the_next_one_points_at():
    bicycle = "The bicycle was bought in 2021 from Hadley Cycles for £640."
    workshop = "The glaze workshop is on 2 May in the back room. It costs £12 with materials."
    corpus = MemoryCorpus({"bicycle.md": bicycle, "club.md": workshop, "dal.md": DAL})
    answerer = ExtractiveAnswerer(ENCODER)
    bought = turn("When was the bicycle bought?", bicycle)
    other = turn("And the glaze workshop, when is it?", workshop)
    found = answerer.read("What does it cost?", corpus, [bought, other])
    assert found.asked == "What does it cost? (glaze workshop)"
    assert "£12" in found.ranking.sentences[0].text
    # The control: a question that names nothing of its own goes on with the bicycle.
    why = turn("And from whom?", bicycle)
    found = answerer.read("What did it cost?", corpus, [bought, why])
    assert "£640" in found.ranking.sentences[0].text


def test_only_english_questions_are_known_to_stand_alone():
    history = [turn("How long does the dal simmer?", DAL)]
    assert stands_alone("Who fixes the boiler?", history)
    for other in ("How long does it take?", "And the rice?", "Wer repariert den Heizkessel?"):
        assert not stands_alone(other, history), other
