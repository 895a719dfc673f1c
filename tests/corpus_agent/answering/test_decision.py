"""Which word an answer gets: by how likely its passages answer, and what a model's draft says."""

from dataclasses import replace

import pytest

from corpus_agent.answering.coverage import PACKAGED
from corpus_agent.answering.decision import (
    READ_NO,
    READ_YES,
    decided,
    odds_of,
    of_all,
    of_passages,
    said_by,
    word_of,
)
from corpus_agent.answering.ranking import BIAS, WEIGHTS, logistic, weighed
from corpus_agent.answering.records import Answer, Citation
from indexer import Chunk, Coverage, Encoder, Hit
from tests.support.fakes import passages


def cited(n: int, line: int, quote: str = "So.", source: str = "a.md") -> Citation:
    return Citation(n, source, None, line, line, quote, "verified")


def answer(text: str, *citations: Citation, by: str = "toy") -> Answer:
    return Answer("q", text, "perhaps", by, passages(*citations), Coverage(1), 1)


OWN = replace(answer("", cited(1, 9, "Nine."), by="extractive"), probability=0.5)
NONE = replace(answer("", by="extractive"), status="not_found")
SURE = replace(OWN, probability=0.95, status="answered")


def test_each_word_begins_at_its_probability():
    bounds = {1.0: "answered", 0.9: "answered", 0.899: "likely", 0.75: "likely", 0.749: "perhaps"}
    assert {each: word_of(each) for each in bounds} == bounds
    assert word_of(None) == "perhaps"
    likely = replace(OWN.passages[0], probability=0.9)
    assert of_passages([OWN.passages[0], likely]) == ("answered", 0.9)
    assert of_passages(()) == ("not_found", None)


def test_of_a_question_about_all_documents_no_passage_is_said_to_answer():
    sure = replace(SURE, passages=tuple(replace(p, probability=0.95) for p in SURE.passages))
    told = of_all(sure)
    assert (told.status, {p.word for p in told.passages}) == ("perhaps", {"perhaps"})
    assert len(told.notices) == len(of_all(NONE).notices) == 1
    assert of_all(NONE).status == "not_found"


def test_reply_and_evidence_decide_together():
    for said, own, status, text in (
        ("yes", OWN, "likely", "So. [1]"),
        ("yes", SURE, "answered", "So. [1]"),
        ("yes", NONE, "likely", "So. [1]"),
        ("partly", SURE, "perhaps", "So. [1]"),
        ("partly", NONE, "perhaps", "So. [1]"),
        ("nothing", SURE, "answered", ""),
        ("nothing", NONE, "perhaps", "So. [1]"),
        ("no", OWN, "perhaps", ""),
        ("no", NONE, "not_found", ""),
        ("no", None, "not_found", ""),
    ):
        draft = answer("So. [1]", cited(1, 4))
        found = decided(draft, own, said)
        shown = draft if text else own
        wanted = (status, text, "toy", shown.passages if shown else ())
        assert (found.status, found.text, found.answerer, found.passages) == wanted, (said, own)


@pytest.mark.parametrize(
    ("citations", "unsupported", "text", "whole", "said"),
    [
        ([cited(1, 1)], 0, True, True, "yes"),
        ([cited(1, 1)], 1, True, True, "partly"),
        ([cited(1, 1)], 0, True, False, "partly"),
        ([], 1, True, True, "nothing"),
        ([], 0, True, True, "nothing"),
        ([], 0, False, True, "no"),
    ],
)
def test_a_draft_that_quotes_nothing_says_nothing(citations, unsupported, text, whole, said):
    assert said_by(citations, unsupported, text=text, whole=whole) == said


def test_both_readings_count():
    assert odds_of(0.9, 2.0) > READ_YES > odds_of(0.2, 0.5)
    assert odds_of(0.5, -4.0) < READ_NO < odds_of(0.5, None)
    assert odds_of(None, None) == odds_of(0.2, None)
    assert abs(odds_of(1.0, 0.0)) < 7  # finite


def test_lines_in_common_are_a_quotation_of_the_same():
    assert cited(1, 4).shares_lines(cited(7, 4, "Other."))
    assert not cited(1, 4).shares_lines(cited(1, 5))
    assert not cited(1, 4).shares_lines(cited(2, 4, source="b.md"))


ENCODER = Encoder()
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
