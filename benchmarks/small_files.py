"""Processor time of indexing many small Markdown files, without and with the embedding model.

Files of generated words in folders of 200 are indexed by the library, with an encoder that draws
its vectors, and on request by the real command. The controls: the same files walked, read and
hashed and no more; and the same text in one file, which costs the same cutting and storing.

    python benchmarks/small_files.py [--files N] [--words N] [--embed] [--folder DIR]
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from common import print_table, timed
from numpy.typing import NDArray

from indexer.embed import Encoded, FolderEncoder
from indexer.files.opening import hash_beneath
from indexer.files.walk import walk
from indexer.store.ownership import make_store
from indexer.sync.folder import sync_folder

FILES_A_FOLDER = 200
VOCABULARY = [
    a + b + c for a in "bdfgklmnprst" for b in ("a", "en", "or") for c in ("ly", "t", "s")
]


class DrawnVectors:
    """The packaged model's tokenizer and window, and vectors by chance, which cost nothing."""

    def __init__(self) -> None:
        model = FolderEncoder()
        self.name, self.weights_sha256 = "drawn", "0" * 64
        self.dimension, self.max_tokens = model.dimension, model.max_tokens
        self.tokenizer = model.tokenizer
        self.document_prefix = self.query_prefix = ""
        self._random = np.random.default_rng(0)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        drawn = self._random.standard_normal((len(texts), self.dimension), dtype=np.float32)
        return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)

    def encode_tokens(self, texts: Sequence[str]) -> list[Encoded]:
        raise AssertionError("indexing embeds no tokens")


def write(folder: Path, files: int, words: int) -> None:
    """The files, and in `one` their text in a single file."""
    random.seed(files)
    whole = []
    for number in range(files):
        text = f"# Note {number}\n\n{' '.join(random.choices(VOCABULARY, k=words))}.\n"
        path = folder / "many" / f"{number // FILES_A_FOLDER:04}" / f"note-{number:06}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        whole.append(text)
    (folder / "one").mkdir()
    (folder / "one/notes.md").write_text("\n".join(whole))


def measured(what: str, files: int, work: Callable[[], object]) -> tuple[str, str, str]:
    """A row of the table: seconds on the clock, and milliseconds of processor time a file."""
    took, used, _ = timed(work)
    return what, f"{took:.1f}", f"{1000 * used / files:.2f}"


def looked_at(root: Path) -> None:
    for seen in walk(root).files:
        hash_beneath(root, seen.source)


def indexed(root: Path, store: Path, documents: int) -> None:
    make_store(store)
    outcome = sync_folder(store, root, DrawnVectors())
    assert outcome.added + outcome.unchanged == documents, outcome


def by_command(root: Path, store: Path) -> None:
    command = [sys.executable, "-P", "-m", "corpus_agent", "--store", str(store), "index"]
    subprocess.run([*command, str(root)], check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    """Make the files, measure, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--words", type=int, default=40)
    parser.add_argument("--embed", action="store_true", help="also by the command, with its model")
    parser.add_argument("--folder", type=Path, help="for the files, an empty one")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        folder, files = Path(name), given.files
        write(folder, files, given.words)
        many, one = folder / "many", folder / "one"
        indexed(one, folder / "warm", 1)  # so that no row pays for imports
        rows = [
            measured("walked, read and hashed", files, lambda: looked_at(many)),
            measured("the same text in one file", files, lambda: indexed(one, folder / "a", 1)),
            measured("indexed, not embedded", files, lambda: indexed(many, folder / "b", files)),
            measured("nothing to do", files, lambda: indexed(many, folder / "b", files)),
        ]
        if given.embed:
            rows.append(measured("`index`", files, lambda: by_command(many, folder / "c")))
        print_table(
            (f"{files:,} files of {given.words} words", "s", "ms of processor a file"), rows
        )


if __name__ == "__main__":
    main()
