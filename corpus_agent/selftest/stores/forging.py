"""Makes the tables of an index claim that a file is a document, whatever that file is.

    python -m corpus_agent.selftest.stores.forging STORE ROOT SOURCE

In a process of its own, since LanceDB has threads. Called by boundaries.py for indexes of its run.
"""

from __future__ import annotations

import sys
from pathlib import Path

from indexer.records import FileRow
from indexer.store.manifest import read_manifest
from indexer.store.rows import Embedded
from indexer.store.writer import Writer


def main(store: str, root: str, source: str) -> None:
    """Commit a row for `source`, which is not opened."""
    manifest = read_manifest(Path(store))
    size = (Path(root) / source).stat().st_size
    row = FileRow(source, "indexed", bytes=size, sha256="0" * 64, lines=1, extractor="text/2")
    with Writer(Path(store), manifest.fingerprint, manifest.root) as writer:
        writer.replace([Embedded(row)])
        writer.commit(ignored=0, complete=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
