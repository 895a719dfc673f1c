"""What passages are called: by whether the topic is there, and by how likely they answer."""

import pytest

from corpus_agent.answering.coverage import PACKAGED
from corpus_agent.answering.ranking import BIAS, WEIGHTS, logistic, weighed
from corpus_agent.answering.records import Answer
from indexer import Chunk, Coverage, FolderEncoder, Hit

ENCODER = FolderEncoder()
SAYS = "In 1974 the treaty of Oslo was accepted by Norway."


def figures(question: str, sentence: str) -> dict[str, float]:
    """The figures of a sentence for a question, as the answerer computes them."""
    hit = Hit(Chunk("a.md", 1, sentence, "", 1, 1), 1.0, 0.6, 1.0)
    own = weighed(question, [hit], ENCODER.encode_tokens, 1, PACKAGED)
    assert own is not None
    return own.figures(0)


@pytest.mark.parametrize(
    ("bound", "missed", "figure", "says"),
    [
        ("When was the treaty accepted by Norway?", "When was it not accepted?", "negations", SAYS),
        ("What did Norway accept in 1974?", "What did Norway accept in 1975?", "name", SAYS),
        ("What was accepted by Norway?", "What was accepted by Sweden?", "name", SAYS),
        ("Who accepted the treaty?", "Who rejected the treaty?", "opposites", SAYS),
        ("Which damage is covered?", "Which is not?", "negations", "Damage by frost is covered."),
    ],
)
def test_a_near_miss_is_known_by_its_figure(bound, missed, figure, says):
    assert (figures(bound, says)[figure], figures(missed, says)[figure]) == (0, 1)


def test_a_negation_that_the_sentence_has_too_costs_nothing():
    assert figures("Which damage is not covered?", "Frost is not covered.")["negations"] == 0


def test_what_a_sentence_lacks_of_the_question_counts_by_its_rarity():
    lacks = figures("Which treaty of Oslo concerned herring?", SAYS)
    whole = figures("Which treaty of Oslo was accepted by Norway?", SAYS)
    assert lacks["least"] >= lacks["missing"] > whole["missing"] == whole["least"] == 0


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("When was the treaty accepted by Norway?", SAYS, "The mill stands by the river."),
        ("Where is the garage key?", "The garage key hangs behind the door.", "The key is lost."),
    ],
)
def test_what_covers_the_question_is_likely(question, near, far):
    found = [logistic(figures(question, text), WEIGHTS, BIAS) for text in (near, far)]
    assert found[0] >= 0.75 > found[1]


def test_figures_of_any_size_have_a_probability():
    every = dict.fromkeys(WEIGHTS, 1e6)
    assert 0 <= logistic(every, WEIGHTS, BIAS) <= 1


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_a_probability_is_from_0_to_1(wrong):
    Answer("q", "a", "perhaps", "m", (), Coverage(), 1, probability=1.0)  # the control
    with pytest.raises(ValueError, match="from 0 to 1"):
        Answer("q", "a", "perhaps", "m", (), Coverage(), 1, probability=wrong)
