"""The Python interface: real stores and models, in processes of their own where it counts."""

import json
import re
from pathlib import Path

import pytest

from corpus_agent.answering import receipt
from tests.support.command import Cli
from tests.support.places import REPOSITORY, SAMPLE
from tests.support.sealed_child import run


def test_the_public_names_are_those_of_all():
    import corpus_agent

    assert [name for name in corpus_agent.__all__ if not hasattr(corpus_agent, name)] == []
    with pytest.raises(AttributeError, match="no attribute 'Corpora'"):
        corpus_agent.Corpora  # noqa: B018


@pytest.mark.slow
def test_the_examples_of_the_page_print_what_the_page_says(tmp_path):
    page = (REPOSITORY / "docs/python.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == page.count("```python") == 5
    for code, expected in blocks:
        done = run(code, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (
            0,
            expected.replace("'nowhere", f"'{tmp_path}/nowhere"),
        ), done.stderr


@pytest.mark.slow
def test_results_are_what_the_command_prints(sample_store, cli: Cli, tmp_path):
    from corpus_agent import Corpus

    question = "How long can the sourdough starter stay in the fridge without being fed?"
    log = sample_store / receipt.LOG_NAME
    kept = tmp_path / "kept.jsonl"  # as it is now: the command that asks adds to it
    before = len(receipt.load(log)) if log.exists() else 0
    with Corpus.open(sample_store) as corpus:
        made = {
            "search": corpus.search("sourdough", k=2),
            "read": corpus.read("kitchen/sourdough.md", offset=2, limit=3),
            "ask": corpus.ask(question),
            "status": corpus.status(),
            "table": corpus.table("rent", "due date", path="home"),
            "files": corpus.files(status=["empty", "failed"]),
            "list": corpus.list("notes due after 2020", path="home"),
            "timeline": corpus.timeline(path="home"),
        }
        kept.write_bytes(log.read_bytes())
        made["check"] = corpus.check_receipts(kept)
        indexed = corpus.index(SAMPLE, ocr="off")
    assert [one["question"] for one in receipt.load(log)[before:]] == [question]
    commands = {
        "search": ("search", "sourdough", "-k", 2),
        "read": ("read", "kitchen/sourdough.md:2:3"),
        "ask": ("ask", question, "--llm", "none"),
        "status": ("status",),
        "table": ("table", "rent", "due date", "--path", "home"),
        "files": ("files", "--status", "empty,failed"),
        "list": ("list", "notes due after 2020", "--path", "home"),
        "timeline": ("timeline", "--path", "home"),
        "check": ("check", kept),
    }
    for name, content in made.items():
        printed = cli("--store", sample_store, *commands[name], "--json")
        shown = json.loads(printed.stdout)
        shown |= {"seal": "off"} if "seal" in shown else {}
        # An answer goes into the log of receipts, so that the store grows between the two.
        varies = {key: content[key] for key in ("bytes", "disk") if key in content}
        assert content == {**shown, **varies}
    assert indexed["unchanged"] > 0


@pytest.mark.slow
def test_a_process_with_other_threads_is_not_sealed_and_says_so(tmp_path):
    code = """
import json, sys, threading
from corpus_agent import Corpus, CorpusError
threading.Thread(target=threading.Event().wait, daemon=True).start()
try:
    Corpus.open(sys.argv[1], seal=True)
except CorpusError as error:
    print(json.dumps([type(error).__name__, error.exit_code]))
"""
    from tests.support.toy_index import ENCODER, sync

    (tmp_path / "docs").mkdir()
    sync(tmp_path / "docs", tmp_path / "store", ENCODER)
    done = run(code, tmp_path / "store")
    assert json.loads(done.stdout) == ["SealUnavailable", 3], done.stderr


def bread(folder: Path) -> Path:
    """A folder with one document, and where its index is to be."""
    (folder / "notes").mkdir()
    (folder / "notes/bread.md").write_text("# Bread\n\nThe dough rests for 45 minutes.\n")
    return folder / "notes/.corpus-agent"


@pytest.mark.slow
def test_coroutines_wait_for_each_other_and_not_the_event_loop(tmp_path):
    import asyncio

    from corpus_agent import AsyncCorpus, CorpusError

    beats = 0

    async def beat() -> None:
        nonlocal beats
        while True:
            await asyncio.sleep(0.001)
            beats += 1

    async def use() -> None:
        heart = asyncio.create_task(beat())
        async with AsyncCorpus.open(bread(tmp_path)) as corpus:
            indexed, found, answer = await asyncio.gather(
                corpus.index(tmp_path / "notes"),
                corpus.search("dough"),
                corpus.ask("How long does the dough rest?"),
            )
            assert indexed["added"] == 1
            assert found["results"][0]["source"] == "bread.md"
            assert answer["passages"][0]["citation"]["quote"] == "The dough rests for 45 minutes."
            assert (await corpus.check_receipts())["check"]["holds"]
        with pytest.raises(CorpusError, match=r"This corpus is closed"):
            await corpus.status()
        heart.cancel()

    asyncio.run(use())
    assert beats > 20  # the control: a call within the loop lets none through


def test_each_method_of_a_corpus_has_its_coroutine():
    from corpus_agent import AsyncCorpus, Corpus

    def methods(kind: type) -> set[str]:
        return {name for name in dir(kind) if not name.startswith("_")}

    # To watch is to wait for ever, which is a task of its own; the others are not calls.
    assert methods(Corpus) - methods(AsyncCorpus) == {"closed", "watch"}
    page = (REPOSITORY / "docs/python.md").read_text()
    table = "".join(line.split(" | ")[0] for line in page.splitlines() if line.startswith("| `"))
    named = set(re.findall(r"`(?:Corpus\.)?(\w+)\(", table))
    assert named == methods(Corpus) - {"closed", "close"}
