"""The Python interface: real stores and models, in processes of their own where it counts."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args, get_type_hints, is_typeddict

import pytest

from corpus_agent.answering import receipt
from corpus_agent.render import json_types
from tests.support.command import Cli
from tests.support.places import REPOSITORY, SAMPLE

HEAVY = ("numpy", "lancedb", "pyarrow", "torch", "sentence_transformers", "tokenizers", "openai",
         "pydantic_ai", "pypdf", "click", "rich", "watchfiles")  # fmt: skip


def run(code: str, cwd: Path, *arguments: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )


def outcome(code: str, cwd: Path, *arguments: object) -> Any:
    """What the code prints as JSON on its last line."""
    done = run(code, cwd, *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_importing_it_loads_nothing_heavy_and_changes_nothing(tmp_path):
    code = """
import json, os, signal, sys, threading
before = dict(os.environ), [signal.getsignal(s) for s in signal.valid_signals()], os.listdir(".")
from corpus_agent import Corpus, CorpusError
after = dict(os.environ), [signal.getsignal(s) for s in signal.valid_signals()], os.listdir(".")
print(json.dumps([sorted(sys.modules), before == after, threading.active_count()]))
"""
    modules, same, threads = outcome(code, tmp_path)
    assert set(HEAVY) & set(modules) == set()
    assert (same, threads) == (True, 1)
    control = outcome("import json, sys, numpy; print(json.dumps(sorted(sys.modules)))", tmp_path)
    assert "numpy" in control


def test_the_public_names_are_those_of_all():
    import corpus_agent

    assert [name for name in corpus_agent.__all__ if not hasattr(corpus_agent, name)] == []
    with pytest.raises(AttributeError, match="no attribute 'Corpora'"):
        corpus_agent.Corpora  # noqa: B018


@pytest.mark.slow
def test_the_examples_of_the_page_print_what_the_page_says(tmp_path):
    page = (REPOSITORY / "docs/python.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == page.count("```python") == 3
    for code, expected in blocks:
        done = run(code, tmp_path)
        assert (done.returncode, done.stdout) == (
            0,
            expected.replace("'nowhere", f"'{tmp_path}/nowhere"),
        ), done.stderr


# -- results


def keys(kind: Any) -> dict[str, Any]:
    """The declared keys of a typed dictionary, with those of the ones inside it."""
    return {name: _inside(hint) for name, hint in get_type_hints(kind).items()}


def _inside(hint: Any) -> Any:
    inner = get_args(hint)[0] if get_args(hint) and is_typeddict(get_args(hint)[0]) else hint
    return keys(inner) if is_typeddict(inner) else None


def differences(declared: dict[str, Any], found: Any) -> set[str]:
    """Keys that are declared and not there, or there and not declared."""
    first = found[0] if isinstance(found, list) and found else found
    if not isinstance(first, dict):
        return set()
    wrong = declared.keys() ^ first.keys()
    for name in declared.keys() & first.keys():
        if declared[name] is not None:
            wrong |= {f"{name}.{key}" for key in differences(declared[name], first[name])}
    return wrong


@pytest.mark.slow
def test_results_are_what_the_command_prints_and_have_the_declared_keys(sample_store, cli: Cli):
    from corpus_agent import Corpus

    question = "How long can the sourdough starter stay in the fridge without being fed?"
    log = sample_store / receipt.LOG_NAME
    before = len(receipt.load(log)) if log.exists() else 0
    with Corpus.open(sample_store) as corpus:
        made = {
            "search": corpus.search("sourdough", k=2),
            "read": corpus.read("kitchen/sourdough.md", offset=2, limit=3),
            "ask": corpus.ask(question),
            "status": corpus.status(),
            "table": corpus.table("rent", "due date", path="home"),
        }
        indexed = corpus.index(SAMPLE, ocr="off")
    assert [one["question"] for one in receipt.load(log)[before:]] == [question]
    printed = {
        "search": cli("--store", sample_store, "search", "sourdough", "-k", 2, "--json"),
        "read": cli("--store", sample_store, "read", "kitchen/sourdough.md:2:3", "--json"),
        "ask": cli("--store", sample_store, "ask", question, "--llm", "none", "--json"),
        "status": cli("--store", sample_store, "status", "--json"),
        "table": cli(
            "--store", sample_store, "table", "rent", "due date", "--path", "home", "--json"
        ),
    }
    kinds = {
        "search": json_types.SearchResult,
        "read": json_types.ReadResult,
        "ask": json_types.AnswerResult,
        "status": json_types.StatusResult,
        "table": json_types.TableResult,
    }
    for name, content in made.items():
        shown = {**json.loads(printed[name].stdout), "seal": "off"}
        # An answer goes into the log of receipts, so that the store grows between the two.
        varies = {key: content[key] for key in ("bytes", "disk") if key in content}
        assert content == {**shown, **varies}
        assert differences(keys(kinds[name]), content) == set()
    assert differences(keys(json_types.IndexResult), indexed) == set()


def test_a_key_that_is_not_declared_is_a_difference():
    content = {"source": "a", "reason": None, "detail": None}
    assert differences(keys(json_types.Problem), content) == set()
    assert differences(keys(json_types.Problem), {**content, "new": 1}) == {"new"}
    assert differences({"failed": keys(json_types.Problem)}, {"failed": [{"source": "a"}]}) == {
        "failed.reason",
        "failed.detail",
    }


# -- life of an object


@pytest.mark.slow
def test_each_call_sees_the_newest_version_and_a_name_as_it_is_shown(tmp_path):
    from corpus_agent import Corpus, CorpusError

    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.txt").write_text("The boiler makes 1.4 bar.\n")
    with Corpus.open(tmp_path / "store") as corpus, Corpus.open(tmp_path / "store") as other:
        with pytest.raises(CorpusError, match="is a new index"):
            corpus.index()
        assert corpus.index(tmp_path / "docs")["added"] == 1
        assert [hit["source"] for hit in other.search("boiler")["results"]] == ["a.txt"]
        (tmp_path / "docs/line\nbreak.txt").write_text("The bread bakes.\n")
        assert other.index()["added"] == 1
        shown = corpus.search("bread")["results"][0]["source"]
        assert re.fullmatch(r"line break\.txt~[0-9a-f]{6}", shown)  # cleaned, and marked as that
        assert corpus.read(shown)["lines"] == ["The bread bakes."]
        assert corpus.status()["version"] == 2


@pytest.mark.slow
def test_an_interrupt_is_raised_again_and_its_work_is_kept(tmp_path):
    from corpus_agent import Corpus

    (tmp_path / "docs").mkdir()
    for number in range(5):
        (tmp_path / f"docs/{number}.txt").write_text(f"Note {number}.\n")

    def stop(step: Any) -> None:
        if step.files == 3:
            raise KeyboardInterrupt

    with Corpus.open(tmp_path / "store") as corpus:
        with pytest.raises(KeyboardInterrupt):
            corpus.index(tmp_path / "docs", on_progress=stop)
        assert corpus.status()["complete"] is False
        corpus.index()
        assert corpus.status()["files"]["indexed"] == 5


@pytest.mark.slow
def test_a_model_answers_through_the_broker_and_the_broker_ends_with_the_object(sample_store):
    from tests.support.fakes import ScriptedModelServer, says

    quote = '[kitchen/sourdough.md:15] "12 days"'
    with ScriptedModelServer([says(f"Twelve days {quote}.")]) as server:
        code = """
