"""What others may import of the library, and errors that come from another process."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import indexer
from indexer.errors import MAX_SAID, CorpusError, IncompatibleStore, StoreLocked, error_said
from tests.support.places import REPOSITORY

ANSWERERS = ("tools", "answering", "agent", "text")
KNOWN_TO_ANSWERERS = ("errors", "records", "window", "embed", "files", "words")


def imported_by(path: Path) -> set[str]:
    """The names that a module takes from the library by its name."""
    tree = ast.parse(path.read_text("utf-8"))
    found = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module == "indexer"]
    return {alias.name for node in found for alias in node.names} - {"__version__"}


@pytest.mark.parametrize("name", [name for name in indexer.__all__ if name != "__version__"])
def test_a_public_name_is_found_where_the_table_says(name):
    found = getattr(indexer, name)
    whole = sys.modules.get(f"{indexer._MODULES[name]}.{name}")
    assert found is (whole or getattr(sys.modules[indexer._MODULES[name]], name))


def test_no_other_name_is_found():
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = indexer.Nothing


def test_importing_the_library_loads_none_of_it():
    code = "import indexer, sys; print([m for m in sys.modules if m.startswith('indexer.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("room", ANSWERERS)
def test_an_answerer_takes_records_and_protocols_and_no_store(room):
    for path in (REPOSITORY / "corpus_agent" / room).glob("*.py"):
        modules = {indexer._MODULES[name] for name in imported_by(path)}
        assert {module.split(".")[1] for module in modules} <= set(KNOWN_TO_ANSWERERS), path


def test_the_control_others_take_more():
    taken = imported_by(REPOSITORY / "corpus_agent/service/session.py")
    assert "indexer.index" in {indexer._MODULES[name] for name in taken}


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("StoreLocked", StoreLocked),
        ("IncompatibleStore", IncompatibleStore),
        ("KeyboardInterrupt", CorpusError),
        (None, CorpusError),
    ],
)
def test_an_error_of_another_process_is_of_its_kind_and_one_line(kind, expected):
    error = error_said(kind, "full\n disk", ["a"])
    assert type(error) is expected
    assert (error.message, error.hint) == ("full disk", "['a']")


@pytest.mark.parametrize("length", [MAX_SAID, MAX_SAID + 1])
def test_it_is_not_longer_than_what_is_shown(length):
    assert error_said("", "x" * length, "y" * length).message == "x" * MAX_SAID
