"""The encoder of a model folder; the engine is chosen when the first text is encoded.

On a processor the packaged model runs in int8, for which its quality was measured. Other models run
in float32: through ONNX Runtime if it supports the architecture and reproduces the vectors, else
through sentence-transformers, with a notice. Where there is a GPU, `index` runs all of them through
sentence-transformers on it. Everything but vectors is available without an engine.

Which vectors may mix: those of the same weights, dimension and prefix (the fingerprint), made by
engines of which each reproduces the model's own vectors to a cosine of NEAR at its start. So an
index goes on on another device.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from indexer.embed.folder import ModelFolder
from indexer.embed.four_bits import FourBitModel
from indexer.embed.onnx_engine import OnnxEngine, obstacle
from indexer.embed.protocol import Encoded, Engine
from indexer.embed.torch_engine import TorchEngine, accelerator
from indexer.errors import CorpusError
from indexer.measure import Tokens
from indexer.weights import FOUR_BITS

if TYPE_CHECKING:
    from tokenizers import Tokenizer

# Least cosine to sentence-transformers' own vectors of the probe texts. Rounding leaves .9999999,
# eight bits .995.
EXACT = 0.99999
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
FOLDER = "probes"  # in the store: reference vectors of its model, by the hash of the weights


def to_stderr(notice: str) -> None:
    """Print a notice for the user."""
    sys.stderr.write(f"Note: {notice}\n")


def model_of(path: Path | None) -> ModelFolder:
    """The model in a folder, or in the file of four bits; None: the packaged one."""
    return FourBitModel(path) if path is not None and path.name == FOUR_BITS else ModelFolder(path)


class FolderEncoder:
    """A sentence-transformers model in a local folder, by default the packaged one.

    Reference vectors of custom models are cached in `store` if it is writable. With `bulk`, for
    many texts, a GPU is used if there is one and `device` is "auto", or the one that it names;
    never with "cpu". `on_notice` is called with the reason for a slower
    engine.
    """

    def __init__(
        self,
        folder: Path | None = None,
        *,
        store: Path | None = None,
        bulk: bool = False,
        device: str = "auto",
        on_notice: Callable[[str], None] = to_stderr,
    ) -> None:
        self._folder = model_of(folder)
        self._pinned = folder is None or isinstance(self._folder, FourBitModel)
        self._store = store
        self._bulk = bulk
        self._device = device
        self._on_notice = on_notice

    @property
    def name(self) -> str:
        """The model's name, with its precision unless that is float32."""
        return f"{self._folder.name} int8" if self._pinned else self._folder.name

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
    def passage_tokens(self) -> int:
        """How many tokens a passage has at most, where nobody chose another size."""
        return self._folder.passage_tokens

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """The tokens of texts, special ones included, none cut off."""
        return self._folder.tokens(texts)

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
        return self._pinned_engine() if self._pinned else self._other_engine()

    def _pinned_engine(self) -> Engine:
        """A model that is known, in eight bits, which no other engine computes in."""
        expected, in_bits = _shipped(self._folder.name), isinstance(self._folder, FourBitModel)
        if self._bulk and not in_bits and (device := accelerator(self._folder, self._device)):
            return self._on_gpu(device, expected)
        hint = f"Use it in float32: --model {str(self._folder.path)!r}"
        engine = OnnxEngine(self._folder, "int8")
        return self._near(engine, expected, "machine", "" if in_bits else hint)

    def _other_engine(self) -> Engine:
        reason = obstacle(self._folder)
        if self._bulk and (device := accelerator(self._folder, self._device)):
            # The reference is for the searches to come, too, which do not load torch.
            return self._on_gpu(device, self._expected())
        if reason is not None:
            return self._through_torch(reason)
        expected = self._expected()
        engine = OnnxEngine(self._folder)
        cosine = _least_cosine(engine, expected)
        if cosine < EXACT:
            return self._through_torch(
                f"there, its vectors differ (cosine {cosine:.5f} on a probe text)"
            )
        return engine

    def _on_gpu(self, device: str, expected: NDArray[np.float32]) -> Engine:
        """The library on a GPU, in float16 if that reproduces the reference vectors."""
        half = TorchEngine(self._folder, device, half=True)
        if _least_cosine(half, expected) >= HALF:
            return half
        whole = TorchEngine(self._folder, device)
        return self._near(whole, expected, device, "Use the processor: --device cpu")

    def _near(self, engine: Engine, expected: NDArray[np.float32], where: str, hint: str) -> Engine:
        """The engine, if its vectors are near enough to the model's own; raises CorpusError."""
        cosine = _least_cosine(engine, expected)
        if cosine < NEAR:
            raise CorpusError(
                f"The vectors of {self._folder.name} are wrong on this {where} (cosine "
                f"{cosine:.5f} to the model's own, where {NEAR} is the least).",
                hint,
            )
        return engine

    def _expected(self) -> NDArray[np.float32]:
        """The reference vectors: from the store, else computed by the library and cached."""
        expected = _kept(self._store, self._folder)
        if expected is None:
            expected = TorchEngine(self._folder).encode(PROBES)
            if not _keep(self._store, self._folder, expected):
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


# ---- Reference vectors of two texts by sentence-transformers: those of other weights than ours are
# computed once, which loads torch.


def _least_cosine(engine: Engine, expected: NDArray[np.float32]) -> float:
    """The smallest cosine between the engine's vectors and the expected ones."""
    return float((engine.encode(PROBES) * expected).sum(axis=1).min())


def _shipped(model: str) -> NDArray[np.float32]:
    """The vectors of PROBES by transformers and the weights of a model that we know, (2, 384)."""
    return _loaded(Path(__file__).parent / f"probe-{model}.npy")


def _kept(store: Path | None, folder: ModelFolder) -> NDArray[np.float32] | None:
    """The cached reference vectors of this model, if any."""
    path = _path(store, folder)
    return _loaded(path) if path is not None and path.exists() else None


def _keep(store: Path | None, folder: ModelFolder, vectors: NDArray[np.float32]) -> bool:
    """Cache the vectors in the store; returns whether that succeeded."""
    path = _path(store, folder)
    if path is None or store is None or not os.access(store, os.W_OK):
        return False
    fresh = path.with_suffix(f".{os.getpid()}.npy")
    try:
        path.parent.mkdir(exist_ok=True)
        np.save(fresh, vectors, allow_pickle=False)
        fresh.replace(path)
    except PermissionError:  # the process is sealed around several stores, which it may only read
        return False
    return True


def _path(store: Path | None, folder: ModelFolder) -> Path | None:
    return store / FOLDER / f"{folder.weights_sha256}.npy" if store is not None else None


def _loaded(path: Path) -> NDArray[np.float32]:
    vectors: NDArray[np.float32] = np.load(path, allow_pickle=False)
    return vectors
