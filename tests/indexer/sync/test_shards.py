"""How a plan is cut into shards, and what they are called."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.files.walk import SeenFile
from indexer.sync.shards import (
    bytes_of,
    cut,
    order_of,
    ordered,
    shard_bytes,
)

SIZES = st.lists(st.integers(0, 50), max_size=40)


def files(sizes):
    return [SeenFile(f"{at:03}.txt", size, 1_000 + at) for at, size in enumerate(sizes)]


@pytest.mark.slow
@given(SIZES, st.integers(1, 3), st.integers(1, 60), st.integers(1, 7))
def test_every_file_is_in_one_shard_in_order_and_within_the_bounds(sizes, slots, least, most_files):
    seen = files(sizes)
    shards = cut(seen, slots, least, most_files)
    assert [each for shard in shards for each in shard] == seen
    assert all(0 < len(shard) <= most_files for shard in shards)
    left = sum(sizes)
    for shard in shards:
        assert bytes_of(shard) <= shard_bytes(left, slots, least) or len(shard) == 1
        left -= bytes_of(shard)


def test_an_order_says_a_shard():
    shard = tuple(files([3, 4]))
    assert ordered(order_of(shard)) == shard
