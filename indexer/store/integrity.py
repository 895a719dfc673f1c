"""The files of a committed version against what was written: sizes, or every byte.

LanceDB has no checksum of its own: a flipped bit is read as another text or another neighbour. So
a manifest lists the files of its tables with their sizes and sums, and they are compared before a
table is opened. Protects from a failing disk, a copy that was cut and a restore that was mixed.
"""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from indexer.errors import CorpusError, DamagedStore
from indexer.files.opening import READ_ONLY
from indexer.store.folder import MEND, TABLES, files_below, version_file, version_files
from indexer.store.manifest import Manifest, hold, read_manifest

# So many bytes are compared, of the smallest files first: 4 ms for a reader, 60 ms for a writer.
READING_BYTES = 8 * 2**20
INDEXING_BYTES = 128 * 2**20
EVERY_BYTE = 2**63
_COPY_BYTES = 2**20  # at a time
MAX_NAMED = 3  # damaged files that a message names


def checked_manifest(store: Path, whole_bytes: int = READING_BYTES) -> Manifest:
    """The committed manifest, whose files are what was written; raises as `hold` and as below."""
    manifest, held = hold(store)
    try:
        check_contents(store, manifest, whole_bytes)
    finally:
        os.close(held)
    return manifest


def check_contents(store: Path, manifest: Manifest, whole_bytes: int = READING_BYTES) -> None:
    """Raise DamagedStore if a file of the version is gone or is not what was written.

    Every byte is compared of the smallest files that together have no more than `whole_bytes`, of
    the others their size. A version whose manifest lists no files is not checked. Once another
    version is committed, files that only older ones need may be gone.
    """
    wrong = list(_wrong(store, manifest.contents, whole_bytes))
    if wrong and read_manifest(store) == manifest:
        more = f", and {len(wrong) - MAX_NAMED} more" if len(wrong) > MAX_NAMED else ""
        raise DamagedStore(
            f"The index in {str(store)!r} is damaged: {', '.join(wrong[:MAX_NAMED])}{more}.", MEND
        )


def _wrong(store: Path, contents: Mapping[str, str], whole_bytes: int) -> Iterator[str]:
    spent = 0
    for name, written in sorted(contents.items(), key=lambda entry: _size(entry[1])):
        spent += _size(written)
        whole = spent <= whole_bytes
        try:
            if not name.startswith(f"{TABLES}/") or ".." in name:
                yield f"{name!r} is no file of a table"
            elif what := _difference(store / name, written, whole=whole):
                yield f"{name!r} {what}"
        except FileNotFoundError:
            yield f"{name!r} is gone"
        except PermissionError:
            raise CorpusError(
                f"{str(store / name)!r} may not be read by this user.",
                f"Run as its owner, or give it back: chmod -R u+rwX {str(store)!r}",
            ) from None
        except OSError as error:
            yield f"{name!r} cannot be read ({error.strerror})"


def _size(written: str) -> int:
    return int(written.partition(" ")[0])


def _difference(path: Path, written: str, *, whole: bool) -> str:
    """How a file differs from what was written, "" if it does not."""
    size, _, summed = written.partition(" ")
    file = os.open(path, READ_ONLY)
    try:
        info = os.fstat(file)
        if not stat.S_ISREG(info.st_mode):
            return "is no regular file"
        if info.st_size != int(size):
            return f"has {info.st_size:,} bytes, {int(size):,} were written"
        return "is not what was written" if whole and _sum(file) != summed else ""
    finally:
        os.close(file)


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


def _size_and_sum(path: Path) -> str:
    file = os.open(path, READ_ONLY)
    try:
        return f"{os.fstat(file).st_size} {_sum(file)}"
    finally:
        os.close(file)


def _sum(file: int) -> str:
    value = at = 0
    while data := os.pread(file, _COPY_BYTES, at):
        value = zlib.crc32(data, value)
        at += len(data)
    return f"{value:08x}"
