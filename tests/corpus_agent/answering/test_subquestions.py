"""The sentence of a text that asks, and the parts of a question."""

import pytest

from corpus_agent.answering.subquestions import asking_sentence, parts


@pytest.mark.parametrize(
    ("question", "core"),
    [
        (
            "You keep books. From the balance: what is the rent? Answer in euros.",
            "what is the rent?",
        ),
        ("What is the quota? It is defined as rent by income.", "What is the quota?"),
        ("Which U.S. firm did Mr. Ash lead?", "Which U.S. firm did Mr. Ash lead?"),
        ("Who is Ash? And who is Birch?", "Who is Ash? And who is Birch?"),
        ("Rent of the flat. In euros.", "Rent of the flat. In euros."),
    ],
)
def test_the_only_sentence_that_asks_is_taken_without_what_leads_to_it(question, core):
    assert asking_sentence(question) == core


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        (
            "What are the fees of Heron and of Plover?",
            ["the fees of Heron?", "the fees of Plover?"],
        ),
        ("How long are Heron's and Plover's leases?", ["Heron's leases?", "Plover's leases?"]),
        (
            "Wie hoch ist die Miete von Haus Nord und von Haus Süd?",
            ["die Miete von Haus Nord?", "die Miete von Haus Süd?"],
        ),
    ],
)
def test_what_is_asked_of_two_names_that_are_both_marked_is_asked_of_each(question, asked):
    found = parts(question)
    assert [one.endswith(end) for one, end in zip(found, asked, strict=True)] == [True, True]


@pytest.mark.parametrize(
    "question",
    [
        "Who is the author of Romeo and Juliet?",
        "What did Alma say of the roof and of the wall?",
        "What is the fee of Heron?",
    ],
)
def test_what_may_be_one_thing_is_asked_as_it_stands(question):
    assert parts(question) == [question]
