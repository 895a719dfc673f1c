"""Indexes of the sets that are searched and asked, with the packaged model.

They are kept outside of the tree, below the folder for temporary files or where GOLDEN_STORES says,
a set for each checkout. One is made anew when any code of the indexer or a version of a library is
another than when it was made; what changed in its documents `index` finds.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from benchmarks.common import document_files
from benchmarks.golden import EVAL, REPOSITORY, digest
from corpus_agent import Corpus

SAMPLE = REPOSITORY / "sample_corpus"
FOLDERS: Mapping[str, Path] = {
    "sample": SAMPLE,
    "med": EVAL / "retrieval" / "med",
    "cacm": EVAL / "retrieval" / "cacm",
    "xquad-dev": EVAL / "qa" / "xquad-paragraphs",
    "til": EVAL / "corpora" / "til",
    "financebench": EVAL / "qa" / "financebench" / "pdfs",
    "contracts": EVAL / "fields" / "cuad-dev" / "txt",
}
CONTRACTS, CONTRACT_BYTES = 24, 30_000  # so many of those that are not longer


def missing(names: set[str]) -> dict[str, str]:
    """The sets whose data is not here, with the reason."""
    return {name: "the evaluation data is not here" for name in names if not FOLDERS[name].is_dir()}


@contextmanager
def opened(name: str) -> Iterator[Corpus]:
    place = _place()
    os.environ["XDG_STATE_HOME"] = str(place / "state")  # not the user's own list of indexes
    store, made_by = place / name, place / f"{name}.key"
    folder = _documents(name, place)
    made_of = f"{key()} {folder}"
    if not made_by.exists() or made_by.read_text("utf-8") != made_of:
        shutil.rmtree(store, ignore_errors=True)
        made_by.write_text(made_of, "utf-8")
    with Corpus.open(store) as corpus:
        corpus.index(folder, ocr="off")
        yield corpus


@cache
def key() -> str:
    """The hash of everything that makes an index."""
    found = hashlib.sha256((REPOSITORY / "constraints.txt").read_bytes())
    for path in sorted((REPOSITORY / "indexer").rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            found.update(f"{path.relative_to(REPOSITORY)}\0".encode() + path.read_bytes())
    return found.hexdigest()


@cache
def _place() -> Path:
    kept = os.environ.get("GOLDEN_STORES")
    own = Path(tempfile.gettempdir(), f"golden-{os.geteuid()}-{digest(REPOSITORY)}")
    place = Path(kept).absolute() if kept else own
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    if place.stat().st_uid != os.geteuid():
        raise SystemExit(f"{place} belongs to another user. Name another: GOLDEN_STORES=DIR")
    return place


def _documents(name: str, place: Path) -> Path:
    """The folder that is indexed: that of the set, or one made of it."""
    folder = FOLDERS[name]
    made = place / f"{name}-files"
    if name in ("med", "cacm"):
        if not made.exists():
            document_files(name, made)
        return made
    if name == "contracts":
        made.mkdir(exist_ok=True)
        short = (path for path in folder.iterdir() if path.stat().st_size <= CONTRACT_BYTES)
        for path in sorted(short)[:CONTRACTS]:
            shutil.copy2(path, made)
        return made
    return folder
