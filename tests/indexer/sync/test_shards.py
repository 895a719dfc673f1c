"""How a plan is cut into shards, and what they are called."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.files.walk import SeenFile
from indexer.sync.run import fingerprint_of
from indexer.sync.shards import (
    LEAST_BYTES,
    MOST_BYTES,
    MOST_FILES,
    ORDER_BYTES,
    Shard,
    cut,
    halves,
    name_of,
    order_of,
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


def slots_end_within(shards, slots):
    """Between the ends of the first slot and the last, in bytes read one after the other."""
    ends = [0] * slots
    for shard in shards:
        ends[ends.index(min(ends))] += shard.bytes
    return max(ends) - min(ends)


@pytest.mark.parametrize("slots", [2, 7, 16, 64])
def test_shards_become_smaller_so_that_slots_end_together(slots):
    seen = files([1_000] * 20_000)
    shards = cut(seen, slots)
    sizes = [shard.bytes for shard in shards]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > LEAST_BYTES
    assert slots_end_within(shards, slots) <= LEAST_BYTES
    assert len(shards) < 12 * slots + 20_000 / MOST_FILES  # each costs some milliseconds


@pytest.mark.slow
@given(SIZES.filter(lambda sizes: len(sizes) > 1))
def test_halves_are_smaller_and_together_the_whole(sizes):
    whole = Shard(tuple(files(sizes)))
    first, second = halves(whole)
    assert first.files
    assert second.files
    assert first.files + second.files == whole.files


def test_a_shard_is_as_large_as_evens_out_within_bounds():
    assert shard_bytes(0, 4) == LEAST_BYTES
    assert shard_bytes(10**12, 4) == MOST_BYTES
    assert shard_bytes(16 * LEAST_BYTES, 2) == 2 * LEAST_BYTES


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


@pytest.mark.slow
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_an_order_is_one_line_that_gives_the_shard_back(source):
    shard = Shard((SeenFile(source, 3, -5),))
    order = order_of(shard, name_of(shard, TODAY, KEY))
    assert "\n" not in order
    assert ordered(order) == (name_of(shard, TODAY, KEY), shard)


def test_the_longest_order_fits_a_line():
    longest = Shard(tuple(SeenFile("\0" * 4_000 + str(at), 2**62, 2**62) for at in range(300)))
    assert len(order_of(longest, name_of(longest, TODAY, KEY))) < ORDER_BYTES


@pytest.mark.parametrize(
    "line",
    ["", "[]", "{}", '{"shard": "../x", "files": []}', '{"shard": 3, "files": [[1]]}', "null"]
    + [f'{{"shard": "{"0" * 32}", "files": [["a", {no}, 1]]}}' for no in ("Infinity", "1e999")],
)
def test_what_is_no_order_is_refused(line):
    with pytest.raises(ValueError, match=r"no order|no name|Expecting|unpack|not iterable"):
        ordered(line)
