"""What could not be looked at is not gone: its documents stay, say so, and come back as they were.

The walks are done as a user whom permissions stop; the superuser is stopped by none.
"""

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from indexer.errors import CorpusError
from indexer.files.walk import Walk, walk
from indexer.records import Choices
from indexer.store.manifest import read_manifest, root_for, write_manifest
from indexer.store.snapshot import Snapshot
from indexer.store.writer import Writer
from indexer.sync.folder import sync_folder
from indexer.sync.plan import make_plan
from indexer.sync.run import Outcome, Run, fingerprint_of
from tests.support.fakes import ToyEncoder
from tests.support.other_user import being_nobody
from tests.support.toy_index import CHUNKER, ENCODER, copied, found, laid, own, rows

pytestmark = pytest.mark.slow

LAMP = "The lamp is on the shelf.\n"
KEPT = ["disk/deep/c.md", "disk/lamp.md"]  # below `disk`, beside an image that is no document


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("made")
    texts = {name: f"# {Path(name).stem}\n\n{LAMP}" for name in ("top.md", *KEPT)}
    laid(made / "docs", {**texts, "disk/p.png": b"\x89PNG\r\n\x1a\n"})
    sync_folder(own(made / "store", made / "docs"), made / "docs", ENCODER)
    assert statuses(made / "store") == {"indexed": [*KEPT, "top.md"]} | SKIPPED
    made.chmod(0o755)  # and so are its copies
    return made


@pytest.fixture
def store(made: Path, open_folder: Path) -> Path:
    return copied(made, open_folder)


@pytest.fixture
def root(store: Path) -> Path:
    return store.with_name("docs")


SKIPPED = {"skipped": ["disk/p.png"]}


def statuses(store: Path) -> dict[str, list[str]]:
    told: dict[str, list[str]] = {}
    for row in sorted(Snapshot(store).rows(), key=lambda row: row.source):
        told.setdefault(row.status, []).append(row.source)
    return told


def looked_at_as_nobody(root: Path) -> Walk:
    with being_nobody():
        return walk(root)


def applied(store: Path, root: Path, seen: Walk, **options: bool) -> Outcome:
    """A run over a walk that was done before."""
    today = fingerprint_of(ENCODER, CHUNKER)
    with Writer(store, today, root_for(store, root)) as writer:
        todo = make_plan(root, seen, writer.files, writer.manifest, today, Choices(**options))
        return Run(root, writer, ENCODER, CHUNKER).apply(todo, seen.ignored, seen.started_ns)


def unreachable(outcome: Outcome) -> list[tuple[str, str | None]]:
    return [(row.source, row.reason) for row in outcome.problems if row.status == "unreachable"]


@pytest.fixture(params=["not listed", "not entered", "above it", "files"])
def barred(request: pytest.FixtureRequest, root: Path, store: Path) -> Iterator[Path]:
    """Permissions by which all below `disk` cannot be looked at."""
    closed = {
        "not listed": [root / "disk"],
        "not entered": [root / "disk"],
        "above it": [root / "disk", root / "disk/deep"],
        "files": [root / name for name in KEPT],
    }[request.param]
    for path in reversed(closed):
        path.chmod(0o444 if request.param == "not entered" else 0)
    yield root
    for path in closed:
        path.chmod(0o755)


def test_documents_that_cannot_be_looked_at_stay_and_come_back(barred, store):
    written = rows(store)
    outcome = applied(store, barred, looked_at_as_nobody(barred))
    assert sorted(unreachable(outcome)) == [(name, "permission") for name in KEPT]
    assert (outcome.removed, outcome.unchanged) == (0, 1)
    assert rows(store) == written
    assert found(store, "lamp") == {"top.md", *KEPT}
    assert read_manifest(store).coverage.unreachable == 2
    again = applied(store, barred, looked_at_as_nobody(barred))
    assert (again.version, len(unreachable(again))) == (outcome.version, 2)  # nothing to do
    back = sync_folder(store, barred, ENCODER)
    assert (back.embedded, back.unchanged, unreachable(back)) == (0, 3, [])
    assert statuses(store) == {"indexed": [*KEPT, "top.md"]} | SKIPPED
    assert rows(store) == written


