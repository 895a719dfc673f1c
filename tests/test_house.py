"""The house as a whole: names that mean one thing, rooms that can be counted, imports at the top.

The bounds are what is there today: they may be lowered, and never raised without a reason.
"""

import ast
import gc
from functools import cache
from pathlib import Path

import pytest

from tests.support import cost

REPOSITORY = Path(__file__).resolve().parent.parent
PACKAGES = ("corpus_agent", "indexer")
LOCAL_IMPORTS = 10
MODULE_LINES = 400
FUNCTION_LINES = 60


@cache
def texts(package: str) -> dict[str, str]:
    """Each module of a package by its dotted name."""
    found = {}
    for path in sorted((REPOSITORY / package).rglob("*.py")):
        parts = path.relative_to(REPOSITORY).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = path.read_text("utf-8")
    return found


@cache
def trees(package: str) -> dict[str, ast.Module]:
    """The syntax trees of a package's modules, made without the collector's four times the cost."""
    gc.disable()
    try:
        return {name: ast.parse(text) for name, text in texts(package).items()}
    finally:
        gc.enable()


def of_ours(node: ast.AST) -> list[str]:
    """The modules of ours that an import names, and the names that may be modules below them."""
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        named = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    elif isinstance(node, ast.Import):
        named = [alias.name for alias in node.names]
    else:
        named = []
    return [name for name in named if name.partition(".")[0] in PACKAGES]


def test_a_test_that_costs_much_is_marked_slow_or_fails():
    cost.hold(cost.TOO_MANY, slow=False)
    cost.hold(600.0, slow=True)
    with pytest.raises(pytest.fail.Exception, match="or mark it slow"):
        cost.hold(cost.TOO_MANY + 0.1, slow=False)


def test_the_files_of_tests_that_are_begun_first_are_there():
    assert [name for name in cost.LONG if not (REPOSITORY / name).is_file()] == []


def local_imports(tree: ast.Module) -> set[int]:
    """The lines of a module on which a function imports something of ours."""
    return {
        inner.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(node)
        if isinstance(inner, ast.Import | ast.ImportFrom) and of_ours(inner)
    }


def test_imports_of_our_own_within_functions_become_fewer():
    """What the seal or the start of a command needs late is imported late; all else at the top."""
    every = [
        f"{name}:{line}"
        for package in PACKAGES
        for name, tree in trees(package).items()
        for line in sorted(local_imports(tree))
    ]
    assert len(every) <= LOCAL_IMPORTS, every


def too_long(name: str, tree: ast.Module, lines: int) -> list[str]:
    """The module if it has too many lines, and each of its functions that does not fit a screen."""
    functions = [
        f"{name}.{node.name}: {length} lines"
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := (node.end_lineno or 0) - node.lineno + 1) > FUNCTION_LINES
    ]
    return [f"{name}: {lines} lines", *functions] if lines > MODULE_LINES else functions


def test_a_module_is_read_in_one_sitting_and_a_function_on_one_screen():
    found = [
        long
        for package in PACKAGES
        for name, tree in trees(package).items()
        for long in too_long(name, tree, texts(package)[name].count("\n"))
    ]
    assert found == []
    text = "def f():\n" + "    pass\n" * FUNCTION_LINES  # the control
    assert too_long("m", ast.parse(text), MODULE_LINES + 1) == ["m: 401 lines", "m.f: 61 lines"]


def test_what_a_user_names_is_looked_at_where_that_cannot_raise():
    """Path.is_dir raises for a folder that may not be looked at; `paths.is_folder` does not."""
    asking = {
        name
        for name, tree in trees("corpus_agent").items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "is_dir"
    }
    assert asking == set()
