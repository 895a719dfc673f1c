"""A question's vector, moved out of its language.

The multilingual model puts texts of one language together: a question is nearer to passages in its
own than to those that answer it. Half of what all questions in a language have in common, the mean
of a dozen of them (`benchmarks/question_centres.py`), is taken off. The language is that of the
nearest mean, which is right for 99.8 % of the questions in eleven languages of LAReQA.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from indexer.records import MULTILINGUAL

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indexer.embed.protocol import Encoder

LANGUAGES = (  # of CENTRES
    *("en", "de", "es", "fr", "it", "nl", "pt", "pl", "ru", "el", "tr", "vi", "zh", "ja", "ko"),
    *("ar", "hi", "th"),
)
CENTRES = Path(__file__).parent / f"questions-{MULTILINGUAL}.npy"
SHARE = 0.5  # of a language's mean: .8 and 1 find no more, and lose English


def question_vector(encoder: Encoder, text: str) -> NDArray[np.float32]:
    """The vector by which passages are looked for: float32, (dimension,), of length 1."""
    vector: NDArray[np.float32] = encoder.encode([encoder.query_prefix + text])[0]
    return without_language(vector) if encoder.name.startswith(MULTILINGUAL) else vector


def is_in_another(encoder: Encoder, question: str, language: str) -> bool:
    """Whether a question is in another language than this one, an ISO 639 code, by its vector."""
    if not encoder.name.startswith(MULTILINGUAL) or language not in LANGUAGES:
        return False
    return LANGUAGES[language_of(encoder.encode([encoder.query_prefix + question])[0])] != language


def without_language(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """The vector less half of its language's mean, at length 1."""
    moved = vector - np.float32(SHARE) * _centres()[0][language_of(vector)]
    unit: NDArray[np.float32] = moved / np.linalg.norm(moved)
    return unit


def language_of(vector: NDArray[np.float32]) -> int:
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
