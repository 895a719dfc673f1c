"""A query -> hits: vectors and BM25 over one snapshot, fused.

`fuse` is pure. Called by `indexer.index`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from indexer.embed import Encoder, Reranker
from indexer.embed.languages import fragments, is_english, is_multilingual
from indexer.records import Hit, Query, is_other
from indexer.store.snapshot import Snapshot

DEPTH = 60  # rows asked of each side before fusion
# Chosen on seven development sets together; docs/decisions/search.md has the figures.
VECTOR_WEIGHT = 0.62
# The same for passages in languages that the model does not read: benchmarks/languages.py.
OTHER_VECTOR_WEIGHT = 0.2
OTHERS_FOUND = 0.3  # of the best by words, from which a query is in another language
FRAGMENTED_CHARS = 500  # of a query, which may be a pasted page
PHRASE_DEPTH = 300  # rows with all words of a phrase that are looked through for it
FEEDBACK_HITS = 5
FEEDBACK_WEIGHT = 0.8

# A year as reports name it, and alone: FY2017, FY 17, 2017.
_YEAR = re.compile(r"(?i)\b(?:FY ?'?(?:20)?(\d\d)|20(\d\d))\b")


def with_years(text: str) -> str:
    """A query with each year also as other documents write it: FY22 finds 2022, 2022 finds FY22."""
    found = dict.fromkeys(fiscal or plain for fiscal, plain in _YEAR.findall(text))
    return " ".join([text, *(f"20{year} FY20{year} FY{year}" for year in found)])


_QUOTED = re.compile(r'"([^"]+)"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»')


def phrases(text: str) -> list[str]:
    """The phrases that stand in quotation marks, as `_plain` writes them; none of a single sign."""
    found = (_plain("".join(groups)) for groups in _QUOTED.findall(text))
    return [phrase for phrase in found if sum(map(str.isalnum, phrase)) > 1]


def _plain(text: str) -> str:
    """A text without its case, line breaks and forms of apostrophes."""
    return " ".join(text.casefold().replace("’", "'").split())


def search(
    snapshot: Snapshot,
    encoder: Encoder,
    query: Query,
    reranker: Reranker | None = None,
) -> list[Hit]:
    """The hits that a query asks for, best first."""
    # A lone half of a pair, as a byte that is no text becomes one, is no text for a tokenizer.
    text = query.text.encode("utf-8", "replace").decode("utf-8")
    deep = replace(query, text=text, limit=max(DEPTH, query.limit))
    with ThreadPoolExecutor(1) as beside:  # words need no vector: they are looked up meanwhile
        by_text = beside.submit(by_words, snapshot, deep)
        vector = encoder.encode([encoder.query_prefix + text])[0]
        by_vector = snapshot.by_vector(vector, deep)
        worded = by_text.result()
        asked = phrases(text)
        if asked:
            known = {hit.chunk.id for hit in worded}
            holding = with_phrases(snapshot, deep, asked)
            worded += [hit for hit in holding if hit.chunk.id not in known]
        hits = fuse(vector, by_vector, worded, other_weight(encoder, text))
    if reranker is not None:
        hits = reranker.reorder(text, hits)
    if asked:
        hits = phrases_first(hits, asked)
    return diverse(hits, query.limit, query.per_source)


def with_phrases(snapshot: Snapshot, query: Query, asked: Sequence[str]) -> list[Hit]:
    """The passages that hold all phrases, of those with all their words."""
    every = replace(query, text=" ".join(asked), limit=PHRASE_DEPTH)
    return [hit for hit in snapshot.by_text(every, every_word=True) if _holds(hit, asked)]


def phrases_first(hits: Iterable[Hit], asked: Sequence[str]) -> list[Hit]:
    """The hits, those with all phrases first: their scores are raised above .5, the others' not."""
    holding: dict[bool, list[Hit]] = {True: [], False: []}
    for hit in hits:
        holds = _holds(hit, asked)
        holding[holds].append(replace(hit, score=hit.score / 2 + 0.5 * holds))
    return [*holding[True], *holding[False]]


def _holds(hit: Hit, asked: Sequence[str]) -> bool:
    text = _plain(hit.chunk.text)
    return all(phrase in text for phrase in asked)


