"""What a reader is told of files that are no longer what was indexed, and of a folder not there."""

import json
import os
from pathlib import Path

import pytest

from indexer.errors import IncompatibleStore, Refused, Unreachable
from indexer.index import Index
from indexer.records import Query
from indexer.store.manifest import former, read_manifest
from indexer.store.snapshot import SIMILAR_NAMES, Snapshot
from tests.support.fakes import ToyEncoder
from tests.support.toy_index import sync


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "bread.md").write_text("# Bread\n\nSourdough rises slowly.\n")
    (folder / "lease.txt").write_text("The tenant pays the sourdough.\n")
    return folder


@pytest.fixture
def corpus(root: Path) -> Index:
    sync(root, root.parent / "store")
    return Index.open(root.parent / "store", ToyEncoder())


def stale(corpus: Index) -> dict[str, bool]:
    return {hit.chunk.source: hit.stale for hit in corpus.search(Query("sourdough"))}


def replaced_by_link(path: Path) -> None:
    path.rename(path.parent.parent / "elsewhere")
    path.symlink_to(path.parent.parent / "elsewhere")


def replaced_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.write_text("Everything is different.\n"),
        lambda path: path.write_text("# Bread\n\nSourdough rises boldly.\n"),
        Path.unlink,
        replaced_by_link,
        replaced_by_folder,
    ],
    ids=["changed", "changed in place", "vanished", "a link", "a folder"],
)
def test_a_hit_says_that_its_file_is_no_longer_the_indexed_one(corpus, root, change):
    assert stale(corpus) == {"bread.md": False, "lease.txt": False}  # the control
    os.utime(root / "bread.md", ns=(1, 1))
    change(root / "bread.md")
    assert stale(corpus) == {"bread.md": True, "lease.txt": False}


def test_a_new_time_alone_makes_nothing_stale(corpus, root):
    os.utime(root / "bread.md", ns=(1, 1))
    assert not stale(corpus)["bread.md"]


def test_a_folder_that_is_not_there_is_said_and_the_index_kept(corpus, root, tmp_path):
    root.rename(tmp_path / "moved")
    with pytest.raises(Refused, match="is not there: moved, or not mounted"):
        corpus.read("bread.md")
    assert stale(corpus) == {"bread.md": True, "lease.txt": True}
    (tmp_path / "moved").rename(root)
    assert corpus.read("bread.md").lines


@pytest.mark.slow
def test_commands_say_that_the_folder_is_missing_and_prune_nothing(cli, root, tmp_path):
    assert cli("index", "docs").returncode == 0
    root.rename(tmp_path / "elsewhere")
    search = cli("search", "sourdough")
    assert "is not there: moved, or not mounted" in search.stderr
    assert "bread.md" in search.stdout
    asked = cli("ask", "--llm", "none", "--json", "Does sourdough rise?")
    assert asked.returncode == 1
    assert "is not there: moved, or not mounted" in json.loads(asked.stdout)["error"]["message"]
    indexed = cli("index")
    assert indexed.returncode == 1
    assert "the index is kept as it is" in indexed.stderr
    root.mkdir()  # as the place where a disk is mounted, without the disk
    emptied = cli("index")
    assert emptied.returncode == 1
    assert "Nothing was removed" in emptied.stderr
    assert json.loads(cli("status", "--json").stdout)["files"]["indexed"] == 2
    assert cli("index", "elsewhere").returncode == 2  # the old place exists: another corpus
    root.rmdir()
    moved = cli("index", "elsewhere", "--json")
    assert json.loads(moved.stdout)["index"]["unchanged"] == 2
    assert "Sourdough rises" in cli("read", "bread.md").stdout


def test_what_lives_long_can_go_on_to_the_newest_version(corpus, root):
    assert corpus.latest() is corpus
    (root / "bread.md").write_text("Rye bread instead.\n")
    sync(root, root.parent / "store")
    assert stale(corpus) == {"bread.md": True, "lease.txt": False}  # the control
    assert [manifest.version for manifest in former(root.parent / "store")] == [1]
    newest = corpus.latest()
    assert [manifest.version for manifest in former(root.parent / "store")] == [1]  # still held
    corpus.close()
    assert newest.version == read_manifest(root.parent / "store").version == 2
    assert newest.search(Query("rye"))[0].chunk.source == "bread.md"
    assert former(root.parent / "store") == []
    sync(root, root.parent / "store", ToyEncoder(dimension=32))
    with pytest.raises(IncompatibleStore, match="corpus-agent index"):
        newest.latest()


@pytest.mark.slow
def test_a_name_that_is_not_there_is_compared_with_few_of_many(root):
    for number in range(5_000):
        (root / f"report about the heating number {number}.txt").write_text("x")
    (root / "invoice 1887 of the plumber.txt").write_text("Paid.\n")
    sync(root, root.parent / "store")
    corpus = Index.open(root.parent / "store")
    with pytest.raises(Refused, match=r"Did you mean 'invoice 1887 of the plumber\.txt'"):
        corpus.read("invoice 1878 of the plumer.txt")
    with pytest.raises(Refused, match="Did you mean 'report about the heating number"):
        corpus.read("report about the heating number 99999.txt")
    for odd in ("'; DROP TABLE", "%" * 200_000, "a" * 200_000, "\0", "…", "ab"):
        with pytest.raises(Refused, match="is not in the index"):
            corpus.read(odd)
    similar = Snapshot(root.parent / "store").sources_like("a report of heat", SIMILAR_NAMES)
    assert len(similar) == SIMILAR_NAMES  # of the 5,000 that share a word


def test_an_empty_folder_is_taken_for_a_disk_that_is_not_mounted(corpus, root):
    for path in [*root.iterdir()]:
        path.rename(root.parent / path.name)
    assert all(hit.unreachable for hit in corpus.search(Query("sourdough")))
    with pytest.raises(Unreachable, match="is empty: moved, or not mounted"):
        corpus.read("bread.md")
    (root.parent / "lease.txt").rename(root / "lease.txt")  # the control
    hits = corpus.search(Query("sourdough"))
    assert [hit.unreachable for hit in hits] == [False, False]
