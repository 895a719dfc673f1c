"""Below a model's refusal stand the passages, as the closest and never as its answer."""

import pytest

from corpus_agent.agent.answerer import ModelAnswerer
from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.answering.whole_corpus import NOTICE
from corpus_agent.render.answers import answer_object
from corpus_agent.service import session
from indexer import FolderEncoder, UsageError
from tests.support.fakes import ListedCorpus, MemoryCorpus, ScriptedModelServer, says

REFUSAL = "Not found in 1 document. Searched for “"
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
        answerer = ModelAnswerer(fake.server, "toy-model", fake.broker)
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


def test_a_question_that_is_a_book_is_refused_before_it_is_compared_with_anything():
    corpus = Corpus({"bread.md": BREAD})
    answerer = ExtractiveAnswerer(corpus.encoder)
    with pytest.raises(UsageError, match="10,007 characters; at most 10,000 are taken"):
        session.ask("dough" * 2_001 + " ?", corpus, answerer)
    # The control: as long as it may be.
    assert session.ask("dough" * 1_999 + " ?", corpus, answerer).status == "not_found"
