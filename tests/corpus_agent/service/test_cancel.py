"""A token that cancels what waits for a model."""

import time
from threading import Thread

import pytest

from corpus_agent.agent.answerer import ModelAnswerer
from corpus_agent.answering.records import Answer, Turn
from corpus_agent.service.process import Cancel, Cancelled
from tests.support.fakes import MemoryCorpus, ScriptedModelServer, says
from tests.support.processes import until


@pytest.mark.parametrize("followed", [True, False])
def test_a_wait_for_the_model_ends_in_a_follow_up_too(followed):
    corpus = MemoryCorpus({"lease.md": "The rent is 900 euro.\n"})
    answer = Answer("The rent?", "It is 900 euro.", "answered", "toy", (), corpus.coverage(), 1)
    history = [Turn("How much is the rent?", answer)] if followed else []
    cancel = Cancel()
    with ScriptedModelServer([says("late", delay=90)] * 4) as fake:
        answerer = ModelAnswerer(fake.server, "toy-model", fake.broker, on_wait=cancel.check)
        Thread(target=lambda: until(lambda: fake.requests) and cancel.set()).start()
        began = time.monotonic()
        with pytest.raises(Cancelled):
            answerer.answer("And why is it?", corpus, history)
        assert time.monotonic() - began < 60
