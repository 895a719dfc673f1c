"""Packages that import their modules on first use: the names that type checkers see, no others."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from tests.support.places import REPOSITORY


def seen_by_checkers(package: Path) -> dict[str, str]:
    """The names that a package imports under TYPE_CHECKING, each with the module it is from."""
    blocks = [
        node
        for node in ast.parse((package / "__init__.py").read_text("utf-8")).body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    return {a.name: n.module for block in blocks for n in block.body for a in n.names}


ROOMS = sorted(path.parent for path in (REPOSITORY / "corpus_agent").glob("*/__init__.py"))
LAZY = [room for room in ROOMS if seen_by_checkers(room)]


@pytest.mark.parametrize("room", LAZY, ids=lambda room: room.name)
def test_a_name_is_what_a_type_checker_takes_it_for(room):
    package = import_module(f"corpus_agent.{room.name}")
    for name, module in seen_by_checkers(room).items():
        found = getattr(package, name)
        own = f"{module}.{name}" in sys.modules
        assert found is (
            sys.modules[f"{module}.{name}"] if own else vars(sys.modules[module])[name]
        )
        assert name in package.__all__


def test_importing_the_packages_loads_none_of_their_modules():
    names = ", ".join(f"corpus_agent.{room.name}" for room in LAZY if room.name != "doctor")
    code = f"import {names}, sys; print(sorted(m for m in sys.modules if m.count('.') > 1))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = [name for name in ast.literal_eval(done.stdout) if name.startswith("corpus_agent")]
    assert loaded == []
