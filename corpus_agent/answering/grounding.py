"""The retrieved passage that supports a sentence of an answer, if there is one.

Figures, dates and names must match; words must be covered by form or by meaning. Pure except for
the encoder, which is passed in. Compares words, not truth: a supported sentence may still be wrong,
which is why its passage is quoted with it. Called by verification.py.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, Protocol

import regex

from corpus_agent.text.naming import spellings
from corpus_agent.text.negation import answers, negations, says_what_is_needed
from corpus_agent.text.numbers import (
    bounds,
    converted,
    counted,
    figures,
    found,
    is_unit,
    measures,
    readings,
    shares,
)
from corpus_agent.text.opposites import excludes, turned
from corpus_agent.text.sentences import asks, leads_in, units
from corpus_agent.text.tokens import (
    STOP_WORDS,
    UNSPACED,
    content_terms,
    fold,
    same_word,
    terms,
    word_spans,
)
from indexer import Chunk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from corpus_agent.answering.coverage import EncodeTokens

# If a number can be measured, benchmarks/fit_ranking.py computes it again from sentences that a
# passage supports or does not: those of claims.toml, and of answers.toml for SPEAKS_OF.
LEAST_WORDS = 2  # content words; a sentence with fewer is not a claim: a choice
LONGEST_WINDOW = 2  # sentences of one passage that may support a claim together
CONTEXT = 800  # characters before and after a window that count as its context
MAX_LIKELY = 30  # windows that are compared in full for one claim
MAX_COMPARED = 8  # of those, the ones with the most words in common are encoded
SURELY_COVERED = 0.9  # with this share of words in common no vectors are needed
ENOUGH = 0.525  # mean of the words covered and the cosine
ENOUGH_COVERED = 0.7  # words covered, without vectors
CLEARLY = 0.2  # the margin in covered words by which a passage that denies a claim prevails
SPEAKS_OF = 0.5  # share of a claim's words in its quoted sentences: then they share a topic
_STAND_IN = "†"
_BEGINNING = 3  # the minimum of letters that two forms of a word share, as in `same_word`
MARK = re.compile(r"(?:(?<!\s)\s+)?\[(\d{1,4})\]")

# A capital inside a sentence, or letters with digits; German capitalises all nouns.
_NAME = regex.compile(r"(?<=[\p{L}\p{N},;)\"”]\s)\p{Lu}[\p{L}\p{M}\p{N}'’.-]*[\p{L}\p{N}]")
_UNSPACED = regex.compile(f"[{UNSPACED}]")
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
_CLAUSE_BEGINS = re.compile(r"(?:[^\s,;:.!?()]+\s+){1,4}\Z")
_CLAUSE_GOES_ON = re.compile(
    r"(?:\s+(?!(?:and|or|but|und|oder|aber|sondern|et|ou|mais|y|o|pero|sino)\b)[^\s,;:.!?()]+){1,3}"
)
_CLAUSES = re.compile(r"[,;:.!?()]\s|\s(?:and|but|et|mais|y|pero|while|if|unless|except)\s")
_WRITTEN = regex.compile(r"[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*")
_BY = regex.compile(
    r"(?i)\b(?:by|von|vom|durch|par|por|da|dal)\b|[被由]|\b(?:is|are|was|were|be|been|being)\s+\p{L}+(?:ed|en)\b"
)
_AND = regex.compile(r"(?i)(?<!\p{L})\p{Lu}\p{L}+,?\s+(?:and|or|und|oder|et|ou|y|o|&)\s+\p{Lu}")
_ARTICLE = regex.compile(
    r"(?i)(?:^|\s)(?:the|im|am|zum|zur|vom|beim|ins|der|die|das|den|dem|des|eine?[nmrs]?|kein\p{L}*|mein\p{L}*|sein\p{L}*|ihr\p{L}*"
    r"|unser\p{L}*|le|la|les|une?|el|los|las)\s+(?:\p{Ll}+\s+)?$"
)
_SENTENCES = re.compile(
    r"(?<=[^\W\d_][^\W\d_])[.!?;]\s+|(?<=\d)[.!?;]\s+(?=[^\W\d_a-z])|[。！？；，]|\n\s*\n"
)
# Only long words: "invalid", but not "incase"; "legal" and "illegal".
_DENYING = re.compile(r"(?:non|un|in|il|im|ir|dis)(?P<word>\w{5,})\Z")
_NEARLY = 0.7  # share of the words of a claim, in order: then it repeats a text
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


def claims(text: str, known: Iterable[int], *, every: bool = False) -> list[Claim]:
    """The sentences of an answer that are claims, each with the `known` numbers behind it.

    Questions, titles, lead-ins and sentences without content words are not claims, except with
    `every`. A number belongs to the sentence before it, also behind its full stop.
    """
    numbers = frozenset(known)
    # Same length as the text, and a full stop behind a mark still ends its sentence.
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
        if start < unit.end and (cited or every or _claims_something(words, unit.kind)):
            found.append(Claim(start, end, words, cited))
    return found


def _without_stand_ins(text: str) -> str:
    return re.sub(rf"\s*{_STAND_IN}", "", _BULLET.sub("", text)).strip()


def _claims_something(text: str, kind: str) -> bool:
    if kind == "head" or asks(text) or leads_in(text):
        return False
    meant = [word for word in content_terms(text) if word not in STOP_WORDS]
    return len(meant) >= LEAST_WORDS or bool(figures(text))


# ---- Requirements of a claim


def codes(text: str) -> frozenset[str]:
    """The folded words that mix letters and digits: E1042, GX-1180-B."""
    found = (code for code in _CODE.findall(text) if not _UNSPACED.search(code))
    return frozenset(word for code in found for word in terms(code))


def names_are_nouns(text: str) -> bool:
    """Whether a text is German, which capitalises all nouns like names."""
    return bool(_GERMAN.intersection(fold(text).split()))


def names(text: str) -> frozenset[str]:
    """The folded names of a text; empty for a German one."""
    if names_are_nouns(text):
        return frozenset()
    words = (word for name in _NAME.findall(text) for word in terms(name))
    return frozenset(
        word
        for word in words
        if word not in STOP_WORDS
        and not word.isdigit()
        and not figures(word.title())
        and not measures(word)
    )


def without_sources(text: str, sources: Iterable[str]) -> str:
    """The text without the names of documents, which are not part of a claim."""
    for source in dict.fromkeys(sources):
        for name in {source, source.rpartition("/")[2]}:
            for spelled in sorted(set(spellings(name)), key=len, reverse=True):
                if "." in spelled:
                    text = text.replace(spelled, " ")
    return text


def says_figures(claim: str, said: str, given: frozenset[str] = frozenset()) -> bool:
    """Whether a text has every figure and date of a claim, each with the same unit or noun.

    "7 days" is supported neither by "7 hours" nor by "6 days and 7 nights", but by a bare 7 in a
    table. Figures that are `given` need not occur.
    """
    theirs = converted(said)
    if not figures(claim) <= readings(said) | theirs.keys() | given:
        return False
    if shares(claim) and not shares(said):
        return not figures(claim) - theirs.keys() - given and _all_converted(claim, said)
    counts = ((value, words[0]) for value, words in counted(claim).items() if words)
    return all(_counts(value, word, theirs) for value, word in counts if value not in given)


def _all_converted(claim: str, said: str) -> bool:
    """Whether the percentages of a claim are the fractions of a text without a percent sign."""
    theirs = converted(said)
    return all(
        any(same_word(word, other) for other in theirs.get(value, ()))
        for value, words in counted(claim).items()
        for word in words[:1]
        if is_unit(word)
    )


def _counts(value: str, word: str, theirs: Mapping[str, Sequence[str]]) -> bool:
    """Whether a text has `value` for `word`, or at least no other value for it."""
    own = theirs.get(value, ())
    if any(word == other or same_word(word, other) for other in own):
        return True
    if is_unit(word) and any(is_unit(other) for other in own):
        return False
    return not any(
        word == other or same_word(word, other) for others in theirs.values() for other in others
    )


def _agrees(claim: str, said: str) -> bool:
    """Whether claim and text agree in negation where they share a topic.

    Double negation cancels: "not without consent" equals "with consent".
    """
    shared = [(_shared(claim, text), text) for text in _SENTENCES.split(said)]
    most = max(count for count, _ in shared)
    parts = [text for count, text in shared if 2 * count >= most]
    if _bounded_otherwise(claim, said) or excludes(claim, said):
        return False
    mine = negations(claim, said) + _opposites(claim, said) + turned(claim, said)
    theirs = [
        negations(_common_part(claim, text), claim) + _opposites(text, claim) for text in parts
    ]
    if len(parts) > 1:
        return bool(mine) == any(theirs)
    return mine % 2 == theirs[0] % 2 and (mine - theirs[0] < 2 or says_what_is_needed(said))


def _bounded_otherwise(claim: str, said: str) -> bool:
    """Whether a figure or time is the lower bound in one text and the upper in the other."""
    theirs = bounds(said)
    return any(
        value in theirs and not senses & theirs[value] for value, senses in bounds(claim).items()
    )


def _opposites(text: str, other: str) -> int:
    """The number of words of a text that are negated by prefix in the other: nonrefundable."""
    spoken = frozenset(terms(other))
    words = frozenset(terms(text)) - spoken
    return sum(
        bool(
            (match := _DENYING.match(word))
            and match["word"] in spoken
            and match["word"] not in words
        )
        for word in words
    )


def _shared(claim: str, said: str) -> int:
    words = frozenset(terms(said))
    return sum(any(same_word(word, other) for other in words) for word in content_terms(claim))


def _common_part(claim: str, said: str) -> str:
    """The part of the text from the first to the last word that it shares with a claim.

    With a few words before and behind, within the same clause.
    """
    every = content_terms(claim)
    # Figures occur in many places; words locate the topic of a claim.
    wanted = [word for word in every if not word.isdigit()] or every
    spans = [
        (start, end)
        for start, end, word in word_spans(said)
        if any(same_word(word, other) for other in wanted)
    ]
    if not spans:
        return said
    first, last = spans[0][0], spans[-1][1]
    before = _CLAUSE_BEGINS.search(said[:first])
    behind = _CLAUSE_GOES_ON.match(said[last:])
    return said[
        first - len(before[0]) if before else first : last + len(behind[0] if behind else "")
    ]


def _swapped(claim: str, said: str) -> bool:
    """Whether a claim repeats a text with one name replaced by another."""
    mine, theirs = _written(claim), _written(said)
    matcher = SequenceMatcher(None, [fold(w) for w in mine], [fold(w) for w in theirs], False)
    blocks = matcher.get_opcodes()
    equal = sum(i2 - i1 for tag, i1, i2, _, _ in blocks if tag == "equal")
    if equal < _NEARLY * len(mine):
        return False
    folded = {fold(word) for word in mine}
    for tag, i1, i2, j1, j2 in blocks:
        if tag != "replace" or i2 - i1 > 2 or j2 - j1 > 2:
            continue
        new = [w for w in mine[i1:i2] if w[0].isupper()]
        gone = [w for w in theirs[j1:j2] if w[0].isupper() and fold(w) not in folded]
        if new and gone and not any(same_word(fold(n), fold(g)) for n in new for g in gone):
            return True
    return False


def _borrowed(claim: str, window: Said) -> frozenset[str]:
    """The names of a claim that are in a window's context but not in it, and not in `names`.

    That is the first word of a sentence, and German names, which have no article.
    """
    if not names_are_nouns(claim):
        words = _written(claim)[:1]
    else:
        words = [word for word in _written(claim) if _is_bare_name(word, claim)]
    found = {fold(word) for word in words if word[0].isupper()} & window.capitals
    known = window.words | window.titles
    return frozenset(word for word in found if not known.issuperset(terms(word)))


def _written(text: str) -> list[str]:
    return _WRITTEN.findall(text)


def _turned_round(claim: str, said: str) -> bool:
    """Whether two names are swapped around a word that is between them in both texts."""
    if bool(_BY.search(claim)) != bool(_BY.search(said)):
        return False
    mine, theirs = _written(claim), [fold(word) for word in _written(said)]
    known = {word: at for at, word in reversed(list(enumerate(theirs)))}
    shared = [(word, known[fold(word)]) for word in mine if fold(word) in known]
    names_at = [n for n, (word, _) in enumerate(shared) if _is_bare_name(word, claim)]
    for one, other in pairwise(names_at):
        first, last = shared[one][1], shared[other][1]
        if first < last or _AND.search(claim):
            continue
        between = [at for word, at in shared[one + 1 : other]]
        if any(last < at < first for at in between):
            return True
    return _same_words_turned(claim, said)


def _is_bare_name(word: str, text: str) -> bool:
    """Whether a word is capitalised without the article that a German noun would have."""
    if not word[0].isupper() or fold(word) in STOP_WORDS or figures(f"3 {word}") != {"3"}:
        return False
    return not _ARTICLE.search(text[: text.find(word)])


def _same_words_turned(claim: str, said: str) -> bool:
    """Whether a claim has the words of a clause with the first and the last swapped."""
    if names_are_nouns(claim):
        return False  # German allows either order
    mine = [word for _, _, word in word_spans(claim)]
    for clause in _CLAUSES.split(said):
        theirs = [word for _, _, word in word_spans(clause)]
        if len(mine) < 3 or len(theirs) < 3 or len(mine) > len(theirs) + 1:
            continue
        both = mine[0] == theirs[-1] and mine[-1] == theirs[0]
        known = sum(word in theirs for word in mine) >= len(mine) - 1
        if both and known:
            return True
    return False


class Said(Protocol):
    """A text that a claim is compared with: its words, and those of its context."""

    @property
    def text(self) -> str: ...  # noqa: D102

    @property
    def words(self) -> frozenset[str]: ...  # noqa: D102

    @property
    def titles(self) -> frozenset[str]: ...  # noqa: D102

    @property
    def before(self) -> frozenset[str]: ...  # noqa: D102

    @property
    def around(self) -> frozenset[str]: ...  # noqa: D102

    @property
    def capitals(self) -> frozenset[str]: ...  # noqa: D102


@dataclass(frozen=True)
class SentenceRange:
    """Sentences of a passage that may support a claim."""

    passage: Chunk
    start: int
    end: int

    @cached_property
    def text(self) -> str:
        """The text of the sentences."""
        return self.passage.text[self.start : self.end]

    @cached_property
    def words(self) -> frozenset[str]:
        """The folded words of the window."""
        return frozenset(terms(self.text))

    @cached_property
    def titles(self) -> frozenset[str]:
        """The folded words of the source's name and the heading."""
        return frozenset(terms(f"{self.passage.source} {self.passage.heading}"))

    @cached_property
    def before(self) -> frozenset[str]:
        """The folded words of the context before the window."""
        passage = self.passage
        before = passage.text[max(0, self.start - CONTEXT) : self.start]
        return frozenset(terms(f"{passage.source} {passage.heading} {before}"))

    @cached_property
    def around(self) -> frozenset[str]:
        """The folded words of the window and of its context on both sides."""
        after = self.passage.text[self.end : self.end + CONTEXT]
        return self.before | self.words | frozenset(terms(after))

    @cached_property
    def capitals(self) -> frozenset[str]:
        """The folded words of window and context that are always capitalised there."""
        text = self.passage.text[max(0, self.start - CONTEXT) : self.end + CONTEXT]
        words = _written(text)
        small = {fold(word) for word in words if not word[0].isupper()}
        return frozenset(fold(word) for word in words if word[0].isupper()) - small - STOP_WORDS


