"""Errors that come from another process."""

import pytest

from indexer.errors import MAX_SAID, CorpusError, IncompatibleStore, StoreLocked, error_said


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
