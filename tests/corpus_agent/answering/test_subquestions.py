"""The sentence of a text that asks."""

import pytest

from corpus_agent.answering.subquestions import asking_sentence


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
