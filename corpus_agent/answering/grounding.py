"""The retrieved passage that supports a sentence of an answer, if there is one.

Figures, dates and names must match; words must be covered by form or by meaning. Pure except for
the encoder, which is passed in. Compares words, not truth: a supported sentence may still be wrong,
which is why its passage is quoted with it. Called by verification.py.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import regex

from corpus_agent.answering.agreement import (
    borrowed_names,
    replaces_name,
    same_sense,
    says_figures,
    swaps_names,
)
from corpus_agent.answering.claims import LEAST_WORDS, codes, names, without_sources
from corpus_agent.answering.evidence import ComparedText, SentenceRange, Together, windows_of
from corpus_agent.text.negation import answers
from corpus_agent.text.numbers import figures, found, readings
from corpus_agent.text.tokens import STOP_WORDS, content_terms, fold, same_word, terms
from indexer import Chunk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from corpus_agent.answering.coverage import EncodeTokens

# Measured on sentences that a passage supports or does not: claims.toml, answers.toml (SPEAKS_OF).
MAX_LIKELY = 30  # windows that are compared in full for one claim
MAX_COMPARED = 8  # of those, the ones with the most words in common are encoded
SURELY_COVERED = 0.9  # with this share of words in common no vectors are needed
ENOUGH = 0.525  # mean of the words covered and the cosine
ENOUGH_COVERED = 0.7  # words covered, without vectors
CLEARLY = 0.2  # the margin in covered words by which a passage that denies a claim prevails
SPEAKS_OF = 0.5  # share of a claim's words in its quoted sentences: then they share a topic
_BEGINNING = 3  # the minimum of letters that two forms of a word share, as in `same_word`
_QUOTED = re.compile(r"[\"“„«]([^\"“”„«»]{12,})[\"”“»]")


@dataclass(frozen=True, slots=True)
class Support:
    """The words of a passage that support a claim, and how well they cover it."""

    passage: Chunk
    start: int
    end: int
    score: float

    @property
    def quote(self) -> str:
        """The supporting words, verbatim."""
        return self.passage.text[self.start : self.end]

    @property
    def line(self) -> int:
        """The line in which they begin."""
        return self.passage.line_start + self.passage.text.count("\n", 0, self.start)


# ---- Requirements of a claim


class Supporter:
    """The passages that an answer was written from, searchable for support."""

    def __init__(self, passages: Iterable[Chunk], encode: EncodeTokens | None = None) -> None:
        """Without `encode` a word is covered only by its own forms."""
        self._encode = encode
        self._vectors: dict[str, NDArray[np.float32]] = {}
        own = list(dict.fromkeys(passages))
        self._sources = frozenset(passage.source for passage in own)
        self._windows = [window for passage in own for window in windows_of(passage)]
        # Two forms of a word share their beginning, which is a fast index of windows.
        self._holding: dict[str, list[int]] = {}
        for number, window in enumerate(self._windows):
            for beginning in {word[:_BEGINNING] for word in window.words}:
                self._holding.setdefault(beginning, []).append(number)

    def support(self, claim: str) -> Support | None:
        """The best support of a claim, the shorter one at a tie; None if there is none."""
        claim = without_sources(claim, self._sources)
        covered = [(coverage(claim, w), w) for w in self._likely(claim) if _fits(claim, w)]
        covered = sorted(covered, key=lambda pair: (-pair[0], len(pair[1].text)))[:MAX_COMPARED]
        if not covered:
            return None
        share, best = covered[0]
        if self._encode is None or share >= SURELY_COVERED:
            enough = share >= ENOUGH_COVERED
        else:
            near = self._nearness(claim, [window for _, window in covered])
            scores = [(share + near[w.text]) / 2 for share, w in covered]
            share = max(scores)
            best = covered[scores.index(share)][1]
            enough = share >= ENOUGH
        if not enough or self._is_denied(claim, coverage(claim, best)):
            return None
        return Support(best.passage, best.start, best.end, share)

    def _is_denied(self, claim: str, covered: float) -> bool:
        """Whether a passage that covers a claim better contradicts it."""
        return covered < SURELY_COVERED and any(
            coverage(claim, window) > covered + CLEARLY and _differs(claim, window, "")
            for window in self._likely(claim)
        )

    def _likely(self, claim: str) -> list[SentenceRange]:
        """The windows with most of a claim's words, by the beginnings of the words."""
        beginnings = {word[:_BEGINNING] for word in terms(claim) if word not in STOP_WORDS}
        held: Counter[int] = Counter()
        for beginning in beginnings:
            held.update(self._holding.get(beginning, ()))
        return [self._windows[number] for number, _ in held.most_common(MAX_LIKELY)]

    def _nearness(self, claim: str, windows: Sequence[SentenceRange]) -> dict[str, float]:
        """The cosine of each window's text to the claim."""
        assert self._encode is not None
        texts = list(dict.fromkeys([claim, *(window.text for window in windows)]))
        new = [text for text in texts if text not in self._vectors]
        self._vectors |= {t: e.vector for t, e in zip(new, self._encode(new), strict=True)}
        vector = self._vectors[claim]
        return {text: float(vector @ self._vectors[text]) for text in texts}


