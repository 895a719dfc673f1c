"""Whether a claim and a text agree in figures, in negation, and in who does what. Pure.

Figures need the same unit or noun, and names the same place in a repeated sentence. Called by
grounding.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

import regex

from corpus_agent.answering.claims import names_are_nouns
from corpus_agent.answering.evidence import ComparedText, written
from corpus_agent.text.negation import negations, says_what_is_needed
from corpus_agent.text.numbers import figures, readings
from corpus_agent.text.opposites import excludes, turned
from corpus_agent.text.quantities import bounds, converted, counted, is_unit, shares
from corpus_agent.text.tokens import STOP_WORDS, content_terms, fold, same_word, terms, word_spans

_CLAUSE_BEGINS = re.compile(r"(?:[^\s,;:.!?()]+\s+){1,4}\Z")
_CLAUSE_GOES_ON = re.compile(
    r"(?:\s+(?!(?:and|or|but|und|oder|aber|sondern|et|ou|mais|y|o|pero|sino)\b)[^\s,;:.!?()]+){1,3}"
)
_CLAUSES = re.compile(r"[,;:.!?()]\s|\s(?:and|but|et|mais|y|pero|while|if|unless|except)\s")
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


def says_figures(claim: str, passage: str, given: frozenset[str] = frozenset()) -> bool:
    """Whether a text has every figure and date of a claim, each with the same unit or noun.

    "7 days" is supported neither by "7 hours" nor by "6 days and 7 nights", but by a bare 7 in a
    table. Figures that are `given` need not occur.
    """
    theirs = converted(passage)
    if not figures(claim) <= readings(passage) | theirs.keys() | given:
        return False
    if shares(claim) and not shares(passage):
        return not figures(claim) - theirs.keys() - given and _all_converted(claim, passage)
    counts = ((value, words[0]) for value, words in counted(claim).items() if words)
    return all(_counts(value, word, theirs) for value, word in counts if value not in given)


def _all_converted(claim: str, passage: str) -> bool:
    """Whether the percentages of a claim are the fractions of a text without a percent sign."""
    theirs = converted(passage)
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


def same_sense(claim: str, passage: str) -> bool:
    """Whether claim and text agree in negation where they share a topic.

    Double negation cancels: "not without consent" equals "with consent".
    """
    shared = [(_shared(claim, text), text) for text in _SENTENCES.split(passage)]
    most = max(count for count, _ in shared)
    parts = [text for count, text in shared if 2 * count >= most]
    if _bounded_otherwise(claim, passage) or excludes(claim, passage):
        return False
    mine = negations(claim, passage) + _opposites(claim, passage) + turned(claim, passage)
    theirs = [
        negations(_common_part(claim, text), claim) + _opposites(text, claim) for text in parts
    ]
    if len(parts) > 1:
        return bool(mine) == any(theirs)
    return mine % 2 == theirs[0] % 2 and (mine - theirs[0] < 2 or says_what_is_needed(passage))


def _bounded_otherwise(claim: str, passage: str) -> bool:
    """Whether a figure or time is the lower bound in one text and the upper in the other."""
    theirs = bounds(passage)
    return any(
        value in theirs and not senses & theirs[value] for value, senses in bounds(claim).items()
    )


def _opposites(text: str, other: str) -> int:
    """The number of words of a text that are negated by prefix in the other: nonrefundable."""
    theirs = frozenset(terms(other))
    words = frozenset(terms(text)) - theirs
    return sum(
        bool(
            (match := _DENYING.match(word))
            and match["word"] in theirs
            and match["word"] not in words
        )
        for word in words
    )


def _shared(claim: str, passage: str) -> int:
    words = frozenset(terms(passage))
    return sum(any(same_word(word, other) for other in words) for word in content_terms(claim))


def _common_part(claim: str, passage: str) -> str:
    """The part of the text from the first to the last word that it shares with a claim.

    With a few words before and behind, within the same clause.
    """
    every = content_terms(claim)
    # Figures occur in many places; words locate the topic of a claim.
    wanted = [word for word in every if not word.isdigit()] or every
    spans = [
        (start, end)
        for start, end, word in word_spans(passage)
        if any(same_word(word, other) for other in wanted)
    ]
    if not spans:
        return passage
    first, last = spans[0][0], spans[-1][1]
    before = _CLAUSE_BEGINS.search(passage[:first])
    behind = _CLAUSE_GOES_ON.match(passage[last:])
    return passage[
        first - len(before[0]) if before else first : last + len(behind[0] if behind else "")
    ]


def replaces_name(claim: str, passage: str) -> bool:
    """Whether a claim repeats a text with one name replaced by another."""
    mine, theirs = written(claim), written(passage)
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


def borrowed_names(claim: str, window: ComparedText) -> frozenset[str]:
    """The names of a claim that are in a window's context but not in it, and not in `names`.

    That is the first word of a sentence, and German names, which have no article.
    """
    if not names_are_nouns(claim):
        words = written(claim)[:1]
    else:
        words = [word for word in written(claim) if _is_bare_name(word, claim)]
    found = {fold(word) for word in words if word[0].isupper()} & window.capitals
    known = window.words | window.titles
    return frozenset(word for word in found if not known.issuperset(terms(word)))


def swaps_names(claim: str, passage: str) -> bool:
    """Whether two names are swapped around a word that is between them in both texts."""
    if bool(_BY.search(claim)) != bool(_BY.search(passage)):
        return False
    mine, theirs = written(claim), [fold(word) for word in written(passage)]
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
    return _same_words_turned(claim, passage)


def _is_bare_name(word: str, text: str) -> bool:
    """Whether a word is capitalised without the article that a German noun would have."""
    if not word[0].isupper() or fold(word) in STOP_WORDS or figures(f"3 {word}") != {"3"}:
        return False
    return not _ARTICLE.search(text[: text.find(word)])


def _same_words_turned(claim: str, passage: str) -> bool:
    """Whether a claim has the words of a clause with the first and the last swapped."""
    if names_are_nouns(claim):
        return False  # German allows either order
    mine = [word for _, _, word in word_spans(claim)]
    for clause in _CLAUSES.split(passage):
        theirs = [word for _, _, word in word_spans(clause)]
        if len(mine) < 3 or len(theirs) < 3 or len(mine) > len(theirs) + 1:
            continue
        both = mine[0] == theirs[-1] and mine[-1] == theirs[0]
        known = sum(word in theirs for word in mine) >= len(mine) - 1
        if both and known:
            return True
    return False
