"""What a docstring says is raised exists; pydoclint reads sections, and ours are prose."""

import ast
import builtins
import functools
import re

from tests.support.places import REPOSITORY

SAID = re.compile(r"\b[Rr]aises\s+([A-Z]\w+)")
PATHS = [
    path.relative_to(REPOSITORY)
    for package in ("corpus_agent", "indexer")
    for path in sorted((REPOSITORY / package).rglob("*.py"))
]


@functools.cache
def read(path):
    """The text of a module."""
    return (REPOSITORY / path).read_text("utf-8")


@functools.cache
def parsed(path):
    """The tree of a module."""
    return ast.parse(read(path))


@functools.cache
def is_ours(name):
    """Whether a class of ours has a name; only a module in which it may stand is parsed."""
    text = f"class {name}"
    nodes = (node for path in PATHS if text in read(path) for node in ast.walk(parsed(path)))
    return any(isinstance(node, ast.ClassDef) and node.name == name for node in nodes)


def said_to_be_raised(tree):
    """The errors that the docstrings of a module name."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = (node for node in ast.walk(tree) if isinstance(node, documented))
    return {name for node in nodes for name in SAID.findall(ast.get_docstring(node) or "")}


def known(name, tree):
    """Whether a name is an error of ours, of Python, or of a library that the module names."""
    named = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    builtin = issubclass(getattr(builtins, name, int), BaseException)
    return builtin or name in named or is_ours(name)


def test_what_is_said_to_be_raised_exists():
    # To parse all modules takes seconds, and a third of them say that something is raised.
    saying = [path for path in PATHS if SAID.search(read(path))]
    trees = {path: parsed(path) for path in saying}
    found = [(path, name) for path in saying for name in said_to_be_raised(trees[path])]
    assert [(path, name) for path, name in found if not known(name, trees[path])] == []


def test_an_error_that_is_gone_would_be_seen():
    tree = ast.parse('def f():\n    """It. Raises NoSuchThing where it is so, ValueError else."""')
    assert said_to_be_raised(tree) == {"NoSuchThing"}
    assert not known("NoSuchThing", tree)
    saying = [path for path in PATHS if SAID.search(read(path))]
    assert sum(len(said_to_be_raised(parsed(path))) for path in saying) > 50
