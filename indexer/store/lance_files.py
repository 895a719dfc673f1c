"""The file of a table's version, read as far as this program needs it: which files belong to it.

LanceDB opens what it is given and names neither the files of a version nor their sizes. Reads
bounded parts of untrusted files; a field that is unknown is passed over.

Source: lance-format, protos/table.proto, messages Manifest, DataFragment, DataFile, DeletionFile,
IndexSection and IndexMetadata; a version's file ends in the position of its Manifest, as 8 bytes,
two version numbers and a magic word. A message is preceded by its length, as 4 bytes.
"""

from __future__ import annotations

import os
import stat
import struct
from pathlib import Path
from uuid import UUID

from indexer.extract.protobuf import Value, fields
from indexer.files.opening import READ_ONLY

_TAIL = struct.Struct("<QHH4s")
_LENGTH = struct.Struct("<I")
_MAGIC = b"LANC"
# Of a version's file, which LanceDB itself reads; of a message in it. A version has a field for
# each fragment of its table, of some hundred bytes, and few hundred fragments.
MAX_VERSION_BYTES = 64 * 2**20
MAX_MESSAGE_BYTES = 16 * 2**20
_LAST = 2**64 - 1  # version files are named by what is left to it, so that the newest sorts first

# Numbers of fields, by message.
FRAGMENTS, INDEX_SECTION, TRANSACTION, BASE_PATHS = 2, 6, 12, 18
_FRAGMENT_ID, _FRAGMENT_FILES, _FRAGMENT_DELETION = 1, 2, 3
_FILE_PATH = 1
_DELETION_VERSION, _DELETION_ID = 2, 3
_INDICES, _INDEX_UUID, _UUID_BYTES = 1, 1, 1


def version_file(table: Path, version: int) -> Path:
    """The file of one version of a table."""
    return table / "_versions" / f"{_LAST - version:020}.manifest"


def version_message(path: Path) -> bytes:
    """The Manifest that a version's file ends in; no more of the file is read.

    Raises OSError, ValueError, struct.error.
    """
    return message_at(path, None)


def parts_of(table: Path, version: int) -> set[Path]:
    """The files that a version of a table consists of, its own among them.

    Data, deletions, the files of each index, and the transaction that made it. Raises OSError,
    IndexError, ValueError, struct.error where the version cannot be read.
    """
    path = version_file(table, version)
    found = {path}
    for number, value in fields(version_message(path)):
        if number == FRAGMENTS:
            found |= _of_fragment(table, _bytes(value))
        elif number == TRANSACTION:
            found.add(table / "_transactions" / _name(value))
        elif number == INDEX_SECTION:
            found |= _of_indices(table, message_at(path, _int(value)))
    return found


def drop_version(table: Path, version: int) -> None:
    """Delete the file of a version and that of its transaction, which may name rows.

    Its data is left to LanceDB, which drops what no version names.
    """
    path = version_file(table, version)
    for number, value in fields(version_message(path)):
        if number == TRANSACTION:
            (table / "_transactions" / _name(value)).unlink(missing_ok=True)
    path.unlink(missing_ok=True)


def _of_fragment(table: Path, fragment: bytes) -> set[Path]:
    found: set[Path] = set()
    number = 0
    for field, value in fields(fragment):
        if field == _FRAGMENT_ID:
            number = _int(value)
        elif field == _FRAGMENT_FILES:
            found.add(table / "data" / _name(dict(fields(_bytes(value)))[_FILE_PATH]))
        elif field == _FRAGMENT_DELETION:
            deletion = dict(fields(_bytes(value)))
            read, key = _int(deletion.get(_DELETION_VERSION, 0)), _int(deletion[_DELETION_ID])
            stem = f"{number}-{read}-{key}"
            kept = {*(table / "_deletions").glob(f"{stem}.*")}
            found |= kept or {table / "_deletions" / f"{stem}.arrow"}
    return found


def _of_indices(table: Path, section: bytes) -> set[Path]:
    found: set[Path] = set()
    for number, value in fields(section):
        if number == _INDICES:
            key = dict(fields(_bytes(value)))[_INDEX_UUID]
            uuid = UUID(bytes=_bytes(dict(fields(_bytes(key)))[_UUID_BYTES]))
            folder = table / "_indices" / str(uuid)
            found |= {*folder.iterdir()} if folder.is_dir() else {folder}
    return found


def message_at(path: Path, start: int | None) -> bytes:
    """The message that begins at `start` of a version's file; its Manifest with None."""
    file = os.open(path, READ_ONLY)
    try:
        info = os.fstat(file)
        if not stat.S_ISREG(info.st_mode) or info.st_size > MAX_VERSION_BYTES:
            raise ValueError("no version, or too large for one")
        at, _, _, magic = _TAIL.unpack(os.pread(file, _TAIL.size, info.st_size - _TAIL.size))
        if magic != _MAGIC or at > info.st_size:
            raise ValueError("no version")
        at = at if start is None else start
        (length,) = _LENGTH.unpack(os.pread(file, _LENGTH.size, at))
        if length > MAX_MESSAGE_BYTES:
            raise ValueError("too large a message")
        message = os.pread(file, length, at + _LENGTH.size)
    finally:
        os.close(file)
    if len(message) != length:
        raise ValueError("a torn message")
    return message


def _int(value: Value) -> int:
    if not isinstance(value, int):
        raise ValueError("bytes where there should be a number")
    return value


def _bytes(value: Value) -> bytes:
    if not isinstance(value, bytes):
        raise ValueError("a number where there should be bytes")
    return value


def _name(value: Value) -> str:
    """The name of a file within a folder of the table."""
    name = _bytes(value).decode("ascii")
    if "/" in name or name in ("", ".", ".."):
        raise ValueError("no name of a file")
    return name
