"""The manifest: one small file that names the committed version of the index, and its files.

A commit is the atomic replacement of this file. It names the LanceDB versions of the two tables
that belong together: readers see both change in the same instant, a killed writer leaves the last
committed version in force, and `status` needs no LanceDB. A reader locks the manifest that it reads
(`hold`). One that is replaced while a reader holds it stays under another name, and so do its
tables.

LanceDB has no checksum: a flipped bit is read as another text or another neighbour. So a manifest
lists the files of its tables with their sizes and sums, which are compared before one is opened.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import stat
import time
import zlib
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, fields
from io import FileIO
from pathlib import Path
from typing import Any

from indexer.errors import DamagedStore, IncompatibleStore
from indexer.files.opening import lock_briefly
from indexer.files.paths import INDEX_FOLDER
from indexer.records import MAX_NUMBER, PACKAGED_MODEL, Coverage, Fingerprint, fits, is_other
from indexer.store.folder import (
    TABLES,
    damaged,
    files_below,
    flush,
    key_of,
    keyed_sum,
    no_index,
    opened,
    unreadable,
    version_file,
    version_files,
    write_new,
)

STORE_NAME = INDEX_FOLDER
MANIFEST_NAME = "manifest.json"
DRAFT_NAME = "draft.json"  # of a version that is made anew and not complete
FORMER = "manifest.{}.json"  # of a version that a reader holds, by the time of its replacement
SCHEMA = 10  # an index of an earlier one is made anew
MAX_BYTES = 4_000_000
# So many bytes are compared, of the smallest files first: 4 ms for a reader, 60 ms for a writer.
READING_BYTES = 8 * 2**20
INDEXING_BYTES = 128 * 2**20
EVERY_BYTE = 2**63
_NAMES = re.compile(rf"{TABLES}/(?!.*\.\.).+")  # of files of tables
_SUMS = re.compile(r"[0-9]{1,18} [0-9a-f]{8}")  # a size and a CRC-32


@dataclass(frozen=True, slots=True)
class Manifest:
    """One committed version of an index.

    `root` is relative to the store's parent where the corpus lies below it, else absolute, so
    that a project moved as a whole keeps its index. `complete` is False while an `index` run that
    committed part of its work has not finished. `walked_ns` is when the last run that finished
    began to look at the folder, by the clock that files are stamped with. `contents` are the files
    of the version with their sizes and sums, `mounts` the folders that were on other devices.
    `waiting_pages` of documents and `waiting_pictures` wait for recognition. `languages` counts the
    chunks of each language, by code, "" for none.
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
    walked_ns: int
    contents: dict[str, str]
    mounts: tuple[str, ...]
    waiting_pages: int
    waiting_pictures: int
    languages: dict[str, int]

    @property
    def unread(self) -> float:
        """The share of the chunks in languages that the packaged model does not read; else 0."""
        name = self.fingerprint.model.partition(" ")[0]  # its engine behind it
        if name != PACKAGED_MODEL or not self.chunks:
            return 0.0
        return sum(n for code, n in self.languages.items() if is_other(code)) / self.chunks


# ---- Places


def root_for(store: Path, root: Path) -> str:
    """`root` as the manifest records it."""
    parent = store.resolve().parent
    return str(root.relative_to(parent)) if root.is_relative_to(parent) else str(root)


def root_of(store: Path, manifest: Manifest) -> Path:
    """The corpus root that a manifest names; no boundary, which is the user's own record."""
    return store.resolve().parent / manifest.root


# ---- Reading


def read_manifest(store: Path) -> Manifest:
    """The committed manifest; raises NoIndex, DamagedStore, or IncompatibleStore of a later one."""
    with _opened(store) as file:
        return _parsed(store, file)


def hold(store: Path) -> tuple[Manifest, FileIO]:
    """The committed manifest, and a file that keeps its version on the disk while it is open.

    Works on a read-only disk, never blocks the writer, and ends with the process. Raises as
    `read_manifest` does.
    """
    while True:
        with ExitStack() as held:
            file = held.enter_context(_opened(store))
            lock_briefly(file.fileno(), fcntl.LOCK_SH, f"The index in {str(store)!r}")
            if os.fstat(file.fileno()).st_nlink:  # else it was replaced and dropped just now
                manifest = _parsed(store, file)
                held.pop_all()
                return manifest, file


def held_versions(store: Path) -> list[tuple[int, int]]:
    """The versions of chunks and files that readers of former manifests hold; the others go."""
    found = []
    for path in store.glob(FORMER.format("*")):
        not_ours = suppress(DamagedStore, IncompatibleStore)  # an archive can bring any file
        with not_ours, opened(path) as file:
            former = _parsed(store, file)
            if _is_free(file):
                path.unlink()
            else:
                found.append((former.chunks_version, former.files_version))
    return found


def read_draft(store: Path) -> Manifest | None:
    """What a writer that did not come to its end has noted; None if there is nothing sound."""
    with suppress(OSError, DamagedStore, IncompatibleStore), opened(store / DRAFT_NAME) as file:
        return _parsed(store, file)
    return None


def _opened(store: Path) -> FileIO:
    try:
        return opened(store / MANIFEST_NAME)
    except (FileNotFoundError, NotADirectoryError):
        raise no_index(store) from None
    except PermissionError:
        raise unreadable(store) from None
    except OSError as error:
        raise damaged(store, f"{MANIFEST_NAME}: {error.strerror}") from None


