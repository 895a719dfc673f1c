"""A question that compares two things is answered with a quotation about each."""

import pytest

from corpus_agent.answering.comparison import of_the_two, sides
from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.answering.records import Turn
from indexer.embed import FolderEncoder
from tests.support.fakes import MemoryCorpus

OAK = "# Storage unit at Oak Street\n\nThe fee is £64 per month. The key is with Mrs Lund.\n"
BIKE = "# Bicycle insurance\n\nThe premium is £88 per year. The excess is £50.\n"
BREAD = "# Sourdough\n\nThe loaf bakes at 230 °C for 40 minutes.\n"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "Which is older, the boiler or the tap?",
            ("how old is the boiler?", "how old is the tap?"),
        ),
        (
            "Is the notice longer in the lease or in the plan?",
            ("how long Is the notice in the lease?", "how long Is the notice in the plan?"),
        ),
        ("Is the rent higher than the fee?", ("how high Is the rent?", "how high Is the fee?")),
        (
            "Was ist billiger, die Wohnung oder die Garage?",
            ("Was ist billiger die Wohnung?", "Was ist billiger die Garage?"),
        ),
        ("Ist die Miete höher als die Pacht?", ("Ist höher die Miete?", "Ist höher die Pacht?")),
        (
            "Vergleiche den Strompreis mit dem Gaspreis",
            ("den Strompreis?", "dem Gaspreis?"),
        ),
        (
            "Quelle assurance est plus chère, la maison ou la voiture ?",
            (
                "Quelle assurance est plus chère la maison?",
                "Quelle assurance est plus chère la voiture?",
            ),
        ),
        (
            "¿Cuál es más caro, el piso o el garaje?",
            ("Cuál es más caro el piso?", "Cuál es más caro el garaje?"),
        ),
        (
            "Does tea cost more than coffee?",
            ("how much Does cost tea?", "how much Does cost coffee?"),
        ),
    ],
)
def test_each_of_two_things_is_asked_for(question, expected):
    assert sides(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "Is the rent due on the 1st or the 3rd?",
        "What is larger than the deposit?",
        "What was the most important of these cities or towns?",
        "Do dogs or cats need consent?",
        "Welcher Mieter wohnt in Berlin, Anna oder Karl?",
        "Wer ist der Vermieter, Herr Meier oder Frau Huber?",
        "Ist die Miete am 1. oder am 3. fällig?",
        "Was steht unter der Treppe, Holz oder Kohle?",
    ],
)
def test_what_compares_no_two_things_stays_whole(question):
    assert sides(question) is None


@pytest.mark.slow
def test_both_sides_are_quoted_and_nothing_else():
    corpus = MemoryCorpus({"oak.md": OAK, "bike.md": BIKE, "bread.md": BREAD})
    answerer = ExtractiveAnswerer(FolderEncoder())
    asked = "Which is cheaper, the storage unit or the bicycle insurance?"
    answer = answerer.answer(asked, corpus)
    assert [c.source for c in answer.citations] == ["oak.md", "bike.md"]
    assert "£64" in answer.passages[0].text and "£88" in answer.passages[1].text
    spoken = [
        Turn(question, answerer.answer(question, corpus))
        for question in ("What is the fee of the storage unit?", "What is the bicycle premium?")
    ]
    again = answerer.answer("Which of the two is cheaper?", corpus, spoken)
    assert {c.source for c in again.citations} == {"oak.md", "bike.md"}
    assert of_the_two("Which of the two is cheaper?", "fee") is None  # the control: of one
