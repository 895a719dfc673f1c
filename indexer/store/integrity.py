"""The files of a committed version against what was written: sizes, samples, or every byte.

LanceDB has no checksum of its own for rows and indices: a flipped bit is read as another text or
another neighbour. So a manifest lists the files of its version with their sizes and two sums.
Readers and writers check them before they open a table. Protects from a failing disk, a copy that
was cut and a restore that was mixed; not from a process of this user that changes both files.
"""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from indexer.errors import CorpusError, DamagedStore
from indexer.files.opening import READ_ONLY
from indexer.store.manifest import Manifest, hold, mending_hint
from indexer.store.names import may_lie_below

# So many bytes are compared, of the smallest files first: 4 ms for a reader, 60 ms for a writer.
READING_BYTES = 8 * 2**20
INDEXING_BYTES = 128 * 2**20
EVERY_BYTE = 2**63
# Of each file of a larger version: its beginning, its end, and what lies evenly between.
SAMPLES = 33  # so that the middle is one
SAMPLE_BYTES = 4_096
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

    Every file's size is compared, and every byte of the smallest that together have no more than
    `whole_bytes`, of the others samples. A version whose manifest lists no files is not checked.
    Raises CorpusError where this user may not read them.
    """
    wrong = list(_wrong(store, manifest.contents, whole_bytes))
    if wrong:
        more = f", and {len(wrong) - MAX_NAMED} more" if len(wrong) > MAX_NAMED else ""
        raise DamagedStore(
            f"The index in {str(store)!r} is damaged: {', '.join(wrong[:MAX_NAMED])}{more}.",
            mending_hint(),
        )


def _wrong(store: Path, contents: Mapping[str, str], whole_bytes: int) -> Iterator[str]:
    spent = 0
    for name, written in sorted(contents.items(), key=lambda entry: _size(entry[1])):
        spent += _size(written)
        whole = spent <= whole_bytes
        try:
            if not may_lie_below(name, is_folder=False):
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
    size, sampled, summed = written.split(" ")
    file = os.open(path, READ_ONLY)
    try:
        info = os.fstat(file)
        if not stat.S_ISREG(info.st_mode):
            return "is no regular file"
        if info.st_size != int(size):
            return f"has {info.st_size:,} bytes, {int(size):,} were written"
        now = _sum(file) if whole else _sum_of_samples(file, info.st_size)
        return "" if now == (summed if whole else sampled) else "is not what was written"
    finally:
        os.close(file)


def sums_of(path: Path) -> str:
    """A file's size, the sum of its samples and the sum of all of it."""
    file = os.open(path, READ_ONLY)
    try:
        size = os.fstat(file).st_size
        return f"{size} {_sum_of_samples(file, size)} {_sum(file)}"
    finally:
        os.close(file)


def _sum(file: int) -> str:
    value = at = 0
    while data := os.pread(file, _COPY_BYTES, at):
        value = zlib.crc32(data, value)
        at += len(data)
    return f"{value:08x}"


def _sum_of_samples(file: int, size: int) -> str:
    if size <= SAMPLES * SAMPLE_BYTES:
        return _sum(file)
    value = 0
    for number in range(SAMPLES):
        at = number * (size - SAMPLE_BYTES) // (SAMPLES - 1)
        value = zlib.crc32(os.pread(file, SAMPLE_BYTES, at), value)
    return f"{value:08x}"
