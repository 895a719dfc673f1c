"""What is imported before the process is sealed, and before a command answers: time."""

import json

import pytest

from tests.support.sealed_child import run

LIBRARIES = (
    "torch", "transformers", "sentence_transformers", "pydantic_ai", "openai", "onnx",
    "google.protobuf", "lancedb.table", "pydantic", "pyarrow.dataset",
)  # fmt: skip
QUESTION = "How long can the sourdough starter stay in the fridge without being fed?"


def imported_by(store, *arguments: str, shows: str = "sourdough") -> set[str]:
    """The modules that the real command has imported when it ends, in a process of its own."""
    code = (
        "import atexit, json, os, sys\n"
        "atexit.register(lambda: os.write(2, json.dumps(sorted(sys.modules)).encode()))\n"
        "from corpus_agent.cli import main; main(sys.argv[1:])"
    )
    done = run(code, "--store", store, *arguments)
    assert done.returncode == 0, done.stderr
    assert shows in done.stdout
    return set(json.loads(done.stderr))


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [("search", "sourdough starter"), ("ask", QUESTION, "--llm", "none")]
)
def test_a_one_shot_command_imports_no_heavy_library(sample_store, command):
    modules = imported_by(sample_store, *command)
    assert {"onnxruntime", "lancedb._lancedb"} <= modules  # the control: it did search
    assert modules.isdisjoint((*LIBRARIES, "pyarrow.compute"))


@pytest.mark.slow
def test_help_and_status_import_no_more_than_they_use(sample_store):
    """Each of these would be a tenth of the time that they take, or more."""
    others = (
        "corpus_agent.models.discovery",
        "http.client",
        "indexer.extract",
        "numpy",
        *LIBRARIES,
    )
    for command, used, unused in (
        ("--help", "click", ("importlib.metadata",)),
        ("status", "indexer.store.manifest", ()),
    ):
        modules = imported_by(sample_store, command, shows="")
        assert used in modules  # the control
        assert modules.isdisjoint((*unused, *others))
