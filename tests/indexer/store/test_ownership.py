"""Which folder is a store, and what is refused in one; the making of one destroys nothing."""

import fcntl
import itertools
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from indexer.errors import CorpusError, DamagedStore, NoIndex, StoreLocked, UsageError
from indexer.files.opening import lock_briefly
from indexer.store.folder import LOCK_NAME, MARKER_NAME, writer_lock, writer_of
from indexer.store.lance import check_own_data, open_table
from indexer.store.storage import UNFINISHED_MARKER, check_apart, identity_of, make_store
from tests.support.other_user import as_nobody
from tests.support.places import REPOSITORY
from tests.support.toy_index import copied, indexed


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two documents and a real index of them."""
    texts = {"a.md": "Sourdough rises slowly.\n", "b.md": "The boiler pressure is 1.4 bar.\n"}
    return indexed(tmp_path_factory.mktemp("original"), texts)


@pytest.fixture
def made(original: Path, tmp_path: Path) -> Path:
    """A store with a real index of two documents."""
    return copied(original, tmp_path)


def test_a_store_is_made_once_for_its_owner_alone_and_keeps_its_identity(tmp_path):
    first = make_store(tmp_path / "deep/store")
    assert make_store(tmp_path / "deep/store") == identity_of(tmp_path / "deep/store") == first
    assert (tmp_path / "deep/store").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "deep/store/.gitignore").read_text() == "*\n"
    assert make_store(tmp_path / "other").id != first.id


@pytest.mark.parametrize("left", [[], [UNFINISHED_MARKER], [".gitignore", UNFINISHED_MARKER]])
def test_an_empty_folder_and_a_making_that_was_stopped_become_a_store(tmp_path, left):
    store = tmp_path / "store"
    store.mkdir(mode=0o775)
    for name in left:
        (store / name).write_text("*\n")
    make_store(store)
    assert {path.name for path in store.iterdir()} == {".gitignore", MARKER_NAME}
    assert store.stat().st_mode & 0o777 == 0o700


def test_a_link_a_file_and_nothing_are_no_store(tmp_path):
    make_store(tmp_path / "real")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "file").touch()
    for work in (make_store, identity_of):
        with pytest.raises(UsageError, match="is a link"):
            work(tmp_path / "link")
        with pytest.raises(UsageError, match="is a file"):
            work(tmp_path / "file")
    with pytest.raises(NoIndex, match="There is no index"):
        identity_of(tmp_path / "none")


KINDS = {
    "link": lambda path: path.symlink_to("/etc/passwd"),
    "dangling": lambda path: path.symlink_to("/nowhere"),
    "loop": lambda path: path.symlink_to(path.name),
    "fifo": os.mkfifo,
}
PLACES = ("x", "lance/chunks.lance/data/x", "texts/x", "tmp/x")


@pytest.mark.slow
def test_a_link_or_a_device_at_any_depth_is_refused(made):
    for where, kind in itertools.product(PLACES, KINDS):
        identity_of(made)  # the control
        path = made / where
        path.parent.mkdir(parents=True, exist_ok=True)
        KINDS[kind](path)
        if (where, kind) == ("tmp/x", "fifo"):
            identity_of(made)  # where a server has its socket, and nothing is opened by its name
        else:
            with pytest.raises(UsageError, match="link"):
                identity_of(made)
        path.unlink()


@pytest.mark.slow
def test_a_table_that_borrows_its_data_is_not_opened(original, made):
    import lancedb

    assert open_table(made, "chunks").version  # the control
    shutil.rmtree(made / "lance/chunks.lance")
    borrowed = f"{original}/store/lance/chunks.lance"
    copy = lancedb.connect(made / "lance").clone_table("chunks", borrowed, is_shallow=True)
    assert copy.count_rows()  # without a link on the disk
    with pytest.raises(DamagedStore):
        open_table(made, "chunks")


def test_a_stray_version_of_a_table_is_damage(made):
    stray = made / "lance/chunks.lance/_versions/9.manifest"

    def version(size: int, there: int, magic: bytes = b"LANC") -> bytes:
        """A message of 100 bytes with a field of some, of which some are there."""
        return struct.pack("<IBB", 100, 0x12, size) + bytes(there + 12) + magic

    nowhere = struct.pack("<QHH4s", 2**63, 0, 0, b"LANC")
    for data in (b"", nowhere, version(98, 0), version(99, 99), version(98, 98, b"LINC")):
        stray.write_bytes(data)
        with pytest.raises(DamagedStore):
            check_own_data(made, "chunks")
    stray.write_bytes(version(98, 98))
    check_own_data(made, "chunks")  # the control
    os.truncate(stray, 2**40)
    with pytest.raises(DamagedStore):
        check_own_data(made, "chunks")
    stray.unlink()
    assert open_table(made, "chunks").version  # the control
    stray.mkdir()
    with pytest.raises(DamagedStore):
        open_table(made, "chunks")


@pytest.mark.parametrize("content", ["", "corpus-agent store\n", "corpus-agent store\nid = zz\n"])
def test_a_damaged_marker_is_explained(made, content):
    (made / MARKER_NAME).write_text(content)
    with pytest.raises(UsageError, match="is damaged"):
        identity_of(made)


def test_a_path_that_tables_cannot_have_is_refused_before_anything_is_made(tmp_path):
    for name in ("a\nb", "a\x1b[31mb", "a\x7fb", "a\x85b", "a\x9b2Jb"):
        root = tmp_path / name
        root.mkdir()
        with pytest.raises(UsageError, match="a line end or a control character") as raised:
            check_apart(root / ".corpus-agent", root)
        assert str(raised.value).isprintable()
        check_apart(tmp_path / "elsewhere", root)  # the control
    for name in ("a%20b", "100%", "a#b", "a?b", "a'b", "a\\b", "[x]", "文"):
        check_apart(tmp_path / name / ".corpus-agent", tmp_path / name)


def test_others_may_neither_own_nor_write_a_store(made, open_folder):
    made.chmod(0o770)
    with pytest.raises(UsageError, match=r"may be written by other users.*chmod go-w"):
        identity_of(made)
    made.chmod(0o700)
    identity_of(made)
    if os.getuid() == 0:
        for name in ("manifest.json", MARKER_NAME, "."):
            os.chown(made / name, 65534, -1)
            with pytest.raises(UsageError, match="belongs to user 65534, not to this one"):
                identity_of(made)
            os.chown(made / name, 0, -1)
    make_store(open_folder / "store")
    (open_folder / "store").chmod(0o755)
    told = as_nobody(lambda: identity_of(open_folder / "store").id)
    if os.getuid() == 0:
        assert "belongs to user 0" in told["message"]


def test_a_store_and_its_documents_lie_apart(tmp_path):
    store, root = tmp_path / "store", tmp_path / "docs"
    check_apart(store, root)
    check_apart(root / ".corpus-agent", root)
    for inside in (store, store / "tmp", store / "tmp/.."):
        with pytest.raises(UsageError, match=r"cannot be their index.*--store"):
            check_apart(store, inside)


def test_no_store_is_made_around_the_users_record(tmp_path, state_folder):
    from corpus_agent.trust.stores import StorePlace, record

    identity = make_store(tmp_path / "store")
    with pytest.raises(CorpusError, match="holds this user's state folder"):
        record(StorePlace(state_folder.parent, tmp_path), identity)


MAKING = """
import sys
from pathlib import Path
from indexer.store.storage import make_store
print(make_store(Path(sys.argv[1])).id)
"""


@pytest.mark.slow
def test_of_processes_that_make_a_store_at_once_all_find_the_same(tmp_path):
    for number in range(5):
        command = [sys.executable, "-c", MAKING, str(tmp_path / f"store{number}")]
        pipe, where = subprocess.PIPE, {**os.environ, "PYTHONPATH": str(REPOSITORY)}
        makers = [
            subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=where)
            for _ in range(4)
        ]
        told = [maker.communicate(timeout=60) for maker in makers]
        assert all(maker.returncode == 0 for maker in makers), told
        assert len({said for said, _ in told}) == 1


def test_a_lock_that_somebody_keeps_is_an_error_and_no_endless_wait(tmp_path):
    make_store(tmp_path / "store")
    held, mine = (os.open(tmp_path / "store", os.O_RDONLY | os.O_DIRECTORY) for _ in range(2))
    fcntl.flock(held, fcntl.LOCK_SH)
    with pytest.raises(StoreLocked, match="The store is kept locked by another process"):
        lock_briefly(mine, fcntl.LOCK_EX, "The store", seconds=0.1)
    os.close(held)
    lock_briefly(mine, fcntl.LOCK_EX, "The store", seconds=0.1)
    os.close(mine)


def test_of_a_writer_nothing_is_shown_but_what_ours_say_of_themselves(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["/usr/bin/corpus-agent", "index", "/home/a b/x.md", "é" * 99])
    with writer_lock(tmp_path):
        ours = writer_of(tmp_path)
        assert "(corpus-agent index) since " in ours  # the control
        for odd in (
            "",
            "n\n" * 99,
            ours + "\n",
            ours + " a.example",
            ours.replace(" index", " ./x"),
        ):
            (tmp_path / LOCK_NAME).write_text(odd)  # as a foreign store may hold
            assert writer_of(tmp_path) == "another process", odd
    assert (writer_of(tmp_path), (tmp_path / LOCK_NAME).read_text()) == (None, "")
    assert (tmp_path / LOCK_NAME).stat().st_mode & 0o777 == 0o600
    (tmp_path / LOCK_NAME).write_text("left by one that was killed " * 9)
    with writer_lock(tmp_path):
        assert writer_of(tmp_path) == ours
    (tmp_path / "mine").hardlink_to(tmp_path / LOCK_NAME)
    with pytest.raises(UsageError, match="has another name elsewhere"), writer_lock(tmp_path):
        pass


def test_another_users_store_above_is_passed_over(open_folder):
    from indexer.store.storage import MANIFEST_NAME, STORE_NAME, find_store

    (open_folder / STORE_NAME).mkdir(mode=0o700)
    (open_folder / STORE_NAME / MANIFEST_NAME).touch()
    (open_folder / "below").mkdir(mode=0o777)
    assert find_store(open_folder / "below") == open_folder / STORE_NAME  # the control
    told = as_nobody(lambda: str(find_store(open_folder / "below")))
    assert told == ("None" if os.getuid() == 0 else str(open_folder / STORE_NAME))