class Supporter:
    """The passages that an answer was written from, searchable for support."""

    def __init__(self, passages: Iterable[Chunk], encode: EncodeTokens | None = None) -> None:
        """Without `encode` a word is covered only by its own forms."""
        self._encode = encode
        self._vectors: dict[str, NDArray[np.float32]] = {}
        own = list(dict.fromkeys(passages))
        self._sources = frozenset(passage.source for passage in own)
        self._windows = [window for passage in own for window in _windows(passage)]
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


@dataclass(frozen=True)
class Together:
    """Several windows that one claim cites, as one text."""

    windows: Sequence[SentenceRange]

    @cached_property
    def text(self) -> str:
        """The texts of the windows, each as a separate sentence."""
        return " . ".join(window.text for window in self.windows)

    @cached_property
    def words(self) -> frozenset[str]:
        """The folded words of all windows."""
        return frozenset[str]().union(*(window.words for window in self.windows))

    @cached_property
    def titles(self) -> frozenset[str]:
        """The folded words of all source names and headings."""
        return frozenset[str]().union(*(window.titles for window in self.windows))

    @cached_property
    def before(self) -> frozenset[str]:
        """The folded words before any of the windows."""
        return frozenset[str]().union(*(window.before for window in self.windows))

    @cached_property
    def capitals(self) -> frozenset[str]:
        """The words that are always capitalised in all windows."""
        return frozenset[str]().union(*(window.capitals for window in self.windows))

    @cached_property
    def around(self) -> frozenset[str]:
        """The folded words around any of the windows."""
        return frozenset[str]().union(*(window.around for window in self.windows))


