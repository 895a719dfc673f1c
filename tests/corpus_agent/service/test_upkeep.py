"""forget: out of the index, file kept, and what the printed rule does at the next run."""

import json
import unicodedata
import zlib
from pathlib import Path

import pytest

from corpus_agent.service.session import forget
from corpus_agent.settings import Settings
from corpus_agent.text.sanitize import visible
from indexer.errors import StoreLocked
from indexer.store.folder import SUM_BYTES, TABLES, writer_lock
from indexer.store.manifest import read_manifest
from indexer.store.snapshot import Snapshot, Snapshots
from indexer.store.texts import FORMAT, TEXTS_FOLDER
from indexer.store.writer import Writer
from tests.support.command import Cli
from tests.support.toy_index import ENCODER, copied, found, indexed, rows, sync

# Names that mean something in a rule, to a shell or to a terminal, and one from a Mac.
NAMES = [
    "plain.txt",
    'sub/it\'s "odd".txt',
    "sub/star*and?.txt",
    "[ab].txt",
    "back\\slash.txt",
    "!not.txt",
    "#note.txt",
    "trailing ",
    "a{b,c}.txt",
    "line\nbreak.txt",
    "un\u200bseen\u2028.txt",
    "esc\x1b[2Jape.txt",
    unicodedata.normalize("NFD", "café/über.txt"),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    names = [*NAMES, "a.txt", "sub/starXandY.txt"]
    texts = {name: f"The text of {name!r}, which has the word boiler.\n" for name in names}
    return indexed(tmp_path_factory.mktemp("made"), texts, ".corpus-agent")


@pytest.fixture
def root(made: Path, tmp_path: Path) -> Path:
    copied(made, tmp_path, ".corpus-agent")
    return tmp_path / "docs"


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_forgotten_document_is_gone_comes_back_and_stays_out_by_its_rule(root, name):
    store = root.parent / ".corpus-agent"
    source = unicodedata.normalize("NFC", name)
    before = rows(store)
    done = forget(Settings(store=store), source)
    assert done.row is not None
    assert {row[1] for row in rows(store)} == {row[1] for row in before} - {source}
    assert source not in found(store, "boiler")
    assert (root / name).exists()
    assert forget(Settings(store=store), source).row is None  # once more changes nothing
    sync(root, store, ENCODER)
    assert rows(store) == before
    assert done.rule == visible(done.rule)
    done.rules.write_text(f"{done.rule}\n")
    outcome = sync(root, store, ENCODER)
    assert (outcome.removed, outcome.ignored) == (1, 2)  # the rule file itself is a dot-file
    assert {row.source for row in Snapshot(store).rows()} == {
        row[1] for row in before if row[1] != source
    }


def mentions(store: Path, words: list[bytes]) -> set[str]:
    """The parts of a store whose files hold one of the words, packed texts too."""
    found = set()
    for path in (path for path in store.rglob("*") if path.is_file()):
        part, data = path.relative_to(store).parts[0], path.read_bytes()
        if part == TEXTS_FOLDER:
            data += zlib.decompress(data[len(FORMAT) + SUM_BYTES :])
        if any(word in data.lower() for word in words):
            found.add(part)
    return found


@pytest.mark.slow
def test_nothing_of_a_forgotten_document_is_left_in_the_store(cli: Cli, root):
    store, words = root.parent / ".corpus-agent", [b"zyklotron", b"xanthippe", b"4711"]
    (root / "Zyklotron.md").write_text("# Xanthippe\n\nIts number is 4711.\n")
    sync(root, store, ENCODER)
    assert mentions(store, words) >= {TABLES, TEXTS_FOLDER}  # the control
    cli("forget", "Zyklotron.md")  # by a door, which reads the index before it writes
    assert mentions(store, words) == set()


@pytest.mark.slow
def test_what_a_reader_held_of_a_forgotten_document_goes_with_the_next_run(root):
    store = root.parent / ".corpus-agent"
    (root / "Zyklotron.md").write_text("Its number is 4711.\n")
    sync(root, store, ENCODER)
    reader = Snapshot(store)
    forget(Settings(store=store), "Zyklotron.md")
    assert TABLES in mentions(store, [b"4711"])  # the control: it is still read
    (root / "Zyklotron.md").unlink()
    sync(root, store, ENCODER)
    assert TABLES in mentions(store, [b"4711"])
    reader.close()
    version = read_manifest(store).version
    sync(root, store, ENCODER)
    assert mentions(store, [b"4711"]) == set()
    sync(root, store, ENCODER)  # and then there is nothing to do
    assert read_manifest(store).version == version + 1


@pytest.mark.slow
def test_a_forgetting_that_was_killed_is_finished_by_the_next_one(root):
    store, words = root.parent / ".corpus-agent", [b"zyklotron", b"xanthippe"]
    (root / "Zyklotron.md").write_text("# Xanthippe\n\nIts number is 4711.\n")
    sync(root, store)
    manifest = read_manifest(store)
    with Writer(store, manifest.fingerprint, manifest.root) as writer:
        writer.replace([], ["Zyklotron.md"])
        writer.commit(ignored=0, complete=True)  # as far as a killed run may come
    assert mentions(store, words) >= {TABLES, TEXTS_FOLDER}  # the control
    forget(Settings(store=store), "Zyklotron.md")
    assert mentions(store, words) == set()


def test_forgetting_waits_for_nobody_and_changes_nothing_while_another_writes(root):
    store = root.parent / ".corpus-agent"
    with writer_lock(store), pytest.raises(StoreLocked, match="is being written by"):
        forget(Settings(store=store), "a.txt")
    assert Snapshots({"": (store, None)}).files_named(["a.txt"])


@pytest.mark.slow
def test_the_command_is_sealed_and_what_is_not_there_is_forgotten_already(cli: Cli, root):
    content = json.loads(cli("forget", "a.txt", "--json").stdout)
    assert content == {
        "schema_version": 1,
        "version": 2,
        "source": "a.txt",
        "forgotten": True,
        "keep_out": {"file": f"{root}/.corpusignore", "line": "/a.txt"},
        "seal": "enforced",
    }
    again = cli("forget", "a.txt")
    assert (again.returncode, "not in the index; nothing changed" in again.stdout) == (0, True)
    assert json.loads(cli("forget", "a.txt", "--json").stdout)["forgotten"] is False
    mistyped = cli("forget", "plane.txt")
    assert mistyped.returncode == 1
    assert "neither in the index nor in its folder" in mistyped.stderr
    assert "Of a similar name: plain.txt" in mistyped.stderr
