"""A query -> hits: vectors and BM25 over one snapshot, fused.

`fuse` is pure. Called by the corpus; knows nothing of tools or terminals.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from indexer.embed import Encoder
from indexer.records import Hit
from indexer.store import Found, Snapshot

DEPTH = 100  # rows asked of each side before fusion
VECTOR_WEIGHT = 0.5


def search(
    snapshot: Snapshot,
    encoder: Encoder,
    query: str,
    limit: int,
    per_source: int | None = None,
    prefix: str = "",
) -> list[Hit]:
    """The best `limit` hits, at most `per_source` of a document, from sources under `prefix`."""
    depth = max(DEPTH, limit)
    vector = encoder.encode([encoder.query_prefix + query])[0]
    hits = fuse(
        vector, snapshot.by_vector(vector, depth, prefix), snapshot.by_text(query, depth, prefix)
    )
    return diverse(hits, limit, per_source)


def fuse(
    query: NDArray[np.float32], by_vector: Sequence[Found], by_text: Sequence[Found]
) -> list[Hit]:
    """Hits from both result lists, best first; ties by source and ordinal.

    Convex combination of scores (Bruch, Gai, Ingber: An Analysis of Fusion Functions for Hybrid
    Retrieval, 2022): the cosine, known for every row, scaled between the worst and the best of
    the pool; BM25 scaled from 0, its theoretical minimum, to the best.
    """
    bm25 = {found.chunk.id: found.score for found in by_text}
    pool = {found.chunk.id: found for found in (*by_vector, *by_text)}
    if not pool:
        return []
    cosines = {key: float(np.dot(query, found.vector)) for key, found in pool.items()}
    low, high = min(cosines.values()), max(cosines.values())
    top = max(bm25.values(), default=0.0)
    hits = []
    for key, found in pool.items():
        near = (cosines[key] - low) / (high - low) if high > low else 1.0
        lexical = bm25.get(key, 0.0) / top if top > 0 else 0.0
        score = VECTOR_WEIGHT * near + (1 - VECTOR_WEIGHT) * lexical
        hits.append(Hit(found.chunk, score, cosines[key], bm25.get(key, 0.0), found.file_sha256))
    return sorted(hits, key=lambda hit: (-hit.score, hit.chunk.source, hit.chunk.ordinal))


def diverse(hits: Iterable[Hit], limit: int, per_source: int | None) -> list[Hit]:
    """The first `limit` hits in order, at most `per_source` of each document."""
    taken: dict[str, int] = {}
    chosen: list[Hit] = []
    for hit in hits:
        count = taken.get(hit.chunk.source, 0)
        if len(chosen) == limit:
            break
        if per_source is None or count < per_source:
            taken[hit.chunk.source] = count + 1
            chosen.append(hit)
    return chosen
