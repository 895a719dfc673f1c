"""The language of a passage, and what BM25 finds words of languages other than English by.

The index of words stems English alone and takes runs of scripts without spaces apart by a
dictionary. Beside the words of any other language stand their fragments: four letters of a word,
pairs of characters where there are no spaces: benchmarks/languages.py.

The multilingual model puts texts of one language together: a question is nearer to passages in its
own than to those that answer it. Half of what all questions in a language have in common, the mean
of a dozen of them (`benchmarks/languages.py`), is taken off. The language is that of the
nearest mean, which is right for 99.8 % of the questions in eleven languages of LAReQA.
"""

from __future__ import annotations

import io
import lzma
import re
from array import array
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import regex

from indexer.records import ENGLISH, MULTILINGUAL
from indexer.words import PAIRED, WORD, fold

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray
    from py3langid.langid import LanguageIdentifier

    from indexer.embed.encoder import Encoder
    from indexer.records import Chunk

SURE = 0.8  # probability from which a passage has a language of its own
SAMPLE_CHARS = 400  # of a passage; twice as many are told no better
MULTILINGUAL_WORDS = 100_000  # of a vocabulary; models of one language have 30,000 to 60,000
FRAGMENT = 4  # letters: five, and stems, find less (docs/decisions/search.md)
NO_LANGUAGE = "zxx"  # code and figures
# Told apart from a larger neighbour only with doubt, so that neither is sure.
_LEFT_OUT = "an ary arz bs ext gcf gcr lb lij ltg nn pcm uzs vec wa wuu yue"
# Words of English texts that those in other languages seldom have.
_SMALL_WORDS = """
the of and what which who whom whose how when where why are were did does has have been with from by
my our your their his he she its it that this these those there than into about not can could
would should you they many much
"""
_ENGLISH = frozenset(_SMALL_WORDS.split())
_ENGLISH_SHARE = 0.15  # of the words of a text, from which it is English
_WORD = regex.compile(WORD)
LANGUAGES = (  # of CENTRES
    *("en", "de", "es", "fr", "it", "nl", "pt", "pl", "ru", "el", "tr", "vi", "zh", "ja", "ko"),
    *("ar", "hi", "th"),
)
CENTRES = Path(__file__).parent / f"questions-{MULTILINGUAL}.npy"
SHARE = 0.5  # of a language's mean: .8 and 1 find no more, and lose English
# How much of what a question has in common with all of a language is taken off where several are
# searched. Fitted on the questions of half of LAReQA's articles: the one in the asker's own
# language is first for .94, .79, .69, .56 at 0, .75, 1, 1.35, another is among five without it for
# .84, .92, .93, .93, and some right one for .99, .98, .98, .97.
SHARED = 1.35
_ASCII_WORD = re.compile("[a-z0-9]+")  # the same in a folded text of ASCII, six times as quick
_IN_PAIRS = regex.compile(rf"[{PAIRED}]")


def language_of(text: str) -> str:
    """The ISO 639 code of a text's language, "" where it cannot be told: code, figures, a word."""
    sample = text[:SAMPLE_CHARS]
    if is_english(sample):  # nine in ten English passages, and no other: nothing is loaded
        return ENGLISH
    code, probability = _identifier().classify(sample)
    return code if probability >= SURE and code != NO_LANGUAGE else ""


def is_english(text: str) -> bool:
    """Whether a text is in English, by its small words alone: a search loads no identifier."""
    words = _words(text.casefold())
    return sum(word in _ENGLISH for word in words) > _ENGLISH_SHARE * len(words)


def in_languages(chunks: Sequence[Chunk]) -> list[Chunk]:
    """The chunks of one document, each with its language; the document's where it tells none."""
    english = [is_english(chunk.text[:SAMPLE_CHARS]) for chunk in chunks]
    mostly = 2 * sum(english) >= len(chunks)  # then what is ASCII is English: nothing is loaded
    found = [
        ENGLISH if known or (mostly and chunk.text.isascii()) else language_of(chunk.text)
        for chunk, known in zip(chunks, english, strict=True)
    ]
    told = [language for language in found if language]
    main = max(told, key=told.count, default="")
    return [
        replace(chunk, language=language or main)
        for chunk, language in zip(chunks, found, strict=True)
    ]


def is_multilingual(encoder: Encoder) -> bool:
    """Whether a model reads many languages, by the size of its vocabulary."""
    if encoder.name.startswith(MULTILINGUAL):  # whose vocabulary takes a second to set up
        return True
    return encoder.tokenizer.get_vocab_size() >= MULTILINGUAL_WORDS


