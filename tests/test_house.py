"""The house as a whole: its budget, names that mean one thing, the tests' tree.

The bounds are what is there today: they may be lowered, and never raised without a reason.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache

import pytest

from tests.support import cost, house
from tests.support.places import REPOSITORY, TESTS

PACKAGES = ("corpus_agent", "indexer")
MODULE_LINES, FUNCTION_LINES = 400, 60
_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def trees(package: str) -> dict[str, tuple[str, ast.Module]]:
    """The text and the syntax tree of each module of a package, by its path."""
    paths = sorted((REPOSITORY / package).rglob("*.py"))
    texts = {str(path.relative_to(REPOSITORY)): path.read_text("utf-8") for path in paths}
    return {name: (text, ast.parse(text)) for name, text in texts.items()}


def test_a_test_that_costs_much_is_marked_slow_or_fails():
    cost.hold(cost.TOO_MANY, slow=False)
    cost.hold(600.0, slow=True)
    with pytest.raises(pytest.fail.Exception, match="or mark it slow"):
        cost.hold(cost.TOO_MANY + 0.1, slow=False)
    assert [name for name in cost.LONG if not (REPOSITORY / name).is_file()] == []


def too_long(name: str, text: str, tree: ast.Module) -> Iterator[str]:
    """The module if it has too many lines, and each of its functions that does not fit a screen."""
    if (lines := text.count("\n")) > MODULE_LINES:
        yield f"{name}: {lines} lines"
    for node in ast.walk(tree):
        if isinstance(node, _FUNCTIONS) and node.end_lineno - node.lineno >= FUNCTION_LINES:
            yield f"{name}.{node.name}: {node.end_lineno - node.lineno + 1} lines"


@pytest.mark.slow  # the program is parsed
def test_a_module_is_read_in_one_sitting_and_a_function_on_one_screen():
    every = (module for package in PACKAGES for module in trees(package).items())
    assert [long for name, read in every for long in too_long(name, *read)] == []
    text = "def f():\n" + "    pass\n" * MODULE_LINES  # the control
    assert [*too_long("m", text, ast.parse(text))] == ["m: 401 lines", "m.f: 401 lines"]


def test_what_a_user_names_is_looked_at_where_that_cannot_raise():
    """Path.is_dir raises for a folder that may not be looked at; `paths.is_folder` does not."""
    paths = (REPOSITORY / "corpus_agent").rglob("*.py")
    assert [path for path in paths if re.search(r"\.is_dir\b", path.read_text("utf-8"))] == []


KNOWN = ("__init__.py", "conftest.py")
# Also in the code that a test runs in a process of its own, which is a text here.
LEANING = re.compile(r"(?:from|import) +tests\.(?:\w+\.)*(?:test_\w+|conftest)\b")


def test_the_tests_mirror_the_program_and_none_leans_on_another():
    for module in ("tests.conftest", "tests.indexer.sync.test_sync"):  # the controls
        assert LEANING.search(f"    import {module}") and LEANING.search(f"from {module} import x")
    assert not LEANING.search("from tests.support.toy_index import sync")
    folders = (REPOSITORY / folder for folder in ("tests", "benchmarks", "docs"))
    every = [path for folder in folders for path in folder.rglob("*.py")]
    assert [path for path in every if LEANING.search(path.read_text("utf-8"))] == []
    own = list(TESTS.rglob("*.py"))
    tests = [path for path in own if path.name.startswith("test_")]
    assert len({path.name for path in tests}) == len(tests)  # a name is one file's
    helpers = {TESTS / "support", TESTS / "attacks"}
    assert [path for path in tests if helpers & {*path.parents}] == []
    others = (path for path in own if path not in tests and path.name not in KNOWN)
    assert [path for path in others if not helpers & {*path.parents}] == []
    rooms = {path.parent.relative_to(TESTS) for path in tests}
    assert [
        room for room in rooms if room.parts[:1] in {(package,) for package in PACKAGES}
        and not (REPOSITORY / room).is_dir()
    ] == []  # fmt: skip


def test_each_line_of_the_program_is_in_one_room():
    every = [room for room in house.rooms(house.PROJECT.read_text("utf-8")) if room.unit == "lines"]
    for package in PACKAGES:
        (whole,) = (house.size(room, house.ROOT) for room in every if room.name == package)
        parts = [room for room in every if room.paths[0].startswith(f"{package}/")]
        faces = (house.ROOT / package).glob("__*__.py") if package == "corpus_agent" else []
        counted = sum(house.size(room, house.ROOT) for room in parts)
        assert counted + sum(path.read_text().count("\n") for path in faces) == whole
