"""A cross-encoder in a local folder: scores query and passage together.

Slower than comparing vectors, and more accurate with a good model. Failures are reported once and
leave the order of the hits unchanged.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.embed.encoder import to_stderr
from indexer.embed.folder import ModelFolder
from indexer.embed.torch_engine import prepare
from indexer.errors import CorpusError
from indexer.records import Hit

RERANKED_HITS = 30  # of the fused list: each costs a pass through the model
PAIRS_AT_ONCE = 16


class Reranker:
    """The cross-encoder of a folder; thread-safe. `on_notice` is called if it fails.

    Loaded by the first search. After a failure it is not used again: `outage` is the reason.
    """

    def __init__(self, folder: Path, on_notice: Callable[[str], None] = to_stderr) -> None:
        self._folder = ModelFolder(folder)
        self._on_notice = on_notice
        self._lock = threading.Lock()
        self.outage: str | None = None

    def reorder(self, query: str, hits: Sequence[Hit]) -> list[Hit]:
        """The hits, most relevant first; unchanged if the model fails.

        The fused scores are reassigned in the new order, since their readers expect that scale;
        `rerank` is the model's own score.
        """
        first = list(hits[:RERANKED_HITS])
        if not first or self.outage is not None:
            return list(hits)
        try:
            with self._lock:
                fits = self._fits(query, first)
        except _failures() as error:
            reason = error.message if isinstance(error, CorpusError) else str(error)
            self.outage = (
                f"The reranker {self._folder.name} failed ({reason.splitlines()[0][:200]}); the "
                "passages are in the order of the search alone."
            )
            self._on_notice(self.outage)
            return list(hits)
        order = np.argsort(-fits, kind="stable")
        ranked = [
            replace(first[best], score=hit.score, rerank=float(fits[best]))
            for best, hit in zip(order, first, strict=True)
        ]
        return [*ranked, *hits[RERANKED_HITS:]]

    def _fits(self, query: str, hits: Sequence[Hit]) -> NDArray[np.float32]:
        pairs = [(query, f"{hit.chunk.heading}\n{hit.chunk.text}".strip()) for hit in hits]
        found = self._model.predict(pairs, batch_size=PAIRS_AT_ONCE, show_progress_bar=False)
        fits = np.asarray(found, np.float32)
        if fits.shape != (len(hits),):
            raise ValueError("it does not give one score for a passage")
        if not np.isfinite(fits).all():
            raise ValueError("its scores are no numbers")
        return fits

    @cached_property
    def _model(self) -> Any:  # noqa: ANN401 - the library's class is loaded here
        assert self._folder.weights_sha256  # only safetensors, and explained where there are none
        prepare(self._folder)
        import torch
        from sentence_transformers import CrossEncoder
        from transformers.utils import logging

        logging.disable_progress_bar()
        return CrossEncoder(
            str(self._folder.path),
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"dtype": torch.float32, "use_safetensors": True},
        )


def _failures() -> tuple[type[Exception], ...]:
    """Exceptions that loading or running an arbitrary model may raise."""
    from safetensors import SafetensorError

    # Of memory too: a long list of long passages may not fit where the search alone does.
    named = (OSError, ValueError, RuntimeError, MemoryError, LookupError, AttributeError, TypeError)
    return (CorpusError, SafetensorError, *named)
