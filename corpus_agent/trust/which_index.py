"""The stores that a command means: by name, by path, or by the folder in which one stands."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from corpus_agent.settings import NamedStore, Settings, check_one
from corpus_agent.trust import user_state
from corpus_agent.trust.stores import Record, absolute, name_for, place_of, records
from indexer import CorpusError, NoIndex, UsageError, paths, storage

MAX_SEVERAL = 64  # stores in one search
MAX_NAMED = 8  # names in an error
MOVED = "Mount or restore it. If it was moved: corpus-agent trust ITS-NEW-PLACE"


@dataclass(frozen=True, slots=True)
class KnownStore:
    """A recorded store; `manifest` is None where it has no index, `problem` says why not."""

    name: str
    store: Path
    root: Path
    since: str
    manifest: storage.Manifest | None
    problem: str | None


def known_stores(settings: Settings) -> list[KnownStore]:
    """All recorded stores, by name."""
    found = [
        KnownStore(each.name, store, each.root, each.since, *_looked_at(store, settings))
        for store, each in records().items()
    ]
    return sorted(found, key=lambda known: known.name)


def _looked_at(store: Path, settings: Settings) -> tuple[storage.Manifest | None, str | None]:
    """The manifest of a store that may be used, or None and why there is none."""
    if absent := paths.absence(store):
        return None, f"it {absent}"
    try:
        place_of(store, settings)
        return storage.read_manifest(store), None
    except CorpusError as error:
        return None, error.message


def _recorded() -> dict[Path, Record]:
    """The records; none where there can be none."""
    try:
        return records()
    except user_state.NoUserState:
        return {}


def store_here(here: Path, new: Path | None = None) -> Path | None:
    """The store of the nearest folder of documents at or above `here`; else the only one below."""
    here, known = absolute(here), _with_index(new)
    folders, above = (here, *here.parents), storage.find_store(here)
    near = [(len(above.parent.parts), absolute(above))] if above is not None else []
    near += [(len(root.parts), store) for store, root in known.items() if root in folders]
    if near:
        return max(near, key=lambda each: each[0])[1]
    below = [store for store, root in known.items() if here in root.parents]
    if len(below) > 1:  # the index of an empty folder is meant by nobody who stands above it
        found = {store: _looked_at(store, Settings())[0] for store in below}
        below = [one for one, held in found.items() if not held or held.coverage.searched] or below
    names = [each.name for store, each in _recorded().items() if store in below]
    if len(below) > 1:
        raise UsageError(
            f"{len(below)} of your indexes lie below this folder.",
            f"Name one before the command: {_flags(names)}. Or all: --all-stores",
        )
    return below[0] if below else None


def _with_index(new: Path | None = None) -> dict[Path, Path]:
    """The recorded stores that have an index, or whose first run goes on, with their roots."""
    return {
        store: each.root
        for store, each in _recorded().items()
        if os.path.lexists(store / storage.MANIFEST_NAME)
        or storage.writer_of(store)
        or store == new
    }


def flag_for(new: Path) -> str:
    """The option that names a store just made, "" where it is found from the working folder."""
    with suppress(UsageError):
        if store_here(paths.working_folder(), new) == new:
            return ""
    record = _recorded().get(new)
    return f"-s {shlex.quote(record.name if record is not None else str(new))} "


def root_of(store: Path) -> Path | None:
    """The folder that a store is recorded to be of, None of a new one."""
    record = _recorded().get(absolute(store))
    return record.root if record is not None else None


def no_index_here() -> NoIndex:
    """The error where no index is found from the working folder."""
    names = [each.name for store, each in _recorded().items() if store in _with_index()]
    hint = storage.MAKE_ONE
    if names:
        hint += f"; or read one of yours ({_listed(names)}): corpus-agent -s {names[-1]} …"
    return NoIndex("There is no index here or in a folder above.", hint)


def _flags(names: Sequence[str]) -> str:
    return _listed([f"-s {shlex.quote(name)}" for name in names])


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:MAX_NAMED]) + (", …" if len(names) > MAX_NAMED else "")


def store_to_write(settings: Settings, root: Path | None) -> Path:
    """The store that `index` of the folder `root` writes, or of that which is found here."""
    check_one(settings)
    if settings.store is not None:
        return settings.store
    if root is None:
        here = paths.working_folder()
        return store_here(here) or here / storage.STORE_NAME
    own = absolute(root) / storage.STORE_NAME
    # It may lie elsewhere: where --store put it.
    others = [store for store, of in _with_index().items() if of == absolute(root)]
    if own in others or os.path.lexists(own) or not others:
        if not os.access(root, os.W_OK):
            raise UsageError(
                f"{str(root)!r} may not be written, and its index would lie in it.",
                "Name another place: corpus-agent --store DIR index FOLDER",
            )
        return own
    return others[-1]


def chosen_stores(
    given: Sequence[Path], *, everything: bool = False, to_read: bool = False
) -> tuple[tuple[NamedStore, ...], tuple[str, ...]]:
    """The stores that are meant by names or paths, each once, and notices of what is left out.

    With `everything` all recorded ones that may be used. What is a store at a path is that store,
    else a recorded name; else a new path, which is an error where it is `to_read`.
    """
    known = records() if everything else _recorded() if given else {}
    by_name = {each.name: store for store, each in known.items()}
    wanted = [*known] if everything else [_meant(path, by_name, to_read=to_read) for path in given]
    notices = []
    found: dict[Path, NamedStore] = {}
    for store in wanted:
        if everything and (problem := _looked_at(store, Settings())[1]):
            notices.append(f"{known[store].name!r} is left out: {problem}")
            continue
        place = absolute(store)
        taken = [*by_name, *(one.name for one in found.values())]
        name = known[place].name if place in known else name_for(place.parent, taken)
        found.setdefault(place, NamedStore(name, store))
    if everything and not found:
        none = " ".join(["No index of yours is there.", *notices[:MAX_NAMED]])
        raise NoIndex(none, storage.MAKE_ONE)
    if len(found) > MAX_SEVERAL:
        raise UsageError(
            f"{len(found)} indexes are asked for, at most {MAX_SEVERAL} together.",
            "Name some: -s NAME -s NAME",
        )
    return tuple(found.values()), tuple(notices)


def stores_from_here(
    given: Sequence[Path | str], *, everything: bool = False
) -> tuple[NamedStore, ...]:
    """The same with absolute paths, for programs; raises UsageError where none is meant."""
    found, _ = chosen_stores([Path(one) for one in given], everything=everything)
    if not found:
        raise UsageError("No index is named.", "Name one: its folder, or a name of stores")
    return tuple(
        replace(one, store=storage.named_store(paths.from_here(one.store))) for one in found
    )


def _meant(given: Path, by_name: dict[str, Path], *, to_read: bool) -> Path:
    """The store that a path or a name means; `to_read` it must be there."""
    store, name = storage.named_store(given), str(given)
    if not storage.is_store(store):
        store = by_name.get(name, store)
    if os.path.lexists(store):
        return store
    if name in by_name and not paths.is_folder(store.parent):
        raise NoIndex(
            f"The index {name!r} is not where it was: its folder was moved, or is not mounted.",
            MOVED,
        )
    if not to_read:
        return store
    near = get_close_matches(name, by_name, MAX_NAMED, cutoff=0)
    yours = f"Known by name: {_listed(near)} (corpus-agent stores). " if near else ""
    raise NoIndex(f"There is no index {name!r}.", f"{yours}{storage.MAKE_ONE}")
