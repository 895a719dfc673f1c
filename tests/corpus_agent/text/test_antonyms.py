"""Words of a question that a text has the opposite of."""

import pytest

from corpus_agent.text.antonyms import PAIRS, turned_words


@pytest.mark.parametrize(
    ("question", "text", "count"),
    [
        ("Which force is weaker than gravity?", "It is stronger than gravity.", 1),
        ("What makes the bound dependent on it?", "The bound is independent of it.", 1),
        ("Which are the most and the least costly?", "The least costly is the bus.", 0),
        ("What is easy to prove?", "Upper bounds are easy and lower bounds difficult.", 0),
        ("What is easily shown?", "This is difficult to show.", 1),
        ("Which treaty is it?", "It is a treaty.", 0),
    ],
)
def test_a_word_counts_if_the_text_lacks_it_and_has_its_opposite(question, text, count):
    assert turned_words(question, text) == count


def test_the_pairs_stand_below_their_licence():
    first = PAIRS.read_text("utf-8").splitlines()
    assert first[0].startswith("# This software and database")
    assert any("WordNet 3.0 Copyright" in line for line in first)
