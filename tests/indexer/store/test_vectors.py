"""What is embedded is saved at once, and never embedded again while it is needed."""

import os
from pathlib import Path

import numpy as np
import pytest

from indexer.records import Fingerprint
from indexer.store.folder import VECTORS
from indexer.store.vectors import VectorCache, embed, key_of
from indexer.sync.run import fingerprint_of
from tests.support.fakes import ToyEncoder
from tests.support.toy_index import CHUNKER, ENCODER, rows, sync

pytestmark = pytest.mark.slow

FINGERPRINT = fingerprint_of(ENCODER, CHUNKER)


class CountingEncoder(ToyEncoder):
    """A toy encoder that counts the texts, and is stopped, as by Ctrl-C, after `limit` of them."""

    def __init__(self, limit: int | None = None) -> None:
        super().__init__()
        self.encoded = 0
        self.limit = limit

    def encode(self, texts):
        if self.limit is not None and self.encoded + len(texts) > self.limit:
            raise KeyboardInterrupt
        self.encoded += len(texts)
        return super().encode(texts)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    (folder / "trips").mkdir(parents=True)
    (folder / "trips/japan.txt").write_text("The house in Matsumoto has a blue door.\n")
    (folder / "bread.md").write_text("# Bread\n\nSourdough rises slowly.\n")
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def cache(tmp_path: Path) -> VectorCache:
    return VectorCache(tmp_path, FINGERPRINT)


def vectors_of(texts: list[str]) -> tuple[list[bytes], np.ndarray]:
    return [key_of(text) for text in texts], ENCODER.encode(texts)


def equals_fresh(root: Path, store: Path, fresh: Path) -> bool:
    sync(root, fresh)
    return rows(store) == rows(fresh)


# -- what costs no model time


@pytest.mark.parametrize(
    "change",
    [
        lambda root: (root / "trips").rename(root / "journeys"),
        lambda root: (root / "trips/japan.txt").rename(root / "japan.txt"),
        lambda root: (
            (root / "copies").mkdir()
            or (root / "copies/bread.md").write_bytes((root / "bread.md").read_bytes())
        ),
        lambda root: os.utime(root / "bread.md", ns=(1, 1)),
    ],
    ids=["a renamed folder", "a moved file", "a duplicate", "a touched file"],
)
def test_bytes_that_were_indexed_cost_no_model_time(root, store, tmp_path, change):
    sync(root, store)
    change(root)
    assert sync(root, store).embedded == 0
    assert equals_fresh(root, store, tmp_path / "fresh")


def test_another_model_takes_nothing_from_the_first(root, store):
    sync(root, store)
    outcome = sync(root, store, ToyEncoder(dimension=32))
    assert (outcome.embedded, outcome.reused) == (2, 0)


# -- what a stopped run leaves


# -- the file


def test_a_block_that_was_cut_off_anywhere_costs_itself_alone(cache, tmp_path):
    keys, vectors = vectors_of(["one", "two", "three"])
    cache.put(keys[:1], vectors[:1])
    whole = next((tmp_path / VECTORS).iterdir()).stat().st_size
    cache.put(keys[1:], vectors[1:])
    cache.close()
    path = next((tmp_path / VECTORS).iterdir())
    data = path.read_bytes()
    for end in range(whole, len(data)):
        path.write_bytes(data[:end])
        torn = VectorCache(tmp_path, FINGERPRINT)
        assert [torn.get(key) is not None for key in keys] == [True, False, False]
        torn.put(keys[1:], vectors[1:])
        torn.close()
        assert path.read_bytes() == data


@pytest.mark.parametrize("value", [0.0, 6e4, np.inf, np.nan])
def test_a_vector_that_is_none_on_the_disk_is_made_anew(cache, tmp_path, value):
    keys, vectors = vectors_of(["one", "two"])
    cache.put(keys, vectors)
    cache.close()
    path = next((tmp_path / VECTORS).iterdir())
    damaged = np.full_like(vectors[0], value, np.float16).tobytes()
    path.write_bytes(path.read_bytes()[: -len(damaged)] + damaged)
    encoder = CountingEncoder()
    again = VectorCache(tmp_path, FINGERPRINT)
    assert list(embed(["one", "two"], encoder.encode, again)) == [(keys, 1)]
    assert np.array_equal(again.get(keys[1]), vectors[1])


def test_keeping_some_drops_the_others_and_other_models(cache, tmp_path):
    keys, vectors = vectors_of([str(n) for n in range(200)])
    cache.put(keys, vectors)
    other = VectorCache(tmp_path, Fingerprint("other", "0", 8, "", "", "", ""))
    other.put([key_of("x")], np.eye(1, 8, dtype=np.float32))
    other.close()
    assert cache.spare_bytes(100) > 0
    cache.keep(set(keys[::2]))
    assert cache.spare_bytes(100) < 100
    assert [cache.get(key) is not None for key in keys] == [n % 2 == 0 for n in range(200)]
    assert np.array_equal(cache.get(keys[4]), vectors[4])
