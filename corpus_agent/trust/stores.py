"""The owner and the documents of a store: from this user's own record, never from the store.

`index` records the stores that it creates in the user's state folder. A store without a record is
untrusted until the user permits it (`corpus-agent trust`, or `--trust-store`, or
CORPUS_AGENT_TRUSTED_STORES if no state can be kept). The folder in that record may be read,
regardless of the store's manifest. Called before the seal; a sealed process cannot write the
record.

What it does not stop: another process of the same user, which may write the record itself.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import indexer
from corpus_agent.settings import OF_A_STORE, Settings, of_store, user_config
from corpus_agent.trust import user_state
from corpus_agent.trust.names import names_of
from indexer import CorpusError, UntrustedStore, UsageError, paths, storage

STATE = "stores.json"
MAX_RECORDS = 1_000  # the oldest are dropped first
MAX_MADE_FROM = 8  # folders where `index` was typed, of a store; the oldest are dropped first


@dataclass(frozen=True, slots=True)
class StorePlace:
    """A store that this user trusts, and the folder of its documents; both absolute.

    `inode` is that of the store when it was checked, None for one that does not exist yet.
    """

    store: Path
    root: Path
    inode: int | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """The user's record of a store: its folder of documents, and its identity."""

    root: Path
    id: str
    device: int
    inode: int

    def is_of(self, identity: storage.Identity) -> bool:
        """Whether it is the recorded store, and not another in its place.

        Device numbers are not compared: they change when disks are attached.
        """
        return (self.id, self.inode) == (identity.id, identity.inode)


@dataclass(frozen=True, slots=True)
class Permission:
    """What trusting a store would permit, for review; `manifest` is None before a run."""

    place: StorePlace
    owner: int
    manifest: storage.Manifest | None
    settings: dict[str, int]
    recorded: bool


def place_of(store: Path, settings: Settings) -> StorePlace:
    """The store and the folder of its documents, from the record or the user's input.

    Raises UntrustedStore if there is neither, UsageError for a store that must not be trusted.
    """
    store = absolute(store)
    identity = storage.identity_of(store)
    record, why = _looked_up(store)
    if record is not None and record.is_of(identity):
        return _apart(store, record.root, identity, settings.config)
    if record is not None:
        why = "another one is in the place of the one that you made"
    named = _named(settings.trusted_stores)
    if store in named:
        root = named[store] or _root_beside(store)
        return _apart(store, root, identity, settings.config)
    if settings.trust_store:
        return _apart(store, _root_beside(store), identity, settings.config)
    raise storage.untrusted(store, why, _elsewise(store) if _nothing_can_be_recorded() else "")


def _nothing_can_be_recorded() -> bool:
    try:
        user_state.load(STATE)
    except user_state.NoUserState:
        return True
    return False


def _elsewise(store: Path) -> str:
    """The alternative commands for a system where `trust` cannot record anything."""
    return (
        "Look at it and add --trust-store, or set "
        f"CORPUS_AGENT_TRUSTED_STORES={trusted_text(store)}"
    )


def trusted_text(store: Path, root: Path | None = None) -> str:
    """The value of CORPUS_AGENT_TRUSTED_STORES for a store, quoted for a shell."""
    text = str(store) if root is None else f"{store}={root}"
    if any(sign in f"{store}{root or ''}" for sign in (os.pathsep, "=")):
        text = json.dumps({str(store): str(root) if root is not None else None})
    return shlex.quote(text)


