"""What passages are called: by whether the topic is there, and by how likely they answer."""

import numpy as np
import pytest

from corpus_agent.answering import confidence
from corpus_agent.answering.confidence import Looked, comes_near, probability
from corpus_agent.answering.coverage import MULTILINGUAL, PACKAGED, Coverage, Scale, Subject
from corpus_agent.answering.records import Answer
from indexer import Coverage as Searched
from indexer import FolderEncoder

ENCODER = FolderEncoder()


def figures(
    question: str, sentence: str, kind: float = 0.0, scale: Scale = PACKAGED
) -> dict[str, float]:
    """The figures of a sentence for a question, as the answerer computes them."""
    encoded = dict(
        zip((question, sentence), ENCODER.encode_tokens([question, sentence]), strict=True)
    )
    subject = Subject(question, [])
    coverage = Coverage(subject, question, encoded, scale)
    rare = float(coverage.of(sentence).mean())
    features = np.array([0.7, 0.6, rare, 0, kind, 0], dtype=np.float32)
    one = Looked(sentence, (), features, [sentence], [[sentence]], 12.0, 9.0)
    found = confidence.figures(question, subject, coverage, one)
    return dict(zip(confidence.WEIGHTS, found, strict=True))


SAYS = "In 1974 the treaty of Oslo was accepted by Norway."


@pytest.mark.parametrize(
    ("bound", "missed", "figure"),
    [
        ("When was the treaty accepted by Norway?", "When was it not accepted?", "negations"),
        ("What did Norway accept in 1974?", "What did Norway accept in 1975?", "names"),
        ("What was accepted by Norway?", "What was accepted by Sweden?", "names"),
    ],
)
def test_a_near_miss_is_known_by_its_figure(bound, missed, figure):
    assert (figures(bound, SAYS)[figure], figures(missed, SAYS)[figure]) == (0, 1)


def test_a_negation_that_the_sentence_has_too_costs_nothing():
    question = "Which damage is not covered?"
    assert figures(question, "Damage by frost is not covered.")["negations"] == 0
    assert figures(question, "Damage by frost is covered.")["negations"] == 1  # the control


def test_what_covers_the_question_better_is_likelier():
    question = "When was the treaty accepted by Norway?"
    near, far = (figures(question, text) for text in (SAYS, "The mill stands by the river."))
    assert probability([*near.values()]) > 0.5 > probability([*far.values()])
    assert comes_near(probability([*near.values()]))
    assert 0 <= probability([1e6] * len(near)) <= 1


def test_the_length_of_a_question_says_nothing_where_small_words_are_not_known():
    question = "May the tenant of the flat over the bakery keep a dog, a cat and three hens?"
    lacking = [figures(question, SAYS, scale=each)["lacking"] for each in (MULTILINGUAL, PACKAGED)]
    assert lacking[0] == MULTILINGUAL.most_lacking < lacking[1]


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_a_probability_is_from_0_to_1(wrong):
    Answer("q", "a", "perhaps", "m", (), Searched(), 1, probability=1.0)  # the control
    with pytest.raises(ValueError, match="from 0 to 1"):
        Answer("q", "a", "perhaps", "m", (), Searched(), 1, probability=wrong)
