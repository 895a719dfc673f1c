"""A query -> hits: vectors and BM25 over the snapshots of one index, fused."""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from indexer.embed.encoder import Encoder
from indexer.embed.languages import (
    covered,
    fragments,
    is_english,
    is_multilingual,
    question_vector,
    shared,
)
from indexer.records import ENGLISH, PACKAGED_MODEL, Hit, Query, is_other
from indexer.store.ranking import Candidate, Ranking
from indexer.store.snapshot import Snapshots
from indexer.words import holds, phrases

POOL = 60  # rows asked of each side before fusion, however few are wanted
# Chosen on seven development sets together; docs/decisions/search.md has the figures.
VECTOR_WEIGHT = 0.62
OTHER_VECTOR_WEIGHT = 0.2  # in languages that the model does not read
ACROSS_VECTOR_WEIGHT = 0.8  # in another language than the question, by the multilingual model
OTHERS_FOUND = 0.3  # of the best by words, from which a query is in another language
FRAGMENTED_CHARS = 500  # of a query, which may be a pasted page
NAMED_POOL = 60  # rows of each side more, of the documents that a query names
NAMED_BONUS = 0.5  # what its name adds to the score of a document, before it is scaled to 1
PHRASE_DEPTH = 300  # rows with all words of a phrase that are looked through for it
# The score that is shown, from cosine, words and fused score.
SHOWN_WEIGHTS = (-7.31, 10.2, 2.1, 1.19)  # the first is the bias
BY_WORDS = (-7.21, 5.12, 4.67)  # without the cosine
HELD = 0.9  # the least that is shown of a passage with the phrases that were asked for
FEEDBACK_HITS = 5
FEEDBACK_WEIGHT = 0.8


def search(
    snapshot: Snapshots,
    encoder: Encoder,
    query: Query,
) -> list[Hit]:
    """The hits that a query asks for, best first."""
    # A lone half of a pair, as a byte that is no text becomes one, is no text for a tokenizer.
    text = query.text.encode("utf-8", "replace").decode("utf-8")
    if query.only_words:
        return snapshot.hits(by_words(snapshot, replace(query, text=text)))
    deep = replace(query, text=text, limit=max(POOL, query.limit))
    named = snapshot.named(deep)
    with ThreadPoolExecutor(1) as beside:  # words need no vector: they are looked up meanwhile
        by_text = beside.submit(by_words, snapshot, deep)
        vector, language = question_vector(encoder, text)
        near = snapshot.ranked(deep, vector)
        worded = by_text.result()
    asked = phrases(text)
    if asked:
        worded = worded | with_phrases(snapshot, deep, asked) | worded
    if named:
        own = replace(deep, among=frozenset(named), limit=NAMED_POOL)
        near = near | snapshot.ranked(own, vector) | near
        worded = worded | snapshot.ranked(own) | worded
    pool = snapshot.pool(near, worded)
    weight = vector_weight(encoder, text, language, pool, worded)
    fused = fuse(vector, pool, worded, weight)
    if is_multilingual(encoder):
        owed = shared(encoder, vector, [one.language for one in pool])
        fused = languages_by_vectors(fused, owed)
    if named:
        fused = named_first(fused, named)
    if not asked:  # the text of those alone that are shown
        places = [(pool[at].source, pool[at].page) for at in fused.order]
        first = [fused.order[n] for n in diverse(places, query, named)]
        return with_relevance(fused.hits(snapshot, first, named), encoder, text)
    hits = phrases_first(fused.hits(snapshot, fused.order, named), asked)
    places = [(hit.chunk.source, hit.chunk.page_start) for hit in hits]
    return with_relevance([hits[n] for n in diverse(places, query, named)], encoder, text)


