"""What a question may mean where it leaves open which of several things it is about.

Two documents say the same of different things, as two leases do of their rent, and the question
names neither; or it points at "this library" where several are named and none was spoken of. Then
the answer is a question back. It must never stand in the place of a good answer
(benchmarks/unclear.py). Pure. Called by extractive.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import regex

from corpus_agent.answering.answer_type import expected_kind, has_kind
from corpus_agent.answering.languages import is_asked_in_another, language_of
from corpus_agent.answering.named_documents import file_stem
from corpus_agent.answering.own_words import with_plain_brackets
from corpus_agent.answering.shown import Sentence
from corpus_agent.text.sanitize import one_line
from corpus_agent.text.sentences import units
from corpus_agent.text.tokens import (
    STOP_WORDS,
    content_terms,
    fold,
    has_digit,
    name_terms,
    same_word,
    terms,
    words_held,
)

if TYPE_CHECKING:
    from indexer import Hit

TIE = 1.5  # scores this near to the best are as good
SAME_FRAME = 0.5  # of the words of two sentences, figures and names left out
MOST_WORDS = 4  # content words: a longer question says what it is about
MAX_LABEL = 60  # characters
MOST_MEANT = 3  # things that a question back names
# "This library", "of that mission": with what follows, of which one word is the noun.
_POINTED = regex.compile(
    r"(?i)\b(?:this|these|(?:of|in|at|for|from|to|about|is|are|was|were|does|did) that)"
    r" ((?:[\p{L}\p{M}'’-]+ ?){1,3})"
)

# A label that means something to a person: a word, a year; "25" and "27" are parts of a series.
_SPEAKS = regex.compile(r"\b\p{L}{2,}\b|\b(?:19|20)\d\d\b")
# How it is asked back in other languages, without the noun, whose gender is not known.
_ASKED_BACK = {
    "de": ("Was ist gemeint", "oder", "?"),
    "fr": ("De quoi s'agit-il ", "ou", " ?"),
    "es": ("¿De cuál se trata", "o", "?"),
    "it": ("Di quale si tratta", "o", "?"),
    "nl": ("Wat wordt bedoeld", "of", "?"),
    "pt": ("De qual se trata", "ou", "?"),
}
_COLUMN = regex.compile(r"\|[ ]?[^|:\n]{1,60}:(?=[ ])")  # the name of a column in a row
_CAPITAL = regex.compile(r"\p{Lu}[\p{L}\p{M}'’-]+")


@dataclass(frozen=True)
class Meanings:
    """What a question may be about: a noun for it, "" without one, and each sentence's label.

    `language` is that of the question, as far as the passages tell.
    """

    noun: str
    labels: tuple[str, ...]
    sentences: tuple[Sentence, ...]
    language: str

    def asks(self, marks: Sequence[str]) -> str:
        """The question back, with the mark of its citation behind each label."""
        which, between, end = _ASKED_BACK.get(self.language, (self._which(), "or", "?"))
        shown = [f"{label} {mark}" for label, mark in zip(self.labels, marks, strict=True)]
        return f"{which}: {', '.join(shown[:-1])} {between} {shown[-1]}{end}"

    def _which(self) -> str:
        return f"Which {self.noun}" if self.noun else "Which do you mean"


def meanings(question: str, hits: Sequence[Hit], sentences: Sequence[Sentence]) -> Meanings | None:
    """The things that a question may mean, best first; None if it is clear."""
    asked = content_terms(question)
    if len(sentences) < 2 or len(asked) > MOST_WORDS or name_terms(question):
        return None
    first = sentences[0]
    tied = [first]
    for other in sentences[1:]:
        near = first.score - other.score <= TIE
        if near and all(_parallel(question, asked, hits, one, other) for one in tied):
            tied.append(other)
    if len(tied) < 2:
        return None
    return _told_apart(question, asked, [hits[s.passage] for s in tied], tied)


def pointed_at(question: str, hits: Sequence[Hit], said: Sequence[str]) -> Meanings | None:
    """The things that "this library" may mean: those of that name in the passages, best first.

    None if what was `said` before has the word, or the passages name fewer than two.
    """
    before = {word for text in said for word in terms(text)}
    for found in _POINTED.finditer(question):
        for noun in reversed(terms(found[1])):
            if noun in STOP_WORDS or any(same_word(noun, word) for word in before):
                continue
            named = _called(noun, hits)
            if len(named) > 1:
                return Meanings(
                    noun, tuple(named), tuple(named.values()), _language(question, hits)
                )
    return None


def _called(noun: str, hits: Sequence[Hit]) -> dict[str, Sentence]:
    """Names that end with a noun, each with the first sentence that has it."""
    name = regex.compile(
        rf"(?:\p{{Lu}}[\p{{L}}\p{{M}}.'’-]*[ \n])+(?=\p{{Lu}})(?i:{regex.escape(noun)})\b"
    )
    found: dict[str, Sentence] = {}
    seen: set[frozenset[str]] = set()
    for number, hit in enumerate(hits):
        text = hit.chunk.text
        for unit in units(text, hit.chunk.language):
            for match in name.finditer(text, unit.start, unit.end):
                label = with_plain_brackets(one_line(match[0])[:MAX_LABEL])
                words = frozenset(terms(label)) - STOP_WORDS
                if len(words) < 2 or any(words <= one or one <= words for one in seen):
                    continue
                seen.add(words)
                quote = text[unit.start : unit.end]
                found[label] = Sentence(number, unit.start, unit.end, quote, hit.score)
                if len(found) == MOST_MEANT:
                    return found
    return found


def _parallel(
    question: str, asked: Sequence[str], hits: Sequence[Hit], one: Sentence, other: Sentence
) -> bool:
    """Whether two sentences say the same of two things, with other values."""
    if hits[one.passage].chunk.source == hits[other.passage].chunk.source:
        return False
    kind, words = expected_kind(question), frozenset(terms(question))
    said = [_COLUMN.sub("|", s.text) for s in (one, other)]
    if kind and not all(has_kind(kind, text, words) for text in said):
        return False
    values = [_values(text, words) for text in said]
    if not all(values) or values[0] & values[1]:
        return False
    texts = [f"{hits[s.passage].chunk.heading}\n{s.text}" for s in (one, other)]
    held = [words_held(asked, text) for text in texts]
    if held[0] != held[1] or not held[0]:
        return False
    return len(held[0]) == len(asked) or _frame(one.text, other.text) >= SAME_FRAME


def _values(text: str, asked: frozenset[str]) -> frozenset[str]:
    """The figures and names of a sentence that the question does not have."""
    inner = (fold(found[0]) for found in _CAPITAL.finditer(text) if found.start() > 0)
    figures = (word for word in terms(text) if has_digit(word))
    return frozenset(word for word in (*inner, *figures) if word not in asked | STOP_WORDS)


def _frame(one: str, other: str) -> float:
    """How much of their words two sentences share, figures left out."""
    words = [{w for w in terms(text) if not has_digit(w)} for text in (one, other)]
    return len(words[0] & words[1]) / max(1, len(words[0] | words[1]))


def _told_apart(
    question: str, asked: Sequence[str], hits: Sequence[Hit], tied: Sequence[Sentence]
) -> Meanings | None:
    """The meanings with labels that tell their documents apart, unless the question has one."""
    titles = [_title(hit) for hit in hits]
    for names in (titles, [_file_name(hit) for hit in hits]):
        labels = _differences([name.split() for name in names])
        if not all(map(_SPEAKS.search, labels)):
            continue
        own = [set(terms(label)) for label in labels]
        if not all(own) or len({frozenset(words) for words in own}) < len(own):
            continue
        if any(same_word(word, term) for word in asked for words in own for term in words):
            return None
        return Meanings(_noun(asked, names), tuple(labels), tuple(tied), _language(question, hits))
    return None


def _language(question: str, hits: Sequence[Hit]) -> str:
    """The language of a question, by its passages; "" where it is not theirs."""
    language = language_of(hits, question)
    return "" if is_asked_in_another(question, language) else language


def _title(hit: Hit) -> str:
    """The title of a passage's document, "" if it is the name of its file."""
    title = hit.chunk.heading.partition(" > ")[0]
    if not title and hit.chunk.line_start == 1 and hit.chunk.text.startswith("#"):
        title = hit.chunk.text.partition("\n")[0].lstrip("# ")
    is_name = title == file_stem(hit.chunk.source)
    return "" if is_name else with_plain_brackets(one_line(title)[:MAX_LABEL])


def _file_name(hit: Hit) -> str:
    name = regex.sub(r"[-_\s]+", " ", file_stem(hit.chunk.source))
    return with_plain_brackets(one_line(name)[:MAX_LABEL])


def _differences(names: Sequence[Sequence[str]]) -> list[str]:
    """What is left of each name without the words that all begin and end with."""
    shortest = min(map(len, names))
    start = next((i for i in range(shortest) if len({n[i] for n in names}) > 1), shortest)
    room = shortest - start
    end = next((i for i in range(room) if len({n[-1 - i] for n in names}) > 1), room)
    return [" ".join(n[start : len(n) - end]).strip(" ,;:-–—") for n in names]


def _noun(asked: Sequence[str], names: Sequence[str]) -> str:
    """A content word that all names share, of the question's if one is; "" if they share none."""
    shared = set.intersection(*(set(terms(name)) for name in names)) - STOP_WORDS
    found = [word for word in content_terms(names[0]) if word in shared and not has_digit(word)]
    return next((w for w in asked if w in found), next(iter(found), ""))