def quoted_window(passage: Chunk, start: int, end: int) -> SentenceRange:
    """The whole sentences of a passage that contain a quotation."""
    touched = [unit for unit in units(passage.text) if unit.start < end and start < unit.end]
    if not touched:
        return SentenceRange(passage, start, end)
    return SentenceRange(passage, min(start, touched[0].start), max(end, touched[-1].end))


Bearing = Literal["said", "unsaid", "contradicted"]


def bears_every_part(
    claim: str, windows: Sequence[SentenceRange], encode: EncodeTokens | None, question: str = ""
) -> Bearing:
    """The combined `bearing` on a claim and on each of its clauses.

    A clause too short to be a claim counts only as part of the whole, unless it revokes the whole:
    "repealed: ...".
    """
    whole = bearing(claim, windows, encode, question)
    if whole != "said":
        return whole
    known = frozenset[str]().union(*(window.around for window in windows))
    if any(word in _TAKING_BACK and word not in known for word in terms(claim)):
        return "contradicted"
    clauses = [part.strip() for part in _GLUED.split(claim)]
    for clause in (part for part in clauses if part != claim and len(_meant(part)) >= LEAST_WORDS):
        share = max(coverage(clause, window) for window in windows)
        # A clause is short: with the encoder its words may differ, but some must be the same.
        if share < SPEAKS_OF:
            return "unsaid"
        if share < ENOUGH_COVERED and bearing(clause, windows, encode, question) != "said":
            return "unsaid"
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
    said: Said = windows[0] if len(windows) == 1 else Together(windows)
    reply = answers(claim)
    if reply is not None and not _meant(claim):
        return _bearing_on_answer(reply, question, said)
    if reply is not None:
        claim = claim.lstrip("*_ ").partition(" ")[2] or claim
    if not any(_fits(claim, each, question) for each in (said, *windows)):
        own = [window for window in windows if _speaks_of(claim, window)]
        against = own and all(_differs(claim, window, question) for window in own)
        return "contradicted" if against else "unsaid"
    if len(_meant(claim)) < LEAST_WORDS:
        return "said"
    share = coverage(claim, said)
    if encode is None or share >= SURELY_COVERED:
        return "said" if share >= ENOUGH_COVERED else "unsaid"
    own_vector, *others = (each.vector for each in encode([claim, *(w.text for w in windows)]))
    near = max(float(own_vector @ other) for other in others)
    return "said" if (share + near) / 2 >= ENOUGH else "unsaid"


