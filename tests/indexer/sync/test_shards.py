"""How a plan is cut into shards, and what they are called."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.files.walk import SeenFile
from indexer.sync.run import fingerprint_of
from indexer.sync.shards import (
    Shard,
    cut,
    name_of,
    ordered,
    shard_bytes,
)
from tests.support.toy_index import CHUNKER, ENCODER

TODAY = fingerprint_of(ENCODER, CHUNKER)
KEY = b"of one store"
SIZES = st.lists(st.integers(0, 50), max_size=40)


def files(sizes):
    return [SeenFile(f"{at:03}.txt", size, 1_000 + at) for at, size in enumerate(sizes)]


@pytest.mark.slow
@given(SIZES, st.integers(1, 3), st.integers(1, 60), st.integers(1, 7))
def test_every_file_is_in_one_shard_in_order_and_within_the_bounds(sizes, slots, least, most_files):
    seen = files(sizes)
    shards = cut(seen, slots, least, most_files)
    assert [each for shard in shards for each in shard.files] == seen
    assert all(shard.files and len(shard.files) <= most_files for shard in shards)
    left = sum(sizes)
    for shard in shards:
        assert shard.bytes <= shard_bytes(left, slots, least) or len(shard.files) == 1
        left -= shard.bytes


def test_a_shard_is_named_by_its_documents_as_they_were_seen_and_by_the_fingerprint():
    shard = Shard(tuple(files([3, 4])))
    name = name_of(shard, TODAY, KEY)
    assert name == name_of(Shard(tuple(files([3, 4]))), replace(TODAY), KEY)
    touched = (replace(shard.files[0], mtime_ns=1), shard.files[1])
    others = [
        name_of(Shard(shard.files[:1]), TODAY, KEY),
        name_of(Shard(touched), TODAY, KEY),
        name_of(Shard(tuple(files([3, 5]))), TODAY, KEY),
        name_of(shard, TODAY, b"of another"),
        name_of(shard, replace(TODAY, normaliser="other"), KEY),
    ]
    assert len({name, *others}) == 6


@pytest.mark.parametrize(
    "line",
    ["", "[]", "{}", '{"shard": "../x", "files": []}', '{"shard": 3, "files": [[1]]}', "null"]
    + [f'{{"shard": "{"0" * 32}", "files": [["a", {no}, 1]]}}' for no in ("Infinity", "1e999")],
)
def test_what_is_no_order_is_refused(line):
    with pytest.raises(ValueError, match=r"no order|no name|Expecting|unpack|not iterable"):
        ordered(line)
