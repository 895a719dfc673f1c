"""Any sentence-transformers model, through the library itself; on a GPU if there is one.

The only module that imports sentence-transformers and torch, inside functions. It uses no network:
offline switches are set before the import, and the model is given by its folder.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from indexer.embed import Encoded, gpu_seen
from indexer.errors import CorpusError

if TYPE_CHECKING:
    from indexer.embed.encoder import Encoder

BATCH_SIZE = 32  # the library sorts texts by their length before it cuts them into batches
GPU_BATCH_SIZE = 256

OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1",
}


def accelerator(folder: Encoder, wanted: str = "auto") -> str | None:
    """The device for torch, as in "cuda" or "mps"; None for the CPU, without importing torch."""
    if wanted == "cpu" or (wanted == "auto" and gpu_seen() is None):
        return None
    prepare(folder)
    import torch

    device = torch.accelerator.current_accelerator(check_available=True)
    found = device.type if device else None
    if wanted not in ("auto", found):
        raise CorpusError(
            f"--device {wanted}: torch {torch.__version__} finds {found or 'no GPU'} here.",
            "Install the torch of that device, or use --device auto.",
        )
    return found


def prepare(folder: Encoder) -> None:
    """Set the environment variables that torch and related libraries read on import."""
    os.environ.update(OFFLINE)
    # torch makes this folder when it is imported, below the temp folder if none is named. It is
    # for compiled models; nothing is compiled here, so one that is there stays as it is.
    os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(folder.path))


class TorchEngine:
    """The model of a folder, loaded by sentence-transformers onto `device`; `half`: in float16."""

    def __init__(self, folder: Encoder, device: str = "cpu", *, half: bool = False) -> None:
        folder.check()  # nothing is loaded whose hash was not taken
        prepare(folder)
        import torch
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        logging.disable_progress_bar()
        self._folder = folder
        self._model = SentenceTransformer(
            str(folder.path),
            device=device,
            local_files_only=True,
            trust_remote_code=False,
            # Whatever the weights were stored in.
            model_kwargs={"dtype": torch.float16 if half else torch.float32},
        )
        self.dimension = int(self._model.get_embedding_dimension())
        self._batch_size = BATCH_SIZE if device == "cpu" else GPU_BATCH_SIZE

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of the texts: float32, (len(texts), dimension), rows of length 1."""
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        return _unit(np.asarray(self._run(texts, convert_to_numpy=True), np.float32))

    def encode_tokens(self, texts: Sequence[str]) -> list[Encoded]:
        """The same vectors with those of the tokens, from one pass through the model."""
        if not texts:
            return []
        outputs = self._run(texts, output_value=None)
        found = []
        encodings = self._folder.tokenizer.encode_batch(list(texts))
        for output, tokens in zip(outputs, encodings, strict=True):
            vectors = np.asarray(output["token_embeddings"].cpu(), np.float32)
            spans = np.array(tokens.offsets, np.int64).reshape(-1, 2)[: len(vectors)]
            if len(tokens.offsets) > len(vectors):
                spans[-1] = (0, 0)  # cut off here: the last vector is that of the end mark
            whole = np.asarray(output["sentence_embedding"].cpu(), np.float32)
            found.append(Encoded(_unit(whole[None])[0], spans, vectors[: len(spans)]))
        return found

    def _run(self, texts: Sequence[str], **wanted: object) -> Any:  # noqa: ANN401 - the library's
        return self._model.encode(
            list(texts),
            prompt="",  # else a default prompt of the model's would come before our prefix
            batch_size=self._batch_size,
            show_progress_bar=False,
            **wanted,
        )


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """The vectors at length 1, which float16 is too coarse for."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: NDArray[np.float32] = vectors / np.maximum(lengths, 1e-12)
    return unit
