"""The manifest: one small file that names the committed version of the index.

A commit of the store is the atomic replacement of this file. It names the LanceDB versions of the
two tables that belong together, so readers see both tables change in the same instant, a killed
writer leaves the last committed version in force, and `status` needs no LanceDB at all.

A reader locks the manifest file that it reads (`hold`). One that is replaced while a reader holds
it stays under another name, and so do the table versions that it names.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import stat
import time
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from indexer.errors import DamagedStore, IncompatibleStore, NoIndex
from indexer.files.names import INDEX_FOLDER
from indexer.files.opening import READ_ONLY, lock_briefly
from indexer.records import PACKAGED_MODEL, Coverage, Fingerprint, is_other
from indexer.store.folder import damaged, key_of, keyed_sum, no_index, unreadable

STORE_NAME = INDEX_FOLDER
MANIFEST_NAME = "manifest.json"
DRAFT_NAME = "draft.json"  # of a version that is made anew and not complete
FORMER = "manifest.{}.json"  # of a version that a reader holds, by the time of its replacement
SCHEMA = 9  # an index of another one is made anew
MAX_BYTES = 4_000_000
MAX_NUMBER = 2**63
MAX_TEXT_CHARS = 4_096  # PATH_MAX
MAX_ENTRIES = 20_000  # of a list or a table
_SUMS = re.compile(r"[0-9]{1,18}( [0-9a-f]{8}){1,2}")  # a size and sums
_EVERY_MANIFEST_HAS = frozenset({"version", "root", "fingerprint"})


@dataclass(frozen=True, slots=True)
class Manifest:
    """One committed version of an index.

    `root` is relative to the store's parent where the corpus lies below it, else absolute, so
    that a project moved as a whole keeps its index. `complete` is False while an `index` run that
    committed part of its work has not finished. `walked_ns` is when the last run that finished
    began to look at the folder, by the clock that files are stamped with; `updated` is ISO 8601.
    `contents` are the files of the version with their sizes and sums: see integrity.py.
    `mounts` are the folders that were on other devices: see `Walk`.
    `waiting_pages` of documents and `waiting_pictures` have no text and wait for recognition.
    `languages` counts the chunks of each language, by code; those that have none are under "".
    """

    version: int
    root: str
    fingerprint: Fingerprint
    chunks_version: int
    files_version: int
    chunks: int
    coverage: Coverage
    ignored: int
    complete: bool
    updated: str
    walked_ns: int = 0
    contents: dict[str, str] = field(default_factory=dict)
    mounts: tuple[str, ...] = ()
    waiting_pages: int = 0
    waiting_pictures: int = 0
    languages: dict[str, int] = field(default_factory=dict)

    @property
    def unread(self) -> float:
        """The share of the chunks in languages that the packaged model does not read; else 0."""
        name = self.fingerprint.model.partition(" ")[0]  # its engine behind it
        if name != PACKAGED_MODEL or not self.chunks:
            return 0.0
        return sum(n for code, n in self.languages.items() if is_other(code)) / self.chunks


# ---- Places


def find_store(start: Path) -> Path | None:
    """The nearest store at or above `start`, as git finds `.git`; None if there is none."""
    for folder in (start, *start.parents):
        candidate = folder / STORE_NAME
        try:
            if (candidate / MANIFEST_NAME).is_file():
                return candidate
        except OSError:
            continue  # another user's, into which this one may not look: none of ours
    return None


def root_for(store: Path, root: Path) -> str:
    """`root` as the manifest records it."""
    parent = store.resolve().parent
    return str(root.relative_to(parent)) if root.is_relative_to(parent) else str(root)


def root_of(store: Path, manifest: Manifest) -> Path:
    """The corpus root that a manifest names; need not exist.

    Not a security boundary: what a process may read comes from the user's own record.
    """
    return store.resolve().parent / manifest.root


# ---- Reading


def read_manifest(store: Path) -> Manifest:
    """The committed manifest of a store.

    Raises NoIndex, DamagedStore, or IncompatibleStore where another version made it.
    """
    return _parsed(store, _load(store))


def hold(store: Path) -> tuple[Manifest, int]:
    """The committed manifest, and a descriptor that keeps its version on the disk while it is open.

    Works on a read-only disk, never blocks the writer, and ends with the process. Raises as
    `read_manifest` does.
    """
    while True:
        descriptor = _open(store)
        try:
            lock_briefly(descriptor, fcntl.LOCK_SH, f"The index in {str(store)!r}")
            if os.fstat(descriptor).st_nlink:  # else it was replaced and dropped just now
                return _parsed(store, _content(store, descriptor)), descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def held_versions(store: Path) -> list[tuple[int, int]]:
    """The versions of chunks and files that readers of former manifests hold, of any schema.

    Former manifests that nobody holds are deleted.
    """
    found = []
    for path in store.glob(FORMER.format("*")):
        descriptor = os.open(path, READ_ONLY)
        try:
            content = _content(store, descriptor)
            if not _is_free(descriptor):
                found.append((content.get("chunks_version", 0), content.get("files_version", 0)))
            elif content.keys() >= _EVERY_MANIFEST_HAS:
                path.unlink()
        except DamagedStore:
            continue  # an archive can bring any file
        finally:
            os.close(descriptor)
    return found


def is_outdated(store: Path) -> bool:
    """Whether an earlier version of this program made the index, so that it is made anew."""
    return (store / MANIFEST_NAME).exists() and _load(store)["schema"] < SCHEMA


def recorded(store: Path, key: str) -> object:
    """A value of the committed manifest, of any schema; None if there is none."""
    return _load(store).get(key) if (store / MANIFEST_NAME).exists() else None


def recorded_model(store: Path) -> str:
    """The model that an index was made with; "" without one, or where it is damaged."""
    try:
        made = recorded(store, "fingerprint")
    except (DamagedStore, NoIndex):  # whoever opens it says what is wrong with it
        return ""
    return str(made.get("model", "")) if isinstance(made, dict) else ""


def read_draft(store: Path) -> Manifest | None:
    """What a writer that did not come to its end has noted; None if there is nothing sound."""
    try:
        descriptor = os.open(store / DRAFT_NAME, READ_ONLY)
    except FileNotFoundError:
        return None
    try:
        return _parsed(store, _content(store, descriptor))
    except (DamagedStore, IncompatibleStore):
        return None
    finally:
        os.close(descriptor)


def _load(store: Path) -> dict[str, Any]:
    descriptor = _open(store)
    try:
        return _content(store, descriptor)
    finally:
        os.close(descriptor)


def _open(store: Path) -> int:
    try:
        return os.open(store / MANIFEST_NAME, READ_ONLY)
    except (FileNotFoundError, NotADirectoryError):
        raise no_index(store) from None
    except PermissionError:
        raise unreadable(store) from None
    except OSError as error:
        raise damaged(store, f"{MANIFEST_NAME}: {error.strerror}") from None


def _content(store: Path, descriptor: int) -> dict[str, Any]:
    """The content of a manifest of any schema."""
    info = os.fstat(descriptor)
    if not stat.S_ISREG(info.st_mode) or info.st_size > MAX_BYTES:
        raise damaged(store, f"{MANIFEST_NAME} is no manifest")
    try:
        loaded = json.loads(os.pread(descriptor, MAX_BYTES, 0))
    except (ValueError, RecursionError):
        raise damaged(store, f"{MANIFEST_NAME} is no JSON") from None
    if not isinstance(loaded, dict) or type(loaded.get("schema")) is not int:
        raise damaged(store, f"{MANIFEST_NAME} is no manifest")
    checksum = loaded.pop("check", None)  # of another schema it may be another sum
    if loaded["schema"] == SCHEMA and checksum != sum_of(store, loaded):
        raise damaged(store, f"{MANIFEST_NAME} is not what was written")
    return loaded


def sum_of(store: Path, content: dict[str, Any]) -> str:
    """A sum of a manifest's content by the store's key: one that others brought is none."""
    return keyed_sum(key_of(store), json.dumps(content, sort_keys=True).encode()).hex()


def _parsed(store: Path, loaded: dict[str, Any]) -> Manifest:
    """The manifest of a file's content, checked field by field."""
    if loaded["schema"] != SCHEMA:
        newer = loaded["schema"] > SCHEMA
        raise IncompatibleStore(
            f"The index in {str(store)!r} has schema {min(loaded['schema'], MAX_NUMBER)}; "
            f"this version of corpus-agent reads schema {SCHEMA}.",
            "Update corpus-agent." if newer else "Make it anew: corpus-agent index",
        )
    values = {key: value for key, value in loaded.items() if key != "schema"}
    try:
        values["fingerprint"] = _checked(Fingerprint(**values["fingerprint"]))
        values["mounts"] = tuple(values.get("mounts", ()))
        values["coverage"] = _checked(Coverage(**values["coverage"]))
        return _checked(Manifest(**values))
    except (KeyError, TypeError, ValueError) as error:
        raise damaged(store, f"{MANIFEST_NAME}: {error}") from None