def with_phrases(snapshot: Snapshots, query: Query, asked: Sequence[str]) -> Ranking:
    """The passages that hold all phrases, of those with all their words."""
    every = replace(query, text=" ".join(asked), limit=PHRASE_DEPTH)
    found = snapshot.ranked(every, every_word=True)
    hits = zip(found, snapshot.hits(found), strict=True)
    return {row: found[row] for row, hit in hits if holds(hit.chunk.text, asked)}


def phrases_first(hits: Iterable[Hit], asked: Sequence[str]) -> list[Hit]:
    """The hits, those with all phrases first: their scores are raised above .5, the others' not."""
    raised = [
        replace(hit, score=hit.score / 2 + 0.5 * holds(hit.chunk.text, asked)) for hit in hits
    ]
    return sorted(raised, key=lambda hit: not holds(hit.chunk.text, asked))


def with_relevance(hits: Sequence[Hit], encoder: Encoder, text: str) -> list[Hit]:
    """The hits with the score that is shown, which falls as they do: how good each is in itself."""
    asked = phrases(text)
    least, shown = 1.0, []
    for hit in hits:
        words = covered(text, f"{hit.chunk.heading}\n{hit.chunk.text}")
        chance = relevance_of(encoder, hit, (hit.cosine, words, hit.score))
        if asked and holds(hit.chunk.text, asked):
            chance = HELD + (1 - HELD) * chance
        least = min(least, chance)
        shown.append(replace(hit, relevance=least))
    return shown


def relevance_of(encoder: Encoder, hit: Hit, figures: Sequence[float]) -> float:
    """The share of hits with such figures that are relevant; cosines count of one model alone."""
    without = _logistic(BY_WORDS, figures[1:])
    if not encoder.name.startswith(PACKAGED_MODEL):
        return without
    whole = _logistic(SHOWN_WEIGHTS, figures)
    return max(whole, without) if is_other(hit.chunk.language) else whole


def _logistic(weights: Sequence[float], figures: Sequence[float]) -> float:
    bias, *factors = weights
    return 1 / (1 + math.exp(-bias - sum(map(operator.mul, factors, figures))))


def by_words(snapshot: Snapshots, query: Query) -> Ranking:
    """The passages that share words with a query; fragments of words, where it is not English.

    Fragments are rare where few passages have them: they count only if among what the words find
    best are several in other languages, or if they find nothing.
    """
    text = query.text
    found = snapshot.ranked(query)
    if is_english(text) or not any(map(is_other, snapshot.languages)):
        return found
    best = [one.language for one in snapshot.pool([*found][:FEEDBACK_HITS])]
    if best and _other_share(best) < OTHERS_FOUND:
        return found
    pieces = fragments(text[:FRAGMENTED_CHARS])
    return snapshot.ranked(replace(query, text=f"{text} {pieces}"))


@dataclass(frozen=True, slots=True)
class Fused:
    """The rows of a pool in one order: places in it, best first, and the scores of each place."""

    pool: Sequence[Candidate]
    order: list[int]
    scores: NDArray[np.float64]
    cosines: NDArray[np.float32]
    bm25: NDArray[np.float64]

    def hits(
        self, snapshot: Snapshots, chosen: Sequence[int], named: Mapping[str, float]
    ) -> list[Hit]:
        """The hits at the given places of the pool."""
        found = snapshot.hits({self.pool[at].id: float(self.scores[at]) for at in chosen})
        return [
            replace(
                hit,
                cosine=float(self.cosines[place]),
                bm25=float(self.bm25[place]),
                named=named.get(hit.chunk.source, 0.0),
            )
            for hit, place in zip(found, chosen, strict=True)
        ]


