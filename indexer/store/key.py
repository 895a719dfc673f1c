"""What only those can write who have seen the store: sums that are made with the id of its marker.

An index lies among the documents, where an archive or a pull of others may bring files. These do
not know the id, so that a manifest, a kept text or a note that they bring is none of ours. What it
does not stop: who has seen the folder, as those do who share it.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from indexer.files.opening import READ_ONLY
from indexer.store.names import MARKER_NAME

MAX_MARKER_BYTES = 4_096
SUM_BYTES = 32


def key_of(store: Path) -> bytes:
    """The key of a store, b"" for a folder without a marker, which no command takes for a store."""
    try:
        file = os.open(store / MARKER_NAME, READ_ONLY)
    except OSError:
        return b""
    try:
        return hashlib.sha256(os.pread(file, MAX_MARKER_BYTES, 0)).digest()
    except OSError:  # a folder
        return b""
    finally:
        os.close(file)


def keyed_sum(key: bytes, data: bytes | memoryview, name: str = "") -> bytes:
    """The sum of data by a key, SUM_BYTES long (BLAKE2b, RFC 7693).

    With the `name` of the entry it is of that entry alone: a file under another one's name, as an
    archive makes by a hard link, has none of ours.
    """
    salted = hashlib.sha256(name.encode()).digest()[: hashlib.blake2b.SALT_SIZE]
    return hashlib.blake2b(data, key=key, salt=salted, digest_size=SUM_BYTES).digest()
