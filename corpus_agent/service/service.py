"""One index, or several, for many requests: keeps the encoder and the tables loaded between them.

Checks for a newer committed version before each request. Thread-safe. Called by the librarian's
process and by the MCP server, after the seal.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from corpus_agent.check.checking import check_text
from corpus_agent.service import loading, session
from corpus_agent.service.cancel import Cancel, Onlooker
from corpus_agent.settings import Settings, stores_to_read
from indexer import Encoded, Encoder, Index, storage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from corpus_agent.answering.receipt import Receipt
    from corpus_agent.answering.records import Answer, Answerer, Turn
    from corpus_agent.check.records import Checked
    from corpus_agent.startup import Launch


_NOBODY = Onlooker()
_onlooker: ContextVar[Onlooker] = ContextVar("onlooker", default=_NOBODY)


class Service:
    """The newest version of one index and its answerer, for the lifetime of the process."""

    def __init__(self, settings: Settings, launch: Launch, encoder: Encoder | None = None) -> None:
        """`encoder` replaces the one that the settings name."""
        self._settings = settings
        self._stores = stores_to_read(settings)
        self._launch = launch
        self._encoder = cast(
            Encoder, _OneAtATime(encoder or loading.encoder_for(settings, self._stores[0].store))
        )
        self._lock = threading.Lock()
        self._corpus: Index | None = None
        self._answerers: dict[bool, Answerer] = {}

    def warm(self) -> None:
        """Load the index and the encoder ahead of the first question."""
        self.corpus()
        self._encoder.encode(["warm"])

    def manifests(self) -> dict[str, storage.Manifest]:
        """The manifests of the newest versions by the name of their store, "" of one alone.

        Raises as checked_manifest does.
        """
        return {one.name: storage.checked_manifest(one.store) for one in self._stores}

    def corpus(self) -> Index:
        """The newest committed version; the same object until a newer one is committed.

        Raises as Index.open does.
        """
        with self._lock:
            if self._corpus is None:
                self._corpus = session.open_corpus(self._settings, encoder=self._encoder)
            else:
                self._corpus = self._corpus.latest()
            return self._corpus

    def answerer(self, corpus: Index, *, quotes_only: bool = False) -> Answerer:
        """The answerer of this process; one with a model is kept, for what it learns of it."""
        kept = self._answerers.get(quotes_only)
        if kept is None or kept.model_server is None:
            # One answerer serves all questions; each has an onlooker of its own.
            kept = self._answerers[quotes_only] = session.answerer_for(
                corpus,
                self._launch,
                self._settings,
                quotes_only=quotes_only,
                on_draft=lambda text: _onlooker.get().draft(text),
                on_passages=lambda found: _onlooker.get().passages(found),
                on_wait=lambda: _onlooker.get().wait(),
            )
        return kept

    def ask(self, question: str, cancel: Cancel, *, quotes_only: bool = False) -> Answer:
        """An answer from the newest version; see `ask_after`."""
        return self.ask_after(question, (), cancel, _NOBODY, quotes_only=quotes_only)[0]

    def ask_after(
        self,
        question: str,
        history: Sequence[Turn],
        cancel: Cancel,
        onlooker: Onlooker,
        *,
        quotes_only: bool = False,
        corpus: Index | None = None,
    ) -> tuple[Answer, Receipt]:
        """An answer from the newest version and its receipt; see session.ask_recorded.

        `corpus` is a part of that version. Raises Cancelled if the token was set.
        """

        def step(line: str) -> None:
            cancel.check()
            onlooker.step(line)

        cancel.check()
        corpus = corpus or self.corpus()
        before = _onlooker.set(replace(onlooker, wait=cancel.check))
        try:
            return session.ask_recorded(
                question,
                corpus,
                self.answerer(corpus, quotes_only=quotes_only),
                self._launch,
                self._settings,
                history,
                on_event=step,
            )
        finally:
            _onlooker.reset(before)

    def check(
        self, text: str, corpus: Index, on_piece: Callable[[int, int], object] = lambda *_: None
    ) -> Checked:
        """What the documents of a version say of a text; what `on_piece` raises ends it."""
        return check_text(text, corpus, self._encoder.encode_tokens, on_piece=on_piece)


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
