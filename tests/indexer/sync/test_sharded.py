"""The same index, made by several processes; what they lose or falsify is made again."""

import json
import re
import shutil
from base64 import b64encode
from dataclasses import asdict
from pathlib import Path
from random import Random

import numpy as np
import pytest

from indexer.errors import CorpusError
from indexer.files.walk import walk
from indexer.records import USUAL, Choices
from indexer.store.ownership import make_store
from indexer.store.vectors import KnownVectors
from indexer.sync.folder import sync_folder
from indexer.sync.run import fingerprint_of
from indexer.sync.sharded import ROW, BadShard, ShardedReading, checked_shard
from indexer.sync.shards import STAGING, order_of
from tests.support.checks import check_same, check_store, content, vectors_of
from tests.support.fakes import ToyEncoder
from tests.support.folders import make_folder
from tests.support.hands import ToyHands
from tests.support.toy_index import CHUNKER, ENCODER

TODAY = fingerprint_of(ENCODER, CHUNKER)
pytestmark = pytest.mark.slow  # parsers are processes


@pytest.fixture(scope="module")
def docs(tmp_path_factory):
    root = tmp_path_factory.mktemp("docs")
    make_folder(root, 12, Random(3), paragraphs=2)
    (root / "empty.txt").write_text("")
    (root / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    return root


@pytest.fixture(scope="module")
def plain(docs, tmp_path_factory):
    store = tmp_path_factory.mktemp("plain") / "store"
    index(docs, store)
    return store


def index(root: Path, store: Path, hands=None, choices=USUAL, **options):
    make_store(store)
    return sync_folder(store, root, ToyEncoder(), choices, hands=hands, **options)


def same(one: Path, other: Path) -> None:
    check_store(other)
    check_same(one, other)
    left, right = (vectors_of(content(store)[0]) for store in (one, other))
    assert np.array_equal(left, right)


def test_the_index_is_that_of_one_process_and_nothing_stays_staged(docs, plain, tmp_path):
    store = tmp_path / "store"
    outcome = index(docs, store, ToyHands())
    assert outcome.cluster.shards > 2
    assert (outcome.cluster.here, outcome.embedded) == (0, outcome.chunks)
    assert not (store / STAGING).exists()
    same(plain, store)


# ---- A process that a document has taken over


def line(number: int, change):
    """Changes a line of a staged file, given and handed back as what JSON says."""

    def spoil(staged: Path) -> None:
        lines = staged.read_text().splitlines()
        content = json.loads(lines[number])
        changed = change(content)
        lines[number] = json.dumps(content if changed is None else changed)
        staged.write_text("\n".join(lines) + "\n")

    return spoil


def row(**values):
    def change(content):
        for name, value in values.items():
            content[0][list(ROW).index(name)] = value

    return line(0, change)


def passage(at: int, value):
    def change(content):
        content[1][0][at] = value

    return line(0, change)


def link(staged: Path) -> None:
    staged.unlink()
    staged.symlink_to("/etc/passwd")


def encoded(*values: float) -> str:
    return b64encode(np.array(values, np.float16)).decode()


HOSTILE = {
    "a row of another file": row(source="elsewhere.txt"),
    "a row with other fields": line(0, lambda content: content[0].append(1)),
    "a row whose bytes is of another kind": row(bytes="3"),
    "a row whose status is of another kind": row(status="unreachable"),
    "a row whose title is of another kind": row(title="a\0b"),
    "a row whose seconds is of another kind": row(seconds=10**400),  # no float is as large
    "a day that is none": row(date="2024-02-30"),
    "a hash that is none": row(sha256="x"),
    "passages of": row(chunks=99),
    "no reader of today": row(extractor="made-up/1"),
    "without text, and passages": row(status="empty"),
    "a passage whose text is of another kind": passage(0, 7),
    "a passage of 1 characters": passage(0, " "),
    "a passage of 9,000 characters": passage(0, "long long " * 900),
    "a passage without lines": row(lines=0),
    "a passage without pages": passage(4, 3),
    "a passage in no language": passage(6, "EN; DROP"),
    "a passage with other fields": line(0, lambda content: content[1][0].append(1)),
    "a passage without a vector": passage(-1, "no vector"),
    "a vector of another length": passage(-1, encoded(*[float("nan")] * ENCODER.dimension)),
    "vector of another length": passage(-1, encoded(1.0)),
    "a line that is no document": line(0, lambda content: [1]),
    "a document that is no JSON": lambda staged: staged.write_text("]"),
    "1 documents of 2": lambda staged: staged.write_text(staged.read_text().split("\n")[0]),
    "no file": link,
}


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    """A folder of two documents, and the index of one process."""
    base = tmp_path_factory.mktemp("one")
    (base / "docs").mkdir()
    for name in ("a.txt", "b.txt"):
        (base / "docs" / name).write_text(f"The lantern of {name} hangs over the harbour door.\n")
    index(base / "docs", base / "store")
    return base


@pytest.fixture(scope="module")
def staged(one, tmp_path_factory):
    """A store in which the shard of both documents is staged, and that shard."""
    store = tmp_path_factory.mktemp("staged") / "store"
    make_store(store)
    (store / STAGING).mkdir()
    shard = tuple(walk(one / "docs").files)
    name = "0" * 32
    reading = ShardedReading(one / "docs", store, ToyHands(), CHUNKER, TODAY, KnownVectors(store))
    made = ToyHands().made(json.dumps(reading.opening()), [(name, order_of(shard))])
    assert list(made) == [(0, "")]
    return store, name, shard


def look_at(store: Path, name: str, shard):
    return checked_shard(store, name, shard, ENCODER.dimension)


def test_a_true_result_is_taken(staged):
    assert len(look_at(*staged)) == 2


@pytest.mark.parametrize("what", HOSTILE)
def test_what_no_reader_gives_is_refused_and_named(what, staged, tmp_path):
    store, name, shard = staged
    shutil.copytree(store, tmp_path / "store")
    HOSTILE[what](tmp_path / "store" / STAGING / name)
    with pytest.raises(BadShard, match=re.escape(what)):
        look_at(tmp_path / "store", name, shard)


def test_a_false_result_is_named_and_read_by_the_writer(one, tmp_path):
    hands = ToyHands(slots=1, spoil=HOSTILE["a hash that is none"], times=1)
    outcome = index(one / "docs", tmp_path / "store", hands)
    assert outcome.cluster.again == ["a.txt and 1 more: a hash that is none"]
    assert outcome.cluster.here == 2
    same(one / "store", tmp_path / "store")


@pytest.mark.parametrize(
    ("elsewhere", "what"),
    [
        ({"version": "0.0"}, "another corpus-agent"),
        ({"fingerprint": {**asdict(TODAY), "model": "m"}}, "another model"),
        ({"root": "/nowhere"}, "cannot be opened there"),
    ],
)
def test_what_a_node_that_differs_makes_is_not_taken(one, tmp_path, elsewhere, what):
    outcome = index(one / "docs", tmp_path / "store", ToyHands(slots=1, **elsewhere))
    assert what in outcome.cluster.again[0]
    assert outcome.cluster.here == 2
    same(one / "store", tmp_path / "store")


def test_a_cluster_of_which_nothing_comes_ends_the_run(docs, tmp_path):
    with pytest.raises(CorpusError, match=r"do not come to an end: .*another corpus-agent"):
        index(docs, tmp_path / "store", ToyHands(slots=8, least_bytes=1, version="0.0"))


@pytest.mark.nightly
def test_a_plain_run_leaves_nothing_staged(docs, plain, tmp_path):
    store = tmp_path / "store"
    index(docs, store)
    (store / STAGING).mkdir()
    (store / STAGING / ("0" * 32)).write_text("[]")
    index(docs, store, None, Choices(verify=True, force=True))
    assert not (store / STAGING).exists()
    same(plain, store)


@pytest.mark.nightly
def test_vectors_that_the_store_has_are_not_replaced(one, tmp_path):
    store = tmp_path / "store"
    root = shutil.copytree(one / "docs", tmp_path / "docs")
    index(root, store)
    before = vectors_of(content(store)[0])
    (root / "a.txt").touch()
    turned = passage(-1, encoded(1.0, *[0.0] * (ENCODER.dimension - 1)))
    index(root, store, ToyHands(spoil=turned))
    assert np.array_equal(before, vectors_of(content(store)[0]))