def _parsed(store: Path, file: FileIO) -> Manifest:
    """The manifest in a file, checked field by field: who knows the key may have made it."""
    info = os.fstat(file.fileno())
    if not stat.S_ISREG(info.st_mode) or info.st_size > MAX_BYTES:
        raise damaged(store, f"{MANIFEST_NAME} is no manifest")
    try:
        loaded = json.loads(os.pread(file.fileno(), MAX_BYTES, 0))
    except (ValueError, RecursionError):
        raise damaged(store, f"{MANIFEST_NAME} is no JSON") from None
    if not isinstance(loaded, dict) or type(loaded.get("schema")) is not int:
        raise damaged(store, f"{MANIFEST_NAME} is no manifest")
    schema, which = loaded["schema"], f"The index in {str(store)!r} is of"
    if schema > SCHEMA:
        later = f"(schema {min(schema, MAX_NUMBER)}; this one reads {SCHEMA})"
        raise IncompatibleStore(f"{which} a later release {later}.", "Update corpus-agent.")
    if schema < SCHEMA:
        earlier = f"{which} an earlier release (schema {schema} of {SCHEMA})."
        raise DamagedStore(earlier, "Make it anew: corpus-agent index")
    checksum = loaded.pop("check", None)
    if checksum != sum_of(store, loaded):
        raise damaged(store, f"{MANIFEST_NAME} is not what was written")
    del loaded["schema"]
    try:
        return _record(loaded)
    except (KeyError, TypeError, ValueError) as error:
        raise damaged(store, f"{MANIFEST_NAME}: {error}") from None


def _record(loaded: dict[str, Any]) -> Manifest:
    """The manifest with these values; raises KeyError, TypeError or ValueError for others."""
    made = Fingerprint(**loaded.pop("fingerprint"))
    coverage = Coverage(**loaded.pop("coverage"))
    mounts = tuple(loaded.pop("mounts"))
    whole = Manifest(fingerprint=made, coverage=coverage, mounts=mounts, **loaded)
    for record in (whole, made, coverage):
        for each in fields(record):
            value = getattr(record, each.name)
            texts = [*value, *value.values()] if isinstance(value, dict) else [value]
            # Printable, so that none can control a terminal; names of folders are cleaned if shown.
            plain = each.name == "root" or all(str(text).isprintable() for text in texts)
            if not (fits(str(each.type), value) and plain):
                raise ValueError(f"{each.name} is no {each.type}")
    if not all(_NAMES.fullmatch(n) and _SUMS.fullmatch(s) for n, s in whole.contents.items()):
        raise ValueError("contents are no sums of tables")
    return whole


def sum_of(store: Path, content: dict[str, Any]) -> str:
    """A sum of a manifest's content by the store's key: one that others brought is none."""
    return keyed_sum(key_of(store), json.dumps(content, sort_keys=True).encode()).hex()


# ---- Writing


def write_manifest(store: Path, manifest: Manifest) -> None:
    """Commit: put the manifest in the place of the old one, atomically and durably."""
    path = store / MANIFEST_NAME
    fresh = _write_new(store, manifest)
    with ExitStack() as held:
        if path.exists():
            before = held.enter_context(opened(path))
            if not _is_free(before):
                (store / FORMER.format(time.time_ns())).hardlink_to(path)
        fresh.replace(path)
        flush(store)


def write_draft(store: Path, manifest: Manifest) -> None:
    """Note how far a version is that is made anew, for the next writer alone."""
    _write_new(store, manifest).replace(store / DRAFT_NAME)
    flush(store)


def _is_free(manifest: FileIO) -> bool:
    """Whether no reader holds a manifest; one that comes now waits, and sees that it is gone."""
    try:
        fcntl.flock(manifest, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _write_new(store: Path, manifest: Manifest) -> Path:
    """The new file of a manifest, on the disk under a name of its own."""
    fresh = (store / MANIFEST_NAME).with_suffix(".new")
    content = {"schema": SCHEMA, **asdict(manifest)}
    whole = json.dumps({**content, "check": sum_of(store, content)}, indent=1)
    write_new(fresh, whole.encode())
    return fresh


# ---- Its files


def check_contents(store: Path, manifest: Manifest, whole_bytes: int = READING_BYTES) -> None:
    """Raise DamagedStore if a file of the version is gone or is not what was written.

    Every byte is compared of the smallest files that together have no more than `whole_bytes`, of
    the others their size. Once another version is committed, files that only older ones need may
    be gone.
    """
    spent = 0
    sized = [(int(written.split()[0]), name) for name, written in manifest.contents.items()]
    for size, name in sorted(sized):
        spent += size
        try:
            found = _size_and_sum(store / name, whole=spent <= whole_bytes)
            what = "is not what was written"
        except OSError as error:
            found, what = "?", f"cannot be read ({error.strerror})"
        if not manifest.contents[name].startswith(found) and read_manifest(store) == manifest:
            raise damaged(store, f"{name!r} {what}")


def contents_of(store: Path, manifest: Manifest, known: Mapping[str, str]) -> dict[str, str]:
    """The files of the manifest's versions with size and sum; those `known` are never changed."""
    own = {
        version_file(store, "chunks", manifest.chunks_version),
        version_file(store, "files", manifest.files_version),
    }
    others = {path for path in version_files(store) if path not in own}
    names = (str(path.relative_to(store)) for path in files_below(store / TABLES) - others)
    ours = (name for name in sorted(names) if not name.endswith("latest_version_hint.json"))
    return {name: known.get(name) or _size_and_sum(store / name) for name in ours}


def _size_and_sum(path: Path, *, whole: bool = True) -> str:
    """The size of a file, a blank and, of a `whole` one, its CRC-32."""
    with opened(path) as file:
        size, value = os.fstat(file.fileno()).st_size, 0
        while whole and (data := file.read(2**20)):
            value = zlib.crc32(data, value)
    return f"{size} {f'{value:08x}' if whole else ''}"
