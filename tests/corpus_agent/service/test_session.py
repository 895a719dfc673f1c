"""Below a model's refusal stand the passages, as the closest and never as its answer."""

import pytest

from corpus_agent.agent.answerer import ModelAnswerer
from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.answering.whole_corpus import NOTICE
from corpus_agent.render.answers import answer_object
from corpus_agent.service import session
from indexer import FolderEncoder
from tests.support.fakes import MemoryCorpus, ScriptedModelServer, says

REFUSAL = "Not found in 1 document. Searched for “"
BREAD = "# Bread\n\nThe dough rises at 24 °C for five hours.\n"


class Corpus(MemoryCorpus):
    """Documents in memory, with the encoder that the extractive answerer needs."""

    encoder = FolderEncoder()


def asked(question: str, reply: str):
    corpus = Corpus({"bread.md": BREAD})
    with ScriptedModelServer([says(reply), says("no"), says(reply)]) as fake:
        own = ExtractiveAnswerer(corpus.encoder)
        answerer = ModelAnswerer(fake.server, "toy-model", own=own)
        return session.ask(question, corpus, answerer)


def test_below_a_refusal_stand_the_passages_that_the_model_may_have_overlooked():
    answer = asked("At what temperature does the dough rise?", "NOT_FOUND")
    assert (answer.status, answer.answerer, answer.probability) == ("closest", "toy-model", None)
    refusal, _, below = answer.text.partition("\n\n")
    assert refusal.startswith(REFUSAL)
    assert below == ("The closest passages are:\nThe dough rises at 24 °C for five hours. [1]")
    assert answer.citations[0].quote == "The dough rises at 24 °C for five hours."
    assert any("added without the model" in notice for notice in answer.notices)
    shown = answer_object(answer, "enforced")
    assert (shown["status"], shown["probability"]) == ("closest", None)


@pytest.mark.parametrize(
    ("question", "reply", "status"),
    [
        ("Who won the football world cup in 1998?", "NOT_FOUND", "not_found"),
        (
            "At what temperature does the dough rise?",
            'At 24 °C [bread.md:3] "The dough rises at 24 °C".',
            "answered",
        ),
    ],
)
def test_nothing_is_added_where_the_topic_is_absent_or_the_model_answers(question, reply, status):
    answer = asked(question, reply)
    assert answer.status == status
    assert "closest" not in answer.text
    assert not any("added without the model" in notice for notice in answer.notices)


EVERY = "Which of my documents say at what temperature the dough rises?"


@pytest.mark.parametrize(
    ("question", "status", "noted"),
    [(EVERY, "partial", True), ("At what temperature does the dough rise?", "answered", False)],
)
def test_a_question_about_all_documents_is_never_answered_from_the_nearest(question, status, noted):
    answer = asked(question, 'At 24 °C [bread.md:3] "The dough rises at 24 °C".')
    assert (answer.status, NOTICE in answer.notices) == (status, noted)
    corpus = Corpus({"bread.md": BREAD})
    without = session.ask(question, corpus, ExtractiveAnswerer(corpus.encoder))
    assert without.citations
    assert (NOTICE in without.notices) == noted
