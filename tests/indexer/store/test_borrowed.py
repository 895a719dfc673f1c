"""Versions of tables are looked through before LanceDB opens them, at a bounded cost."""

import os
import resource
import struct
import time
from pathlib import Path

import pytest

from indexer.errors import DamagedStore
from indexer.store import borrowed
from indexer.store.borrowed import check_own_data
from indexer.store.lance_files import MAX_MESSAGE_BYTES, MAX_VERSION_BYTES

OWN_FIELD = b"\x08\x01"  # field 1, a number
BASE_PATH = bytes([18 << 3 & 0x7F | 2 | 0x80, 18 << 3 >> 7, 1, 65])  # field 18, one byte
SECONDS, MIB = 20.0, 2**20


def version(store: Path, message: bytes, *, before: int = 0, says: int | None = None) -> Path:
    """A version's file whose message begins after so many bytes, which are a hole."""
    path = store / "lance/chunks.lance/_versions/1.manifest"
    path.parent.mkdir(parents=True, exist_ok=True)
    length = len(message) if says is None else says
    with path.open("wb") as file:
        file.truncate(before)
        file.seek(before)
        file.write(
            struct.pack("<I", length) + message + struct.pack("<QHH4s", before, 0, 2, b"LANC")
        )
    return path


def cost(store: Path) -> tuple[float, int]:
    """Seconds, and MiB by which this process ever grew, of a look that refuses the store."""
    started, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(DamagedStore, match=r"1\.manifest"):
        check_own_data(store)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return time.process_time() - started, grown // 1024


def test_a_version_of_its_own_data_passes_and_one_with_a_base_path_does_not(tmp_path):
    version(tmp_path, OWN_FIELD * 9, before=60 * MIB)
    check_own_data(tmp_path)
    version(tmp_path, OWN_FIELD * 9 + BASE_PATH)
    with pytest.raises(DamagedStore, match="keeps its data elsewhere"):
        check_own_data(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "seconds", "mib"),
    [("hole", 1, 32), ("just under", 1, 32), ("endless", SECONDS, 64), ("torn", 1, 48)],
)
def test_a_version_that_is_large_or_endless_costs_little(tmp_path, kind, seconds, mib):
    if kind == "hole":  # sparse: it takes nothing of a disk
        path = version(tmp_path, b"", before=0)
        os.truncate(path, 256 * MIB - 1)
    elif kind == "just under":
        most = MAX_VERSION_BYTES - 64
        version(tmp_path, b"", before=0, says=most)
        os.truncate(tmp_path / "lance/chunks.lance/_versions/1.manifest", most)
    elif kind == "endless":
        version(tmp_path, OWN_FIELD * (MAX_MESSAGE_BYTES // 2))
    else:
        version(tmp_path, b"", says=MAX_MESSAGE_BYTES)
    took, grown = cost(tmp_path)
    assert took < seconds and grown < mib


@pytest.mark.slow
def test_many_versions_share_one_limit(tmp_path):
    path = version(tmp_path, OWN_FIELD * (borrowed.MAX_FIELDS // 3))
    check_own_data(tmp_path)  # the control: one of them is allowed
    for number in range(2, 5):
        path.with_name(f"{number}.manifest").write_bytes(path.read_bytes())
    with pytest.raises(DamagedStore, match="more fields than its tables could need"):
        check_own_data(tmp_path)


@pytest.mark.parametrize("kind", ["link", "fifo"])
def test_what_is_no_file_is_no_version_and_hangs_nobody(tmp_path, kind):
    path = version(tmp_path, OWN_FIELD)
    path.rename(tmp_path / "real")
    path.symlink_to(tmp_path / "real") if kind == "link" else os.mkfifo(path)
    with pytest.raises(DamagedStore, match="is no version of a table"):
        check_own_data(tmp_path)
