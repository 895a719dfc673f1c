"""Finds passages in plain lists: every vector is compared, every text is looked through."""

import numpy as np


class Lists:
    """The three methods of a backend."""

    def __init__(self) -> None:
        self._rows = []

    def add(self, ids, vectors, texts):
        """Take passages in."""
        words = [text.casefold().split() for text in texts]
        self._rows += zip(ids.tolist(), vectors, words, strict=True)

    def nearest(self, vector, limit, among):
        """The rows nearest to a vector, with their cosines."""
        return self._best(lambda row: float(row[1] @ vector), limit, among)

    def worded(self, text, limit, among, *, every_word):
        """The rows that share words with a text, with the number of them."""
        words = set(text.casefold().split())
        least = len(words) if every_word else 1

        def shared(row):
            count = len(words.intersection(row[2]))
            return float(count) if count >= least else 0.0

        ids, scores = self._best(shared, limit, among)
        return ids[scores > 0], scores[scores > 0]

    def _best(self, score, limit, among):
        asked = None if among is None else set(among.tolist())
        rows = [(row[0], score(row)) for row in self._rows if asked is None or row[0] in asked]
        rows.sort(key=lambda row: (-row[1], row[0]))
        ids = [row[0] for row in rows[:limit]]
        scores = [row[1] for row in rows[:limit]]
        return np.array(ids, np.uint64), np.array(scores, np.float64)