def test_they_are_pruned_where_that_is_asked_for(barred, store):
    assert len(unreachable(applied(store, barred, looked_at_as_nobody(barred)))) == 2
    outcome = applied(store, barred, looked_at_as_nobody(barred), prune_unreachable=True)
    assert unreachable(outcome) == []
    assert found(store, "lamp") == {"top.md"}


def test_a_folder_that_was_deleted_is_gone(root, store):
    """The control: what could be looked at and is not there is removed as ever."""
    shutil.rmtree(root / "disk")
    outcome = sync_folder(store, root, ENCODER)
    assert (outcome.removed, unreachable(outcome)) == (3, [])
    assert found(store, "lamp") == {"top.md"}


def test_a_folder_that_turned_into_a_link_keeps_its_documents(root, store, tmp_path):
    (root / "disk").rename(tmp_path / "elsewhere")
    (root / "disk").symlink_to(tmp_path / "elsewhere")
    outcome = sync_folder(store, root, ENCODER)
    assert sorted(unreachable(outcome)) == [(name, "symlink") for name in KEPT]
    assert sync_folder(store, root, ENCODER, Choices(prune_unreachable=True)).removed == 3
    assert found(store, "lamp") == {"top.md"}


def test_a_disk_that_is_no_longer_there_keeps_its_documents(root, store):
    """As if `disk` had been one when the index was made; a real one is below."""
    write_manifest(store, replace(read_manifest(store), mounts=("disk/",)))
    shutil.rmtree(root / "disk")
    for _ in range(2):  # that it was one is not forgotten meanwhile
        outcome = sync_folder(store, root, ENCODER)
        assert sorted(unreachable(outcome)) == [(name, "unmounted") for name in KEPT]
        assert read_manifest(store).mounts == ("disk/",)
    assert sync_folder(store, root, ENCODER, Choices(prune_unreachable=True)).removed == 3
    assert read_manifest(store).mounts == ()


def test_a_mounted_disk_is_known_as_one(root, store):
    shutil.rmtree(root / "disk")
    (root / "disk").mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(root / "disk")]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this process cannot mount a small file system")
    try:
        (root / "disk/lamp.md").write_text(LAMP)
        sync_folder(store, root, ENCODER)
        assert read_manifest(store).mounts == ("disk/",)
    finally:
        subprocess.run(["umount", str(root / "disk")], check=True)
    outcome = sync_folder(store, root, ENCODER)
    assert unreachable(outcome) == [("disk/lamp.md", "unmounted")]
    assert found(store, "lamp") == {"top.md", "disk/lamp.md"}


def test_a_file_that_goes_while_it_is_read_keeps_its_passages(root, store):
    (root / "disk/lamp.md").write_text(f"# Changed\n\n{LAMP}")
    seen = walk(root)
    (root / "disk/lamp.md").unlink()
    assert unreachable(applied(store, root, seen)) == [("disk/lamp.md", "unreadable")]
    assert found(store, "lamp") == {"top.md", *KEPT}


def test_a_root_that_is_suddenly_empty_keeps_everything(root, store):
    shutil.rmtree(root)
    root.mkdir()
    with pytest.raises(CorpusError, match=r"is empty.*Nothing was removed.*--prune-unreachable"):
        sync_folder(store, root, ENCODER)
    assert found(store, "lamp") == {"top.md", *KEPT}
    assert sync_folder(store, root, ENCODER, Choices(prune_unreachable=True)).removed == 4


def test_no_index_is_made_anew_without_what_cannot_be_looked_at(root, store):
    write_manifest(store, replace(read_manifest(store), mounts=("disk/",)))
    shutil.rmtree(root / "disk")
    other = ToyEncoder(dimension=32)
    with pytest.raises(CorpusError, match=r"made anew, and documents.*cannot be looked at now: 2"):
        sync_folder(store, root, other)
    assert found(store, "lamp") == {"top.md", *KEPT}
    assert sync_folder(store, root, other, Choices(prune_unreachable=True)).rebuilt
