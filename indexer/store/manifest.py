"""The manifest: one small file that names the committed version of the index, and its files.

A commit of the store is the atomic replacement of this file. It names the LanceDB versions of the
two tables that belong together, so readers see both tables change in the same instant, a killed
writer leaves the last committed version in force, and `status` needs no LanceDB at all.

A reader locks the manifest file that it reads (`hold`). One that is replaced while a reader holds
it stays under another name, and so do the table versions that it names.

LanceDB has no checksum of its own: a flipped bit is read as another text or another neighbour. So
a manifest lists the files of its tables with their sizes and sums, and they are compared before a
table is opened. That protects from a failing disk, a copy that was cut, a restore that was mixed.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import stat
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from indexer.errors import CorpusError, DamagedStore, IncompatibleStore
from indexer.files.opening import READ_ONLY, lock_briefly
from indexer.files.paths import INDEX_FOLDER
from indexer.records import MAX_NUMBER, PACKAGED_MODEL, Coverage, Fingerprint, fits, is_other
from indexer.store.folder import (
    MEND,
    TABLES,
    damaged,
    files_below,
    key_of,
    keyed_sum,
    no_index,
    unreadable,
    version_file,
    version_files,
    write_new,
)

STORE_NAME = INDEX_FOLDER
MANIFEST_NAME = "manifest.json"
DRAFT_NAME = "draft.json"  # of a version that is made anew and not complete
FORMER = "manifest.{}.json"  # of a version that a reader holds, by the time of its replacement
SCHEMA = 9  # an index of an earlier one is made anew
MAX_BYTES = 4_000_000
# So many bytes are compared, of the smallest files first: 4 ms for a reader, 60 ms for a writer.
READING_BYTES = 8 * 2**20
INDEXING_BYTES = 128 * 2**20
EVERY_BYTE = 2**63
MAX_NAMED = 3  # damaged files that a message names
_COPY_BYTES = 2**20  # at a time
_NAMES = re.compile(rf"{TABLES}/(?!.*\.\.).+")  # of files of tables
_SUMS = re.compile(r"[0-9]{1,18} [0-9a-f]{8}")  # a size and a sum


@dataclass(frozen=True, slots=True)
class Manifest:
    """One committed version of an index.

    `root` is relative to the store's parent where the corpus lies below it, else absolute, so
    that a project moved as a whole keeps its index. `complete` is False while an `index` run that
    committed part of its work has not finished. `walked_ns` is when the last run that finished
    began to look at the folder, by the clock that files are stamped with; `updated` is ISO 8601.
    `contents` are the files of the version with their sizes and sums.
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
        with suppress(OSError):  # another user's, into which this one may not look: none of ours
            if (candidate / MANIFEST_NAME).is_file():
                return candidate
    return None


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
    with _closed(_opened(store)) as descriptor:
        return _parsed(store, descriptor)


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
                manifest = _parsed(store, descriptor)
                held.pop_all()
                return manifest, descriptor


def held_versions(store: Path) -> list[tuple[int, int]]:
    """The versions of chunks and files that readers of former manifests hold; the others go."""
    found = []
    for path in store.glob(FORMER.format("*")):
        not_ours = suppress(DamagedStore, IncompatibleStore)  # an archive can bring any file
        with not_ours, _closed(os.open(path, READ_ONLY)) as descriptor:
            former = _parsed(store, descriptor)
            if _is_free(descriptor):
                path.unlink()
            else:
                found.append((former.chunks_version, former.files_version))
    return found


def recorded(store: Path, what: str) -> str:
    """A part of an index's fingerprint; "" where there is none, or it cannot be read."""
    try:
        return str(getattr(read_manifest(store).fingerprint, what))
    except CorpusError:  # whoever opens it says what is wrong with it
        return ""


def read_draft(store: Path) -> Manifest | None:
    """What a writer that did not come to its end has noted; None if there is nothing sound."""
    try:
        with _closed(os.open(store / DRAFT_NAME, READ_ONLY)) as descriptor:
            return _parsed(store, descriptor)
    except (FileNotFoundError, DamagedStore, IncompatibleStore):
        return None


@contextmanager
def _closed(descriptor: int) -> Iterator[int]:
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