def record(place: StorePlace, identity: storage.Identity, here: Path | None = None) -> None:
    """Record that this user made or trusts a store. Raises NoUserState if that is impossible.

    `here` is where the folder of its documents was named, to be found from there. If the store
    already has this record, nothing is written.
    """
    known, path = Record(place.root, identity.id, identity.device, identity.inode), str(place.store)
    before = user_state.load(STATE)
    same = record_in(before, place.store) == known and "name" in entries(before)[path]
    if same and (here is None or str(here) in made_from(before, place.store)):
        return
    check_outside(place.store)

    def change(content: dict[str, Any]) -> dict[str, Any]:
        stores = dict(entries(content))
        name, folders = names_of(stores).get(path), made_from(content, place.store)
        before = _moved_from(content, identity, place.store)
        if before is not None:  # it is found where it was found before, and by its name
            name = names_of(stores).get(str(before))
            folders = (*made_from(content, before), *folders)
            del stores[str(before)]
        stores.pop(path, None)  # the newest last
        since = datetime.now(UTC).isoformat(timespec="seconds")
        stores[path] = {**asdict(known), "root": str(known.root), "since": since, "name": name}
        stores[path]["name"] = names_of(stores)[path]
        folders = tuple(dict.fromkeys([*folders, *([str(here)] if here else [])]))
        stores[path]["made_from"] = folders[-MAX_MADE_FROM:]
        return {"stores": _newest(stores)}

    user_state.update(STATE, change)


def _newest(stores: dict[str, Any]) -> dict[str, Any]:
    """As many of the newest records as are kept: MAX_RECORDS, or what the file may hold."""
    kept = dict(list(stores.items())[-MAX_RECORDS:])
    while not user_state.fits({"stores": kept}):
        del kept[next(iter(kept))]
    return kept


def recorded_place(store: Path, settings: Settings) -> StorePlace | None:
    """The place of an existing store, as `place_of`; None if it does not exist yet."""
    store = absolute(store)
    return None if storage.may_be_made(store) else place_of(store, settings)


def permission(store: Path, root: Path | None = None) -> Permission:
    """The permission that `trust` would give; changes nothing.

    `root` is the folder of documents if it is not the store's parent or below it.
    """
    store = absolute(store)
    try:
        identity = storage.identity_of(store)
    except UntrustedStore:
        identity = None  # of an earlier version: no marker yet
    before, _ = _looked_up(store)
    known = before if before is not None and identity and before.is_of(identity) else None
    place = _apart(store, _chosen_root(store, root, known))
    settings = of_store(Settings(), store)
    values = {key: getattr(settings, key) for key in sorted(OF_A_STORE)}
    default = {key: getattr(Settings(), key) for key in values}
    return Permission(
        place=place,
        owner=store.lstat().st_uid,
        manifest=storage.read_manifest(store)
        if os.path.lexists(store / storage.MANIFEST_NAME)
        else None,
        settings={key: value for key, value in values.items() if value != default[key]},
        recorded=known is not None and known.root == place.root,
    )


def trust(place: StorePlace) -> None:
    """Record a store that the user reviewed; one of an earlier version gets its marker."""
    record(place, storage.mark(place.store))


def _chosen_root(store: Path, root: Path | None, known: Record | None) -> Path:
    if root is not None:
        return indexer.check_root(root)
    return known.root if known is not None else _root_beside(store)


def _looked_up(store: Path) -> tuple[Record | None, str]:
    """The record of a store and "", or None and the reason."""
    try:
        content = user_state.load(STATE)
    except user_state.NoUserState as error:
        return None, str(error)
    found = record_in(content, store)
    if found is None and (before := _moved_here(content, store)) is not None:
        return None, f"you made it at {str(before)!r}, and it was moved"
    return found, "there is no record that you did"


def _moved_here(content: dict[str, Any], store: Path) -> Path | None:
    """The recorded path of a store that was moved; only for the message: it may be changed."""
    try:
        return _moved_from(content, storage.identity_of(store), store)
    except CorpusError:
        return None


def _moved_from(content: dict[str, Any], identity: storage.Identity, store: Path) -> Path | None:
    """The recorded path of a store that is at `store` now, if nothing exists there any more."""
    for path in map(Path, entries(content)):
        record = record_in(content, path)
        same = record is not None and path != store and record.is_of(identity)
        if same and not os.path.lexists(path):
            return path
    return None


def record_in(content: dict[str, Any], store: Path) -> Record | None:
    """The record of a store in the content of the state file; None for one that is damaged."""
    entry = entries(content).get(str(store))
    if not isinstance(entry, dict):
        return None
    kinds = {"root": str, "id": str, "device": int, "inode": int}
    if any(type(entry.get(key)) is not kind for key, kind in kinds.items()):
        return None
    return Record(Path(entry["root"]), entry["id"], entry["device"], entry["inode"])


