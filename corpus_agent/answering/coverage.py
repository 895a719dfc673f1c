"""A question beside texts: its language, and the coverage of its words.

A word is covered by a form of it, else by the word nearest in meaning.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpus_agent.text.dates import find_dates
from corpus_agent.text.number_words import AMOUNT, PRICE, SPAN, calendar_names
from corpus_agent.text.polarity import alternatives
from corpus_agent.text.tables import label_of
from corpus_agent.text.tokens import (
    OTHER_STOP_WORDS,
    STOP_WORDS,
    content_terms,
    fold,
    has_digit,
    is_code,
    lazy,
    name_terms,
    same_word,
    shape,
    terms,
    word_spans,
)
from indexer import Encoded, Encoder, Hit, is_english, is_in_another, is_multilingual, is_other

# ---- The language

_ENGLISH = "en"
# Of words that are small ones of other languages or not ASCII: a question is in one of them.
_OTHER_SHARE = 0.25
_LETTER = lazy(r"\p{L}")
_LATIN = lazy(r"\p{Latin}")
_LISTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def language_of(found: Sequence[Hit], question: str = "") -> str:
    """The language of most of the passages, by code; "" where most tell none.

    Of those that the question may be asked in, where there are any: several indexes that are read
    together are often in several languages.
    """
    told = [hit.chunk.language for hit in found]
    own = [each for each in told if each and not is_asked_in_another(question, each)]
    told = own if question and own else told
    return max(told, key=told.count, default="")


def is_asked_in_another(question: str, language: str) -> bool:
    """Whether a question is certainly in another language than passages, if one is English."""
    if language != _ENGLISH:
        return is_other(language) and is_english(question)
    letters = _LETTER.findall(question)
    if 2 * sum(bool(_LATIN.match(letter)) for letter in letters) < len(letters):
        return True
    words = question.split()
    plain = words[:1] + [word for word in words[1:] if not word[0].isupper()]  # Müller is a name
    others = sum(not word.isascii() or fold(word) in OTHER_STOP_WORDS for word in plain)
    return not is_english(question) and others > max(1, _OTHER_SHARE * len(plain))


def is_unbridged(encoder: Encoder, text: str, found: Sequence[Hit]) -> bool:
    """Whether a text is in another language than the passages, and the model reads one alone."""
    return is_asked_in_another(text, language_of(found, text)) and not is_multilingual(encoder)


def notice_of(language: str) -> str:
    """What a person is told whose question is not in the language of the passages."""
    name = _LISTS["languages"].get(language, language)
    return (
        f"The question is not in the language of the passages that were found ({name}), which the "
        f"model does not bridge: ask in {name}, or index with a multilingual model "
        "(corpus-agent --model multilingual index)."
    )


# ---- What it asks for

_WORDS = {name: lazy(alternatives(words)) for name, words in _LISTS["words"].items()}
_ALLOWED = lazy(rf"(?:{alternatives(_LISTS['words']['allowed'])})[^,;.]*")  # May is a month
_BEGINNING = 24  # characters of a question in which "when" asks for a time
_NO_NAME = lazy(alternatives(_LISTS["words"]["total"] + _LISTS["words"]["payable"]))
TOTAL = 0.8  # of a bare total: "Total assets" may be asked for
_TIME = lazy(r"(?<![\p{N}.,])(?:1\d|20)\d\d(?![\p{N}]|[.,]\p{N})|\d[:.]\d\d(?!\p{N})")
_VALUES = {"how_long": SPAN, "price": PRICE, "how_much": AMOUNT}  # what a text then has


class AskedFor:
    """What kind of thing a question asks for: a row, a total, when something begins or ends."""

    def __init__(self, question: str) -> None:
        said = fold(question)
        self._said = _words(question)
        dated = calendar_names(question)
        self._asked = [w for w in self._said if w not in STOP_WORDS and w not in dated]
        self._total = bool(_WORDS["total"].search(said))
        self._when = bool(_WORDS["when"].search(said[:_BEGINNING]))
        self._value = next((name for name in _VALUES if _WORDS[name].search(said)), "")
        if _WORDS["price_is"].search(said) and (self._value or _WORDS["what"].match(said)):
            self._value = "price"
        self._sides = _sides(question)
        self.asks_value = self._when or bool(self._value)

    def of(self, text: str) -> float:
        """1 if a text is of this kind, less if it may be, 0 if it is not."""
        if label := fold(label_of(text)):
            return self._called(label)
        if self._value:
            return float(bool(_VALUES[self._value].search(text)))
        return self._time_of(text) if self._when else 0.0

    def means(self, word: str, text: str) -> bool | None:
        """Whether a text says of a time or sum what a word of the question does; None: neither."""
        if self._value:
            return True if _WORDS[f"{self._value}_is"].fullmatch(word) and self.of(text) else None
        if not (self._when and (sides := self._sides & _sides(word))):
            return None
        return (self._time_of(text) > 0 or None) if sides & _sides(text) else False

    def _called(self, label: str) -> float:
        """How much the name of a row has in common with what is asked for."""
        if self._total and _WORDS["total"].search(label) and not _words(_NO_NAME.sub("", label)):
            return TOTAL
        name = _words(label)
        same = sum(any(same_word(word, own) for own in self._said) for word in name)
        lacks = sum(not any(same_word(word, own) for own in name) for word in self._asked)
        share = same / max(1, len(name) + lacks) if "%" not in label else 0.0
        return max(0.0, 2 * share - 1)  # less than half is another thing

    def _time_of(self, text: str) -> float:
        """How surely a text has the time at which what is asked for begins or ends."""
        dates, said = len(find_dates(text)), _sides(text)
        if not (dates or calendar_names(text) or _TIME.search(text)):
            return 0.0
        if not self._sides or self._sides & said or dates > 1:
            return 1.0 if dates else 0.5
        return 0.0 if said else 0.25


def _words(text: str) -> list[str]:
    return [word for word in terms(text) if not has_digit(word)]


def _sides(text: str) -> frozenset[str]:
    """Whether a text says that something begins, or ends; what may be done says neither."""
    said = fold(_ALLOWED.sub(" ", text))
    return frozenset(side for side in ("begins", "ends") if _WORDS[side].search(said))


# ---- The coverage of its words

Vectors = NDArray[np.float32]
GRAM = 3  # letters of a word that are compared, where the model reads no words
EXACT = 1.0  # coverage of a word that occurs itself, in any form: the maximum of a cosine
EncodeTokens = Callable[[list[str]], Sequence[Encoded]]


@dataclass(frozen=True)
class Scale:
    """From a model's cosines to those of the packaged model, for which all weights were set.

    Bias and factor of a line each: for a sentence, a passage and a word with the question's.
    `pairs`: it reads scripts without spaces. `alike`: names are written as in the question.
    """

    sentence: tuple[float, float] = (0.0, 1.0)
    passage: tuple[float, float] = (0.0, 1.0)
    word: tuple[float, float] = (0.0, 1.0)
    pairs: bool = False
    alike: bool = True


PACKAGED = Scale()
# Of multilingual e5, whose unrelated texts have a cosine of .7: as the packaged model's mean and
# spread over 200 sentences, 70 passages and 740 words of benchmarks/household.toml.
MULTILINGUAL = Scale((-4.01, 5.28), (-1.45, 2.65), (-2.27, 3.43), pairs=True)
# The same where question and passages are in two languages: benchmarks/languages.py, `across`.
ACROSS = Scale((-4.03, 5.6), (-1.74, 3.22), (-3.01, 4.54), True, alike=False)


def comparison(
    encoder: Encoder | None, text: str, found: Sequence[Hit]
) -> tuple[EncodeTokens | None, Scale]:
    """The model that compares a text with passages, and its scale; None: they share letters alone.

    As German passages for an English model, unless the text is English: then its words may be near.
    """
    if encoder is None:
        return None, PACKAGED
    if is_multilingual(encoder):
        across = is_in_another(encoder, text, language_of(found))
        return encoder.encode_tokens, ACROSS if across else MULTILINGUAL
    unread = is_other(language_of(found, text)) and not is_unbridged(encoder, text, found)
    return None if unread else encoder.encode_tokens, PACKAGED


def reads(encoder: Encoder | None, text: str, found: Sequence[Hit]) -> bool:
    """Whether the model reads a text and the passages, so that their cosines tell something."""
    if encoder is None or is_unbridged(encoder, text, found):
        return False
    return comparison(encoder, text, found)[0] is not None


def scaled(cosines: Vectors, line: tuple[float, float]) -> Vectors:
    """Cosines on the scale of the packaged model."""
    bias, factor = line
    found: Vectors = np.clip(bias + factor * cosines, -EXACT, EXACT)
    return found


def word_vectors(text: str, encoded: Encoded, pairs: bool) -> tuple[tuple[str, ...], Vectors]:
    """The folded content words of a text, with one unit vector for each.

    A word's vector is the mean of its tokens' vectors; words beyond the model's window have none.
    """
    starts, ends = encoded.spans[:, 0], encoded.spans[:, 1]
    words, rows = [], []
    for start, end, word in word_spans(text, pairs):
        inside = (starts < end) & (ends > start)
        if inside.any():
            row = encoded.tokens[inside].mean(axis=0)
            words.append(word)
            rows.append(row / max(float(np.linalg.norm(row)), 1e-9))
    width = encoded.tokens.shape[1]
    return tuple(words), np.array(rows, dtype=np.float32).reshape(-1, width)


class Subject:
    """A question's words, and the share of each in their rarity in the passages."""

    def __init__(self, question: str, found: Sequence[Hit], alike: bool = True) -> None:
        self.words = content_terms(question)
        self.kind = AskedFor(question)
        self.language = language_of(found, question)
        named = name_terms(question, self.language, alike)
        self.names = [i for i, word in enumerate(self.words) if word in named]
        dated = calendar_names(question)
        self._dated = {i: dated[word] for i, word in enumerate(self.words) if word in dated}
        self._forms: dict[str, frozenset[int]] = {}
        held = [self.hits(f"{hit.chunk.heading}\n{hit.chunk.text}") for hit in found]
        frequency = [sum(i in words for words in held) for i in range(len(self.words))]
        count = len(found)
        rarity = [math.log(1 + (count - n + 0.5) / (n + 0.5)) for n in frequency]
        self.rarity: Vectors = np.array(rarity, dtype=np.float32)
        self.rarity /= max(float(self.rarity.sum()), 1e-9)

    def hits(self, text: str) -> frozenset[int]:
        """The indices of the question's words that occur in the text, in any form."""
        found: set[int] = set()
        for word in set(terms(text)):
            if word not in self._forms:
                same = {i for i, own in enumerate(self.words) if same_word(own, word)}
                self._forms[word] = frozenset(same)
            found |= self._forms[word]
        if self._dated:
            named = set(calendar_names(text).values())
            found.update(i for i, name in self._dated.items() if name in named)
        return frozenset(found)

    def names_another(self, text: str) -> bool:
        """Whether a text has codes like the question's and none of them: E1043 for E1042."""
        codes = {word for word in self.words if is_code(word)}
        there = set(terms(text)) if codes else set()
        shapes = {shape(code) for code in codes}
        return codes.isdisjoint(there) and any(shape(word) in shapes for word in there)


