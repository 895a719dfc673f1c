"""What is in the index, or was on its way into it, is not embedded again."""

import os
from itertools import count
from pathlib import Path

import pytest

from indexer.chunk import Chunker
from indexer.sync.run import Run
from tests.support.fakes import ToyEncoder
from tests.support.toy_index import found, planned, rows, sync, writer

pytestmark = pytest.mark.slow


def test_bytes_that_were_indexed_cost_no_model_time_and_another_model_takes_none(tmp_path: Path):
    root, store = tmp_path / "docs", tmp_path / "store"
    (root / "trips").mkdir(parents=True)
    (root / "trips/japan.txt").write_text("The house in Matsumoto has a blue door.\n")
    (root / "bread.md").write_text("# Bread\n\nSourdough rises slowly.\n")
    sync(root, store)
    changes = {
        "a renamed folder": lambda: (root / "trips").rename(root / "journeys"),
        "a moved file": lambda: (root / "journeys/japan.txt").rename(root / "japan.txt"),
        "a duplicate": lambda: (root / "b.md").write_bytes((root / "bread.md").read_bytes()),
        "a touched file": lambda: os.utime(root / "bread.md", ns=(1, 1)),
    }
    failing = []
    for name, change in changes.items():
        change()
        embedded = sync(root, store).embedded
        sync(root, tmp_path / name)
        if embedded or rows(store) != rows(tmp_path / name):
            failing.append((name, embedded))
    assert failing == []
    outcome = sync(root, store, ToyEncoder(dimension=32))
    assert (outcome.embedded, outcome.reused) == (2, 1)  # the duplicate is embedded once


def test_what_is_made_anew_goes_on_from_where_it_was_stopped(tmp_path: Path):
    root, store = tmp_path / "docs", tmp_path / "store"
    root.mkdir()
    for number in range(6):
        words = (" ".join(f"boiler w{number}x{n}y{k}" for k in range(40)) for n in range(40))
        (root / f"{number}.txt").write_text("\n\n".join(words))
    chunks = sync(root, store).chunks
    other = ToyEncoder(dimension=32)
    asked = count(1)  # between documents, and once for each batch of texts
    with writer(store, root, other) as open_writer:
        todo, seen = planned(root, open_writer)
        chunker = Chunker(other)
        run = Run(root, open_writer, other, chunker, should_stop=lambda: next(asked) > 8)
        assert run.apply(todo, seen.ignored).interrupted
    assert found(store, "boiler")  # what was committed is as it was
    outcome = sync(root, store, other)
    assert (outcome.rebuilt, 0 < outcome.embedded < chunks) == (True, True)
    sync(root, tmp_path / "fresh", other)
    assert rows(store) == rows(tmp_path / "fresh")
    assert not (store / "draft.json").exists()
