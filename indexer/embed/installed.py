"""An embedding model that an installed package brings: group `corpus_agent.embedders`.

It runs in the sealed process, like a model of ours. Its identity in the fingerprint of an index
holds the package and its version, so that vectors of two versions are never mixed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from indexer.confine import extensions
from indexer.embed.protocol import Encoded
from indexer.errors import CorpusError
from indexer.measure import Tokens
from indexer.records import CHUNK_TOKENS, MULTILINGUAL, PACKAGED_MODEL

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_PREFIX = "x-"  # of the name of a model that a package brings
LENGTH_ERROR = 1e-3  # of a vector, which must be of length 1


class InstalledEncoder:
    """The encoder of an installed package, named by a setting; imported when it is first used.

    What its entry point makes has `dimension`, `max_tokens`, `tokenizer` and `encode`, and may have
    `weights_sha256`, `query_prefix`, `document_prefix` and `encode_tokens`. Its vectors are
    checked. Raises UsageError where no package brings it.
    """

    def __init__(self, name: str) -> None:
        self._extension = extensions.named("embedders", name)

    @property
    def name(self) -> str:
        """The package and its version."""
        return f"{_PREFIX}{self._extension.package}/{self._extension.version}"

    @cached_property
    def weights_sha256(self) -> str:
        """A hash of the entry point, the package's version and what it says of its weights."""
        own = str(getattr(self._made, "weights_sha256", ""))
        return hashlib.sha256(f"{self._extension} {own}".encode()).hexdigest()

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self._made.dimension)

    @property
    def max_tokens(self) -> int:
        """Length of the model's window, special tokens included."""
        return int(self._made.max_tokens)

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer by which passages are measured."""
        made: Tokenizer = self._made.tokenizer
        return made

    passage_tokens = CHUNK_TOKENS

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """The tokens of texts, special ones included, none cut off."""
        return [Tokens(t.ids, t.offsets) for t in self.tokenizer.encode_batch(list(texts))]

    @property
    def document_prefix(self) -> str:
        """The prefix of passages; usually empty."""
        return str(getattr(self._made, "document_prefix", ""))

    @property
    def query_prefix(self) -> str:
        """The prefix of queries; usually empty."""
        return str(getattr(self._made, "query_prefix", ""))

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of the texts: float32, (len(texts), dimension), rows of length 1."""
        vectors = np.asarray(self._made.encode(list(texts)), np.float32)
        if vectors.shape != (len(texts), self.dimension):
            raise self._wrong(f"vectors of shape {vectors.shape} for {len(texts):,} texts")
        lengths = np.linalg.norm(vectors, axis=1)
        if not bool((np.abs(lengths - 1) < LENGTH_ERROR).all()):  # nor are NaNs
            raise self._wrong("vectors that are not of length 1")
        return vectors

    def encode_tokens(self, texts: Sequence[str]) -> list[Encoded]:
        """The same vectors with those of the tokens, each alone where the package gives none."""
        own = getattr(self._made, "encode_tokens", None)
        if own is not None:
            found: list[Encoded] = own(list(texts))
            return found
        encoded = []
        for text, vector in zip(texts, self.encode(texts), strict=True):
            offsets = self.tokenizer.encode(text).offsets[: self.max_tokens]
            words = [text[start:end] or text[:1] or " " for start, end in offsets]
            each = dict.fromkeys(words)
            by_word = dict(zip(each, self.encode(list(each)), strict=True))
            tokens = np.array([by_word[word] for word in words], np.float32)
            spans = np.array(offsets, np.int64).reshape(-1, 2)
            encoded.append(Encoded(vector, spans, tokens.reshape(len(words), self.dimension)))
        return encoded

    @cached_property
    def _made(self) -> Any:  # noqa: ANN401 - a stranger's class
        made = self._extension.make()
        missing = [
            each
            for each in ("dimension", "max_tokens", "tokenizer", "encode")
            if not hasattr(made, each)
        ]
        if missing:
            raise self._wrong(f"an encoder without {', '.join(missing)}")
        return made

    def _wrong(self, what: str) -> CorpusError:
        return CorpusError(
            f"The embedder {self._extension} gives {what}.", "Mend it, or leave --embedder out."
        )


def option_for(model: str) -> str:
    """What chooses the model of this name, for a hint; "" for a package that is not installed.

    Of a folder its name alone is known, since an index may be moved to where others lie.
    """
    if model.partition(" ")[0] == PACKAGED_MODEL:  # its precision behind it
        return "--model minilm"
    if model.startswith(MULTILINGUAL):
        return "--model multilingual"
    for each in extensions.installed():
        usable = each.kind == "embedders" and not each.refused
        if usable and InstalledEncoder(each.name).name == model:
            return f"--embedder {each.name}"
    return "" if model.startswith(_PREFIX) else f"--model DIR, its folder is called {model!r}"
