"""Words of a question that a text has the opposite of: easy for difficult, least for most.

Reads pairs of common English words from WordNet (antonyms.txt, written by benchmarks/antonyms.py);
opposites.py has what a claim may turn, in five languages. Called by answering/probability.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from corpus_agent.text.tokens import same_word, terms

PAIRS = Path(__file__).with_name("antonyms.txt")
# Endings of English forms, with what the word itself has there.
_ENDINGS = (
    ("s", ""), ("es", ""), ("ies", "y"), ("d", ""), ("ed", ""), ("ied", "y"), ("ing", ""),
    ("ing", "e"), ("r", ""), ("er", ""), ("ier", "y"), ("st", ""), ("est", ""), ("iest", "y"),
    ("ly", ""), ("ily", "y"), ("ally", "al"),
)  # fmt: skip
_SHORTEST = 3


@cache
def _antonyms() -> Mapping[str, frozenset[str]]:
    found = defaultdict(set)
    for line in PAIRS.read_text("utf-8").splitlines():
        for pair in [] if line.startswith("#") else line.split():
            one, other = pair.split("/")
            found[one].add(other)
            found[other].add(one)
    return {word: frozenset(others) for word, others in found.items()}


def _words(form: str) -> frozenset[str]:
    """The words that a folded word may be a form of, itself among them."""
    return frozenset(
        [form]
        + [
            form.removesuffix(ending) + own
            for ending, own in _ENDINGS
            if form.endswith(ending) and len(form) - len(ending) >= _SHORTEST
        ]
    )


def turned_words(question: str, text: str) -> int:
    """How many words of the question the text lacks, in any form, and has an antonym of.

    An antonym that the question has too does not count.
    """
    asked, there = dict.fromkeys(terms(question)), set(terms(text))
    said = frozenset[str]().union(*map(_words, there)).difference(*map(_words, asked))
    return sum(
        any(said & _antonyms().get(own, frozenset()) for own in _words(word))
        and not any(same_word(word, own) for own in there)
        for word in asked
    )