def by_words(snapshot: Snapshot, query: Query) -> list[Hit]:
    """The passages that share words with a query; fragments of words, where it is not English.

    Fragments are rare where few passages have them: they count only if among what the words find
    best are several in other languages, or if they find nothing.
    """
    text = query.text
    found = snapshot.by_text(replace(query, text=with_years(text)))
    if is_english(text) or not any(map(is_other, snapshot.manifest.languages)):
        return found
    if found and _other_share(found) < OTHERS_FOUND:
        return found
    pieces = fragments(text[:FRAGMENTED_CHARS])
    return snapshot.by_text(replace(query, text=f"{with_years(text)} {pieces}"))


def other_weight(encoder: Encoder, text: str) -> float:
    """The weight of the vectors for a query and passages in other languages than English."""
    as_in_english = is_multilingual(encoder) or is_english(text)
    return VECTOR_WEIGHT if as_in_english else OTHER_VECTOR_WEIGHT


def fuse(
    query: NDArray[np.float32],
    by_vector: Sequence[Hit],
    by_text: Sequence[Hit],
    other: float = OTHER_VECTOR_WEIGHT,
) -> list[Hit]:
    """Hits from the store's two result lists, best first; ties by source and ordinal.

    Fused twice: for the second round the vectors of the first hits, weighted by the square of their
    scores, are added to the query vector (pseudo-relevance feedback: Rocchio 1971; with vectors:
    Yu, Xiong, Callan 2021). A hit's `cosine` is the similarity to the original query. `other` is
    the weight of the vectors where all that words find best is in other languages than English.
    """
    pool = list({found.chunk.id: found for found in (*by_vector, *by_text)}.values())
    if not pool:
        return []
    by_id = {found.chunk.id: found.score for found in by_text}
    bm25 = np.array([by_id.get(found.chunk.id, 0.0) for found in pool])
    vectors = np.stack([found.vector for found in pool if found.vector is not None])
    cosines = vectors @ query
    weight = _weight(by_text, other)
    first = convex(cosines, bm25, weight)
    best = np.argsort(-first, kind="stable")[:FEEDBACK_HITS]
    feedback = (first[best, None] ** 2 * vectors[best]).sum(axis=0) / FEEDBACK_HITS
    asked = (query + FEEDBACK_WEIGHT * feedback).astype(np.float32)
    scores = convex(vectors @ (asked / np.linalg.norm(asked)), bm25, weight)
    hits = [
        Hit(
            found.chunk,
            float(score),
            float(cosine),
            float(lexical),
            found.file_sha256,
            key=found.key,
        )
        for found, score, cosine, lexical in zip(pool, scores, cosines, bm25, strict=True)
    ]
    return sorted(hits, key=lambda hit: (-hit.score, hit.chunk.source, hit.chunk.ordinal))


def _weight(by_text: Sequence[Hit], other: float) -> float:
    """The weight of the vectors: between the two by the languages of what words find best."""
    return VECTOR_WEIGHT + _other_share(by_text) * (other - VECTOR_WEIGHT)


def _other_share(by_text: Sequence[Hit]) -> float:
    """The share of the best hits that are in other languages than English."""
    best = by_text[:FEEDBACK_HITS]
    return sum(is_other(hit.chunk.language) for hit in best) / len(best) if best else 0.0


def convex(
    cosines: NDArray[np.float32], bm25: NDArray[np.float64], weight: float = VECTOR_WEIGHT
) -> NDArray[np.float64]:
    """Scores in [0, 1] from the two scores of each row of a pool.

    Convex combination (Bruch, Gai, Ingber: An Analysis of Fusion Functions for Hybrid Retrieval,
    2022): the cosine, known for every row, scaled between the worst and the best of the pool;
    BM25 scaled from 0, its theoretical minimum, to the best.
    """
    above, spread = cosines.astype(np.float64) - cosines.min(), float(np.ptp(cosines))
    near = above / spread if spread > 0 else np.ones_like(above)
    top = bm25.max()
    lexical = bm25 / top if top > 0 else bm25
    scores: NDArray[np.float64] = weight * near + (1 - weight) * lexical
    return scores.clip(0.0, 1.0)


def diverse(hits: Iterable[Hit], limit: int, per_source: int | None) -> list[Hit]:
    """The first `limit` hits; those beyond `per_source` of a document come after all others.

    One long document cannot displace the others, and a single-document corpus still fills the list.
    """
    first: list[Hit] = []
    more: list[Hit] = []
    taken: dict[str, int] = {}
    for hit in hits:
        count = taken[hit.chunk.source] = taken.get(hit.chunk.source, 0) + 1
        (first if per_source is None or count <= per_source else more).append(hit)
    return [*first, *more][:limit]