def fuse(
    query: NDArray[np.float32],
    pool: Sequence[Candidate],
    by_text: Ranking,
    weight: float = VECTOR_WEIGHT,
) -> Fused:
    """The order of the rows that the store's two sides found; ties by source and ordinal.

    `by_text` are those of the pool that were found by words. Fused twice: for the second round the
    vectors of the first hits, weighted by the square of their scores, are added to the query vector
    (pseudo-relevance feedback: Rocchio 1971; with vectors: Yu, Xiong, Callan 2021). The cosines are
    the similarities to the original query; `weight` is that of the vectors.
    """
    if not pool:
        return Fused(pool, [], np.empty(0), np.empty(0, np.float32), np.empty(0))
    vectors = np.stack([one.vector for one in pool])
    bm25 = np.array([by_text.get(one.id, 0.0) for one in pool])
    cosines = vectors @ query
    first = convex(cosines, bm25, weight)
    best = np.argsort(-first, kind="stable")[:FEEDBACK_HITS]
    feedback = (first[best, None] ** 2 * vectors[best]).sum(axis=0) / FEEDBACK_HITS
    asked = (query + FEEDBACK_WEIGHT * feedback).astype(np.float32)
    scores = convex(vectors @ (asked / np.linalg.norm(asked)), bm25, weight)
    keys = [(-score, one.source, one.ordinal) for one, score in zip(pool, scores, strict=True)]
    order = sorted(range(len(pool)), key=keys.__getitem__)
    return Fused(pool, order, scores, cosines, bm25)


def languages_by_vectors(fused: Fused, owed: NDArray[np.float32]) -> Fused:
    """The same rows: vectors, less what is owed to a language, order languages, words within."""
    languages = [one.language for one in fused.pool]
    own = {
        language: iter([at for at in fused.order if languages[at] == language])
        for language in set(languages)
    }
    order = [next(own[languages[at]]) for at in np.argsort(owed - fused.cosines, kind="stable")]
    scores = np.empty_like(fused.scores)
    scores[order] = -np.sort(-fused.scores)
    return replace(fused, order=order, scores=scores)


def named_first(fused: Fused, named: Mapping[str, float]) -> Fused:
    """The same rows, those of the documents that were named before others that are as near."""
    bonus = np.array([named.get(one.source, 0.0) for one in fused.pool])
    scores = (fused.scores + NAMED_BONUS * bonus) / (1 + NAMED_BONUS)
    return replace(fused, scores=scores, order=sorted(fused.order, key=lambda at: -scores[at]))


def vector_weight(
    encoder: Encoder, text: str, language: str, pool: Sequence[Candidate], by_text: Ranking
) -> float:
    """The weight of the vectors, by the share of what words find best in another language."""
    if not language and (is_multilingual(encoder) or is_english(text)):
        return VECTOR_WEIGHT
    other = ACROSS_VECTOR_WEIGHT if language else OTHER_VECTOR_WEIGHT
    languages = {one.id: one.language for one in pool}
    best = [languages[row] for row in [*by_text][:FEEDBACK_HITS]]
    return VECTOR_WEIGHT + _other_share(best, language or ENGLISH) * (other - VECTOR_WEIGHT)


def _other_share(languages: Sequence[str], own: str = ENGLISH) -> float:
    """The share of the languages of the best hits that are known to be others than `own`."""
    return sum(each not in ("", own) for each in languages) / max(1, len(languages))


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


def diverse(
    found: Sequence[tuple[str, int | None]], query: Query, named: Collection[str] = ()
) -> list[int]:
    """The numbers of the first; last those beyond one of a page and `per_source` of a document.

    One long document cannot displace the others, and a single-document corpus still fills the list.
    A document that was named has no such bound, nor have those that are searched whole.
    """
    by_page = query.per_source is not None or query.among is None
    first, more = list[int](), list[int]()
    taken: Counter[str] = Counter()
    pages: set[tuple[str, int | None]] = set()
    for number, place in enumerate(found):
        (source, page), most = place, query.per_source
        full = most is not None and source not in named and taken[source] >= most
        if full or (by_page and page is not None and place in pages):
            more.append(number)
            continue
        first.append(number)
        taken[source] += 1
        pages.add(place)
    return [*first, *more][: query.limit]