def _bearing_on_answer(reply: bool, question: str, said: Said) -> Bearing:
    """How a text bears on a yes or a no to a question."""
    agrees = _agrees(question, said.text)
    if reply:
        return "said" if agrees else "contradicted"
    same = agrees and _fits(question, said) and coverage(question, said) >= ENOUGH_COVERED
    return "contradicted" if same else "said"


def _speaks_of(claim: str, window: SentenceRange) -> bool:
    """Whether a text and a claim have the same topic."""
    return coverage(claim, window) >= SPEAKS_OF


def _differs(claim: str, window: SentenceRange, question: str) -> bool:
    """Whether a text has another figure, name or sense than a claim, rather than just less."""
    text = window.text
    if not _agrees(claim, text) or _swapped(claim, text) or _turned_round(claim, text):
        return True
    if _borrowed(claim, window):
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


def _fits(claim: str, window: Said, question: str = "") -> bool:
    """Whether a window has the figures, codes, names, quoted words and negation of a claim."""
    text = window.text
    if not says_figures(claim, text, figures(question)) or not _agrees(claim, text):
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
    if _borrowed(claim, window) - names(question):
        return False
    return own <= window.around and not _swapped(claim, text) and not _turned_round(claim, text)


def coverage(claim: str, window: Said) -> float:
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


def _windows(passage: Chunk) -> Iterator[SentenceRange]:
    found = [unit for unit in units(passage.text) if unit.kind != "page"]
    for length in range(1, LONGEST_WINDOW + 1):
        for first in range(len(found) - length + 1):
            yield SentenceRange(passage, found[first].start, found[first + length - 1].end)
