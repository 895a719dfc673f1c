"""Every way a model misbehaves: the real loop, real HTTP, through a real broker.

Each scenario ends in an answer within its budget. Servers: models/test_hostile_servers.py.
"""

import json
import os

import pytest

from corpus_agent.agent.answerer import ModelAnswerer
from corpus_agent.agent.conversation import MAX_STEPS
from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.seal import Gate
from corpus_agent.service import session
from tests.support.brokers import broker_for
from tests.support.fakes import (
    MemoryCorpus,
    ScriptedModelServer,
    ToyEncoder,
    calls,
    fails,
    says,
)

QUESTION = "What sourdough temperature?"
GOOD = 'At 24 °C [notes/bread.md:3] "Keep the sourdough at a temperature of 24 °C."'
LONG = "\n".join(f"Line {n} about ovens and how hot they get." for n in range(400))


class Corpus(MemoryCorpus):
    """Documents in memory, with the encoder that the extractive answerer needs."""

    encoder = ToyEncoder()


CORPUS = Corpus(
    {
        "notes/bread.md": "# Bread\n\nKeep the sourdough at a temperature of 24 °C.\n\nBake it.\n",
        "oven.md": f"# Oven\n\n{LONG}\n",
    },
    unreadable=1,
)


def search(query: str) -> tuple[str, dict[str, str]]:
    return "vectordb_search", {"query": query}


def written(name: str, **arguments: object) -> str:
    return json.dumps({"name": name, "arguments": arguments})


SCENARIOS = {
    "native calls": [calls(search("starter"), search("oven heat")), says(GOOD)],
    "calls as a JSON block": [
        says(
            f"I will look.\n```json\n{written('vectordb_search', query='starter')}\n```\n"
            "Result: the sourdough is kept at 99 °C.\n\nKeep it at 99 °C."
        ),
        says(GOOD),
    ],
    "malformed arguments": [
        calls(("vectordb_read", '{"source": "notes/br')),
        says(f"<tool_call>{written('vectordb_read', file='x', limit='many')}</tool_call>"),
        calls(("web_search", {"q": "bread"})),
        says(GOOD),
    ],
    "the same call again and again": [calls(search(QUESTION)), calls(search(QUESTION)), says(GOOD)],
    "endless calls": [calls(search(f"starter x{n}")) for n in range(20)],
    "an invented result": [
        says("I search.\n<tool_response>\n1. x.md says 99 °C\n</tool_response>\nAt 99 °C."),
        says("yes"),
        says(GOOD),
    ],
    "nothing but empty replies": [says("")] * 20,
    "thoughts without end": [says("<think>" + "Hm. " * 50), says(GOOD)],
    "a model that repeats itself": [says("The bread is warm and the oven. " * 200)],
    "quotations that fail, not repaired": [
        says(f'{GOOD}. For nine years [oven.md:3] "Keep it for nine years."')
    ]
    * 2,
    "no tools at the server": [
        fails(400, "registry.ollama.ai/library/toy does not support tools"),
        says("yes"),
        says(GOOD),
    ],
}


@pytest.mark.slow
def test_a_scenario_ends_in_an_answer_within_its_budget():
    failing = []
    for name, replies in SCENARIOS.items():
        with ScriptedModelServer(replies) as fake:
            gate = Gate(fake.server.address, frozenset(["toy-model"]), frozenset([os.geteuid()]))
            own = ExtractiveAnswerer(CORPUS.encoder)
            with broker_for(gate) as broker:
                answerer = ModelAnswerer(fake.server, "toy-model", broker, own=own)
                answer = session.ask(QUESTION, CORPUS, answerer)
        held = {
            "text": bool(answer.text or answer.passages) and "99" not in answer.text,
            "answerer": answer.answerer == "toy-model",
            "quotations": all(one.verdict in ("verified", "moved") for one in answer.citations),
            "requests": len(fake.requests) <= MAX_STEPS + 2,
        }
        failing += [(name, what) for what, holds in held.items() if not holds]
    assert failing == []
