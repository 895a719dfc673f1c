"""The encoder of a model folder; the engine is chosen when the first text is encoded.

The packaged model runs in int8, for which its quality was measured. Other models run in float32:
through ONNX Runtime if it supports the architecture and reproduces the vectors, else through
sentence-transformers, with a notice. Everything but vectors is available without an engine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from indexer.embed import probe
from indexer.embed.folder import ModelFolder
from indexer.embed.onnx_engine import OnnxEngine, obstacle
from indexer.embed.protocol import Encoded, Engine
from indexer.embed.torch_engine import TorchEngine, accelerator
from indexer.errors import CorpusError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

# Least cosine to sentence-transformers' own vectors of the probe texts. Rounding leaves .9999999,
# eight bits .995.
EXACT = 0.99999
NEAR = 0.985


def to_stderr(notice: str) -> None:
    """Print a notice for the user."""
    sys.stderr.write(f"Note: {notice}\n")


class FolderEncoder:
    """A sentence-transformers model in a local folder, by default the packaged one.

    Reference vectors of custom models are cached in `store` if it is writable. With `bulk`, for
    many texts, a GPU is used if there is one. `on_notice` is called with the reason for a slower
    engine.
    """

    def __init__(
        self,
        folder: Path | None = None,
        *,
        store: Path | None = None,
        bulk: bool = False,
        on_notice: Callable[[str], None] = to_stderr,
    ) -> None:
        self._folder = ModelFolder(folder)
        self._packaged = folder is None
        self._store = store
        self._bulk = bulk
        self._on_notice = on_notice

    @property
    def name(self) -> str:
        """The model's name, with its precision unless that is float32."""
        return f"{self._folder.name} int8" if self._packaged else self._folder.name

    @property
    def weights_sha256(self) -> str:
        """SHA-256 of the weights; raises CorpusError if they are absent or unexpected."""
        return self._folder.weights_sha256

    @property
    def dimension(self) -> int:
        """Length of a vector, as its configuration states."""
        return self._folder.dimension

    @property
    def max_tokens(self) -> int:
        """Length of the model's window, special tokens included."""
        return self._folder.max_tokens

    @property
    def tokenizer(self) -> Tokenizer:
        """The model's tokenizer, neither truncating nor padding."""
        return self._folder.tokenizer

    @property
    def query_prefix(self) -> str:
        """The prefix of queries; usually empty."""
        return self._folder.prefixes[0]

    @property
    def document_prefix(self) -> str:
        """The prefix of passages; usually empty."""
        return self._folder.prefixes[1]

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of the texts: float32, (len(texts), dimension), rows of length 1."""
        return self._engine.encode(texts)

    def encode_tokens(self, texts: Sequence[str]) -> list[Encoded]:
        """The same vectors with those of the tokens; tokens past the window are left out."""
        return self._engine.encode_tokens(texts)

    @cached_property
    def _engine(self) -> Engine:
        assert self.weights_sha256  # absent or changed weights are explained before all else
        return self._packaged_engine() if self._packaged else self._other_engine()

    def _packaged_engine(self) -> Engine:
        engine = OnnxEngine(self._folder, "int8")
        cosine = probe.least_cosine(engine, probe.packaged())
        if cosine < NEAR:  # no other engine computes in eight bits
            raise CorpusError(
                f"The vectors of {self._folder.name} are wrong on this machine (cosine "
                f"{cosine:.5f} to the model's own, where {NEAR} is the least).",
                f"Use it in float32: --model {str(self._folder.path)!r}",
            )
        return engine

    def _other_engine(self) -> Engine:
        reason = obstacle(self._folder)
        if self._bulk and (device := accelerator(self._folder)):
            library = TorchEngine(self._folder, device)
            if reason is None:
                self._expected(library)  # for the searches to come, which do not load torch
            return library
        if reason is not None:
            return self._through_torch(reason)
        expected = self._expected()
        engine = OnnxEngine(self._folder)
        cosine = probe.least_cosine(engine, expected)
        if cosine < EXACT:
            return self._through_torch(
                f"there, its vectors differ (cosine {cosine:.5f} on a probe text)"
            )
        return engine

    def _expected(self, library: TorchEngine | None = None) -> NDArray[np.float32]:
        """The reference vectors: from the store, else computed by the library and cached."""
        expected = probe.kept(self._store, self._folder)
        if expected is None:
            expected = (library or TorchEngine(self._folder)).encode(probe.TEXTS)
            if not probe.keep(self._store, self._folder, expected):
                self._on_notice(
                    f"{self.name!r} starts slowly: there is no store to be written in which "
                    "its check by ONNX Runtime could be kept."
                )
        return expected

    def _through_torch(self, reason: str) -> Engine:
        self._on_notice(
            f"{self.name!r} runs through sentence-transformers, which is slower than ONNX "
            f"Runtime: {reason}."
        )
        return TorchEngine(self._folder)
