"""Below a model's refusal stand the passages, as the closest and never as its answer."""

import pytest

from corpus_agent.agent.answerer import ModelAnswerer
from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.answering.whole_corpus import NOTICE
from corpus_agent.service import session
from indexer import FolderEncoder
from tests.support.fakes import ListedCorpus, MemoryCorpus, ScriptedModelServer, says

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


LEASES = {
    "a.txt": "This agreement expires on 30 June 2025.",
    "b.txt": "The contract ends on 31 December 2026.",
    "c.txt": "Nothing of the kind is said here.",
}


def test_a_question_that_code_understands_is_answered_from_every_document_and_no_model_is_asked():
    corpus = ListedCorpus(LEASES, unread=("x.pdf",), stale=("b.txt",))
    with ScriptedModelServer([]) as fake:
        answerer = ModelAnswerer(fake.server, "toy-model")
        answer = session.ask("Which of my contracts end in 2025?", corpus, answerer)
        assert fake.requests == []
    assert (answer.status, answer.text) == ("partial", "a.txt: 2025-06-30 [1]")
    assert answer.citations[0].quote == "This agreement expires on 30 June 2025."
    assert answer.notices[0] == (
        "4 documents looked at, 1 of them changed since: 1 has expiry in 2025, 1 has not, "
        "0 unclear, 1 silent, 1 unreadable."
    )
    none = session.ask("Which of my contracts end in 2031?", corpus, answerer)
    assert (none.status, none.citations) == ("not_found", ())