Bearing = Literal["supported", "unsupported", "contradicted"]


def bears_every_part(
    claim: str, windows: Sequence[SentenceRange], encode: EncodeTokens | None, question: str = ""
) -> Bearing:
    """The combined `bearing` on a claim and on each of its clauses.

    A clause too short to be a claim counts only as part of the whole, unless it revokes the whole:
    "repealed: ...".
    """
    whole = bearing(claim, windows, encode, question)
    if whole != "supported":
        return whole
    known = frozenset[str]().union(*(window.around for window in windows))
    if any(word in _TAKING_BACK and word not in known for word in terms(claim)):
        return "contradicted"
    clauses = [part.strip() for part in _GLUED.split(claim)]
    for clause in (part for part in clauses if part != claim and len(_meant(part)) >= LEAST_WORDS):
        share = max(coverage(clause, window) for window in windows)
        # A clause is short: with the encoder its words may differ, but some must be the same.
        if share < SPEAKS_OF:
            return "unsupported"
        if share < ENOUGH_COVERED and bearing(clause, windows, encode, question) != "supported":
            return "unsupported"
    return whole


# Words that revoke the statement next to them.
_TAKING_BACK = frozenset(
    fold(word)
    for word in [
        "false",
        "untrue",
        "lie",
        "lies",
        "wrong",
        "incorrect",
        "repealed",
        "revoked",
        "cancelled",
        "canceled",
        "superseded",
        "obsolete",
        "outdated",
        "formerly",
        "yesterday",
        "ignore",
        "ignored",
        "invalid",
        "void",
        "verified",
        "nobody",
        "falsch",
        "unwahr",
        "lüge",
        "aufgehoben",
        "widerrufen",
        "überholt",
        "ungültig",
        "früher",
        "gestern",
        "ignoriere",
        "niemand",
        "faux",
        "mensonge",
        "abrogé",
        "abrogée",
        "annulé",
        "annulée",
        "périmé",
        "autrefois",
        "hier",
        "ignorez",
        "vérifié",
        "falso",
        "mentira",
        "derogado",
        "derogada",
        "anulado",
        "anulada",
        "antiguamente",
        "ayer",
        "ignore",
        "verificado",
    ]
)
_GLUED = regex.compile(
    r"[:;：；](?=[\s*_]|\p{Han}|$)|(?<!\s)\s+[-–]\s+|—|[()（）\[\]]|,\s+(?=(?:so|but|and|also|aber|und|mais|et|pero|y)\s)|，"
)


