"""The steps before heavy work: find store and corpus, find the model, seal the process.

The order matters: first the index, the corpus and the model are determined; then a broker is
started for that one address; then the process is sealed; only then are LanceDB, the embedding model
and the documents loaded. Imports nothing heavy, since libraries that start threads must come after
the seal.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path

from corpus_agent.models import discovery
from corpus_agent.models.address import GgufFile, parse, server_on
from corpus_agent.models.llama_server import LlamaServer, find_program, start_llama_server
from corpus_agent.seal import Broker, Gate, Sealed, policy, seal, start_broker, unsealed
from corpus_agent.seal.owner import owner_text
from corpus_agent.seal.policy import TEMP_FOLDER
from corpus_agent.settings import (
    Settings,
    existing_place,
    existing_store,
    model_folder,
    of_store,
    store_to_write,
)
from corpus_agent.trust.stores import (
    StorePlace,
    absolute,
    check_outside,
    place_of,
    record,
    recorded_place,
    trusted_text,
)
from corpus_agent.trust.user_state import NoUserState
from indexer import CorpusError, UsageError, check_root, paths, storage
from indexer.confine import GPU_DEVICES


@dataclass(frozen=True, slots=True)
class Launch:
    """A process that is ready to work: its seal, and the model that it may use, if any.

    `llama` is the server that was started for it, perhaps still loading; `unavailable` is why a
    named model is none; `notices` report that and a missing corpus. `settings` name the store and
    the root, which were verified as this user's.
    """

    seal: Sealed
    model: discovery.Model | None = None
    broker: Broker | None = None
    llama: LlamaServer | None = None
    notices: tuple[str, ...] = ()
    unavailable: discovery.ModelUnavailable | None = None
    settings: Settings = field(default_factory=Settings)

    @property
    def egress(self) -> str | None:
        """The remote host that passages go to, as recorded in answers; None if there is none."""
        return self.model.server.egress if self.model else None


def for_reading(
    settings: Settings, *, seal_off: bool = False, asking: bool = False, choosing: bool = False
) -> Launch:
    """A process ready to read an existing index; with `asking`, also to use the model of `--llm`.

    With `choosing`, any model that a server on this machine lists now may be used later.
    Raises UntrustedStore for an index that this user did not make here, before reading any of it.
    """
    place = place_of(existing_store(settings), settings)
    settings = in_place(settings, place)
    store, root = place.store, place.root
    ready = _model(settings, store) if asking else Launch(unsealed())
    if not paths.is_there(root):
        ready = replace(ready, notices=(_root_is_missing(root), *ready.notices))
    if ready.model is not None:
        # A broker also without the seal: requests take the same path with and without it.
        model = ready.model
        names = frozenset((model.name, *(model.listed if choosing else ())))
        gate = Gate(model.server.address, names, model.owners)
        broker = start_broker(gate, allow_remote=model.server.remote is not None)
        ready = replace(ready, broker=broker)
    closed = _close(root if root.is_dir() else None, store, settings, seal_off=seal_off)
    _check_same(store, place.inode)
    return replace(ready, seal=closed, settings=settings)


def for_indexing(
    settings: Settings,
    folder: Path | None,
    *,
    seal_off: bool = False,
    dry_run: bool = False,
    watching: bool = False,
) -> Launch:
    """A process ready to index; creates and records the store, except for a dry run.

    With `watching`, the process may use inotify; otherwise it may not.
    """
    place = corpus_place(settings, folder)
    notices, inode = ((), None) if dry_run else _made(place)
    if settings.trust_store or settings.trusted_stores:
        notices = ()  # a user who passes that flag knows that nothing can be recorded
    settings = in_place(settings, place)
    there = place.store if place.store.is_dir() else None
    closed = _close(place.root, there, settings, seal_off=seal_off, watching=watching)
    _check_same(place.store, inode)
    return Launch(closed, notices=notices, settings=settings)


def for_examining(
    settings: Settings, *, seal_off: bool = False
) -> tuple[Path | None, Launch, CorpusError | None]:
    """The store, if any, a process ready to examine it, and the error if it must not be examined.

    Defects of this user's own store are left to the examination.
    """
    store = settings.store or storage.find_store(paths.working_folder())
    if store is None or not store.is_dir():
        return (
            store,
            Launch(_close(None, None, settings, seal_off=seal_off), settings=settings),
            None,
        )
    try:
        settings = in_place(settings, place_of(store, settings))
    except CorpusError as error:
        return (
            store,
            Launch(_close(None, None, settings, seal_off=seal_off), settings=settings),
            error,
        )
    store, root = existing_place(settings)
    below = root if root.is_dir() else None
    return store, Launch(_close(below, store, settings, seal_off=seal_off), settings=settings), None


def in_place(settings: Settings, place: StorePlace) -> Settings:
    """The settings for a trusted store, with those that the store itself may set."""
    settings = replace(settings, store=place.store, root=place.root)
    return of_store(settings, place.store) if place.store.is_dir() else settings


def _made(place: StorePlace) -> tuple[tuple[str, ...], int]:
    """Create the store if missing and record it; returns notices of failure, and its inode.

    Recorded before the marker is written, so that a process killed at any moment leaves no store of
    this user without a record; and again, for a store that existed before.
    """
    unrecorded: dict[str, None] = {}

    def remember(identity: storage.Identity) -> None:
        try:
            record(place, identity)
        except NoUserState as error:
            unrecorded[_unrecorded(place, error)] = None

    identity = storage.make_store(place.store, remember)
    remember(identity)
    return tuple(unrecorded), identity.inode


def _unrecorded(place: StorePlace, error: NoUserState) -> str:
    return (
        f"It could not be recorded that this index is yours: {error} Later commands need "
        f"--trust-store, or CORPUS_AGENT_TRUSTED_STORES={trusted_text(place.store, place.root)}"
    )


def _check_same(store: Path, inode: int | None) -> None:
    """Raise if the store was replaced by another folder since it was checked.

    Called after the seal, when the kernel permits writes only to the folder that the seal was set
    up for; this verifies that the store's path still leads to it.
    """
    if inode is not None and store.lstat().st_ino != inode:
        raise CorpusError(
            f"Another folder took the place of the index {str(store)!r} while it was opened.",
            "Somebody else may rename in the folder above it. Choose another: --store DIR",
        )


def _close(
    root: Path | None,
    store: Path | None,
    settings: Settings,
    *,
    seal_off: bool,
    watching: bool = False,
) -> Sealed:
    named = (
        model_folder(settings.model, "--model"),
        model_folder(settings.reranker, "--reranker"),
    )
    if seal_off:
        return unsealed()
    models = [folder for folder in named if folder is not None]
    return seal(policy(root, store, read=models, gpu=_has_gpu(), watching=watching))


def _root_is_missing(root: Path) -> str:
    found = "empty" if root.is_dir() else "not there"
    return (
        f"The folder {str(root)!r} is {found}: moved, or not mounted. Its index is kept and can "
        "be searched; documents cannot be opened, nor quotations looked up."
    )


def _has_gpu() -> bool:
    return any(Path(device).exists() for device in GPU_DEVICES)


def _model(settings: Settings, store: Path) -> Launch:
    """The unsealed launch with its model, or with a notice that there is none."""
    wanted = parse(settings.llm, settings.allow_remote_llm)
    try:
        if isinstance(wanted, GgufFile):
            return _with_llama(wanted, store)
        model = discovery.find(wanted, settings.llm_model)
        return Launch(unsealed(), model, notices=model.notices if model else ())
    except discovery.ModelUnavailable as error:
        notice = f"{error} Answered without a model."
        return Launch(unsealed(), notices=(notice,), unavailable=error)


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
    model = discovery.Model(server, weights.path.stem, owners=ours)
    return Launch(unsealed(), model, llama=llama)


def corpus_place(settings: Settings, folder: Path | None) -> StorePlace:
    """The store to write and the root of its corpus.

    Raises UsageError if the store has the index of another folder, UntrustedStore if it is not
    known to be this user's.
    """
    store = absolute(store_to_write(settings))
    known = recorded_place(store, settings)
    if folder is None:
        if known is not None and not known.root.is_dir():
            raise CorpusError(
                f"The corpus folder {str(known.root)!r} is not there; the index is kept as it is.",
                "Mount or restore it, or name its new place: corpus-agent index FOLDER",
            )
        root = check_root(known.root if known is not None else paths.working_folder())
    else:
        root = check_root(folder)
        # A moved root may be given again; if the recorded one exists, this is another corpus.
        if known is not None and known.root.is_dir() and known.root != root:
            raise UsageError(
                f"The index in {str(store)!r} is of {str(known.root)!r}, not of {str(root)!r}.",
                "One store holds one corpus. Name another: corpus-agent --store DIR index …",
            )
    storage.check_apart(store, root)
    check_outside(store, settings.config)
    return StorePlace(store, root)
