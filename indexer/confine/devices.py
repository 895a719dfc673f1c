"""Which device embeds the passages of `index`, as far as that can be told without loading torch."""

from __future__ import annotations

import sys
from pathlib import Path

from indexer.confine.system import GPU_DEVICES


def gpu_seen() -> str | None:
    """What shows that this machine may have a GPU; None if nothing does."""
    if sys.platform == "darwin":
        return sys.platform
    return next((device for device in GPU_DEVICES if Path(device).exists()), None)


def engine_for(device: str, *, packaged: bool, embedder: str | None = None) -> str:
    """What computes vectors under these settings, and why, on one line."""
    if embedder is not None:
        return f"the installed embedder {embedder!r}: --embedder"
    own = "ONNX Runtime (sentence-transformers for an architecture that it does not know)"
    own = "ONNX Runtime in int8" if packaged else own
    seen = gpu_seen()
    if device == "cpu" or (device == "auto" and seen is None):
        why = "--device cpu" if device == "cpu" else "no GPU is seen"
        return f"{own} on the processor: {why}"
    why = f"{seen} is there" if device == "auto" else f"--device {device}"
    return f"sentence-transformers on the GPU for index: {why}; {own} for questions"
