"""Readings of a follow-up question: with the words of the questions before it, and alone.

Uses forms of words in five languages, not their meaning; extractive.py reads the passages of each
and keeps the one that they answer best. benchmarks/conversations.py has the figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import regex

from corpus_agent.text.tokens import (
    STOP_WORDS,
    content_terms,
    fold,
    has_digit,
    name_terms,
    shape,
)
from corpus_agent.text.when import calendar_names
from indexer import is_english

if TYPE_CHECKING:
    from corpus_agent.answering.records import Turn

FEW_WORDS = 1  # content words: a question with no more than this may be a follow-up
FEW_OF_CONNECTED = 2  # the same of one that begins with "and", and names something
MAX_CARRIED = 6  # words that are added from the questions before
MAX_NAMES = 4  # of the quotation that answered the question before

# All patterns run on folded text. "That" in "the pass that won" and "there" in "is there a" point
# at nothing: only where they stand for a noun are they counted.
_PERSON = r"he|she|him|his|her|hers|ihn|ihm|ihr|ihre[rsnm]?|seine[rsnm]?|elle|ella|ellos|ellas"
_THING = r"it|its|they|them|their|theirs|ils|elles|cela|ca|leurs?|eso|esto"
_BEFORE_THAT = (
    r"is|are|was|were|do|does|did|can|could|will|would|may|must|should|about|after|at|before|by"
    r"|for|from|in|into|like|of|on|than|to|under|with"
)
_POINTS = regex.compile(
    rf"\b(?:{_PERSON}|{_THING})\b(?! (?:is|was) (?:\w+ ){{1,2}}(?:that|to)\b)"
    r"(?! (?:take|cost)s?\b.* to\b)"
    r"|\b(?:er|sie)\b"
    rf"|\b(?:{_BEFORE_THAT}) (?:that|this|these|those)\b"
    r"|\b(?:that|this|these|those)(?=\W*$| (?:by|to|for|from|in|on|at|with|too|as)\b)"
    r"|\bthere\W*$|\bdort\b|\bdavon\b|\bdafur\b|\bdaran\b|\bdazu\b|\bdarin\b|\bdamit\b|\balli\b"
    r"|\bdiese[rsnm]?\b|\bdies\b"
    r"|\b(?:which|that|this|the|other|first|second|third|last|next) ones?\b(?! of)"
    r"|\b(?:the )?(?:former|latter)\b"
)
_OF_PERSON = regex.compile(rf"\b(?:{_PERSON}|they|them|their)\b")
_GOES_ON = regex.compile(
    r"^\W*(?:and|but|or|so|then|also|what about|how about|what if|und|aber|oder|auch"
    r"|was ist mit|wie ist es mit|et|mais|ou|y|pero)\b"
)
_A_YEAR = regex.compile(r"(?:fy)?(?:19|20)\d\d|fy\d\d")
_NAME = regex.compile(r"\p{Lu}[\p{L}\p{M}'’-]+")
# What a pronoun may stand for within its own question: a name, or a noun behind its article.
_NOUN = regex.compile(
    r"\b(?:the|an?|my|our|your|each|every|der|die|das|dem|den|des|eine[rsnm]?|ein|le|la|les|une?|el|los"
    r"|las|unos|una)\s+(?!(?:same|first|other|last|next)\b)\p{L}+|(?<=\S\s)\p{Lu}[\p{L}\p{M}'’-]+"
    r"|\b(?i:do|does|did|are|were|is|was|has|have|had|can|could|should|must)\s+\p{L}+s\b"
    r"(?<!\b(?i:his|its|this|hers|theirs|ours))"
)


def readings(question: str, history: Sequence[Turn]) -> tuple[str, ...]:
    """What the question may mean, the likeliest first: with words of the questions before, alone.

    It has one reading where nothing in it points outside: then the topic before plays no part.
    """
    asked: list[str] = []
    for turn in history:
        asked.append(carried_over(turn.question, asked[-1] if asked else None))
    before = asked[-1] if asked else None
    if (carried := carried_over(question, before)) == question:
        return (question,)
    renewed = _points(question) and _names_a_new_thing(history[-1].question)
    topic = carried_over(question, history[-1].question) if renewed else carried
    names = _names_quoted(question, history[-1]) if _OF_PERSON.search(fold(question)) else []
    named = [with_words(question, names)] if names else []
    return tuple(dict.fromkeys((topic, carried, *named, question)))


def stands_alone(question: str, history: Sequence[Turn]) -> bool:
    """Whether a question certainly points at nothing that was said before: an English one."""
    return is_english(question) and readings(question, history) == (question,)


def carried_over(question: str, before: str | None) -> str:
    """The question, with the content words of the previous one if it is a follow-up.

    It is one if it has a pronoun that nothing before it in the question explains, begins with a
    connective ("and ...") or has hardly any content words. Words of its own kinds are left behind.
    """
    if before is None or not leans(question):
        return question
    return with_words(question, _carried(question, before))


def with_words(question: str, words: Sequence[str]) -> str:
    """A question with words that it takes along."""
    return f"{question} ({' '.join(words)})" if words else question


def _carried(question: str, before: str) -> list[str]:
    """Words of the question before, without those that the question replaces by one of the kind."""
    own = content_terms(question)
    kinds = _kinds(question).values()
    replaced = {word for word, kind in _kinds(before).items() if kind in kinds}
    return [w for w in content_terms(before) if w not in own and w not in replaced][:MAX_CARRIED]


def _kinds(question: str) -> dict[str, str]:
    """The words of a question that are one of a series: months, weekdays, years, codes."""
    found = {word: kind for word, (kind, _) in calendar_names(question).items()}
    for word in content_terms(question):
        if has_digit(word):
            found[word] = "year" if _A_YEAR.fullmatch(word) else shape(word)
    return found


def new_things(question: str, history: Sequence[Turn]) -> tuple[str, ...]:
    """The words of "and the garage?": what takes the place of something in the question before."""
    if not history or not _GOES_ON.match(fold(question)):
        return ()
    return tuple(word for word in content_terms(question) if word not in STOP_WORDS)


def leans(question: str) -> bool:
    """Whether a question points at something that it does not name itself."""
    own, named = set(content_terms(question)) - STOP_WORDS, bool(name_terms(question))
    if _GOES_ON.match(fold(question)):
        if len(own) <= FEW_OF_CONNECTED or not named:
            return True
    elif len(own) <= FEW_WORDS and not named:
        return True
    return _points(question)


def _points(question: str) -> bool:
    """Whether a question has a pronoun that nothing before it in the question explains."""
    found = _POINTS.search(fold(question))
    return found is not None and not _NOUN.search(question, 0, found.start())


def _names_a_new_thing(question: str) -> bool:
    """Whether a question goes on to something else, which is then what "it" stands for."""
    begun = _GOES_ON.match(fold(question))
    return begun is not None and not _points(question) and _NOUN.search(question) is not None


def _names_quoted(question: str, turn: Turn) -> list[str]:
    """Names in the first quotation of an answer that neither question has."""
    known = {fold(word) for word in f"{question} {turn.question}".split()}
    quote = turn.answer.citations[0].quote if turn.answer.citations else ""
    found = [name for name in _NAME.findall(quote) if fold(name) not in known | STOP_WORDS]
    return list(dict.fromkeys(found))[:MAX_NAMES]