_Record = TypeVar("_Record", Manifest, Fingerprint, Coverage)


def _checked(record: _Record) -> _Record:
    """The record, whose every field is of its kind and within bounds; raises ValueError.

    Strings are printable, so that none can control a terminal, except names of folders: they may
    contain anything and are cleaned where they are shown.
    """
    for each in fields(record):
        if not _is_within(each.name, getattr(record, each.name), str(each.type)):
            raise ValueError(f"{each.name} is no {each.type}")
    return record


def _is_within(name: str, value: object, kind: str) -> bool:
    if kind == "int":
        return type(value) is int and 0 <= value < MAX_NUMBER
    if kind == "bool":
        return type(value) is bool
    if kind == "str":
        if not isinstance(value, str) or len(value) > MAX_TEXT_CHARS or "\0" in value:
            return False
        return _is_path(value) if name in ("root", "mounts") else value.isprintable()
    if isinstance(value, tuple):
        return len(value) <= MAX_ENTRIES and all(_is_within(name, each, "str") for each in value)
    if kind.startswith("dict"):
        return (
            isinstance(value, dict)
            and len(value) <= MAX_ENTRIES
            and all(_is_within("", key, "str") for key in value)
            and all(_is_within("", each, kind[10:-1]) for each in value.values())
            and (name != "contents" or all(map(_SUMS.fullmatch, value.values())))
        )
    return True  # a record within, which was checked before