def _parsed(store: Path, descriptor: int) -> Manifest:
    """The manifest in a file, checked field by field: who knows the key may have made it."""
    info = os.fstat(descriptor)
    if not stat.S_ISREG(info.st_mode) or info.st_size > MAX_BYTES:
        raise damaged(store, f"{MANIFEST_NAME} is no manifest")
    try:
        loaded = json.loads(os.pread(descriptor, MAX_BYTES, 0))
    except (ValueError, RecursionError):
        raise damaged(store, f"{MANIFEST_NAME} is no JSON") from None
    if not isinstance(loaded, dict) or type(loaded.get("schema")) is not int:
        raise damaged(store, f"{MANIFEST_NAME} is no manifest")
    if loaded["schema"] != SCHEMA:
        raise _of_another_release(store, loaded["schema"])
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


def _of_another_release(store: Path, schema: int) -> CorpusError:
    if schema > SCHEMA:
        return IncompatibleStore(
            f"The index in {str(store)!r} is of a later release (schema {min(schema, MAX_NUMBER)}; "
            f"this one reads {SCHEMA}).",
            "Update corpus-agent.",
        )
    what = f"The index in {str(store)!r} is of an earlier release (schema {schema} of {SCHEMA})."
    return DamagedStore(what, "Make it anew: corpus-agent index")


def sum_of(store: Path, content: dict[str, Any]) -> str:
    """A sum of a manifest's content by the store's key: one that others brought is none."""
    return keyed_sum(key_of(store), json.dumps(content, sort_keys=True).encode()).hex()


# ---- Writing


def write_manifest(store: Path, manifest: Manifest, *, keep_former: bool = True) -> None:
    """Commit: put the manifest in the place of the old one, atomically and durably."""
    path = store / MANIFEST_NAME
    fresh = _write_new(store, manifest)
    with ExitStack() as held:
        if keep_former and path.exists():
            before = held.enter_context(_closed(os.open(path, READ_ONLY)))
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
    content = {"schema": SCHEMA, **asdict(manifest)}
    whole = json.dumps({**content, "check": sum_of(store, content)}, indent=1)
    write_new(fresh, whole.encode())
    return fresh


def _put_in_place(fresh: Path, path: Path) -> None:
    """Rename a new file to `path`, durably."""
    fresh.replace(path)
    with _closed(os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)) as folder:
        os.fsync(folder)


# ---- Its files


def checked_manifest(store: Path, whole_bytes: int = READING_BYTES) -> Manifest:
    """The committed manifest, whose files are what was written; raises as `hold` and as below."""
    manifest, held = hold(store)
    with _closed(held):
        check_contents(store, manifest, whole_bytes)
    return manifest


def check_contents(store: Path, manifest: Manifest, whole_bytes: int = READING_BYTES) -> None:
    """Raise DamagedStore if a file of the version is gone or is not what was written.

    Every byte is compared of the smallest files that together have no more than `whole_bytes`, of
    the others their size. Once another version is committed, files that only older ones need may
    be gone.
    """
    spent, wrong = 0, []
    for name, written in sorted(manifest.contents.items(), key=lambda entry: _size(entry[1])):
        spent += _size(written)
        if what := _difference(store / name, written, whole=spent <= whole_bytes):
            wrong.append(f"{name!r} {what}")
    if wrong and read_manifest(store) == manifest:
        more = f", and {len(wrong) - MAX_NAMED} more" if len(wrong) > MAX_NAMED else ""
        raise DamagedStore(
            f"The index in {str(store)!r} is damaged: {', '.join(wrong[:MAX_NAMED])}{more}.", MEND
        )


def _size(written: str) -> int:
    return int(written.partition(" ")[0])


def _difference(path: Path, written: str, *, whole: bool) -> str:
    """How a file differs from what was written, "" if it does not."""
    try:
        is_same = written.startswith(_size_and_sum(path, whole=whole))
    except FileNotFoundError:
        return "is gone"
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    return "" if is_same else "is not what was written"


def contents_of(store: Path, manifest: Manifest, known: Mapping[str, str]) -> dict[str, str]:
    """The files of the tables at the manifest's versions, each with its size and its sum.

    LanceDB never writes to a file twice, so those in `known` are not read again.
    """
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
    with os.fdopen(os.open(path, READ_ONLY), "rb", buffering=0) as file:
        size, value = os.fstat(file.fileno()).st_size, 0
        while whole and (data := file.read(_COPY_BYTES)):
            value = zlib.crc32(data, value)
    return f"{size} {f'{value:08x}' if whole else ''}"
