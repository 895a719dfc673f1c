"""The steps before heavy work: find store and corpus, find the model, seal the process.

The order matters: first the index, the corpus and the model are determined; then a broker is
started for that one address; then the process is sealed; only then are LanceDB, the embedding model
and the documents loaded. Imports nothing heavy, since libraries that start threads must come after
the seal.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

import indexer
from corpus_agent import models
from corpus_agent.seal import Broker, Gate, Sealed, policy, seal, start_broker, unsealed
from corpus_agent.seal.enforce import TEMP_FOLDER
from corpus_agent.seal.owner import owner_text
from corpus_agent.settings import (
    Settings,
    model_folder,
    of_store,
    stores_to_read,
)
from corpus_agent.trust.stores import StorePlace, absolute, check_outside, place_of, record
from corpus_agent.trust.user_state import NoUserState, receipt_key
from corpus_agent.trust.which_index import flag_for, root_of, store_to_write
from indexer import CorpusError, UntrustedStore, UsageError, paths, storage


@dataclass(frozen=True, slots=True)
class Launch:
    """A process that is ready to work: its seal, and the model that it may use, if any.

    `llama` is the server that was started for it, perhaps still loading; `unavailable` is why a
    named model is none; `notices` report that and a missing corpus. `settings` name the store and
    the root, which were verified as this user's; `new_store` if the store was made just now, `flag`
    is what names one that is written from here. `receipt_key` signs answers; None where there is no
    state folder.
    """

    seal: Sealed
    model: models.discovery.Model | None = None
    broker: Broker | None = None
    llama: models.llama_server.LlamaServer | None = None
    notices: tuple[str, ...] = ()
    unavailable: models.discovery.ModelUnavailable | None = None
    settings: Settings = field(default_factory=Settings)
    new_store: bool = False
    flag: str = ""
    receipt_key: bytes | None = field(default=None, repr=False)

    @property
    def egress(self) -> str | None:
        """The remote host that passages go to, as recorded in answers; None if there is none."""
        return self.model.server.egress if self.model else None

    def close(self) -> None:
        """End the processes that were started for it; this one stays sealed."""
        if self.broker is not None:
            self.broker.close()
        if self.llama is not None:
            self.llama.stop()


def for_reading(
    settings: Settings,
    *,
    seal_off: bool = False,
    asking: bool = False,
    listener: int | None = None,
) -> Launch:
    """A process ready to read an existing index; with `asking`, also to use the model of `--llm`.

    With `listener`, the descriptor of a socket that listens already, its connections are accepted.
    Raises UntrustedStore for an index that this user did not make here, before reading any of it.
    """
    places = [place_of(one.store, settings) for one in stores_to_read(settings)]
    settings = in_places(settings, places)
    missing = [place for place in places if not paths.is_there(place.root)]
    key = receipt_key(make=asking)  # before the seal, which closes its folder
    ready = _model(settings, places[0].store) if asking else Launch(unsealed())
    with ExitStack() as failing:
        failing.callback(lambda: ready.close())
        if ready.model is not None:
            # A broker also without the seal: requests take the same path with and without it.
            model = ready.model
            gate = Gate(model.server.address, frozenset((model.name,)), model.owners)
            broker = start_broker(gate, allow_remote=model.server.remote is not None)
            ready = replace(ready, broker=broker)
        closed = _close(places, settings, seal_off=seal_off, listener=listener)
        for place in places:
            _check_same(place.store, place.inode)
        failing.pop_all()  # nothing failed
    gone = [_root_is_missing(place.root) for place in missing if _has_documents(place.store)]
    notices = (*gone, *ready.notices)
    return replace(ready, seal=closed, settings=settings, notices=notices, receipt_key=key)


def for_indexing(
    settings: Settings,
    folder: Path | None,
    *,
    seal_off: bool = False,
    dry_run: bool = False,
) -> Launch:
    """A process ready to index; creates and records the store, except for a dry run."""
    place = corpus_place(settings, folder)
    new = storage.may_be_made(place.store)
    notices, inode = ((), None) if dry_run else _made(place)
    if settings.trust_store:
        notices = ()  # a user who passes that flag knows that nothing can be recorded
    settings, flag = in_place(settings, place), flag_for(place.store)
    closed = _close([place], settings, seal_off=seal_off)
    _check_same(place.store, inode)
    return Launch(closed, notices=notices, settings=settings, new_store=new, flag=flag)


def for_examining(
    settings: Settings, *, seal_off: bool = False
) -> tuple[Launch, CorpusError | None]:
    """A process ready to examine the index that is meant, and why it must not be examined."""
    store = settings.store or storage.find_store(paths.working_folder())
    settings, places, problem = replace(settings, store=store), [], None
    if store is not None and paths.is_folder(store):
        try:
            place = place_of(store, settings)
            settings, places = in_place(settings, place), [place]
        except CorpusError as error:
            problem = error
    return Launch(_close(places, settings, seal_off=seal_off), settings=settings), problem


def in_places(settings: Settings, places: Sequence[StorePlace]) -> Settings:
    """The settings for trusted stores; of several, none sets anything."""
    if not settings.several:
        return in_place(settings, places[0])
    several = tuple(
        replace(one, store=place.store, root=place.root)
        for one, place in zip(settings.several, places, strict=True)
    )
    return replace(settings, several=several)


def in_place(settings: Settings, place: StorePlace) -> Settings:
    """The settings for a trusted store, with those that the store itself may set."""
    settings = replace(settings, store=place.store, root=place.root)
    return of_store(settings, place.store) if paths.is_folder(place.store) else settings


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
            later = f"Later commands need: --trust-store --store {shlex.quote(str(place.store))}"
            text = f"It could not be recorded that this index is yours: {error} {later}"
            unrecorded[text] = None

    identity = storage.make_store(place.store, remember)
    remember(identity)
    return tuple(unrecorded), identity.inode


def _check_same(store: Path, inode: int | None) -> None:
    """Raise if the store was replaced by another folder since it was checked."""
    if inode is not None and store.lstat().st_ino != inode:
        raise CorpusError(
            f"Another folder took the place of the index {str(store)!r} while it was opened.",
            "Another program renames in the folder above it. Choose another place: --store DIR",
        )


def _close(
    places: Sequence[StorePlace],
    settings: Settings,
    *,
    seal_off: bool,
    listener: int | None = None,
) -> Sealed:
    """The seal around stores and their documents, so far as those are there."""
    model = model_folder(settings.model)
    if seal_off:
        return unsealed()
    folders = [model] if model is not None else []
    gpu = settings.device != "cpu" and (indexer.gpu_seen() is not None or settings.device != "auto")
    there = [
        [folder if paths.is_folder(folder) else None for folder in (place.root, place.store)]
        for place in places
    ]
    root, store = there[0] if len(there) == 1 else (None, None)
    several = [folder for pair in there for folder in pair if folder] if len(there) > 1 else []
    return seal(
        policy(
            root,
            store,
            read=folders,
            several=several,
            gpu=gpu,
            listener=listener,
        )
    )


def _has_documents(store: Path) -> bool:
    """Whether an index holds documents: of one that holds none, an empty folder misses nothing."""
    try:
        return bool(storage.read_manifest(store).coverage.searched)
    except CorpusError:  # opening the index raises it for the user
        return True


def _root_is_missing(root: Path) -> str:
    found = paths.absence(root) or "is empty"
    return (
        f"The folder {str(root)!r} {found}: moved, or not mounted. Its index is kept and can "
        "be searched; documents cannot be opened, nor quotations looked up."
    )


def _model(settings: Settings, store: Path) -> Launch:
    """The unsealed launch with its model, or with a notice that there is none."""
    wanted = models.discovery.parse(settings.llm, settings.allow_remote_llm)
    try:
        if isinstance(wanted, models.discovery.GgufFile):
            return _with_llama(wanted, store)
        model = models.discovery.find(wanted, settings.llm_model)
        return Launch(unsealed(), model, notices=model.notices if model else ())
    except models.discovery.ModelUnavailable as error:
        notice = f"{error} Answered without a model."
        return Launch(unsealed(), notices=(notice,), unavailable=error)


def _with_llama(weights: models.discovery.GgufFile, store: Path) -> Launch:
    if not os.access(store, os.W_OK):
        raise UsageError(
            f"--llm gguf: needs a place for its socket, and {str(store)!r} may not be written.",
            "Start a model server and give its address.",
        )
    folder = store.resolve() / TEMP_FOLDER
    program = models.llama_server.find_program()
    llama = models.llama_server.start_llama_server(
        program, weights.path, folder, gpu=indexer.gpu_seen() is not None
    )
    ours = frozenset((os.geteuid(),))
    server = models.discovery.Server(llama.address, owner=owner_text(ours))
    model = models.discovery.Model(server, weights.path.stem, owners=ours)
    return Launch(unsealed(), model, llama=llama)


def corpus_place(settings: Settings, folder: Path | None) -> StorePlace:
    """The store to write and the root of its corpus."""
    wanted = indexer.check_root(folder) if folder is not None else None
    store = absolute(store_to_write(settings, wanted))
    try:
        known = None if storage.may_be_made(store) else place_of(store, settings)
    except UntrustedStore as error:  # one that came with the folder need not be taken
        elsewhere = "(or leave it: corpus-agent --store DIR index FOLDER)"
        raise UntrustedStore(error.message, f"{error.hint} {elsewhere}") from None
    if wanted is None:
        if known is not None and (absent := paths.absence(known.root)):
            raise CorpusError(
                f"The corpus folder {str(known.root)!r} {absent}; the index is kept as it is.",
                "Mount or restore it, or name its new place: corpus-agent index FOLDER",
            )
        recorded = known.root if known is not None else root_of(store)  # of one that is gone, too
        root = indexer.check_root(recorded or paths.working_folder())
    else:
        root = wanted
        # A moved root may be given again; if the recorded one exists, this is another corpus.
        moved = known is not None and paths.absence(known.root) == paths.NOT_THERE
        if known is not None and not moved and known.root != root:
            raise UsageError(
                f"The index in {str(store)!r} is of {str(known.root)!r}, not of {str(root)!r}.",
                "One store holds one corpus. Name another: corpus-agent --store DIR index …",
            )
    storage.check_apart(store, root)
    check_outside(store, settings.config)
    return StorePlace(store, root)
