"""What is embedded is saved at once, and never embedded again while it is needed."""

import os
from pathlib import Path

import pytest

from indexer.store.folder import VECTORS
from indexer.store.vectors import VectorCache, key_of
from indexer.sync.run import fingerprint_of
from tests.support.fakes import ToyEncoder
from tests.support.toy_index import CHUNKER, ENCODER, rows, sync

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


def test_a_block_that_was_cut_off_anywhere_costs_itself_alone(tmp_path: Path):
    fingerprint = fingerprint_of(ENCODER, CHUNKER)
    texts = ["one", "two", "three"]
    keys, vectors = [key_of(text) for text in texts], ENCODER.encode(texts)
    cache = VectorCache(tmp_path, fingerprint)
    cache.put(keys[:1], vectors[:1])
    whole = next((tmp_path / VECTORS).iterdir()).stat().st_size
    cache.put(keys[1:], vectors[1:])
    cache.close()
    path = next((tmp_path / VECTORS).iterdir())
    data = path.read_bytes()
    for end in range(whole, len(data)):
        path.write_bytes(data[:end])
        torn = VectorCache(tmp_path, fingerprint)
        assert [torn.get(key) is not None for key in keys] == [True, False, False]
        torn.put(keys[1:], vectors[1:])
        torn.close()
        assert path.read_bytes() == data
