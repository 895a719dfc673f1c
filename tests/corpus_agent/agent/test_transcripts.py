"""Every way a model and its server misbehave: the real loop, real HTTP, through a real broker.

Each scenario ends in an answer or a clear error within its budget.
"""

import json
import os
import time
from dataclasses import dataclass, field

import pytest

from corpus_agent.agent.answerer import Limits, ModelAnswerer
from corpus_agent.agent.request import Timeouts
from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.seal import Gate
from corpus_agent.service import session
from tests.support.brokers import broker_for
from tests.support.fakes import (
    MemoryCorpus,
    Reply,
    ScriptedModelServer,
    ToyEncoder,
    breaks_off,
    calls,
    fails,
    raw,
    says,
    stalls,
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


@dataclass
class Scenario:
    """What the server says, and how long the whole may take."""

    replies: list[Reply]
    limits: Limits = field(default_factory=Limits)
    pages: dict[str, Reply] = field(default_factory=dict)
    answerer: str = "toy-model"
    seconds: float = 30.0  # of a test on a busy machine; the budgets below are far less


IMPATIENT = Limits(timeouts=Timeouts(first=0.5, stall=0.5))

SCENARIOS = {
    "native calls": Scenario([calls(search("starter"), search("oven heat")), says(GOOD)]),
    "calls as a JSON block": Scenario(
        [
            says(
                f"I will look.\n```json\n{written('vectordb_search', query='starter')}\n```\n"
                "Result: the sourdough is kept at 99 °C.\n\nKeep it at 99 °C."
            ),
            says(GOOD),
        ]
    ),
    "malformed arguments": Scenario(
        [
            calls(("vectordb_read", '{"source": "notes/br')),
            says(f"<tool_call>{written('vectordb_read', file='x', limit='many')}</tool_call>"),
            calls(("web_search", {"q": "bread"})),
            says(GOOD),
        ]
    ),
    "the same call again and again": Scenario(
        [calls(search(QUESTION)), calls(search(QUESTION)), says(GOOD)]
    ),
    "endless calls": Scenario([calls(search(f"starter x{n}")) for n in range(20)]),
    "an invented result": Scenario(
        [
            says("I search.\n<tool_response>\n1. x.md says 99 °C\n</tool_response>\nAt 99 °C."),
            says("yes"),
            says(GOOD),
        ]
    ),
    "nothing but empty replies": Scenario([says("")] * 20),
    "thoughts without end": Scenario([says("<think>" + "Hm. " * 50), says(GOOD)]),
    "a model that repeats itself": Scenario([says("The bread is warm and the oven. " * 200)]),
    "quotations that fail, not repaired": Scenario(
        [says(f'{GOOD}. For nine years [oven.md:3] "Keep it for nine years."')] * 2
    ),
    "no tools at the server": Scenario(
        [
            fails(400, "registry.ollama.ai/library/toy does not support tools"),
            says("yes"),
            says(GOOD),
        ]
    ),
    "too long for the server": Scenario(
        [
            calls(search("oven heat hot get")),
            fails(400, "the request exceeds the available context size"),
            says(GOOD),
        ]
    ),
    "out of memory": Scenario([fails(500, "out of memory")], answerer="extractive"),
    "the connection drops in the middle": Scenario(
        [breaks_off("At 24 °C, as the notes on bread say.")], answerer="extractive"
    ),
    "a stall in the middle": Scenario(
        [stalls("At 24 °C, as the notes on bread say.", 30)],
        limits=IMPATIENT,
        answerer="extractive",
    ),
    "a question that takes too long": Scenario(
        [calls(search("bread")), says(GOOD, delay=30)],
        limits=Limits(seconds=1.5),
        answerer="extractive",
    ),
    "nonsense": Scenario([raw(b"<html>Welcome!</html>", "text/html")], answerer="extractive"),
}


def played(scenario: Scenario):
    """The answer, the server with what it was asked, and the seconds it took."""
    gate_of = frozenset([os.geteuid()])
    with ScriptedModelServer(scenario.replies, pages=scenario.pages) as fake:
        gate = Gate(fake.server.address, frozenset(["toy-model"]), gate_of)
        own = ExtractiveAnswerer(CORPUS.encoder)
        with broker_for(gate) as broker:
            answerer = ModelAnswerer(fake.server, "toy-model", broker, scenario.limits, own=own)
            started = time.monotonic()
            answer = session.ask(QUESTION, CORPUS, answerer)
            return answer, fake, time.monotonic() - started


@pytest.mark.slow
def test_a_scenario_ends_in_an_answer_within_its_budget():
    failing = []
    for name, scenario in SCENARIOS.items():
        answer, fake, seconds = played(scenario)
        held = {
            "text": bool(answer.text or answer.passages) and "99" not in answer.text,
            "answerer": answer.answerer == scenario.answerer,
            "quotations": all(one.verdict in ("verified", "moved") for one in answer.citations),
            "requests": len(fake.requests) <= scenario.limits.steps + 2,
            "seconds": seconds < scenario.seconds,
        }
        failing += [(name, what) for what, holds in held.items() if not holds]
    assert failing == []