import json, os, sys
from corpus_agent import Corpus
with Corpus.open(sys.argv[1], llm=sys.argv[2], seal=sys.argv[3] == "sealed") as corpus:
    answer = corpus.ask("How long?")
try:
    os.waitpid(-1, os.WNOHANG)
    children = True
except ChildProcessError:
    children = False
print(json.dumps([answer["answerer"], answer["seal"], children]))
"""
        url = server.server.base_url
        assert outcome(code, REPOSITORY, sample_store, url, "sealed") == [
            "toy-model", "enforced", False
        ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "added"),
    [
        ("How long can the sourdough starter stay in the fridge without being fed?", True),
        ("What is the Wi-Fi password?", False),  # the control: the documents say nothing either
    ],
)
def test_below_an_answer_that_nothing_supports_stand_the_passages(sample_store, question, added):
    from tests.support.fakes import ScriptedModelServer, says

    code = """
import json, sys
from corpus_agent import Corpus
with Corpus.open(sys.argv[1], llm=sys.argv[2]) as corpus:
    print(json.dumps(corpus.ask(sys.argv[3])))
"""
    with ScriptedModelServer([says("Surely for 47 weeks.")]) as server:
        answer = outcome(code, REPOSITORY, sample_store, server.server.base_url, question)
    text, _, passages = answer["answer"].partition("\n\n")
    assert text == "Surely for 47 weeks [unsupported]."
    assert answer["unsupported"] == ["Surely for 47 weeks."]
    assert answer["status"] == ("closest" if added else "partial")
    assert ("up to 12 days without feeding. [1]" in passages) == added
    assert bool(answer["citations"]) == added
    assert any("added without the model" in notice for notice in answer["notices"]) == added


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
    assert outcome(code, tmp_path, tmp_path / "store") == ["SealUnavailable", 3]
