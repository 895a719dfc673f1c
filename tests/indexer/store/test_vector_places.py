"""Places by keys: what a dictionary would say, in a sixth of its memory."""

import hashlib
import sys
import tracemalloc

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.store.vector_places import VectorPlaces

# Few different ones, so that they come again; of zeros, and equal in half of what is kept of them.
KEYS = st.sampled_from(
    [
        bytes(32),
        b"\xff" * 32,
        *((n << shift).to_bytes(32) for n in range(1, 9) for shift in (0, 60, 64, 124)),
        *(hashlib.sha256(bytes([n])).digest() for n in range(40)),
    ]
)
ADDED = st.lists(st.lists(st.tuples(KEYS, st.integers(0, 2**62)), max_size=12), max_size=40)


def sums(first: int, count: int) -> list[bytes]:
    return [hashlib.sha256(n.to_bytes(8)).digest() for n in range(first, first + count)]


@given(ADDED)
@settings(max_examples=300, deadline=None)
def test_places_are_what_a_dictionary_would_say(added):
    places, control = VectorPlaces(), {}
    for part in added:
        places.add(b"".join(key for key, _ in part), [place for _, place in part])
        control.update(part)
        for key in (key for every in added for key, _ in every):
            assert places.get(key) == control.get(key)
    assert places.get(b"\x01" * 32) is None


def test_of_many_each_is_found_and_no_other():
    places, keys = VectorPlaces(), sums(0, 40_000)
    for start in range(0, len(keys), 64):
        places.add(b"".join(keys[start : start + 64]), range(start, min(start + 64, len(keys))))
    places.add(b"".join(keys[:100]), range(1_000_000, 1_000_100))
    assert [places.get(key) for key in keys[100:]] == [*range(100, len(keys))]
    assert [places.get(key) for key in keys[:100]] == [*range(1_000_000, 1_000_100)]
    assert not any(key in places for key in sums(len(keys), 1_000))


def test_a_key_takes_a_sixth_of_what_it_takes_in_a_dictionary():
    count = 100_000

    def in_a_dictionary():
        return {key: 10**9 + n for n, key in enumerate(sums(0, count))}

    def in_places():
        places = VectorPlaces()
        for start in range(0, count, 500):
            places.add(b"".join(sums(start, 500)), np.arange(start, start + 500))
        return places

    taken = []
    for make in (in_a_dictionary, in_places):
        tracemalloc.start()
        made = make()
        taken.append(tracemalloc.get_traced_memory()[0] / count)
        tracemalloc.stop()
        assert sys.getrefcount(made) >= 1
    of_dictionary, of_places = taken
    assert of_places < 26
    assert of_places < of_dictionary / 6, (of_places, of_dictionary)
