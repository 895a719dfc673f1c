"""Tokens and pages a second, and what they are measured against.

Tokens: the encoder on chunks of notes and of annual reports, beside sentence-transformers' own
`encode` with the same weights and threads. Pages: the text of 19 annual reports through one and
several workers; no chunking, no embedding, nothing kept.

    python benchmarks/speed.py [--chunks 120]
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from sentence_transformers import SentenceTransformer

from benchmarks.common import data, print_table, timed
from indexer.chunk import Chunker
from indexer.embed.encoder import Encoder
from indexer.embed.onnx_engine import OnnxEngine
from indexer.errors import UnreadableDocument
from indexer.extract import open_document, title_of
from indexer.files.walk import walk
from indexer.parsers.protocol import decoded
from indexer.parsers.worker import Text, Worker, in_order, worker_count
from indexer.records import Document
from indexer.sync.read import copied

SETS = (("til", ("corpora", "til")), ("19 reports", ("qa", "financebench")))


def chunk_texts(folder: Path, model: Encoder, most: int) -> list[str]:
    """What the model is given of chunks of a folder, so many from all over it."""
    chunker = Chunker(model)
    texts = []
    for seen in walk(folder).files:
        try:
            opened = open_document((folder / seen.source).read_bytes(), seen.source)
            lines = tuple(opened.lines)
        except UnreadableDocument:
            continue
        title = title_of(opened.title, seen.source)
        document = Document(seen.source, title, lines, opened.extractor)
        texts += [chunker.embedded_text(chunk) for chunk in chunker.chunk(document)]
    return texts[:: max(1, len(texts) // most)]


def tokens(most: int) -> None:
    """Print how quick each engine is, and how near its vectors are to the peer's."""
    model, threads = Encoder(), len(os.sched_getaffinity(0))
    peer = SentenceTransformer(str(model.path), device="cpu", local_files_only=True)
    engines: dict[str, Callable[[Sequence[str]], np.ndarray]] = {
        "sentence-transformers": lambda texts: peer.encode(list(texts), normalize_embeddings=True),
        "float32": OnnxEngine(model, "float32", threads).encode,
        "int8": OnnxEngine(model, "int8", threads).encode,
    }
    rows = []
    for name, place in SETS:
        texts = chunk_texts(data(*place), model, most)
        count = sum(len(encoding.ids) for encoding in model.tokenizer.encode_batch(texts))
        first: tuple[float, np.ndarray] | None = None
        for engine, encode in engines.items():
            encode(texts[:8])
            seconds, used, vectors = timed(lambda encode=encode, texts=texts: encode(texts))
            first = first or (seconds, vectors)
            near = float((vectors * first[1]).sum(axis=1).mean())
            speeds = (f"{count / seconds:,.0f}", f"{count / used:,.0f}", first[0] / seconds)
            rows.append((name, engine, *speeds, near))
    header = ("tokens/s", "a processor second", "times the peer", "cosine, mean")
    print_table(("set", "engine", *header), rows)


def through_workers(root: Path, sources: list[str], workers: int) -> int:
    def read(worker: Worker, source: str) -> Text:
        with copied(root, source, 0) as copy:
            return worker.read(copy.descriptor, source)

    with in_order(read, sources, [0] * len(sources), Worker, workers) as texts:
        return sum(max(line.page or 0 for line in decoded(text.encoding)) for text in texts)


def pages() -> None:
    root = data("qa", "financebench")
    sources = [seen.source for seen in walk(root).files if seen.source.endswith(".pdf")]
    rows = []
    for workers in (worker_count(), 1):
        wall, busy, count = timed(lambda workers=workers: through_workers(root, sources, workers))
        rows.append((workers, count, f"{wall:.1f}", f"{count / wall:.0f}", f"{busy:.1f}"))
    print_table(("workers", "pages", "seconds", "pages/s", "processor seconds"), rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=120, help="of each set")
    tokens(parser.parse_args().chunks)
    pages()


if __name__ == "__main__":
    main()
