"""Chunk rows and file rows in LanceDB. The only package that imports lancedb.

Two tables and a manifest that names one version of each (see manifest.py). `Snapshot` reads a
committed version and never another; `Writer` holds the lock, writes new table versions that
nobody sees, and makes them visible with one commit. LanceDB's exceptions become CorpusErrors here.
"""

from indexer.store.rows import Embedded, Found, coverage_of, same_rows, still_right
from indexer.store.snapshot import Snapshot
from indexer.store.writer import Writer

__all__ = ["Embedded", "Found", "Snapshot", "Writer", "coverage_of", "same_rows", "still_right"]
