"""The folders of a process that seals itself, and one outside of them."""

import pytest


@pytest.fixture
def root(tmp_path):
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus/note.md").write_text("words")
    return tmp_path / "corpus"


@pytest.fixture
def store(tmp_path):
    (tmp_path / "store").mkdir()
    return tmp_path / "store"


@pytest.fixture
def outside(tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret.txt").write_text("words")
    return tmp_path / "outside"
