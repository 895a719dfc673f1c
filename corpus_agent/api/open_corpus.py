"""What a `Corpus` holds between its calls: settings, launch, index, models; and their end."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from corpus_agent import service
from corpus_agent.seal import unsealed
from corpus_agent.settings import OF_A_STORE, Device, Settings, absolute, check_one
from corpus_agent.startup import Launch, for_reading
from corpus_agent.trust.known import stores_from_here
from indexer import UsageError, storage

if TYPE_CHECKING:
    from corpus_agent.seal.enforce import SealState
    from corpus_agent.service.service import Service
    from indexer import Encoder, Index


class OpenCorpus:
    """A corpus that was opened; nothing is started and nothing loaded before a call needs it."""

    def __init__(self, settings: Settings, launch: Launch | None) -> None:
        """Use `Corpus.open`."""
        self._settings = settings
        self._launch = launch
        self._encoder: Encoder | None = None
        self._service: Service | None = None
        self._closed = False

    @classmethod
    def open(
        cls,
        store: Path | str | Sequence[Path | str],
        *,
        llm: str = "none",
        llm_model: str | None = None,
        model: Path | str | None = None,
        embedder: str | None = None,
        backend: str = "lance",
        extractors: str | None = None,
        device: Device = "auto",
        chunk_tokens: int | None = None,
        chunk_overlap: int | None = None,
        seal: bool = False,
        trust_store: bool = False,
    ) -> Self:
        """The corpus of the index folder `store`, which need not exist before `index`.

        A name that `corpus-agent stores` lists will do. Several are read as one corpus, in which
        each source begins with the name of its store, as in `notes:lease.md`; what changes an index
        takes one.

        `llm` and `llm_model` choose the model that answers (see --llm); by default answers are
        passages only. `model` is the folder of another embedding model, or "minilm" or
        "multilingual"; the others up to `chunk_overlap` are as the settings of those names.

        With `seal` this whole process is sealed irrevocably: no socket, no file but the corpus, the
        index and Python's own; only a pipe to the model's relay. The index must exist, and no other
        thread may run yet, so open before anything heavy is imported. Without it the process is not
        changed, and every result has `"seal": "off"`. Raises SealUnavailable if the kernel cannot
        seal; the process must then end.

        Raises UntrustedStore for an index that this user did not make here, by this program or this
        object, unless `trust_store` permits it; its documents must then lie beside or below it.
        """
        stores = stores_from_here([store] if isinstance(store, Path | str) else store)
        settings = Settings(
            store=stores[0].store if len(stores) == 1 else None,
            several=stores if len(stores) > 1 else (),
            llm=llm,
            llm_model=llm_model,
            model=Path(model) if model is not None else None,
            embedder=embedder,
            backend=backend,
            extractors=extractors,
            device=device,
            chunk_tokens=chunk_tokens,
            chunk_overlap=chunk_overlap,
            trust_store=trust_store,
            fixed=frozenset(OF_A_STORE),
        )
        settings = absolute(settings)
        if seal or os.path.lexists(stores[0].store / storage.MANIFEST_NAME) or settings.several:
            launch = for_reading(settings, seal_off=not seal, asking=llm != "none")
            return cls(launch.settings, launch)
        return cls(settings, None)

    def close(self) -> None:
        """End the processes started for this object; after `seal` this process stays sealed.

        Closing twice is closing once.
        """
        self._closed = True
        if self._launch is not None:
            self._launch.close()
        self._launch = self._service = self._encoder = None

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._closed

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def _store(self) -> Path:
        check_one(self._settings)
        assert self._settings.store is not None
        return self._settings.store

    def _ready(self) -> Launch:
        """The launch of this process; for a new index, made once the index exists."""
        self._check_open()
        if self._launch is None:
            asking = self._settings.llm != "none"
            self._launch = for_reading(self._settings, seal_off=True, asking=asking)
            self._settings = self._launch.settings
        return self._launch

    def _check_open(self) -> None:
        if self._closed:
            several = [str(one.store) for one in self._settings.several]
            named = several or str(self._settings.store)
            raise UsageError("This corpus is closed.", f"Open it again: Corpus.open({named!r})")

    def _loaded_encoder(self) -> Encoder:
        if self._encoder is None:
            stores = [one.store for one in self._settings.several] or [self._store]
            self._encoder = service.loading.encoder_for(self._settings, stores[0], bulk=True)
        return self._encoder

    def _newest(self) -> Index:
        """A view of the newest version, reused until there is a newer one."""
        return self._serving().corpus()

    def _serving(self) -> Service:
        """What answers, over this index; made anew where the folder of the index changed."""
        self._check_open()
        launch = self._ready()
        if self._service is None:
            self._service = service.service.Service(self._settings, launch, self._loaded_encoder())
        return self._service

    @property
    def _seal(self) -> SealState:
        """The state of the seal around this process, part of every result."""
        seal = self._launch.seal if self._launch is not None else unsealed()
        return seal.state
