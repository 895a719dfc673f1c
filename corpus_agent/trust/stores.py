"""The owner and the documents of a store: from this user's own record, never from the store.

`index` records the stores that it creates in the user's state folder. A store without a record is
untrusted until the user permits it (`corpus-agent trust`, or `--trust-store` if no state can be
kept). The folder in that record may be read, regardless of the store's manifest. Called before the
seal; a sealed process cannot write the record.

What it does not stop: another process of the same user, which may write the record itself.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Collection
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import indexer
from corpus_agent.settings import MARK, OF_A_STORE, Settings, of_store, user_config
from corpus_agent.text.sanitize import inert, visible
from corpus_agent.trust import user_state
from indexer import UsageError, paths, storage

STATE = "stores.json"
MAX_RECORDS = 1_000  # the oldest are dropped first
MAX_NAME_CHARS = 40
_NAME = re.compile(rf"\w[\w-]{{0,{MAX_NAME_CHARS + 10}}}")
_KINDS = {"root": str, "id": str, "inode": int, "name": str, "since": str}


@dataclass(frozen=True, slots=True)
class StorePlace:
    """A store that this user trusts, and its documents; `inode` when it was checked."""

    store: Path
    root: Path
    inode: int | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """The user's record of a store: its documents, its identity, its name for good."""

    root: Path
    id: str
    inode: int
    name: str
    since: str

    def is_of(self, identity: storage.Identity) -> bool:
        """Whether it is the recorded store, and not another in its place."""
        return (self.id, self.inode) == (identity.id, identity.inode)


@dataclass(frozen=True, slots=True)
class Permission:
    """What trusting a store would permit, for review; `manifest` is None before a run."""

    place: StorePlace
    owner: int
    manifest: storage.Manifest | None
    settings: dict[str, int]
    recorded: bool


def records() -> dict[Path, Record]:
    """All records by the path of the store, the newest last. Raises NoUserState."""
    return _parsed(user_state.load(STATE))


def _parsed(content: dict[str, Any]) -> dict[Path, Record]:
    """The records of the state file; what is damaged is none."""
    found: dict[Path, Record] = {}
    stores = content.get("stores")
    for path, entry in stores.items() if isinstance(stores, dict) else ():
        if not isinstance(entry, dict):
            continue
        values = {key: entry.get(key) for key in _KINDS}
        if any(type(values[key]) is not kind for key, kind in _KINDS.items()):
            continue
        record = Record(**{**values, "root": Path(entry["root"])})  # type: ignore[arg-type]
        if _may_be_name(record.name, [other.name for other in found.values()]):
            found[Path(path)] = record
    return found


def place_of(store: Path, settings: Settings) -> StorePlace:
    """The store and the folder of its documents, from the record or the user's input."""
    store, hint = absolute(store), ""
    identity = storage.identity_of(store)
    known: dict[Path, Record] = {}
    try:
        known, why = records(), "there is no record that you did"
    except user_state.NoUserState as error:
        why, hint = str(error), "Look at it and add --trust-store."
    found = known.get(store)
    if found is not None and found.is_of(identity):
        return _apart(store, found.root, identity, settings.config)
    if settings.trust_store:
        return _apart(store, _root_beside(store), identity, settings.config)
    if found is not None:
        why = "another one is in the place of the one that you made"
    elif (before := _moved_from(known, identity)) is not None:
        why = f"you made it at {str(before)!r}, and it was moved"
    raise storage.untrusted(store, why, hint)


def record(place: StorePlace, identity: storage.Identity) -> None:
    """Record that this user made or trusts a store."""
    known = records().get(place.store)
    if known is not None and known.is_of(identity) and known.root == place.root:
        return
    check_outside(place.store)

    def change(content: dict[str, Any]) -> dict[str, Any]:
        stores = _parsed(content)
        before = _moved_from(stores, identity)
        old = stores.pop(place.store, None)
        if before is not None:  # what was moved keeps its name
            old = stores.pop(before)
        name = old.name if old else name_for(place.root, [each.name for each in stores.values()])
        since = datetime.now(UTC).isoformat(timespec="seconds")
        stores[place.store] = Record(place.root, identity.id, identity.inode, name, since)
        return _written(stores)

    user_state.update(STATE, change)


def _written(stores: dict[Path, Record]) -> dict[str, Any]:
    """The content of the state file: as many of the newest records as it may hold."""
    kept = {
        str(path): {**asdict(each), "root": str(each.root)}
        for path, each in list(stores.items())[-MAX_RECORDS:]
    }
    while not user_state.fits({"stores": kept}):
        del kept[next(iter(kept))]
    return {"stores": kept}


