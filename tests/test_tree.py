"""The tests' own tree: it mirrors the program's, and no test leans on another."""

import re

from tests.support.places import REPOSITORY, TESTS

PLUGINS = TESTS / "plugins"  # packages of their own, which a test installs
FILES = sorted(
    path
    for path in TESTS.rglob("*.py")
    if path.name != "__init__.py" and PLUGINS not in path.parents
)
# Also in the code that a test runs in a process of its own, which is a text here.
LEANING = re.compile(r"(?:from|import) +tests\.(?:\w+\.)*(?:test_\w+|conftest)\b")


def test_no_file_imports_a_test():
    leaning = [
        str(path)
        for folder in ("tests", "benchmarks", "docs")
        for path in sorted((REPOSITORY / folder).rglob("*.py"))
        if LEANING.search(path.read_text("utf-8"))
    ]
    assert leaning == []


def test_an_import_of_a_test_would_be_seen():
    for module in ("tests.conftest", "tests.indexer.sync.test_sync"):
        for line in (f"from {module} import x", f"    import {module}"):
            assert LEANING.search(line), line
    assert not LEANING.search("from tests.support.toy_index import sync")


def test_helpers_are_in_support_and_tests_outside_of_it():
    for path in FILES:
        is_test = path.name.startswith("test_") or path.name == "conftest.py"
        helps = {TESTS / "support", TESTS / "attacks"} & {*path.parents}
        assert bool(helps) != is_test, path


def test_a_name_belongs_to_one_test_file():
    names = [path.name for path in FILES if path.name.startswith("test_")]
    assert sorted(set(names)) == sorted(names)


def test_every_room_of_tests_is_a_room_of_the_program():
    for package in ("corpus_agent", "indexer"):
        for folder in sorted((TESTS / package).rglob("*")):
            if folder.is_dir() and folder.name != "__pycache__":
                assert (REPOSITORY / folder.relative_to(TESTS)).is_dir(), folder
