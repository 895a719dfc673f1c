"""Rerankers, which score query and passage together; here the cross-encoder of a local folder.

Slower than comparing vectors, and more accurate with a good model. Another one, behind a server, is
a `Scorer` of the caller's. Failures are reported once and leave the order of the hits unchanged.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from indexer.embed.folder import ModelFolder
from indexer.embed.torch_engine import prepare
from indexer.errors import CorpusError
from indexer.records import Hit

RERANKED_HITS = 30  # of the fused list: each costs a pass through the model
PAIRS_AT_ONCE = 16
MAX_REASON = 200  # characters of what went wrong that are shown


class Scorer(Protocol):
    """What scores passages by a query: a model in this process, or a server that is asked."""

    name: str

    def fits(self, query: str, passages: Sequence[str]) -> NDArray[np.float32]:
        """The score of each passage, float32, (passages,), on a scale of its own.

        Raises CorpusError, or what a library raises whose model is broken.
        """
        ...


def plain(text: str) -> str:
    """The printable characters of a text, on one line."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


class Reranker:
    """Orders hits by a scorer, or by the cross-encoder of a folder; thread-safe.

    After a failure it is not used again: `outage` is the reason, made harmless by `clean`, since a
    server or a model's file may have worded it. Its reader is told by the notices of the index.
    """

    def __init__(self, scorer: Scorer | Path, clean: Callable[[str], str] = plain) -> None:
        self._scorer = CrossEncoderFolder(scorer) if isinstance(scorer, Path) else scorer
        self._clean = clean
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
            self.outage = self._outage(error)
            return list(hits)
        order = np.argsort(-fits, kind="stable")
        ranked = [
            replace(first[best], score=hit.score, rerank=float(fits[best]))
            for best, hit in zip(order, first, strict=True)
        ]
        return [*ranked, *hits[RERANKED_HITS:]]

    def _outage(self, error: Exception) -> str:
        worded = error.message if isinstance(error, CorpusError) else str(error)
        first = next(iter(worded.splitlines()), "") or type(error).__name__
        return (
            f"The reranker {self._clean(self._scorer.name)} failed "
            f"({self._clean(first)[:MAX_REASON]}); the passages are in the order of the search "
            "alone."
        )

    def _fits(self, query: str, hits: Sequence[Hit]) -> NDArray[np.float32]:
        passages = [f"{hit.chunk.heading}\n{hit.chunk.text}".strip() for hit in hits]
        fits = np.asarray(self._scorer.fits(query, passages), np.float32)
        if fits.shape != (len(hits),):
            raise ValueError("it does not give one score for a passage")
        if not np.isfinite(fits).all():
            raise ValueError("its scores are no numbers")
        return fits


class CrossEncoderFolder:
    """The cross-encoder of a folder, loaded by the first search."""

    def __init__(self, folder: Path) -> None:
        self._folder = ModelFolder(folder)
        self.name = self._folder.name

    def fits(self, query: str, passages: Sequence[str]) -> NDArray[np.float32]:
        """The model's own scores."""
        pairs = [(query, passage) for passage in passages]
        found = self._model.predict(pairs, batch_size=PAIRS_AT_ONCE, show_progress_bar=False)
        return np.asarray(found, np.float32)

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