def drop(name: str) -> Path:
    """Take a store off the record by its name; its path. The store itself is left alone."""
    path = next((path for path, each in records().items() if each.name == name), None)
    if path is None:
        raise UsageError(f"The index {name!r} is not known.", "List them: corpus-agent stores")
    if os.path.lexists(path):
        raise UsageError(
            f"The index {name!r} is there.",
            f"To delete it, delete its folder {str(path)!r}; your documents lie beside it.",
        )

    def change(content: dict[str, Any]) -> dict[str, Any]:
        return _written({store: each for store, each in _parsed(content).items() if store != path})

    user_state.update(STATE, change)
    return path


def name_for(folder: Path, taken: Collection[str] = ()) -> str:
    """A name for the store of a folder of documents that is not yet taken."""
    # A letter that is not shown stays unfit with any number behind it.
    plain = visible(re.sub(r"\W+", "-", folder.name)).strip("-")
    name = plain[:MAX_NAME_CHARS] or "store"
    numbered = (f"{name}-{number}" for number in count(2))
    if _may_be_name(name, taken):
        return name
    return next(one for one in numbered if _may_be_name(one, taken))


def _may_be_name(name: str, taken: Collection[str]) -> bool:
    """Whether a name is free, and begins nothing that a program would take for a link."""
    begun = f"{name}{MARK}a"
    return bool(_NAME.fullmatch(name)) and name not in taken and inert(begun) == begun


def permission(store: Path, root: Path | None = None) -> Permission:
    """The permission that `trust` would give; changes nothing."""
    store = absolute(store)
    known = None
    with suppress(user_state.NoUserState):
        identity, before = storage.identity_of(store), records().get(store)
        known = before if before is not None and before.is_of(identity) else None
    if root is not None:
        root = indexer.check_root(root)
    else:
        root = known.root if known is not None else _root_beside(store)
    settings, default = of_store(Settings(), store), Settings()
    values = {key: getattr(settings, key) for key in sorted(OF_A_STORE)}
    has_index = os.path.lexists(store / storage.MANIFEST_NAME)
    return Permission(
        place=_apart(store, root),
        owner=store.lstat().st_uid,
        manifest=storage.read_manifest(store) if has_index else None,
        settings={key: value for key, value in values.items() if value != getattr(default, key)},
        recorded=known is not None and known.root == root,
    )


def _moved_from(stores: dict[Path, Record], identity: storage.Identity) -> Path | None:
    """The recorded path of a store that is elsewhere now, if nothing exists there any more."""
    same = (path for path, each in stores.items() if each.is_of(identity))
    return next((path for path in same if not os.path.lexists(path)), None)


def _root_beside(store: Path) -> Path:
    """The root that the manifest names, if it is the store's parent or below that.

    A store does not set its own boundary: any other root must be named by the user.
    """
    trust_it = f"corpus-agent trust {shlex.quote(str(store))} --root"
    if not os.path.lexists(store / storage.MANIFEST_NAME):
        raise UsageError(
            f"The index in {str(store)!r} was never finished, so it names no folder of documents.",
            f"Name it: {trust_it} DIR",
        )
    parent = store.parent
    root = Path(os.path.normpath(storage.root_of(store, storage.read_manifest(store))))
    if not root.is_relative_to(parent) or paths.resolved(root) != root:
        raise UsageError(
            f"The index in {str(store)!r} says that its documents are in {str(root)!r}, "
            f"which is not in {str(parent)!r}.",
            f"If that is your folder, name it: {trust_it} {shlex.quote(str(root))}",
        )
    return root


def _apart(
    store: Path, root: Path, identity: storage.Identity | None = None, config: Path | None = None
) -> StorePlace:
    """The place, with a root that is outside of the store and reached without links.

    A folder that was replaced by a link since it was recorded would move the boundary.
    """
    if paths.resolved(root) != root:
        raise UsageError(
            f"{str(root)!r} is a link now, or lies behind one, and the index is not of what it "
            "leads to.",
            "Put the folder back, or index the other one: corpus-agent --store DIR index FOLDER",
        )
    storage.check_apart(store, root)
    check_outside(store, config)
    return StorePlace(store, root, identity.inode if identity is not None else None)


def check_outside(store: Path, config: Path | None = None) -> None:
    """Raise UsageError for a store that contains the user's state or configuration.

    A process that may write the store could then change the record of stores or the configuration,
    including a named one.
    """
    decisions = {user_config().parent: "configuration"}
    if config is not None:
        decisions[paths.from_here(config)] = "configuration"
    with suppress(user_state.NoUserState):  # then nothing is recorded anywhere
        decisions[user_state.state_folder()] = "state folder"
    for place, what in decisions.items():
        if paths.resolved(place).is_relative_to(store):
            raise UsageError(
                f"{str(store)!r} holds this user's {what}, so it cannot be an index.",
                "Choose another place: --store DIR"
                + (", or for the file of --config" if config is not None else ""),
            )


def absolute(path: Path) -> Path:
    """`path` with links in its parent resolved; the last component is kept, to be checked."""
    path = Path(os.path.abspath(paths.from_here(path)))  # noqa: PTH100 - resolve() would follow the last link
    return paths.resolved(path.parent) / path.name
