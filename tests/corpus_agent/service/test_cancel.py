"""A token that cancels what waits for a model."""

import json
import time
from threading import Thread

import pytest

from corpus_agent.agent.answerer import ModelAnswerer
from corpus_agent.answering.records import Answer, Turn
from corpus_agent.service.cancel import Cancel, Cancelled
from corpus_agent.web.conversations import AT_ONCE
from tests.support.fakes import MemoryCorpus, ScriptedModelServer, says, stalls
from tests.support.processes import until
from tests.support.web_server import WebServer


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


def is_open(server: WebServer, path: str) -> bool:
    return bool(json.loads(server.get(f"{path}/progress").text)["open"])


@pytest.mark.nightly
@pytest.mark.slow
def test_a_question_of_the_pages_that_waits_for_its_turn_is_stopped(sample_store):
    with (
        ScriptedModelServer([stalls("The rent is due. ", 12)] * 40) as model,
        WebServer(sample_store, "--llm", model.server.base_url) as server,
    ):
        server.enter()
        paths = []
        for _ in range(AT_ONCE + 1):
            reply = server.post("/ask", question="On which day of the month is the rent due?")
            paths.append(reply.headers["location"].removeprefix(server.base).partition("#")[0])
        assert until(lambda: len(model.requests) >= AT_ONCE)
        server.post(f"{paths[-1]}/stop")
        assert until(lambda: not is_open(server, paths[-1]), 4)
        assert is_open(server, paths[0])  # the control: it still waits for the model
