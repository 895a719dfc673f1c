"""One index for many requests: keeps the encoder and the tables loaded between them.

Checks for a newer committed version before each request. Thread-safe. Called by the librarian's
process and by the MCP server, after the seal.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from corpus_agent.service import session
from corpus_agent.service.cancel import Cancel, Cancelled
from corpus_agent.settings import Settings, existing_store
from corpus_agent.text.naming import quoted
from indexer import Encoded, Encoder, Index, storage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from corpus_agent.answering.records import Answer, Answerer
    from corpus_agent.startup import Launch


class Service:
    """The newest version of one index and its answerer, for the lifetime of the process."""

    def __init__(self, settings: Settings, launch: Launch, encoder: Encoder | None = None) -> None:
        """`encoder` replaces the one that the settings name."""
        self._settings = settings
        self._store = existing_store(settings)
        self._launch = launch
        self._encoder = cast(
            Encoder, _OneAtATime(encoder or session.encoder_for(settings, self._store))
        )
        self._lock = threading.Lock()
        self._corpus: Index | None = None
        self._answerer: Answerer | None = None

    def warm(self) -> None:
        """Load the index and the encoder ahead of the first question."""
        self.corpus()
        self._encoder.encode(["warm"])

    def manifest(self) -> storage.Manifest:
        """The manifest of the newest version; raises as checked_manifest does."""
        return storage.checked_manifest(self._store)

    def corpus(self) -> Index:
        """The newest committed version; the same object until a newer one is committed.

        Raises as Index.open does.
        """
        with self._lock:
            if self._corpus is None:
                reranker = session.reranker_for(self._settings)
                self._corpus = Index.open(
                    self._store, self._encoder, reranker, root=self._settings.root, quote=quoted
                )
            else:
                self._corpus = self._corpus.latest()
            return self._corpus

    def answerer(self, corpus: Index) -> Answerer:
        """The answerer of this process; one with a model is kept, for what it learns of it."""
        if self._answerer is None or self._answerer.model_server is None:
            self._answerer = session.answerer_for(corpus, self._launch, self._settings)
        return self._answerer

    def ask(self, question: str, cancel: Cancel) -> Answer:
        """An answer from the newest version; see session.ask_recorded.

        Raises Cancelled if the token was set.
        """
        cancel.check()
        corpus = self.corpus()
        try:
            answer, _ = session.ask_recorded(
                question,
                corpus,
                self.answerer(corpus),
                self._launch,
                self._settings,
                on_event=cancel.check,
            )
        except asyncio.CancelledError:
            raise Cancelled from None
        return answer


class _OneAtATime:
    """An encoder that serialises calls from several threads.

    Tokenizers and lazily loaded models are not thread-safe.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._lock = threading.Lock()

    def __getattr__(self, name: str) -> object:
        with self._lock:
            return getattr(self._encoder, name)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As the encoder does."""
        with self._lock:
            return self._encoder.encode(texts)

    def encode_tokens(self, texts: Sequence[str]) -> list[Encoded]:
        """As the encoder does."""
        with self._lock:
            return self._encoder.encode_tokens(texts)
