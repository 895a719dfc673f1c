"""Where the vectors of a file stand, by the keys of their texts: sorted arrays, 24 bytes a key.

A dictionary takes six times as much, 1.5 GB for 10,000,000. Of a key, a SHA-256, 128 bits are kept:
who wants two texts that share them has 2^64 to hash, and gets two of his own with one vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

KEY_BYTES = 32
_WORDS = KEY_BYTES // 8  # of 64 bits; the last two are kept


class _Run(NamedTuple):
    """Keys in the order of their last word, those that share it as they were added."""

    last: NDArray[np.uint64]
    former: NDArray[np.uint64]
    places: NDArray[np.int64]


class VectorPlaces:
    """A place for each key, the newest that was added for it; several threads may look.

    Runs of keys, each at least twice as long as the one after it: so few are looked through, and a
    key is moved only as often as there are runs.
    """

    def __init__(self) -> None:
        self._runs: list[_Run] = []

    def add(self, keys: bytes, places: Sequence[int] | NDArray[np.int64]) -> None:
        """Note a place for each key; `keys` stand one behind the other."""
        words = np.frombuffer(keys, np.uint64).reshape(-1, _WORDS)
        run = _Run(words[:, -1], words[:, -2], np.asarray(places, np.int64))
        assert len(words) == len(run.places)
        runs, joined = [*self._runs], [run]
        while runs and len(runs[-1].places) < 2 * sum(len(each.places) for each in joined):
            joined.insert(0, runs.pop())
        self._runs = [*runs, _sorted(joined)] if len(words) else self._runs

    def get(self, key: bytes) -> int | None:
        """The place of a key, None if there is none."""
        former, last = np.frombuffer(key, np.uint64)[-2:]
        for run in reversed(self._runs):
            at = int(np.searchsorted(run.last, last, "right")) - 1
            while at >= 0 and run.last[at] == last:
                if run.former[at] == former:
                    return int(run.places[at])
                at -= 1
        return None

    def __contains__(self, key: object) -> bool:
        return isinstance(key, bytes) and self.get(key) is not None


def _sorted(runs: Sequence[_Run]) -> _Run:
    last, former, places = zip(*runs, strict=True)
    order = np.argsort(joined := np.concatenate(last), kind="stable")
    return _Run(joined[order], np.concatenate(former)[order], np.concatenate(places)[order])
