"""What passages are called: by whether the topic is there, and by how likely they answer."""

import numpy as np
import pytest

from corpus_agent.answering.coverage import Coverage, Subject
from corpus_agent.answering.probability import (
    BOUND_WEIGHTS,
    Best,
    bound_figures,
    judged,
)
from corpus_agent.answering.records import Answer, word_of
from indexer import Coverage as Searched
from indexer import FolderEncoder

ENCODER = FolderEncoder()
TOPIC = [12.0, 0.7, 3.0, 4.0, 0.0, 0.0, 0.8, 0.0]


@pytest.mark.parametrize(
    ("probability", "word"),
    [(1.0, "answered"), (0.9, "answered"), (0.899, "likely"), (0.75, "likely"), (0.749, "perhaps")],
)
def test_each_word_begins_at_its_probability(probability, word):
    assert word_of(probability) == word
    assert word_of(None) == "perhaps"


def figures(question: str, sentence: str, kind: float = 0.0) -> list[float]:
    """The figures of a sentence for a question, as the answerer computes them."""
    encoded = dict(
        zip((question, sentence), ENCODER.encode_tokens([question, sentence]), strict=True)
    )
    subject = Subject(question, [])
    coverage = Coverage(subject, question, encoded)
    best = Best(sentence, (), 0, {0: [sentence]})
    features = np.array([0.7, 0.6, 0, 0, kind, 0, 0], dtype=np.float32)
    return bound_figures(question, subject, coverage, best, features)


SAYS = "In 1974 the treaty of Oslo was accepted by Norway."


@pytest.mark.parametrize(
    ("bound", "missed", "column"),
    [
        ("When was the treaty accepted by Norway?", "When was it not accepted by Norway?", 1),
        ("Which treaty was accepted?", "Which treaty was rejected?", 2),
        ("What did Norway accept in 1974?", "What did Norway accept in 1975?", 3),
        ("What was accepted by Norway?", "What was accepted by Sweden?", 3),
        ("Which treaty was accepted?", "How many kings accepted the treaty?", 4),
    ],
)
def test_a_near_miss_is_less_likely_than_the_question_that_the_sentence_answers(
    bound, missed, column
):
    good, bad = figures(bound, SAYS), figures(missed, SAYS)
    assert good[column] == 0 and bad[column] == 1
    # The other figures alike, so that this one decides.
    alike = [*good[:column], bad[column], *good[column + 1 :]]
    assert judged(TOPIC, alike).probability < judged(TOPIC, good).probability
    assert judged(TOPIC, alike).confidence == judged(TOPIC, good).confidence
    assert len(good) + 1 == len(BOUND_WEIGHTS)


def test_a_kind_of_answer_that_is_asked_for_and_missing_counts():
    question = "When was it accepted by Norway?"
    said, missing = (figures(question, SAYS, kind) for kind in (1.0, -1.0))
    assert (said[5], missing[5]) == (0, 1)
    assert judged(TOPIC, missing).probability < judged(TOPIC, said).probability


def test_a_negation_that_the_sentence_has_too_costs_nothing():
    question = "Which damage is not covered?"
    assert figures(question, "Damage by frost is not covered.")[1] == 0
    assert figures(question, "Damage by frost is covered.")[1] == 1  # the control


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_a_probability_is_from_0_to_1(wrong):
    Answer("q", "a", "perhaps", "m", (), Searched(), 1, probability=1.0)  # the control
    with pytest.raises(ValueError, match="from 0 to 1"):
        Answer("q", "a", "perhaps", "m", (), Searched(), 1, probability=wrong)
