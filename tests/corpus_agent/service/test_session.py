"""Below a model's refusal stand the passages, as the closest and never as its answer."""

import pytest

from corpus_agent.agent.answerer import ModelAnswerer
from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.answering.whole_corpus import NOTICE
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
        answerer = ModelAnswerer(fake.server, "toy-model", own=own)
        return session.ask(question, corpus, answerer)


EVERY = "Which of my documents say at what temperature the dough rises?"


@pytest.mark.slow
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
