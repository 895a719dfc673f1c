"""What a command does before anything heavy: find the places, reach for the model, close.

The order is the point. Where the index and the corpus are, and which model answers, is decided
first; then a broker is started for that one address; then the process is sealed; and only then are
LanceDB, the embedding model and the documents touched. Imports nothing heavy, since libraries that
start threads must come after the seal.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from corpus_agent import llm
from corpus_agent.seal import (
    Broker,
    Sealed,
    TcpAddress,
    policy,
    seal,
    start_broker,
    unsealed,
)
from corpus_agent.settings import Settings, existing_store, store_to_write
from indexer.errors import CorpusError, UsageError
from indexer.folder import create_folder
from indexer.manifest import read_manifest, recorded_root, root_of
from indexer.walk import check_root

GPU_DEVICES = ("/dev/nvidiactl", "/dev/kfd")


@dataclass(frozen=True, slots=True)
class Launch:
    """A process that is ready to work: its seal, and the model it may ask, if any.

    `notices` say why there is no model although one was named, and that the corpus is not there.
    """

    seal: Sealed
    model: llm.Model | None = None
    broker: Broker | None = None
    notices: tuple[str, ...] = ()


def to_read(settings: Settings, *, seal_off: bool = False, asking: bool = False) -> Launch:
    """Ready to read an existing index; with `asking`, also to ask the model that `--llm` names."""
    store = existing_store(settings)
    root = root_of(store, read_manifest(store))
    model, notices = _model(settings) if asking else (None, ())
    if not root.is_dir():
        notices = (_root_is_missing(root), *notices)
    # A broker also without the seal: one way to the model, whether or not it is the only one.
    broker = start_broker(TcpAddress(model.server.host, model.server.port)) if model else None
    closed = _close(root if root.is_dir() else None, store, settings, seal_off=seal_off)
    return Launch(closed, model, broker, notices)


def to_index(
    settings: Settings, folder: Path | None, *, seal_off: bool = False, dry_run: bool = False
) -> Launch:
    """Ready to index; makes the folder of the index unless nothing is to be written."""
    store, root = corpus_root(settings, folder)
    if not dry_run:
        create_folder(store)
    place = store if store.is_dir() else None
    return Launch(_close(root, place, settings, seal_off=seal_off))


def _close(root: Path | None, store: Path | None, settings: Settings, *, seal_off: bool) -> Sealed:
    if seal_off:
        return unsealed()
    if settings.model is not None and not settings.model.is_dir():
        raise UsageError(f"There is no model folder {str(settings.model)!r}.", "Check --model.")
    gpu = any(Path(device).exists() for device in GPU_DEVICES)
    return seal(policy(root, store, model=settings.model, gpu=gpu))


def _root_is_missing(root: Path) -> str:
    return (
        f"The folder {str(root)!r} is not there: moved, or not mounted. Its index is kept and can "
        "be searched; documents cannot be opened, nor quotations looked up."
    )


def _model(settings: Settings) -> tuple[llm.Model | None, tuple[str, ...]]:
    try:
        return llm.find(settings.llm, settings.llm_model), ()
    except llm.ModelUnavailable as error:
        return None, (f"{error} Answered without a model.",)


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
