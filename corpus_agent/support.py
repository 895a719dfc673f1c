"""Which retrieved passage says what a sentence of an answer says; none, where none does.

Figures, dates and names must match, words must be covered by form or by meaning. Pure but for the
encoder that is handed in; knows words and not the truth: a sentence may be covered and still be
wrong, which is why its passage is quoted beside it. Called by settling.py.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import regex

from corpus_agent.figures import counted, figures, is_unit, readings
from corpus_agent.sentences.coverage import EncodeTokens
from corpus_agent.sentences.units import asks, leads_in, units
from corpus_agent.sentences.words import (
    STOP_WORDS,
    content_terms,
    fold,
    same_word,
    terms,
    word_spans,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEAST_WORDS = 2  # that carry meaning; with fewer a sentence claims nothing by itself
LONGEST_WINDOW = 2  # sentences of one passage that may support a claim together
CONTEXT = 800  # characters before and after a window that say what it is about
MAX_LIKELY = 30  # windows that are looked at closely for one claim
MAX_COMPARED = 8  # of those, the ones with the most words in common, which are encoded
SURELY_COVERED = 0.9  # with so many words in common no vectors are needed
# From benchmarks/claims.py: mean of the words covered and the cosine; without vectors, the words.
ENOUGH = 0.525
ENOUGH_COVERED = 0.7
_STAND_IN = "†"
_BEGINNING = 3  # letters that two forms of a word share at the least
MARK = re.compile(r"\s*\[(\d{1,4})\]")

_NOT_NEGATION = regex.compile(
    r"(?i)\b(?:not|nicht)\s+(?:less|more|fewer|later|earlier|only|exceeding|than|weniger|mehr|nur)\b"
)
_NEGATION = regex.compile(
    r"(?i)\b(?:not|never|cannot|\w+n['’]t|no(?=\s+\p{Ll})|nicht|niemals|nie|kein\w*|ne|pas|jamais"
    r"|nunca)\b"
)
# A capital inside a sentence, or letters and figures together; German writes all nouns so.
_NAME = regex.compile(r"(?<=[\p{L}\p{N},;)\"”]\s)\p{Lu}[\p{L}\p{M}\p{N}'’.-]*[\p{L}\p{N}]")
_CODE = regex.compile(r"\b(?=[\w-]*\d)(?=[\w-]*\p{L})[\w-]{3,}\b")
_GERMAN = frozenset(
    [
        "der",
        "die",
        "das",
        "und",
        "ist",
        "nicht",
        "ein",
        "eine",
        "einen",
        "dem",
        "den",
        "wird",
        "sind",
        "mit",
        "für",
        "zum",
        "zur",
        "im",
    ]
)
_BULLET = re.compile(r"^\s*(?:[-*+•–]|\(?\d{1,3}[.)])\s+")
_QUOTED = re.compile(r"[\"“„«]([^\"“”„«»]{12,})[\"”“»]")


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of an answer: half-open range of characters, and the citations behind it."""

    start: int
    end: int
    text: str
    cited: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """A passage to support claims with: `line` is that of its first character, 1-based."""

    source: str
    line: int
    text: str
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Support:
    """The words of a passage that say what a claim says, and how well they cover it."""

    passage: Source
    start: int
    end: int
    score: float

    @property
    def quote(self) -> str:
        """The words themselves."""
        return self.passage.text[self.start : self.end]

    @property
    def line(self) -> int:
        """The line that they begin in."""
        return self.passage.line + self.passage.text.count("\n", 0, self.start)


def claims(text: str, known: Iterable[int]) -> list[Claim]:
    """The sentences of an answer that claim something, each with the `known` numbers behind it.

    Questions, titles, lead-ins and sentences without words that mean something claim nothing. A
    number belongs to the sentence before it, also behind its full stop.
    """
    numbers = frozenset(known)
    # As long as the text, and a full stop behind a mark still ends its sentence.
    bare = MARK.sub(lambda mark: _STAND_IN.rjust(len(mark[0])), text)
    found: list[Claim] = []
    for unit in units(bare):
        start, end = unit.start, unit.end
        while start < end and bare[start] in f"{_STAND_IN} ":  # of the sentence before
            start += 1
        while (match := MARK.match(text, end)) is not None:
            end = match.end()
        cited = tuple(n for n in map(int, MARK.findall(text, start, end)) if n in numbers)
        words = _without_stand_ins(bare[start : unit.end])
        if start < unit.end and (cited or _claims_something(words, unit.kind)):
            found.append(Claim(start, end, words, cited))
    return found


def _without_stand_ins(text: str) -> str:
    return re.sub(rf"\s*{_STAND_IN}", "", _BULLET.sub("", text)).strip()


def _claims_something(text: str, kind: str) -> bool:
    if kind == "head" or asks(text) or leads_in(text):
        return False
    meant = [word for word in content_terms(text) if word not in STOP_WORDS]
    return len(meant) >= LEAST_WORDS or bool(figures(text))


# ---- What a claim needs


def codes(text: str) -> frozenset[str]:
    """The folded words of letters and figures together: E1042, GX-1180-B."""
    return frozenset(word for code in _CODE.findall(text) for word in terms(code))


def names(text: str) -> frozenset[str]:
    """The folded names of a text; none of a German one, which writes all nouns like names."""
    if _GERMAN.intersection(fold(text).split()):
        return frozenset()
    words = (word for name in _NAME.findall(text) for word in terms(name))
    return frozenset(word for word in words if word not in STOP_WORDS and not word.isdigit())


