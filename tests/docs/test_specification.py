"""The specification names what is there: each module, each test, a row for each thing asked for."""

import re
from functools import cache
from importlib.util import find_spec

import pytest

from tests.support.places import REPOSITORY, TESTS

PAGE = (REPOSITORY / "docs/specification.md").read_text("utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in PAGE.splitlines()
    if re.match(r"\| \d+ \|", line)
]
TEST = re.compile(r"`(test_\w+\.py)::(test_\w+)`")
MODULE = re.compile(r"`((?:corpus_agent|indexer)(?:\.\w+)*)`")


@cache
def defined(name: str) -> frozenset[str]:
    """The tests of the file of that name, wherever it stands."""
    (path,) = tuple(TESTS.rglob(name))
    return frozenset(re.findall(r"(?m)^(?:async )?def (test_\w+)", path.read_text("utf-8")))


def missing(page: str) -> list[str]:
    """What a page names that is not there."""
    found = [f"{file}::{test}" for file, test in TEST.findall(page) if test not in defined(file)]
    return found + [name for name in MODULE.findall(page) if find_spec(name) is None]


@pytest.mark.slow
def test_every_module_and_every_test_of_the_specification_is_there():
    assert missing(PAGE) == []


def test_what_is_not_there_would_be_noticed():
    page = "`indexer.nowhere` `indexer.chunk` `test_chunk.py::test_nothing`"
    assert missing(page) == ["test_chunk.py::test_nothing", "indexer.nowhere"]
    with pytest.raises(ValueError, match="not enough values"):
        missing("`test_no_such_file.py::test_x`")


def test_each_row_has_a_number_a_place_and_a_test():
    assert len(ROWS) >= 77
    for number, row in enumerate(ROWS, 1):
        assert len(row) == 4 and row[0].strip("| ") == str(number), row
        assert MODULE.search(row[2]) and TEST.search(row[3]), row