def made_from(content: dict[str, Any], store: Path) -> tuple[str, ...]:
    """The folders where `index` was typed for a store that was not named by --store.

    A record of an earlier version has none: such a store lies where it was made.
    """
    entry = entries(content).get(str(store))
    if not isinstance(entry, dict) or "made_from" not in entry:
        return (str(store.parent),) if store.name == storage.STORE_NAME else ()
    folders = entry["made_from"]
    return tuple(map(str, folders)) if isinstance(folders, list) else ()


def entries(content: dict[str, Any]) -> dict[str, Any]:
    """The records of stores in the content of the state file, by path, as they were read."""
    stores = content.get("stores", {})
    return stores if isinstance(stores, dict) else {}


def _named(variable: str | None) -> dict[Path, Path | None]:
    """The stores of CORPUS_AGENT_TRUSTED_STORES, and their roots where it names them.

    STORE or STORE=ROOT, separated by colons; or a JSON object of them, for paths with those
    characters. Raises UsageError for a path that is not absolute: it would trust a folder relative
    to any working folder, or be a fragment of a path with such a character.
    """
    text = (variable or "").strip()
    pairs: dict[str, Any] = {}
    if text.startswith("{"):
        pairs = _named_in_json(text)
    else:
        for entry in filter(None, text.split(os.pathsep)):
            store, _, root = entry.partition("=")
            pairs[store] = root or None
    for path in (*pairs, *filter(None, pairs.values())):
        if not isinstance(path, str) or not Path(path).is_absolute():
            raise _wrongly_named(f"{path!r:.80} is no absolute path")
    return {
        absolute(Path(store)): absolute(Path(root)) if root else None
        for store, root in pairs.items()
    }


def _named_in_json(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise _wrongly_named("it begins with a brace and is no JSON") from None
    return dict(found)


def _wrongly_named(why: str) -> UsageError:
    return UsageError(
        f"CORPUS_AGENT_TRUSTED_STORES cannot be read: {why}.",
        'Say STORE or STORE=ROOT, several between colons; or {"STORE": "ROOT"} as JSON, with null '
        "for the folder beside the store, where a path holds a colon or an equals sign.",
    )


def _root_beside(store: Path) -> Path:
    """The root that the manifest names, if it is the store's parent or below that.

    A store does not set its own boundary: any other root must be named by the user.
    """
    if not os.path.lexists(store / storage.MANIFEST_NAME):
        raise UsageError(
            f"The index in {str(store)!r} was never finished, so it names no folder of documents.",
            f"Name it: corpus-agent trust {shlex.quote(str(store))} --root DIR",
        )
    parent = store.parent
    root = Path(os.path.normpath(storage.root_of(store, storage.read_manifest(store))))
    if not root.is_relative_to(parent) or paths.resolved(root) != root:
        raise UsageError(
            f"The index in {str(store)!r} says that its documents are in {str(root)!r}, "
            f"which is not in {str(parent)!r}.",
            "If that is your folder, name it: "
            f"corpus-agent trust {shlex.quote(str(store))} --root {shlex.quote(str(root))}",
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
    for what, place in _decisions(config):
        if paths.resolved(place).is_relative_to(store):
            raise UsageError(
                f"{str(store)!r} holds this user's {what}, so it cannot be an index.",
                "Choose another place: --store DIR"
                + (", or for the file of --config" if config is not None else ""),
            )


def _decisions(config: Path | None) -> Iterator[tuple[str, Path]]:
    yield "configuration", user_config().parent
    if config is not None:
        yield "configuration", paths.from_here(config)
    with suppress(user_state.NoUserState):  # then nothing is recorded anywhere
        yield "state folder", user_state.state_folder()


def absolute(path: Path) -> Path:
    """`path` with links in its parent resolved; the last component is kept, to be checked."""
    path = Path(os.path.abspath(paths.from_here(path)))  # noqa: PTH100 - resolve() would follow the last link
    return paths.resolved(path.parent) / path.name
