"""The language of passages that were found, and whether a question is in another."""

from __future__ import annotations

from collections.abc import Sequence

import regex

from corpus_agent.text.tokens import OTHER_STOP_WORDS, fold
from indexer import Encoder, Hit, is_english, is_multilingual, is_other

_ENGLISH = "en"
# Of words that are small ones of other languages or not ASCII: a question is in one of them.
_OTHER_SHARE = 0.25
_LETTER = regex.compile(r"\p{L}")
_LATIN = regex.compile(r"\p{Latin}")
_CODES = """
ar:Arabic de:German el:Greek en:English es:Spanish fr:French hi:Hindi it:Italian ja:Japanese
nl:Dutch ko:Korean pl:Polish pt:Portuguese ru:Russian sv:Swedish th:Thai tr:Turkish
vi:Vietnamese zh:Chinese
"""
_NAMES = dict(each.split(":") for each in _CODES.split())


def language_of(found: Sequence[Hit], question: str = "") -> str:
    """The language of most of the passages, by code; "" where most tell none.

    Of those that the question may be asked in, where there are any: several indexes that are read
    together are often in several languages.
    """
    told = [hit.chunk.language for hit in found]
    own = [each for each in told if each and not is_asked_in_another(question, each)]
    told = own if question and own else told
    return max(told, key=told.count, default="")


def is_not_english(question: str) -> bool:
    """Whether a question is certainly in another language, by its script or its small words."""
    letters = _LETTER.findall(question)
    if 2 * sum(bool(_LATIN.match(letter)) for letter in letters) < len(letters):
        return True
    words = question.split()
    others = sum(not word.isascii() or fold(word) in OTHER_STOP_WORDS for word in words)
    return not is_english(question) and others > max(1, _OTHER_SHARE * len(words))


def is_asked_in_another(question: str, language: str) -> bool:
    """Whether a question is not in the language of the passages, one of the two being English."""
    if language == _ENGLISH:
        return is_not_english(question)
    return is_other(language) and is_english(question)


def is_unbridged(encoder: Encoder, text: str, found: Sequence[Hit]) -> bool:
    """Whether a text is in another language than the passages, and the model reads one alone."""
    return is_asked_in_another(text, language_of(found, text)) and not is_multilingual(encoder)


def name_of(language: str) -> str:
    """The name of a language by its code; the code where it is not known."""
    return _NAMES.get(language, language)


def notice_of(language: str) -> str:
    """What a person is told whose question is not in the language of the passages."""
    name = name_of(language)
    return (
        f"The question is not in the language of the passages that were found ({name}), which the "
        f"model does not bridge: ask in {name}, or index with a multilingual model "
        "(corpus-agent --model multilingual index)."
    )
