"""Several stores that are searched as one against one store of all documents.

Each retrieval set is cut in two and in three, by chance (a hash of the name) and by topic (along
the first axis of the documents' mean vectors), so that the parts have other words. Prints recall@10
and nDCG@10 of one store, and what the parts make of it. Exit 1 where recall falls by more than
.005. Nothing of the search was set on these figures.

    python benchmarks/several.py [--stores DIR] [SET ...]
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import mean

import numpy as np
from common import data, print_table, read_jsonl
from numpy.typing import NDArray
from retrieval import CUT, SETS, documents, judgments, ndcg, write_files

from corpus_agent.service import session
from corpus_agent.settings import NamedStore, Settings
from indexer.embed import FolderEncoder
from indexer.index import Index
from indexer.records import Query
from indexer.retrieve import POOL
from indexer.store.snapshot import Snapshot

MOST_LOST = 0.005  # of recall
PARTS = {2: "two", 3: "three"}


class Remembering:
    """An encoder that embeds each text once, though it stands in several stores."""

    def __init__(self) -> None:
        self._inner = FolderEncoder(None, bulk=True)
        self._known: dict[str, NDArray[np.float32]] = {}

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As the encoder does."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._inner.encode(new), strict=True))
        return np.stack([self._known[text] for text in texts])


def made(folder: Path, store: Path, encoder: Remembering) -> NamedStore:
    """The store of a folder, made or brought up to date; its name is its folder's."""
    session.index(Settings(store=store, ocr="off"), folder, encoder=encoder)  # type: ignore[arg-type]
    return NamedStore(store.name, store, folder)


def cuts(store: Path) -> dict[str, dict[str, int]]:
    """In which part each document is, by way to cut."""
    rows = Snapshot(store).chunk_rows()
    vectors: dict[str, list[list[float]]] = {}
    for source, vector in zip(rows["source"].to_pylist(), rows["vector"].to_pylist(), strict=True):
        vectors.setdefault(source, []).append(vector)
    matrix = np.array([np.mean(each, axis=0) for each in vectors.values()])
    axis = np.linalg.svd(matrix - matrix.mean(axis=0), full_matrices=False)[2][0]
    ranks = np.argsort(np.argsort(matrix @ axis))
    found = {}
    for parts, called in PARTS.items():
        drawn = {name: hashlib.sha256(name.encode()).digest()[0] % parts for name in vectors}
        along = dict(zip(vectors, (ranks * parts // len(ranks)).tolist(), strict=True))
        found |= {f"{called}, by chance": drawn, f"{called}, by topic": along}
    return found


def part(folder: Path, target: Path, sources: Iterable[str]) -> Path:
    """A folder with links to some files of another."""
    for source in sources:
        place = target / source
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.exists():
            place.hardlink_to(folder / source)
    return target


def scores(corpus: Index, name: str, ids: Mapping[str, str]) -> tuple[float, float]:
    """Mean recall@10 and nDCG@10 of documents."""
    relevant = judgments(name)
    recalls, gains = [], []
    for query in read_jsonl(data("retrieval", name, "queries.jsonl")):
        wanted = {key for key, value in relevant.get(query["_id"], {}).items() if value > 0}
        if wanted:
            found = documents(corpus.search(Query(query["text"], POOL, per_source=None)))
            listed = [ids[source.rpartition(":")[2]] for source in found]
            recalls.append(len(wanted & set(listed[:CUT])) / min(len(wanted), CUT))
            gains.append(ndcg(listed, relevant[query["_id"]]))
    return mean(recalls), mean(gains)


def measure(name: str, base: Path, encoder: Remembering) -> list[tuple[str, str, float, float]]:
    """A row for one store, and one for each way to cut it."""
    folder = base / f"{name}-files"
    ids = write_files(name, folder)
    whole = made(folder, base / name, encoder)

    def searched(stores: Sequence[NamedStore]) -> tuple[float, float]:
        several = tuple(stores) if len(stores) > 1 else ()
        settings = Settings(store=None if several else stores[0].store, several=several)
        return scores(session.open_corpus(settings, encoder=encoder), name, ids)  # type: ignore[arg-type]

    rows = [(name, "one store", *searched([whole]))]
    for way, part_of in cuts(whole.store).items():
        stores = []
        for number in sorted(set(part_of.values())):
            sources = [source for source, its in part_of.items() if its == number]
            cut = f"{name}-{way.replace(', by ', '-')}-{number}"
            below = part(folder, base / f"{cut}-files", sources)
            stores.append(made(below, base / cut, encoder))
        rows.append((name, way, *searched(stores)))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--stores", type=Path, help="keep the indexes here")
    arguments = parser.parse_args()
    encoder, lost = Remembering(), 0.0
    with tempfile.TemporaryDirectory() as scratch:
        base = arguments.stores or Path(scratch)
        for name in arguments.sets:
            rows = measure(name, base, encoder)
            print_table(("set", "stores", "recall@10", "nDCG@10"), rows)
            sys.stdout.flush()
            lost = max(lost, *(rows[0][2] - row[2] for row in rows))
    print(f"recall@10 falls by at most {lost:.4f}")
    sys.exit(1 if lost > MOST_LOST else 0)


if __name__ == "__main__":
    main()
