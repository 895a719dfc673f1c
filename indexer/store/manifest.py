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
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

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
_SUMS = re.compile(r"[0-9]{1,18} [0-9a-f]{8}")  # a size and a sum
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
    with closed(_opened(store)) as descriptor:
        return _parsed(store, _content(store, descriptor))


def hold(store: Path) -> tuple[Manifest, int]:
    """The committed manifest, and a descriptor that keeps its version on the disk while it is open.

    Works on a read-only disk, never blocks the writer, and ends with the process. Raises as
    `read_manifest` does.
    """
    while True:
        with ExitStack() as held:
            descriptor = _opened(store)
            held.callback(os.close, descriptor)
            lock_briefly(descriptor, fcntl.LOCK_SH, f"The index in {str(store)!r}")
            if os.fstat(descriptor).st_nlink:  # else it was replaced and dropped just now
                manifest = _parsed(store, _content(store, descriptor))
                held.pop_all()
                return manifest, descriptor


def held_versions(store: Path) -> list[tuple[int, int]]:
    """The versions of chunks and files that readers of former manifests hold, of any schema.

    Former manifests that nobody holds are deleted.
    """
    found = []
    for path in store.glob(FORMER.format("*")):
        with closed(os.open(path, READ_ONLY)) as descriptor, suppress(DamagedStore):
            content = _content(store, descriptor)  # an archive can bring any file
            if not _is_free(descriptor):
                found.append((content.get("chunks_version", 0), content.get("files_version", 0)))
            elif content.keys() >= _EVERY_MANIFEST_HAS:
                path.unlink()
    return found


def is_outdated(store: Path) -> bool:
    """Whether an earlier version of this program made the index, so that it is made anew."""
    if not (store / MANIFEST_NAME).exists():
        return False
    with closed(_opened(store)) as descriptor:
        return bool(_content(store, descriptor)["schema"] < SCHEMA)


def recorded(store: Path, what: str) -> str:
    """A part of an index's fingerprint, of any schema; "" where there is none, or it is damaged."""
    try:
        with closed(_opened(store)) as descriptor:
            made = _content(store, descriptor).get("fingerprint")
    except (DamagedStore, NoIndex):  # whoever opens it says what is wrong with it
        return ""
    return str(made.get(what, "")) if isinstance(made, dict) else ""


def read_draft(store: Path) -> Manifest | None:
    """What a writer that did not come to its end has noted; None if there is nothing sound."""
    try:
        with closed(os.open(store / DRAFT_NAME, READ_ONLY)) as descriptor:
            return _parsed(store, _content(store, descriptor))
    except (FileNotFoundError, DamagedStore, IncompatibleStore):
        return None


@contextmanager
def closed(descriptor: int) -> Iterator[int]:
    """The descriptor, which is closed at the end of the block."""
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _opened(store: Path) -> int:
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
    """The manifest of a file's content, checked field by field: who knows the key may have made it.

    Strings are printable, so that none can control a terminal, except names of folders, which are
    cleaned where they are shown.
    """
    if (schema := loaded.pop("schema")) != SCHEMA:
        raise IncompatibleStore(
            f"The index in {str(store)!r} has schema {min(schema, MAX_NUMBER)}; "
            f"this version of corpus-agent reads schema {SCHEMA}.",
            "Update corpus-agent." if schema > SCHEMA else "Make it anew: corpus-agent index",
        )
    try:
        made = Fingerprint(**loaded.pop("fingerprint"))
        coverage = Coverage(**loaded.pop("coverage"))
        mounts = tuple(loaded.pop("mounts"))
        whole = Manifest(fingerprint=made, coverage=coverage, mounts=mounts, **loaded)
        for record in (made, coverage, whole):
            for each in fields(record):
                if not _is_of(str(each.type), each.name, getattr(record, each.name)):
                    raise ValueError(f"{each.name} is no {each.type}")
    except (KeyError, TypeError, ValueError) as error:
        raise damaged(store, f"{MANIFEST_NAME}: {error}") from None
    return whole


def _is_of(kind: str, name: str, value: Any) -> bool:  # noqa: ANN401 - as JSON has it
    """Whether a value is of a field's type, and within bounds."""
    match kind:
        case "int":
            return type(value) is int and 0 <= value < MAX_NUMBER
        case "bool":
            return type(value) is bool
        case "str":
            return _is_text(value) and (name == "root" or value.isprintable())
        case "tuple[str, ...]":
            return len(value) <= MAX_ENTRIES and all(map(_is_text, value))
        case "dict[str, str]" | "dict[str, int]":
            return (
                isinstance(value, dict)
                and len(value) <= MAX_ENTRIES
                and all(_is_of("str", "", key) for key in value)
                and all(_is_of(kind[10:-1], "", each) for each in value.values())
                and (name != "contents" or all(map(_SUMS.fullmatch, value.values())))
            )
    return True  # a record within, which is looked at by itself


def _is_text(value: object) -> bool:
    """Whether a value is a possible name of a file; a lone surrogate is none."""
    if not isinstance(value, str) or len(value) > MAX_TEXT_CHARS or "\0" in value:
        return False
    try:
        os.fsencode(value)
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
    with ExitStack() as held:
        if keep_former and path.exists():
            before = held.enter_context(closed(os.open(path, READ_ONLY)))
            if not _is_free(before):
                (store / FORMER.format(time.time_ns())).hardlink_to(path)
        _put_in_place(fresh, path)


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
    with closed(os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)) as folder:
        os.fsync(folder)
