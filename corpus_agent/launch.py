"""What a command does before anything heavy: find the places, reach for the model, close.

The order is the point. Where the index and the corpus are, and which model answers, is decided
first; then a broker is started for that one address; then the process is sealed; and only then are
LanceDB, the embedding model and the documents touched. Imports nothing heavy, since libraries that
start threads must come after the seal.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from corpus_agent import llm
from corpus_agent.endpoint import GgufFile, parse, server_on
from corpus_agent.seal import (
    Broker,
    Gate,
    Sealed,
    policy,
    seal,
    start_broker,
    unsealed,
)
from corpus_agent.seal.llama import LlamaServer, find_program, start_llama_server
from corpus_agent.seal.opening import TEMP_FOLDER
from corpus_agent.seal.owner import owner_text
from corpus_agent.settings import Settings, existing_store, model_folder, store_to_write
from indexer.confine import GPU_DEVICES
from indexer.errors import CorpusError, UsageError
from indexer.folder import create_folder
from indexer.manifest import find_store, read_manifest, recorded_root, root_of
from indexer.walk import check_root


@dataclass(frozen=True, slots=True)
class Launch:
    """A process that is ready to work: its seal, and the model it may ask, if any.

    `llama` is the server that was started for it, perhaps still loading; `notices` say why there
    is no model although one was named, and that the corpus is not there.
    """

    seal: Sealed
    model: llm.Model | None = None
    broker: Broker | None = None
    llama: LlamaServer | None = None
    notices: tuple[str, ...] = ()

    @property
    def egress(self) -> str | None:
        """Where passages go beyond this machine, as answers are stamped; None where they do not."""
        return self.model.server.egress if self.model else None


def to_read(
    settings: Settings, *, seal_off: bool = False, asking: bool = False, choosing: bool = False
) -> Launch:
    """Ready to read an existing index; with `asking`, also to ask the model that `--llm` names.

    With `choosing`, any model that its server lists now may be asked later, if it runs here.
    """
    store = existing_store(settings)
    root = root_of(store, read_manifest(store))
    ready = _model(settings, store) if asking else Launch(unsealed())
    if not root.is_dir():
        ready = replace(ready, notices=(_root_is_missing(root), *ready.notices))
    if ready.model is not None:
        # A broker also without the seal: one way to the model, whether or not it is the only one.
        model = ready.model
        names = frozenset((model.name, *(model.listed if choosing else ())))
        gate = Gate(model.server.address, names, model.owners)
        broker = start_broker(gate, allow_remote=model.server.remote is not None)
        ready = replace(ready, broker=broker)
    closed = _close(root if root.is_dir() else None, store, settings, seal_off=seal_off)
    return replace(ready, seal=closed)


def to_index(
    settings: Settings, folder: Path | None, *, seal_off: bool = False, dry_run: bool = False
) -> Launch:
    """Ready to index; makes the folder of the index unless nothing is to be written."""
    store, root = corpus_root(settings, folder)
    if not dry_run:
        create_folder(store)
    place = store if store.is_dir() else None
    return Launch(_close(root, place, settings, seal_off=seal_off))


def to_examine(settings: Settings, *, seal_off: bool = False) -> tuple[Path | None, Launch]:
    """The store, if there is any, and a process ready to look at it, whole or not."""
    store = settings.store or find_store(Path.cwd())
    try:
        root = root_of(store, read_manifest(store)) if store else None
    except CorpusError:
        root = None  # what is wrong with it is for the examination to say
    place = store if store is not None and store.is_dir() else None
    below = root if root is not None and root.is_dir() else None
    return store, Launch(_close(below, place, settings, seal_off=seal_off))


def _close(root: Path | None, store: Path | None, settings: Settings, *, seal_off: bool) -> Sealed:
    named = (
        model_folder(settings.model, "--model"),
        model_folder(settings.reranker, "--reranker"),
    )
    if seal_off:
        return unsealed()
    models = [folder for folder in named if folder is not None]
    return seal(policy(root, store, read=models, gpu=_has_gpu()))


def _root_is_missing(root: Path) -> str:
    return (
        f"The folder {str(root)!r} is not there: moved, or not mounted. Its index is kept and can "
        "be searched; documents cannot be opened, nor quotations looked up."
    )


def _has_gpu() -> bool:
    return any(Path(device).exists() for device in GPU_DEVICES)


def _model(settings: Settings, store: Path) -> Launch:
    """The model to ask, or the notice that says why there is none; nothing is sealed yet."""
    wanted = parse(settings.llm, settings.allow_remote_llm)
    try:
        if isinstance(wanted, GgufFile):
            return _with_llama(wanted, store)
        model = llm.find(wanted, settings.llm_model)
        return Launch(unsealed(), model, notices=model.notices if model else ())
    except llm.ModelUnavailable as error:
        return Launch(unsealed(), notices=(f"{error} Answered without a model.",))


def _with_llama(weights: GgufFile, store: Path) -> Launch:
    if not os.access(store, os.W_OK):
        raise UsageError(
            f"--llm gguf: needs a place for its socket, and {str(store)!r} may not be written.",
            "Start a model server and give its address.",
        )
    folder = store.resolve() / TEMP_FOLDER
    llama = start_llama_server(find_program(), weights.path, folder, gpu=_has_gpu())
    ours = frozenset((os.geteuid(),))
    server = replace(server_on(Path(llama.address.path)), owner=owner_text(ours))
    model = llm.Model(server, weights.path.stem, owners=ours)
    return Launch(unsealed(), model, llama=llama)


def corpus_root(settings: Settings, folder: Path | None) -> tuple[Path, Path]:
    """The store to write and the root of its corpus.

    Raises UsageError where the store holds the index of another folder.
    """
    store = store_to_write(settings)
    recorded = recorded_root(store)
    if folder is None:
        if recorded is not None and not recorded.is_dir():
            raise CorpusError(
                f"The corpus folder {str(recorded)!r} is not there; the index is kept as it is.",
                "Mount or restore it, or name its new place: corpus-agent index FOLDER",
            )
        return store, check_root(recorded or Path.cwd())
    root = check_root(folder)
    # A root that moved may be named anew; one that is still there is another corpus.
    if recorded is not None and recorded.is_dir() and recorded.resolve() != root:
        raise UsageError(
            f"The index in {str(store)!r} is of {str(recorded)!r}, not of {str(root)!r}.",
            "One store holds one corpus. Name another: corpus-agent --store DIR index …",
        )
    return store, root
