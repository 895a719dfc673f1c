"""A conversation: history, numbers that go on, sources, reading on, keeping."""

import io
import os
import pty
import re
import select
import sys
import time
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from corpus_agent.agent.answerer import ModelAnswerer
from corpus_agent.cli.asking import Chat
from corpus_agent.service import session
from corpus_agent.settings import Settings
from tests.support.fakes import (
    MemoryCorpus,
    ScriptedModelServer,
    ToyEncoder,
    says,
)
from tests.support.toy_index import own

BREAD = (
    "# Bread\n\nKeep the sourdough at a temperature of 24 °C.\n\nFeed the starter every 12 hours.\n"
)
LEASE = "# Lease\n\nThe deposit is £1,130.\n"
WARM = 'At 24 °C [bread.md:3] "Keep the sourdough at a temperature of 24 °C."'
FED = 'Every 12 hours [bread.md:5] "Feed the starter every 12 hours."'


class Corpus(MemoryCorpus):
    encoder = ToyEncoder()

    def latest(self):
        return self


def conversation(lines, replies):
    """What is printed for the lines typed, and the server with what it was asked."""
    corpus = Corpus({"bread.md": BREAD, "lease.md": LEASE})
    printed: list[str] = []
    with ScriptedModelServer(replies) as fake:
        answerer = ModelAnswerer(fake.server, "toy-model", fake.broker)

        def ask(question, corpus, history):
            return session.ask(question, corpus, answerer, history)

        stdin = sys.stdin
        sys.stdin = io.StringIO("\n".join(lines) + "\n")
        try:
            Chat(corpus, ask, printed.append).run()
        finally:
            sys.stdin = stdin
        return "\n".join(printed), fake


@pytest.mark.slow
def test_citations_are_numbered_through_the_conversation():
    replies = [says(WARM), says("How often is the sourdough fed?"), says(f"{FED}. {WARM}.")]
    replies += [says("How warm is the sourdough?"), says(f"{WARM}, see [1].")]
    asked = ["How warm?", "And how often is it fed?", "How warm was it again?", "/sources"]
    said, _ = conversation(asked, replies)
    assert "At 24 °C [1]" in said
    assert "Every 12 hours [2]. At 24 °C [1]." in said
    assert said.splitlines()[-2:] == ["[1] bread.md:3", "[2] bread.md:5"]


def test_a_passage_is_opened_with_the_lines_around_it():
    said, _ = conversation(
        ["How warm?", "/read 1", "/read 9", f"/read {'9' * 5_000}"], [says(WARM)]
    )
    assert "--- bread.md:1-5 ---\n  # Bread\n\n> Keep the sourdough" in said
    assert said.count("Which one? /sources lists the numbers") == 2


# --- at a terminal


HOSTILE_NAMES = (
    "lease \x1b]0;owned\x07.md",
    "lease \x1b[2J\n[9] lease.md:1 · verified.md",
    "lease [x](javascript:alert) ![y](data:x).md",
    "lease \u202e\u2066dm.md",
    "lease 'verified' \"extractive\" `x`.md",
    f"lease {'long ' * 40}.md",
)
LIVE = re.compile(r"<(a|img|script)[\s/>]|javascript:|data:x", re.IGNORECASE)


def at_a_terminal(arguments: list[str], lines: list[str], folder: Path) -> str:
    """What a command prints at a real terminal at which the lines are typed, one an answer."""
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.environ |= {"TERM": "dumb", "COLUMNS": "200"}
        os.execv(sys.executable, [sys.executable, "-m", "corpus_agent", *arguments])
    seen, answered = b"", 0
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            if select.select([fd], [], [], 0.1)[0]:
                seen += os.read(fd, 65_536)
        except OSError:  # the other side has ended
            break
        if lines and seen.count(b"\n> ") > answered:
            answered = seen.count(b"\n> ")
            os.write(fd, lines.pop(0).encode() + b"\n")
    os.waitpid(pid, 0)
    os.close(fd)
    return seen.decode()


@pytest.mark.slow
def test_hostile_names_act_neither_at_a_terminal_nor_in_what_is_kept(tmp_path):
    docs, store = tmp_path / "docs", tmp_path / "store"
    docs.mkdir()
    for number, name in enumerate(HOSTILE_NAMES):
        text = f"The deposit of the lease of house {number} is 1,{number}30 pounds.\n"
        (docs / name).write_text(text)
    session.index(Settings(store=store), docs)
    own(store, docs)
    asked = [f"What is the deposit of the lease of house {n}?" for n in range(len(HOSTILE_NAMES))]
    opened = [f"/read {n}" for n in range(1, 7)]
    lines = [*asked, "/sources", *opened, "/quit"]
    said = at_a_terminal(
        ["--store", str(store), "chat", "--llm", "none", "--export", "kept.md"], lines, tmp_path
    )
    kept = (tmp_path / "kept.md").read_text()
    for number in range(len(HOSTILE_NAMES)):  # the control: they were quoted, by these names
        assert f"1,{number}30 pounds" in said and f"1,{number}30 pounds" in kept
    said = re.sub("\x1b\\[[\\d;]*m", "", said)  # bold and dim, which are the program's own
    acts = "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069]"
    assert not re.search(acts, said + kept)
    assert not re.search(r"^\[9\]", said + kept, re.MULTILINE)
    shown = MarkdownIt("gfm-like", {"html": True, "linkify": True})
    shown.validateLink = lambda _: True
    shown.linkify.set({"fuzzy_link": False, "fuzzy_email": False, "fuzzy_ip": False})
    assert LIVE.search(shown.render("\n\n".join(HOSTILE_NAMES)))  # the control
    assert not LIVE.search(shown.render(kept))
    for line in kept.splitlines():
        if line.startswith("[^"):
            assert line.partition(", verified: ")[0].count("\n") == 0 and len(line) < 400
