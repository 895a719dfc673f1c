"""The manifest: one small file that names the committed version of the index.

A commit of the store is the atomic replacement of this file. It names the LanceDB versions of the
two tables that belong together, so readers see both tables change in the same instant, a killed
writer leaves the last committed version in force, and `status` needs no LanceDB at all.

Readers lock the manifest file that they read (`hold`). A replaced file is kept under another name
while any reader holds its lock, and so are the table versions that it names.
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
from indexer.store.key import key_of, keyed_sum
from indexer.store.refusals import no_index

STORE_NAME = INDEX_FOLDER
MANIFEST_NAME = "manifest.json"
DRAFT_NAME = "draft.json"  # of a version that is made anew and not complete
FORMER = "manifest.{}.json"  # by the time of its replacement; see former.py
# 8: which former versions are kept; 7: the text of a passage twice in its row; 4: no date, author,
# tags and language in the file rows; 3: no language in the chunk rows; 2: no count of waiting pages
# in the file rows; 1: no keys of vectors in the chunk rows.
SCHEMA = 9
MAX_BYTES = 4_000_000
MAX_NUMBER = 2**63
MAX_TEXT_CHARS = 4_096  # PATH_MAX
MAX_EXTRACTORS = 500
MAX_CONTENTS = 20_000  # files of a version
MAX_LANGUAGES = 1_000
_LANGUAGE = re.compile(r"[a-z]{0,3}")
_SUMS = re.compile(r"[0-9]{1,18} [0-9a-f]{8} [0-9a-f]{8}")  # a size and two sums


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
        """The share of the chunks in languages that the packaged model does not read; 0 of others.

        They are found by their words.
        """
        name = self.fingerprint.model.partition(" ")[0]  # its engine behind it
        if name != PACKAGED_MODEL or not self.chunks:
            return 0.0
        return sum(n for code, n in self.languages.items() if is_other(code)) / self.chunks


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


def read_manifest(store: Path) -> Manifest:
    """The committed manifest of a store.

    Raises NoIndex, DamagedStore, or IncompatibleStore where another version made it.
    """
    return parsed(store, _load(store))


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
                return parsed(store, content_of(store, descriptor)), descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def is_outdated(store: Path) -> bool:
    """Whether an earlier version of this program made the index, so that it is made anew."""
    return (store / MANIFEST_NAME).exists() and _load(store)["schema"] < SCHEMA


def rows_before_update(store: Path) -> tuple[Fingerprint, int] | None:
    """What made the chunk rows of an earlier release, and their version; None if unknown."""
    if not is_outdated(store):
        return None
    made_by, version = recorded(store, "fingerprint"), recorded(store, "chunks_version")
    names = [field.name for field in fields(Fingerprint)]
    if not isinstance(made_by, dict) or type(version) is not int:
        return None
    try:
        return _checked(Fingerprint(**{name: made_by[name] for name in names})), version
    except (KeyError, ValueError):
        return None


def recorded(store: Path, key: str) -> object:
    """A value of the committed manifest, of any schema; None if there is none."""
    return _load(store).get(key) if (store / MANIFEST_NAME).exists() else None


def _load(store: Path) -> dict[str, Any]:
    descriptor = _open(store)
    try:
        return content_of(store, descriptor)
    finally:
        os.close(descriptor)


def _open(store: Path) -> int:
    try:
        return os.open(store / MANIFEST_NAME, READ_ONLY)
    except (FileNotFoundError, NotADirectoryError):
        raise no_index(store) from None
    except PermissionError:
        raise NoIndex(
            f"The index in {str(store)!r} may not be read by this user.",
            "Run as its owner.",
        ) from None
    except OSError as error:
        raise damaged(store, f"{MANIFEST_NAME}: {error.strerror}") from None


def content_of(store: Path, descriptor: int) -> dict[str, Any]:
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
    """A sum of a manifest's content: a flipped digit is a number as good as any.

    By the store's key: a manifest that others brought into the folder is none.
    """
    return keyed_sum(key_of(store), json.dumps(content, sort_keys=True).encode()).hex()


def parsed(store: Path, loaded: dict[str, Any]) -> Manifest:
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
        value = getattr(record, each.name)
        if not _is_within(each.name, value, str(each.type)):
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
        return _is_path(value) if name == "root" else value.isprintable()
    if name == "mounts":
        return (
            isinstance(value, tuple)
            and len(value) <= MAX_CONTENTS
            and all(_is_within("root", folder, "str") for folder in value)
        )
    if name == "contents":
        return (
            isinstance(value, dict)
            and len(value) <= MAX_CONTENTS
            and all(_is_within("", path, "str") for path in value)
            and all(isinstance(sums, str) and _SUMS.fullmatch(sums) for sums in value.values())
        )
    if name == "languages":
        return (
            isinstance(value, dict)
            and len(value) <= MAX_LANGUAGES
            and all(isinstance(code, str) and _LANGUAGE.fullmatch(code) for code in value)
            and all(_is_within("", count, "int") for count in value.values())
        )
    if kind == "dict[str, str]":
        return (
            isinstance(value, dict)
            and len(value) <= MAX_EXTRACTORS
            and all(_is_within("", text, "str") for pair in value.items() for text in pair)
        )
    return True  # a record within, which was checked before


def _is_path(text: str) -> bool:
    """Whether this is a possible file name for the system; a lone surrogate is not."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return True


def damaged(store: Path, detail: str) -> DamagedStore:
    """The error for a store that exists and cannot be opened."""
    return DamagedStore(f"The index in {str(store)!r} is damaged ({detail}).", mending_hint())


def mending_hint() -> str:
    """How to mend a store: a run takes from its caches what is sound, and parses the rest."""
    return "Mend it: corpus-agent index"


def rebuild_hint(store: Path) -> str:
    """How to rebuild the store; it never contains the documents themselves."""
    return f"Remove {str(store)!r} and run: corpus-agent index"


def write_manifest(store: Path, manifest: Manifest, *, keep_former: bool = True) -> None:
    """Commit: put the manifest in the place of the old one, atomically and durably.

    With `keep_former` the old one is kept as a former manifest: a reader may hold it.
    """
    path = store / MANIFEST_NAME
    fresh = write_new(store, manifest)
    if keep_former and path.exists():
        (store / FORMER.format(time.time_ns())).hardlink_to(path)
    put_in_place(fresh, path)


def write_draft(store: Path, manifest: Manifest) -> None:
    """Note how far a version is that is made anew, for the next writer alone."""
    put_in_place(write_new(store, manifest), store / DRAFT_NAME)


def read_draft(store: Path) -> Manifest | None:
    """What a writer that did not come to its end has noted; None if there is nothing sound."""
    try:
        descriptor = os.open(store / DRAFT_NAME, READ_ONLY)
    except FileNotFoundError:
        return None
    try:
        return parsed(store, content_of(store, descriptor))
    except (DamagedStore, IncompatibleStore):
        return None
    finally:
        os.close(descriptor)


def write_new(store: Path, manifest: Manifest) -> Path:
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


def put_in_place(fresh: Path, path: Path) -> None:
    """Rename a new file to `path`, durably."""
    fresh.replace(path)
    descriptor = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
