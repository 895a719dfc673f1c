"""Indices of tables that are large by the tests' own scale."""

from __future__ import annotations

from pathlib import Path

from indexer.files.walk import walk
from indexer.store.manifest import root_for
from indexer.store.ownership import make_store
from indexer.store.tables import Scale
from indexer.store.writer import Writer
from indexer.sync.plan import make_plan
from indexer.sync.run import Outcome, Run, fingerprint_of
from tests.support.toy_index import CHUNKER, ENCODER

PASSAGES = 24  # of a file
FILES = 60
LARGE = Scale(exact_rows=400, partition_rows=4)  # what the tests' folders are by it


def sync(root: Path, store: Path, scale: Scale = LARGE) -> Outcome:
    make_store(store)
    today = fingerprint_of(ENCODER, CHUNKER)
    with Writer(store, today, root_for(store, root), scale) as writer:
        seen = walk(root)
        todo = make_plan(root, seen, writer.files, writer.manifest, today)
        # One commit, however long it takes on a busy machine: partitions are counted.
        run = Run(root, writer, ENCODER, CHUNKER, commit_seconds=3_600.0)
        return run.apply(todo, seen.ignored, seen.started_ns)
