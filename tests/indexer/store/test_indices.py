"""Indices of large tables: when they are made, and that no search is the worse for them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from indexer.records import Query
from indexer.store.folder import version_file, version_files
from indexer.store.ranking import PARTITIONS
from indexer.store.snapshot import Snapshot
from indexer.store.tables import (
    FEW_FRAGMENTS,
    MAX_FRAGMENTS,
    MAX_PARTITIONS,
    OUTGROWN,
    SOURCES,
    VECTORS,
    WORDS,
    Scale,
    plan_indices,
    plan_tidying,
)
from tests.support.places import REPOSITORY
from tests.support.rows import (
    by_text,
    by_vector,
    check_same,
    check_store,
    chunk_rows,
    vector_index,
    vectors_of,
)
from tests.support.toy_index import ENCODER, LARGE, sync_large

pytestmark = pytest.mark.slow

# Partitions of four passages lose .01 to .04, with the chance of their training. What is lost at
# scale is for benchmarks/vector_index.py to measure; rows that an index forgot would cost far more.
RECALL = 0.9
FILES, PASSAGES = 60, 24  # passages of each file


def write_file(path: Path, seed: int) -> None:
    """Paragraphs of one passage each, of words that are the file's own and of common ones."""
    random = np.random.default_rng(seed)
    own = [f"w{number}" for number in random.integers(0, 5_000, 40)]
    common = [f"c{number}" for number in range(200)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "\n\n".join(
            " ".join([*random.choice(own, 22), *random.choice(common, 22)]) for _ in range(PASSAGES)
        )
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder, and its store with an index of vectors; tests change copies of both."""
    folder = tmp_path_factory.mktemp("large")
    for number in range(FILES):
        write_file(folder / "docs" / f"part_{number % 6}" / f"{number:02}.txt", number)
    sync_large(folder / "docs", folder / "store")
    return folder


@pytest.fixture
def root(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made / "docs", tmp_path / "docs", copy_function=shutil.copy2)
    shutil.copytree(made / "store", tmp_path / "store")
    return tmp_path / "docs"


@pytest.fixture
def store(root: Path) -> Path:
    return root.parent / "store"


def below(snapshot: Snapshot, prefix: str) -> frozenset[str]:
    return frozenset(source for source in snapshot.documents if source.startswith(prefix))


def recall(snapshot: Snapshot, prefix: str = "") -> float:
    """The share of the exact first ten that is found, over many queries; scores are checked."""
    rows = chunk_rows(snapshot)
    rows = rows.filter([source.startswith(prefix) for source in rows["source"].to_pylist()])
    vectors, ids = vectors_of(rows), rows["id"].to_pylist()
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)  # 1, but for 16 bits
    random = np.random.default_rng(5)
    found_of_all = []
    for row in random.integers(0, len(ids), 50):
        query = vectors[row] + random.standard_normal(ENCODER.dimension) * 0.05
        query = (query / np.linalg.norm(query)).astype(np.float32)
        cosines = vectors @ query
        found = by_vector(snapshot, query, Query("", 60, among=below(snapshot, prefix)))
        assert len(found) == min(60, len(ids))
        assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
        for hit in found:
            assert hit.score == pytest.approx(cosines[ids.index(hit.chunk.id)], abs=1e-5)
        tenth = np.sort(cosines)[-10]  # by its cosine, since passages may be equally near
        found_of_all.append(sum(hit.score >= tenth - 1e-5 for hit in found[:10]) / 10)
    return float(np.mean(found_of_all))


def check(store: Path) -> Snapshot:
    """The snapshot of a store that is whole, has an index of vectors, and finds what is nearest."""
    snapshot = check_store(store)
    assert snapshot._chunks.version == snapshot.manifest.chunks_version
    newest = version_file(store, "chunks", snapshot.manifest.chunks_version)
    assert version_files(store, "chunks")[0] == newest  # else the next run would tidy once more
    assert vector_index(snapshot)[0] > PARTITIONS  # the control: some are not looked through
    assert sum(vector_index(snapshot)[1:]) == snapshot.manifest.chunks
    assert recall(snapshot) >= RECALL
    return snapshot


NORMAL = Scale()
SMALL = {WORDS}


def large(partitions: int) -> set[str]:
    return {WORDS, SOURCES, VECTORS.format(partitions)}


@pytest.mark.parametrize(
    ("rows", "existing", "drop", "make"),
    [
        (0, set(), set(), set()),
        (1, set(), set(), SMALL),
        (49_999, SMALL, set(), set()),
        (50_000, SMALL, set(), {SOURCES, VECTORS.format(50)}),
        (50_000, set(), set(), large(50)),
        (199_999, large(50), set(), set()),
        (50_000 * OUTGROWN, large(50), {VECTORS.format(50)}, {VECTORS.format(200)}),
        (25_000, large(50), set(), set()),
        (24_999, large(50), {SOURCES, VECTORS.format(50)}, set()),
        (0, large(50), set(), set()),
        (10**9, SMALL, set(), {SOURCES, VECTORS.format(MAX_PARTITIONS)}),
        (10**9, large(MAX_PARTITIONS), set(), set()),
        # Stopped between dropping and making, or left by another program.
        (60_000, {WORDS, SOURCES}, set(), {VECTORS.format(60)}),
        (60_000, large(50) | {"title_idx"}, set(), set()),
    ],
)
def test_which_indices_a_table_has_is_decided_by_its_rows(rows, existing, drop, make):
    assert plan_indices(rows, existing, NORMAL) == (drop, make)
    after = (existing - drop) | make
    assert plan_indices(rows, after, NORMAL) == (set(), set())


@pytest.mark.parametrize(
    ("counts", "finished", "unfinished"),
    [
        ({"rows": 4, "unindexed": 1}, "cover", "nothing"),
        ({"rows": 1_000, "unindexed": 50}, "nothing", "nothing"),
        ({"rows": 1_000, "unindexed": 51}, "cover", "nothing"),
        ({"rows": 12_000, "unindexed": 100}, "nothing", "nothing"),
        ({"rows": 12_000, "unindexed": 101}, "cover", "nothing"),
        ({"rows": 100_000, "unindexed": 201}, "cover", "nothing"),
        ({"rows": 1_000_000, "unindexed": 1_000}, "nothing", "nothing"),
        ({"rows": 1_000_000, "unindexed": 50_001}, "cover", "cover"),
        ({"rows": 1_000, "deleted": 201}, "merge", "merge"),
        ({"rows": 1_000, "fragments": FEW_FRAGMENTS}, "nothing", "nothing"),
        ({"rows": 1_000, "fragments": FEW_FRAGMENTS + 1}, "merge", "nothing"),
        ({"rows": 1_000, "fragments": MAX_FRAGMENTS + 1}, "merge", "merge"),
        ({"rows": 1_000_000, "fragments": MAX_FRAGMENTS + 100}, "merge", "nothing"),
        ({"rows": 1_000_000, "fragments": MAX_FRAGMENTS + 101}, "merge", "merge"),
    ],
)
def test_when_a_table_is_merged_is_decided_by_its_counts(counts, finished, unfinished):
    assert plan_tidying(**counts, finished=True) == finished
    assert plan_tidying(**counts, finished=False) == unfinished


def test_an_index_finds_what_the_exact_scan_finds(root, store):
    snapshot = check(store)
    covered = FILES * PASSAGES
    assert vector_index(snapshot) == (covered // LARGE.partition_rows, covered, 0)
    # The control: so few partitions of so many alone do not hold the nearest rows.
    query = vectors_of(chunk_rows(snapshot))[0]
    assert len(snapshot._chunks.nearest(query, 60, "", 1)) < 60
    assert snapshot.pool([]) == []


def test_edits_deletions_and_renames_leave_the_rows_of_a_fresh_index(root, store, tmp_path):
    (root / "part_0" / "00.txt").unlink()
    (root / "part_1" / "01.txt").rename(root / "part_1" / "renamed.txt")
    (root / "part_2").rename(root / "moved")
    for number in range(3):
        write_file(root / "part_3" / "03.txt", 100 + number)
        write_file(root / "part_4" / f"added {number}.txt", 200 + number)
        sync_large(root, store)
        check(store)
    sync_large(root, tmp_path / "fresh")
    check_same(store, tmp_path / "fresh")
    gone = {"part_0/00.txt", "part_1/01.txt"}
    snapshot = check(store)
    for vector in vectors_of(chunk_rows(snapshot))[::50]:
        assert not gone & {hit.chunk.source for hit in by_vector(snapshot, vector, Query("", 60))}


def test_temporary_files_with_vectors_stay_in_the_store(root, store):
    code = """
import sys
from pathlib import Path
from tests.support.toy_index import sync_large
from indexer.store.snapshot import Snapshot
from tests.support.rows import vector_index
root, store = map(Path, sys.argv[1:])
sync_large(root, store)
print("made", vector_index(Snapshot(store))[0], flush=True)
from indexer.store.lance import IvfRq, open_table
open_table(store, "chunks").create_index("vector", IvfRq(4, 150), "control")
print("the control was made too")
"""
    (root / "part_0" / "00.txt").unlink()
    shutil.rmtree(store / "lance")
    (store / "manifest.json").unlink()
    done = subprocess.run(
        [sys.executable, "-c", code, root, store],
        cwd=REPOSITORY,
        env=os.environ | {"TMPDIR": str(root / "nowhere")},  # so that whoever needs it fails
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["made", "354"], done.stdout + done.stderr
    assert done.returncode != 0
    assert not any((store / "tmp").rglob("*"))


def test_a_search_below_a_prefix_loses_no_result_and_finds_no_other(root, store):
    write_file(root / "50%_off" / "a.txt", 600)
    write_file(root / "50%xoff" / "b.txt", 601)
    write_file(root / "partx1" / "c.txt", 602)  # signs of a pattern are signs of a name here
    sync_large(root, store)
    snapshot = Snapshot(store)
    rows = chunk_rows(snapshot)
    vector = vectors_of(rows)[0]
    for name in ("part_1/", "part_1/01.txt", "50%_off/", "nothing/"):
        these = below(snapshot, name)
        near = by_vector(snapshot, vector, Query("", 60, among=these))
        worded = by_text(snapshot, Query("c1 c2 c3", 2_000, among=these))
        assert len(near) == min(60, sum(s in these for s in rows["source"].to_pylist()))
        assert {hit.chunk.source for hit in (*near, *worded)} <= these
        assert bool(worded) == bool(these)
        assert not these or recall(snapshot, name) >= RECALL
