"""A model's answer beside that without it, and questions about all documents."""

from pathlib import Path

import pytest

from corpus_agent.agent.answerer import ModelAnswerer
from corpus_agent.answering.decision import OF_ALL
from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.service import session
from corpus_agent.settings import Settings
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


SAID = {
    "en": ("The rent is due on the first day of each month, and the deposit is two rents.", False),
    "de": ("Die Miete ist am ersten Tag jedes Monats fällig, die Kaution sind zwei Mieten.", True),
}


def test_what_the_named_model_does_not_read_is_said_before_the_first_run(tmp_path, capsys):
    for name, (text, said) in SAID.items():
        root = tmp_path / name
        root.mkdir()
        (root / "lease.md").write_text(f"{text}\n" * 9)
        settings = Settings(model=Path("minilm"), root=root)
        session.encoder_to_index(settings, root / ".corpus-agent")
        assert bool(capsys.readouterr().err) is said, name
