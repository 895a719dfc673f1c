"""A model's answer beside that without it, and questions about all documents."""

import pytest

from corpus_agent.agent.answerer import ModelAnswerer
from corpus_agent.answering.decision import OF_ALL
from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.render.answers import answer_lines, answer_object
from corpus_agent.service import session
from indexer import FolderEncoder
from tests.support.fakes import MemoryCorpus, ScriptedModelServer, says

BREAD = "# Bread\n\nThe dough rises at 24 °C for five hours.\n"


class Corpus(MemoryCorpus):
    """Documents in memory, with the encoder that the extractive answerer needs."""

    encoder = FolderEncoder()


def asked(question: str, reply: str):
    corpus = Corpus({"bread.md": BREAD})
    with ScriptedModelServer([says(reply), says("no"), says(reply)]) as fake:
        own = ExtractiveAnswerer(corpus.encoder)
        answerer = ModelAnswerer(fake.server, "toy-model", fake.broker, own=own)
        return session.ask(question, corpus, answerer)


@pytest.mark.slow
def test_where_a_model_finds_nothing_the_passages_are_the_answer():
    answer = asked("At what temperature does the dough rise?", "NOT_FOUND")
    assert (answer.text, answer.answerer, answer.status) == ("", "toy-model", "perhaps")
    assert answer.citations[0].quote == "The dough rises at 24 °C for five hours."
    shown = answer_object(answer, "enforced")
    assert (shown["answer"], shown["model"], shown["status"]) == (None, "toy-model", "perhaps")
    *_, foot = answer_lines(answer)
    assert foot == "toy-model: nothing found · 1 document searched"


EVERY = "Which of my documents say at what temperature the dough rises?"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "status", "noted"),
    [(EVERY, "perhaps", True), ("At what temperature does the dough rise?", "likely", False)],
)
def test_a_question_about_all_documents_is_never_answered_from_the_nearest(question, status, noted):
    answer = asked(question, 'At 24 °C [bread.md:3] "The dough rises at 24 °C".')
    assert (answer.status, OF_ALL in answer.notices) == (status, noted)
    corpus = Corpus({"bread.md": BREAD})
    without = session.ask(question, corpus, ExtractiveAnswerer(corpus.encoder))
    assert without.citations
    assert (OF_ALL in without.notices) == noted