def _grams(word: str) -> frozenset[str]:
    return frozenset(word[i : i + GRAM] for i in range(max(1, len(word) - GRAM + 1)))


class Coverage:
    """The coverage of each word of the question by a text: 1 if it occurs, else a cosine.

    The cosine is that of the nearest word of the text, both in context ("puppy" is near "animal");
    words with digits have none, because E1042 is near E1043. A text that was not encoded covers
    only words that it contains. Without any `encoded`, in place of the cosine, it is the share of
    the word's letters, three at a time, that one word of the text has.
    """

    def __init__(
        self,
        subject: Subject,
        question: str,
        encoded: Mapping[str, Encoded] | None,
        scale: Scale,
    ) -> None:
        self._subject = subject
        self.scale = scale
        self.by_letters = encoded is None
        self._grams = [frozenset[str]() if has_digit(w) else _grams(w) for w in subject.words]
        self._encoded = encoded or {}
        self._cache: dict[str, Vectors] = {}
        if encoded is None:
            return
        words, matrix = word_vectors(question, encoded[question], scale.pairs)
        soft = [i for i, word in enumerate(subject.words) if word in words and not has_digit(word)]
        rows = {i: words.index(subject.words[i]) for i in soft}
        self._numbers = list(rows)
        self._matrix = matrix[list(rows.values())]

    def of(self, text: str) -> Vectors:
        """The coverage of each word of the question by one text."""
        if text not in self._cache:
            row = np.zeros(len(self._subject.words), dtype=np.float32)
            if self.by_letters:
                row[:] = self._shared(text)
            elif text in self._encoded and self._numbers:
                _, matrix = word_vectors(text, self._encoded[text], self.scale.pairs)
                if len(matrix):
                    near = (self._matrix @ matrix.T).max(axis=1)
                    row[self._numbers] = scaled(near, self.scale.word)
            hits = self._subject.hits(text)
            row[list(hits)] = EXACT
            for number, word in enumerate(self._subject.words):
                means = self._subject.kind.means(word, text)
                if means or (means is False and number in hits):  # "may end" is no end
                    row[number] = EXACT if means else 0.0
            self._cache[text] = row
        return self._cache[text]

    def _shared(self, text: str) -> list[float]:
        there = [_grams(word) for word in set(terms(text))]
        return [
            max((len(own & other) / len(own) for other in there), default=0.0) if own else 0.0
            for own in self._grams
        ]

    def together(self, texts: Sequence[str]) -> Vectors:
        """The maximum coverage of each word over several texts."""
        best: Vectors = np.max([self.of(text) for text in texts], axis=0)
        return best