def says_figures(claim: str, said: str, given: frozenset[str] = frozenset()) -> bool:
    """Whether a text has every figure and date of a claim, and counts the same things with them.

    "7 days" is not said by "7 hours" nor by "6 days and 7 nights"; a bare 7 in a table may be.
    Figures that are `given` need not be said.
    """
    if not figures(claim) <= readings(said) | given:
        return False
    theirs = counted(said)
    counts = ((value, words[0]) for value, words in counted(claim).items() if words)
    return all(_counts(value, word, theirs) for value, word in counts if value not in given)


def _counts(value: str, word: str, theirs: Mapping[str, Sequence[str]]) -> bool:
    """Whether a text may count `word` by `value`: it does, or it counts it by nothing else."""
    own = theirs.get(value, ())
    if any(word == other or same_word(word, other) for other in own):
        return True
    if is_unit(word) and any(is_unit(other) for other in own):
        return False
    return not any(
        word == other or same_word(word, other) for others in theirs.values() for other in others
    )


def _agrees(claim: str, said: str) -> bool:
    """Whether claim and text are both negated or both not, where the text speaks of the claim."""
    return _negated(claim) == _negated(_common_part(claim, said))


def _negated(text: str) -> bool:
    return bool(_NEGATION.search(_NOT_NEGATION.sub("", text)))


def _common_part(claim: str, said: str) -> str:
    """The text from two words before the first word that it shares with a claim to the last."""
    wanted = content_terms(claim)
    spans = [
        (start, end)
        for start, end, word in word_spans(said)
        if any(same_word(word, other) for other in wanted)
    ]
    if not spans:
        return said
    before = list(re.finditer(r"\S+", said[: spans[0][0]]))[-2:]
    return said[before[0].start() if before else spans[0][0] : spans[-1][1]]


@dataclass(frozen=True)
class _Window:
    """One or two sentences of a passage that may support a claim."""

    passage: Source
    start: int
    end: int

    @cached_property
    def text(self) -> str:
        return self.passage.text[self.start : self.end]

    @cached_property
    def words(self) -> frozenset[str]:
        """The folded words of the window."""
        return frozenset(terms(self.text))

    @cached_property
    def before(self) -> frozenset[str]:
        """The folded words that say before the window what it is about."""
        passage = self.passage
        before = passage.text[max(0, self.start - CONTEXT) : self.start]
        return frozenset(terms(f"{passage.source} {passage.heading} {before}"))

    @cached_property
    def around(self) -> frozenset[str]:
        """The folded words in and about the window, before and after."""
        after = self.passage.text[self.end : self.end + CONTEXT]
        return self.before | self.words | frozenset(terms(after))


class Supporter:
    """The passages that an answer was written from."""

    def __init__(self, passages: Iterable[Source], encode: EncodeTokens | None = None) -> None:
        """Without `encode` a word is covered by a form of itself alone."""
        self._encode = encode
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self._windows = [
            window for passage in dict.fromkeys(passages) for window in _windows(passage)
        ]
        # Two forms of a word begin alike; which windows hold a beginning is quickly said.
        self._holding: dict[str, list[int]] = {}
        for number, window in enumerate(self._windows):
            for beginning in {word[:_BEGINNING] for word in window.words}:
                self._holding.setdefault(beginning, []).append(number)

    def support(self, claim: str) -> Support | None:
        """The best support of a claim, at a tie the shorter one; None where there is none."""
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
        return Support(best.passage, best.start, best.end, share) if enough else None

    def _likely(self, claim: str) -> list[_Window]:
        """The windows that hold most of a claim's words, by how they begin."""
        beginnings = {word[:_BEGINNING] for word in terms(claim) if word not in STOP_WORDS}
        held: Counter[int] = Counter()
        for beginning in beginnings:
            held.update(self._holding.get(beginning, ()))
        return [self._windows[number] for number, _ in held.most_common(MAX_LIKELY)]

    def _nearness(self, claim: str, windows: Sequence[_Window]) -> dict[str, float]:
        """The cosine of each window's text to the claim."""
        assert self._encode is not None
        texts = list(dict.fromkeys([claim, *(window.text for window in windows)]))
        new = [text for text in texts if text not in self._vectors]
        self._vectors |= {t: e.vector for t, e in zip(new, self._encode(new), strict=True)}
        vector = self._vectors[claim]
        return {text: float(vector @ self._vectors[text]) for text in texts}


def _fits(claim: str, window: _Window) -> bool:
    """Whether a window has the figures, codes, names, quoted words and negation of a claim."""
    text, passage = window.text, window.passage
    if not says_figures(claim, text) or not _agrees(claim, text):
        return False
    if not codes(claim) <= window.words | frozenset(terms(passage.source)):
        return False
    quoted = (fold(" ".join(words.split())) for words in _QUOTED.findall(claim))
    if not all(words in fold(" ".join(text.split())) for words in quoted):
        return False
    return names(claim) <= window.around


def coverage(claim: str, window: _Window) -> float:
    """The share of a claim's words that a window has; those that its context has count half."""
    words = (word for word in content_terms(claim) if not word.isdigit())
    wanted = [word for word in words if word not in STOP_WORDS]
    if not wanted:
        return 1.0

    def covered(word: str) -> float:
        if any(same_word(word, other) for other in window.words):
            return 1.0
        return 0.5 if any(same_word(word, other) for other in window.before) else 0.0

    return sum(map(covered, wanted)) / len(wanted)


def _windows(passage: Source) -> Iterator[_Window]:
    found = [unit for unit in units(passage.text) if unit.kind != "page"]
    for length in range(1, LONGEST_WINDOW + 1):
        for first in range(len(found) - length + 1):
            yield _Window(passage, found[first].start, found[first + length - 1].end)
