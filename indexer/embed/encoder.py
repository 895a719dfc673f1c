"""The encoder of a model folder; the engine is chosen when the first text is encoded.

On a processor the two models that we know run in int8, for which their quality was measured. Other
models run in float32: through ONNX Runtime if it knows the architecture, else through
sentence-transformers, with a notice. Where there is a GPU, `index` runs them through
sentence-transformers on it. Everything but vectors is available without an engine.

Which vectors may mix: those of the same weights, dimension and prefix (the fingerprint). int8 and
GPUs are held to a cosine of NEAR to the model's own vectors when they start, so an index goes on on
another device; that float32 gives the library's own vectors is tested.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from indexer.embed import FOUR_BITS, Encoded, Engine
from indexer.embed.folder import ModelFolder
from indexer.embed.four_bits import FourBitModel
from indexer.embed.onnx_engine import OnnxEngine, obstacle
from indexer.embed.torch_engine import TorchEngine, accelerator
from indexer.errors import CorpusError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

# Least cosine to the model's own vectors of the probe texts; eight bits leave .995.
NEAR = 0.985
HALF = 0.999  # least of float16 on a GPU; else it computes in float32
_LONG = (
    "Meeting notes > Budget\nThe board (12 members) met on 2024-03-05 in Zürich; § 7.3 was adopted "
    "by 9 votes to 2, with one abstention. Costs rose from 1,250.50 to 1,431.75 €, or 14.5 %: see "
    "`total_cost()` in report_v2.py, and https://example.org/a?b=c#d for the figures of last year. "
    "« Rien ne va plus », wrote the treasurer — 会議は三時に終わりました. Nobody objected, and the "
    "naïve plan to move the café into the old boiler room was dropped without a vote."
)
PROBES = ("Which tyre pressure does the manual give for error E1042?", _LONG)


class FolderEncoder:
    """A sentence-transformers model in a local folder, by default the packaged one.

    With `bulk`, for many texts, a GPU is used if there is one and `device` is "auto", or the one
    that it names; never with "cpu".
    """

    def __init__(
        self, folder: Path | None = None, *, bulk: bool = False, device: str = "auto"
    ) -> None:
        is_file = folder is not None and folder.name == FOUR_BITS
        self._folder = FourBitModel(folder) if folder and is_file else ModelFolder(folder)
        self._pinned = folder is None or is_file
        self._device = device if bulk and not is_file else "cpu"
        # With its precision unless that is float32.
        self.name = f"{self._folder.name} int8" if self._pinned else self._folder.name
        self.passage_tokens = self._folder.passage_tokens
        self.tokens = self._folder.tokens

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

    @contextmanager
    def loading(self) -> Iterator[None]:
        """Load a model that ships in a thread beside the block, whose end waits for it.

        Its hash is verified before anything is encoded, as ever. What fails is raised when the
        model is used: the block's own error goes first.
        """
        with ThreadPoolExecutor(1) as beside:
            if self._pinned:
                beside.submit(lambda: self._engine)
            yield

    @cached_property
    def _engine(self) -> Engine:
        self._folder.check()  # absent or changed weights are explained before all else
        if device := accelerator(self._folder, self._device):
            return self._on_gpu(device)
        if not self._pinned and (reason := obstacle(self._folder)):
            sys.stderr.write(
                f"Note: {self.name!r} runs through sentence-transformers, which is slower than "
                f"ONNX Runtime: {reason}.\n"
            )
        return self._on_processor()

    def _on_processor(self) -> Engine:
        if self._pinned:
            in_bits = isinstance(self._folder, FourBitModel)
            hint = "" if in_bits else f"Use it in float32: --model {str(self._folder.path)!r}"
            return self._near(OnnxEngine(self._folder, "int8"), self._own(), "machine", hint)
        return TorchEngine(self._folder) if obstacle(self._folder) else OnnxEngine(self._folder)

    def _on_gpu(self, device: str) -> Engine:
        """The library on a GPU, in float16 if that reproduces the model's own vectors."""
        own, half = self._own(), TorchEngine(self._folder, device, half=True)
        if _least_cosine(half, own) >= HALF:
            return half
        whole = TorchEngine(self._folder, device)
        return self._near(whole, own, device, "Use the processor: --device cpu")

    def _own(self) -> NDArray[np.float32]:
        """The model's own vectors of PROBES, (2, dimension).

        Those of the models that we know are by transformers, and lie beside this module.
        """
        if not self._pinned:
            return self._on_processor().encode(PROBES)
        path = Path(__file__).parent / f"probe-{self._folder.name}.npy"
        vectors: NDArray[np.float32] = np.load(path, allow_pickle=False)
        return vectors

    def _near(self, engine: Engine, own: NDArray[np.float32], where: str, hint: str) -> Engine:
        """The engine, if its vectors are near enough to the model's own; raises CorpusError."""
        if (cosine := _least_cosine(engine, own)) < NEAR:
            raise CorpusError(
                f"The vectors of {self._folder.name} are wrong on this {where} (cosine "
                f"{cosine:.5f} to the model's own, where {NEAR} is the least).",
                hint,
            )
        return engine


def _least_cosine(engine: Engine, own: NDArray[np.float32]) -> float:
    """The smallest cosine between the engine's vectors of PROBES and the model's own."""
    return float((engine.encode(PROBES) * own).sum(axis=1).min())