def _is_path(text: str) -> bool:
    """Whether this is a possible file name for the system; a lone surrogate is not."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return True


# ---- Writing


def write_manifest(store: Path, manifest: Manifest, *, keep_former: bool = True) -> None:
    """Commit: put the manifest in the place of the old one, atomically and durably.

    With `keep_former` an old one that a reader holds stays under another name.
    """
    path = store / MANIFEST_NAME
    fresh = _write_new(store, manifest)
    before = os.open(path, READ_ONLY) if keep_former and path.exists() else None
    try:
        if before is not None and not _is_free(before):
            (store / FORMER.format(time.time_ns())).hardlink_to(path)
        _put_in_place(fresh, path)
    finally:
        if before is not None:
            os.close(before)


def _is_free(manifest: int) -> bool:
    """Whether no reader holds a manifest; one that comes now waits, and sees that it is gone."""
    try:
        fcntl.flock(manifest, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def write_draft(store: Path, manifest: Manifest) -> None:
    """Note how far a version is that is made anew, for the next writer alone."""
    _put_in_place(_write_new(store, manifest), store / DRAFT_NAME)


def _write_new(store: Path, manifest: Manifest) -> Path:
    """The new file of a manifest, on the disk under a name of its own."""
    fresh = (store / MANIFEST_NAME).with_suffix(".new")
    fresh.unlink(missing_ok=True)  # of a writer that was killed
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(fresh, flags, 0o600), "w", encoding="utf-8") as file:
        content = {"schema": SCHEMA, **asdict(manifest)}
        json.dump({**content, "check": sum_of(store, content)}, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    return fresh


def _put_in_place(fresh: Path, path: Path) -> None:
    """Rename a new file to `path`, durably."""
    fresh.replace(path)
    descriptor = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