def bearing(
    claim: str, windows: Sequence[SentenceRange], encode: EncodeTokens | None, question: str = ""
) -> Bearing:
    """How the quoted sentences bear on a claim, by the same check as without a quotation.

    "contradicted" if they share the topic and have another figure, name or sense. Figures and names
    of the question need not be repeated. A bare yes or no is checked against the question.
    """
    assert windows
    evidence: ComparedText = windows[0] if len(windows) == 1 else Together(windows)
    reply = answers(claim)
    if reply is not None and not _meant(claim):
        return _bearing_on_answer(reply, question, evidence)
    if reply is not None:
        claim = claim.lstrip("*_ ").partition(" ")[2] or claim
    if not any(_fits(claim, each, question) for each in (evidence, *windows)):
        own = [window for window in windows if _speaks_of(claim, window)]
        against = own and all(_differs(claim, window, question) for window in own)
        return "contradicted" if against else "unsupported"
    if len(_meant(claim)) < LEAST_WORDS:
        return "supported"
    share = coverage(claim, evidence)
    if encode is None or share >= SURELY_COVERED:
        return "supported" if share >= ENOUGH_COVERED else "unsupported"
    own_vector, *others = (each.vector for each in encode([claim, *(w.text for w in windows)]))
    near = max(float(own_vector @ other) for other in others)
    return "supported" if (share + near) / 2 >= ENOUGH else "unsupported"


def _bearing_on_answer(reply: bool, question: str, evidence: ComparedText) -> Bearing:
    """How a text bears on a yes or a no to a question."""
    agrees = same_sense(question, evidence.text)
    if reply:
        return "supported" if agrees else "contradicted"
    same = agrees and _fits(question, evidence) and coverage(question, evidence) >= ENOUGH_COVERED
    return "contradicted" if same else "supported"


def _speaks_of(claim: str, window: SentenceRange) -> bool:
    """Whether a text and a claim have the same topic."""
    return coverage(claim, window) >= SPEAKS_OF


def _differs(claim: str, window: SentenceRange, question: str) -> bool:
    """Whether a text has another figure, name or sense than a claim, rather than just less."""
    text = window.text
    if not same_sense(claim, text) or replaces_name(claim, text) or swaps_names(claim, text):
        return True
    if borrowed_names(claim, window):
        return True
    if figures(claim) - readings(text) - figures(question) and figures(text) - readings(claim):
        return True
    return bool(
        names(claim) - window.words - window.titles - names(question)
        and names(text) - frozenset(terms(claim))
    )


def _meant(text: str) -> list[str]:
    """The content words of a text."""
    words = content_terms(_without_figures(text))
    return [w for w in words if w not in STOP_WORDS and not w.isdigit() and len(w) > 1]


def _without_figures(text: str) -> str:
    """The text without figures, spelt ones included: these are compared by value."""
    spelt = [f for f in found(text) if not any(map(str.isdigit, text[f.start : f.end]))]
    for figure in reversed(spelt):
        text = f"{text[: figure.start]} {text[figure.end :]}"
    return text


def _fits(claim: str, window: ComparedText, question: str = "") -> bool:
    """Whether a window has the figures, codes, names, quoted words and negation of a claim."""
    text = window.text
    if not says_figures(claim, text, figures(question)) or not same_sense(claim, text):
        return False
    if not codes(claim) <= window.words | window.titles | codes(question):
        return False
    quoted = (fold(" ".join(words.split())) for words in _QUOTED.findall(claim))
    if not all(words in fold(" ".join(text.split())) for words in quoted):
        return False
    own = names(claim) - names(question)
    elsewhere = own - window.words - window.titles
    if elsewhere and names(text) - frozenset(terms(claim)):
        return False  # a name from the context in the place of another
    if borrowed_names(claim, window) - names(question):
        return False
    return own <= window.around and not replaces_name(claim, text) and not swaps_names(claim, text)


def coverage(claim: str, window: ComparedText) -> float:
    """The share of a claim's words that are in a window; those in its context count half."""
    words = (word for word in content_terms(_without_figures(claim)) if not word.isdigit())
    wanted = [word for word in words if word not in STOP_WORDS]
    if not wanted:
        return 1.0

    def covered(word: str) -> float:
        if any(same_word(word, other) for other in window.words):
            return 1.0
        return 0.5 if any(same_word(word, other) for other in window.before) else 0.0

    return sum(map(covered, wanted)) / len(wanted)
