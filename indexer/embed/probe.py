"""Reference vectors of two texts by sentence-transformers, to verify an engine.

Those of the packaged weights are part of this package. For other weights they are computed once,
which loads torch, and cached in the store under the hash of the weights.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexer.embed.folder import ModelFolder
from indexer.embed.protocol import Engine

_LONG = (
    "Meeting notes > Budget\nThe board (12 members) met on 2024-03-05 in Zürich; § 7.3 was adopted "
    "by 9 votes to 2, with one abstention. Costs rose from 1,250.50 to 1,431.75 €, or 14.5 %: see "
    "`total_cost()` in report_v2.py, and https://example.org/a?b=c#d for the figures of last year. "
    "« Rien ne va plus », wrote the treasurer — 会議は三時に終わりました. Nobody objected, and the "
    "naïve plan to move the café into the old boiler room was dropped without a vote."
)
TEXTS = ("Which tyre pressure does the manual give for error E1042?", _LONG)
FOLDER = "probes"  # in the store


def least_cosine(engine: Engine, expected: NDArray[np.float32]) -> float:
    """The smallest cosine between the engine's vectors and the expected ones."""
    return float((engine.encode(TEXTS) * expected).sum(axis=1).min())


def shipped(model: str) -> NDArray[np.float32]:
    """The vectors of TEXTS by transformers and the weights of a model that we know, (2, 384)."""
    return _loaded(Path(__file__).parent / f"probe-{model}.npy")


def kept(store: Path | None, folder: ModelFolder) -> NDArray[np.float32] | None:
    """The cached reference vectors of this model, if any."""
    path = _path(store, folder)
    return _loaded(path) if path is not None and path.exists() else None


def keep(store: Path | None, folder: ModelFolder, vectors: NDArray[np.float32]) -> bool:
    """Cache the vectors in the store; returns whether that succeeded."""
    path = _path(store, folder)
    if path is None or store is None or not os.access(store, os.W_OK):
        return False
    fresh = path.with_suffix(f".{os.getpid()}.npy")
    try:
        path.parent.mkdir(exist_ok=True)
        np.save(fresh, vectors, allow_pickle=False)
        fresh.replace(path)
    except PermissionError:  # the process is sealed around several stores, which it may only read
        return False
    return True


def _path(store: Path | None, folder: ModelFolder) -> Path | None:
    return store / FOLDER / f"{folder.weights_sha256}.npy" if store is not None else None


def _loaded(path: Path) -> NDArray[np.float32]:
    vectors: NDArray[np.float32] = np.load(path, allow_pickle=False)
    return vectors
