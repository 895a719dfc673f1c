"""A conversation: history, numbers that go on, sources, reading on, keeping."""

import io
import re
import sys

import pytest

from corpus_agent.agent.answerer import ModelAnswerer
from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.cli.asking import Chat
from corpus_agent.render import export_markdown
from corpus_agent.service import session
from tests.attacks.injection import leaks
from tests.support.fakes import MemoryCorpus, ScriptedModelServer, says

BREAD = (
    "# Bread\n\nKeep the sourdough at a temperature of 24 °C.\n\nFeed the starter every 12 hours.\n"
)
LEASE = "# Lease\n\nThe deposit is £1,130.\n"
WARM = 'At 24 °C [bread.md:3] "Keep the sourdough at a temperature of 24 °C."'
FED = 'Every 12 hours [bread.md:5] "Feed the starter every 12 hours."'


class Corpus(MemoryCorpus):
    def latest(self):
        return self


def talked(lines, corpus, answerer):
    """What is printed for the lines typed, and the conversation."""
    printed: list[str] = []

    def ask(question, corpus, history):
        return session.ask(question, corpus, answerer, history)

    stdin, sys.stdin = sys.stdin, io.StringIO("\n".join(lines) + "\n")
    try:
        talk = Chat(corpus, ask, printed.append)
        talk.run()
    finally:
        sys.stdin = stdin
    return "\n".join(printed), talk


def conversation(lines, replies):
    """What is printed where a model gives these replies."""
    with ScriptedModelServer(replies) as fake:
        answerer = ModelAnswerer(fake.server, "toy-model", fake.broker)
        return talked(lines, Corpus({"bread.md": BREAD, "lease.md": LEASE}), answerer)[0]


@pytest.mark.slow
def test_citations_are_numbered_through_the_conversation():
    replies = [says(WARM), says("How often is the sourdough fed?"), says(f"{FED}. {WARM}.")]
    replies += [says("How warm is the sourdough?"), says(f"{WARM}, see [1].")]
    asked = ["How warm?", "And how often is it fed?", "How warm was it again?", "/sources"]
    said = conversation(asked, replies)
    assert "At 24 °C [1]" in said
    assert "Every 12 hours [2]. At 24 °C [1]." in said
    assert said.splitlines()[-2:] == ["[1] bread.md:3 · Bread", "[2] bread.md:5 · Bread"]


HOSTILE_NAMES = (
    "lease \x1b]0;owned\x07.md",
    "lease \x1b[2J\n[9] lease.md:1 · verified.md",
    "lease [x](javascript:alert) ![y](data:x).md",
    "lease \u202e\u2066dm.md",
    "lease 'verified' \"extractive\" `x`.md",
    f"lease {'long ' * 40}.md",
)


def test_hostile_names_act_neither_at_a_terminal_nor_in_what_is_kept():
    texts = {
        name: f"The deposit of the lease of house {number} is 1,{number}30 pounds.\n"
        for number, name in enumerate(HOSTILE_NAMES)
    }
    corpus = Corpus(texts)
    asked = [f"What is the deposit of the lease of house {n}?" for n in range(len(texts))]
    answerer = ExtractiveAnswerer(corpus.encoder)
    said, talk = talked([*asked, "/sources"], corpus, answerer)
    kept = export_markdown([turn.answer for turn in talk.turns])
    for number in range(len(texts)):  # the control: they were quoted, by these names
        assert f"1,{number}30 pounds" in said and f"1,{number}30 pounds" in kept
    assert leaks.acting(said + kept) == []
    assert not re.search(r"^\[9\]", said + kept, re.MULTILINE)
    assert leaks.live_markup(HOSTILE_NAMES[2])  # the control
    assert leaks.live_markup(kept) == []