@cache
def _identifier() -> LanguageIdentifier:
    """The identifier with its model, which is in the package: 0.6 s of a processor, 100 MB."""
    from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier

    # As LanguageIdentifier.from_model_file, which unpacks into a file: it would be written outside
    # of the store by a run without the seal, and a full disk would end one with it.
    with lzma.open(MODEL_DIR / MODEL_FILE) as packed:
        model = np.load(io.BytesIO(packed.read()), allow_pickle=False)
    identifier = LanguageIdentifier(
        model["ptc"],
        model["pc"],
        model["classes"].tolist(),
        _as_array(model["nextmove"]),
        model["out_feat"].tolist(),
        norm_probs=True,
        tk_row=_as_array(model["nextmove_row"]),
    )
    identifier.set_languages(set(identifier.labels) - set(_LEFT_OUT.split()))
    return identifier


def _as_array(numbers: NDArray[np.uint16 | np.uint32]) -> array[int]:
    """The numbers as an array of Python, whose elements are read faster one by one."""
    return array({2: "H", 4: "I"}[numbers.itemsize], numbers.tobytes())


def fragments(text: str) -> str:
    """The fragments of a text's words, each behind an underscore so that it equals no word."""
    return " ".join(f"_{piece}" for word in _words(fold(text)) for piece in _pieces(word))


def _pieces(word: str) -> list[str]:
    if _IN_PAIRS.match(word):  # spelt in letters: the index would take them apart again
        return [word[i : i + 2].encode("utf-16-be").hex() for i in range(max(1, len(word) - 1))]
    return [word[i : i + FRAGMENT] for i in range(max(1, len(word) - FRAGMENT + 1))]


def covered(query: str, text: str) -> float:
    """The share of a query's words that a text has, by their fragments; its small words aside."""
    words = _words(fold(query))
    words = [word for word in words if word not in _ENGLISH] or words
    if not words:
        return 0.0
    folded = fold(text)
    own = frozenset(_words(folded))
    return sum(_share(word, folded, own) for word in words) / len(words)


def _share(word: str, folded: str, own: Collection[str]) -> float:
    """The share of a word's fragments that a folded text has; one without any is there, or not."""
    size = 2 if _IN_PAIRS.match(word) else FRAGMENT
    if len(word) < size:
        return float(word in own)
    pieces = [word[i : i + size] for i in range(len(word) - size + 1)]
    return sum(piece in folded for piece in pieces) / len(pieces)


def _words(folded: str) -> list[str]:
    return _ASCII_WORD.findall(folded) if folded.isascii() else _WORD.findall(folded)


# ---- A question's vector, moved out of its language


def question_vector(encoder: Encoder, text: str) -> tuple[NDArray[np.float32], str]:
    """The vector by which passages are looked for, of length 1, and the language, "" for none."""
    vector: NDArray[np.float32] = encoder.encode([encoder.query_prefix + text])[0]
    if not encoder.name.startswith(MULTILINGUAL):
        return vector, ""
    nearest = nearest_language(vector)
    moved = vector - np.float32(SHARE) * _centres()[0][nearest]
    unit: NDArray[np.float32] = moved / np.linalg.norm(moved)
    return unit, LANGUAGES[nearest]


def shared(
    encoder: Encoder, vector: NDArray[np.float32], languages: Sequence[str]
) -> NDArray[np.float32]:
    """The cosine that a question's vector owes to each language, one of which has no mean."""
    if not encoder.name.startswith(MULTILINGUAL):
        return np.zeros(len(languages), np.float32)
    owed = _centres()[0] @ vector
    by_code = dict(zip(LANGUAGES, owed.tolist(), strict=True))
    each = [by_code.get(language, float(owed.mean())) for language in languages]
    return np.float32(SHARED) * np.array(each, np.float32)


def is_in_another(encoder: Encoder, question: str, language: str) -> bool:
    """Whether a question is in another language than this one, an ISO 639 code, by its vector."""
    return language in LANGUAGES and question_vector(encoder, question)[1] not in ("", language)


def nearest_language(vector: NDArray[np.float32]) -> int:
    """The number of the language whose mean is nearest, all seen from their middle."""
    _, directions, middle = _centres()
    return int((directions @ (vector - middle)).argmax())


@cache
def _centres() -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """The means of languages, their directions from the middle of all, at length 1, and it."""
    centres = np.load(CENTRES, allow_pickle=False).astype(np.float32)
    middle: NDArray[np.float32] = centres.mean(axis=0)
    away = centres - middle
    return centres, away / np.linalg.norm(away, axis=1, keepdims=True), middle
