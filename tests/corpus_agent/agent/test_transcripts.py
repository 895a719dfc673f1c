"""Every way a model and its server misbehave: the real loop, real HTTP, through a real broker.

Each scenario ends in an answer or a clear error within its budget, and what was said on the way is
a snapshot. UPDATE_SNAPSHOTS=1 writes them anew.
"""

import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from corpus_agent import render
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
    drops,
    fails,
    raw,
    says,
    stalls,
)
from tests.support.places import SNAPSHOTS

TRANSCRIPTS = SNAPSHOTS / "transcripts"
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
PROPS = {"default_generation_settings": {"n_ctx": 1400}}
NO_TOOLS = {**PROPS, "chat_template_caps": {"supports_tools": False}}

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
    "calls in tags": Scenario(
        [
            says(f"<tool_call>\n{written('vectordb_read', source='notes/bread.md')}\n</tool_call>"),
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
    "endless calls as text": Scenario(
        [says(f"<tool_call>{written('vectordb_search', query=f'starter x{n}')}") for n in range(20)]
    ),
    "an invented result": Scenario(
        [
            says("I search.\n<tool_response>\n1. x.md says 99 °C\n</tool_response>\nAt 99 °C."),
            says("yes"),
            says(GOOD),
        ]
    ),
    "a reply that plays the user too": Scenario([says(f"{GOOD}.\nUser: and for how long?\n")]),
    "empty replies": Scenario([says(""), says("  \n"), says(GOOD)]),
    "nothing but empty replies": Scenario([says("")] * 20),
    "thoughts without end": Scenario([says("<think>" + "Hm. " * 50), says(GOOD)]),
    "a model that repeats itself": Scenario([says("The bread is warm and the oven. " * 200)]),
    "quotations that fail, repaired": Scenario(
        [says('At 99 °C [notes/bread.md:3] "Keep the sourdough at 99 °C."'), says(GOOD)]
    ),
    "quotations that fail, not repaired": Scenario(
        [says(f'{GOOD}. For nine years [oven.md:3] "Keep it for nine years."')] * 2
    ),
    "no tools at the server": Scenario(
        [
            fails(400, "registry.ollama.ai/library/toy does not support tools"),
            says(f"<tool_call>{written('vectordb_search', query='starter')}</tool_call>"),
            says(GOOD),
        ]
    ),
    "no tools in the template": Scenario(
        [says(GOOD)], pages={"GET /props": raw(json.dumps(NO_TOOLS).encode())}
    ),
    "too long for the server": Scenario(
        [
            calls(search("oven heat hot get")),
            fails(400, "the request exceeds the available context size"),
            says(GOOD),
        ]
    ),
    "a small window": Scenario(
        [
            calls(("vectordb_read", {"source": "oven.md"})),
            calls(("vectordb_read", {"source": "oven.md", "offset": 100})),
            says(GOOD),
        ],
        pages={"GET /props": raw(json.dumps(PROPS).encode())},
    ),
    "out of memory": Scenario([fails(500, "out of memory")], answerer="extractive"),
    "overloaded in the middle": Scenario(
        [calls(search("bread")), fails(503, "Loading model")], answerer="extractive"
    ),
    "the connection drops": Scenario([drops()], answerer="extractive"),
    "the connection drops in the middle": Scenario(
        [breaks_off("At 24 °C, as the notes on bread say.")], answerer="extractive"
    ),
    "a stall before the reply": Scenario(
        [says(GOOD, delay=30)], limits=IMPATIENT, answerer="extractive"
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
    "nonsense in a stream": Scenario(
        [raw(b"data: {oh no\n\n", "text/event-stream")], answerer="extractive"
    ),
}


@contextmanager
def brokered(fake: ScriptedModelServer) -> Iterator[object]:
    """Makes clients whose every request goes through a broker for this server."""
    from corpus_agent.models.http import http_client

    models = frozenset(["toy-model"])
    gate = Gate(fake.server.address, models, frozenset([os.geteuid()]))
    with broker_for(gate) as broker:
        yield lambda: http_client(broker)


def played(scenario: Scenario):
    """The answer, the server with what it was asked, what was shown, and the seconds it took."""
    events: list[str] = []
    with ScriptedModelServer(scenario.replies, pages=scenario.pages) as fake, brokered(fake) as to:
        own = ExtractiveAnswerer(CORPUS.encoder)
        answerer = ModelAnswerer(fake.server, "toy-model", scenario.limits, make_client=to, own=own)
        started = time.monotonic()
        answer = session.ask(QUESTION, CORPUS, answerer, on_event=events.append)
        return answer, fake, events, time.monotonic() - started


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_ends_in_an_answer_within_its_budget(name):
    scenario = SCENARIOS[name]
    answer, fake, events, seconds = played(scenario)
    assert answer.text
    assert answer.answerer == scenario.answerer
    assert all(citation.verdict in ("verified", "moved") for citation in answer.citations)
    assert "99" not in answer.text
    if scenario.answerer == "extractive":
        assert answer.notices[0].endswith("Answered without a model.")
    assert len(fake.requests) <= scenario.limits.steps + 2
    assert seconds < scenario.seconds
    snapshot(name, transcript(fake, events, render.answer_lines(answer)))


def transcript(fake: ScriptedModelServer, events, lines) -> str:
    """What was asked and said, each message once, then what a person saw."""
    parts = []
    seen: list[dict] = []
    for number, request in enumerate(fake.requests, start=1):
        kind = "tools offered" if request.get("tools") else "no tools"
        choice = request.get("tool_choice", "-")
        parts.append(f"##### request {number}: {kind}, choice {choice}")
        messages = request["messages"]
        common = 0
        while common < min(len(seen), len(messages)) and seen[common] == messages[common]:
            common += 1
        if common < len(seen):
            parts.append(f"(differs from message {common + 1} on)")
        parts += [_message(message) for message in messages[common:]]
        seen = messages
        if number <= len(fake.replies):
            parts.append(_reply(fake.replies[number - 1]))
    parts += ["##### events", *events, "##### answer", *lines]
    text = "\n".join(parts) + "\n"
    text = re.sub(r"doc [0-9a-f]{6}>>", "doc nonce>>", text)
    return re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:PORT", text)


def _message(message: dict) -> str:
    content = message.get("content") or ""
    made = [
        f"{call['function']['name']} {call['function']['arguments']}"
        for call in message.get("tool_calls", ())
    ]
    if message["role"] == "system":
        content = content[:60] + "…"
    if len(content) > 700:
        content = f"{content[:500]}\n… ({len(content)} characters) …\n{content[-120:]}"
    return "\n".join([f"--- {message['role']}", *([content] if content else []), *made])


def _reply(reply: Reply) -> str:
    if reply.status != 200:
        return f">>> HTTP {reply.status} {reply.body.decode()}"
    if reply.drop:
        return ">>> (connection closed)"
    if reply.body is not None:
        return f">>> {reply.body!r}"
    how = [f"after {reply.delay:g} s"] * bool(reply.delay)
    how += [f"stalls for {reply.pause:g} s"] * bool(reply.pause) + ["breaks off"] * reply.breaks
    content = reply.content if len(reply.content) < 400 else f"{reply.content[:200]}…"
    said = [f">>> {' '.join(how)}".rstrip(), *([content] if content else [])]
    return "\n".join([*said, *(f"{name} {text}" for name, text in reply.calls)])


def snapshot(name: str, text: str) -> None:
    path = TRANSCRIPTS / f"{name.replace(' ', '-').replace(',', '')}.txt"
    if os.environ.get("UPDATE_SNAPSHOTS") == "1":
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


def test_every_snapshot_belongs_to_a_scenario():
    names = {f"{name.replace(' ', '-').replace(',', '')}.txt" for name in SCENARIOS}
    assert {path.name for path in TRANSCRIPTS.iterdir()} == names
