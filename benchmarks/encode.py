"""Tokens a second: the encoder, the whole index run, and what they are measured against.

The peer is sentence-transformers' own `encode` with the same weights, chunks and threads; the roof
is the best measured float32 matrix product divided by 23.5 MFLOP a token. Sets: 1,873 notes and 19
annual reports. torch's int8 is its dynamic quantisation of all linear layers.

    python benchmarks/encode.py [--limit CHUNKS] [--files FILES] [--threads N] [--no-index]
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from common import data, print_table, timed

from corpus_agent.service import session
from corpus_agent.settings import Settings
from indexer.chunk import Chunker
from indexer.embed.folder import ModelFolder
from indexer.embed.onnx_engine import OnnxEngine
from indexer.errors import UnreadableDocument
from indexer.extract import open_document, title_of
from indexer.files.opening import MAX_FILE_BYTES
from indexer.files.walk import walk
from indexer.records import Document

FLOP_A_TOKEN = 23.5e6  # six layers of width 384, sequences of 235
# By which products of 8-bit integers are quick: of Intel and AMD, then of ARM.
FLAGS = ("avx2", "avx512f", "avx_vnni", "avx512_vnni", "amx_int8", "asimddp", "i8mm")
SETS = (("til", ("corpora", "til")), ("19 reports", ("qa", "financebench")))
Vectors = np.ndarray


def chunk_texts(folder: Path, model: ModelFolder) -> list[str]:
    """What the model is given of every chunk of a folder."""
    chunker = Chunker(model.tokenizer, model.max_tokens)
    texts = []
    for seen in walk(folder, MAX_FILE_BYTES).files:
        try:
            opened = open_document((folder / seen.source).read_bytes(), seen.source)
            lines = tuple(opened.lines)
        except UnreadableDocument:
            continue
        title = title_of(opened.title, seen.source)
        document = Document(seen.source, title, lines, opened.extractor, "")
        texts += [chunker.embedded_text(chunk) for chunk in chunker.chunk(document)]
    return texts


def part_of(folder: Path, files: int, into: Path) -> Path:
    """A folder with every n-th file, so that about `files` remain; the folder itself for 0."""
    names = sorted(path for path in folder.rglob("*") if path.is_file())
    if not files or files >= len(names):
        return folder
    for path in names[:: len(names) // files]:
        target = into / path.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    return into


def peak_flops(size: int = 2048) -> float:
    """The best float32 matrix product of numpy and torch, in FLOP a second."""
    import torch

    best = 0.0
    one = np.random.default_rng(0).random((size, size), np.float32)
    for matrix in (one, torch.from_numpy(one)):
        for _ in range(8):
            seconds, _, _ = timed(lambda matrix=matrix: matrix @ matrix)
            best = max(best, 2 * size**3 / seconds)
    return best


def engines(model: ModelFolder, threads: int) -> dict[str, Callable[[Sequence[str]], Vectors]]:
    """Name and encode function of each way, the peer first."""
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(threads)

    def of_library(loaded: SentenceTransformer) -> Callable[[Sequence[str]], Vectors]:
        return lambda texts: loaded.encode(list(texts), normalize_embeddings=True)

    eight = SentenceTransformer(str(model.path), device="cpu", local_files_only=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated in favour of a package of its own
        torch.ao.quantization.quantize_dynamic(
            eight, {torch.nn.Linear}, dtype=torch.qint8, inplace=True
        )
    whole = SentenceTransformer(str(model.path), device="cpu", local_files_only=True)
    return {
        "sentence-transformers": of_library(whole),
        "the same, torch int8": of_library(eight),
        "float32": OnnxEngine(model, "float32", threads).encode,
        "int8": OnnxEngine(model, "int8", threads).encode,
    }


def encoded(
    ways: dict[str, Callable[[Sequence[str]], Vectors]], texts: Sequence[str]
) -> dict[str, tuple[float, float, str]]:
    """Seconds by the clock and of the processors, and the cosine to the first way, by way."""
    found: dict[str, tuple[float, float, str]] = {}
    wanted = None
    for way, encode in ways.items():
        encode(texts[:8])
        seconds, used, vectors = timed(lambda encode=encode: encode(texts))
        wanted = vectors if wanted is None else wanted
        near = (vectors * wanted).sum(axis=1)
        found[way] = (seconds, used, f"{near.mean():.4f} / {near.min():.3f}")
    return found


def index_seconds(folder: Path) -> tuple[float, float]:
    """Seconds of a whole run, by the clock and of the processors, workers included."""
    with tempfile.TemporaryDirectory() as scratch:
        settings = Settings(store=Path(scratch) / "store")
        seconds, used, _ = timed(lambda: session.index(settings, folder))
    return seconds, used


def processor() -> str:
    """The processor's name, and of the flags that decide its speed those that it has."""
    lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    known = {
        key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)
    }
    hidden = os.environ.get("CORPUS_AGENT_HIDDEN_FLAGS", "").split()  # by older_processor.py
    there = set(known.get("flags", known.get("Features", "")).split()).difference(hidden)
    has = [flag for flag in FLAGS if flag in there]
    return f"{known.get('model name', 'unnamed')}: {', '.join(has) or 'none of the flags known'}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=0, help="chunks of each set")
    parser.add_argument("--files", type=int, default=0, help="files of each set")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--no-index", action="store_true", help="leave the index runs out")
    given = parser.parse_args()
    model = ModelFolder()
    ways = engines(model, given.threads)
    flops = peak_flops()
    roof = flops / FLOP_A_TOKEN
    rows = []
    for name, place in SETS:
        with tempfile.TemporaryDirectory() as scratch:
            folder = part_of(data(*place), given.files, Path(scratch).resolve())
            texts = chunk_texts(folder, model)
            texts = texts[:: max(1, len(texts) // given.limit)] if given.limit else texts
            tokens = sum(len(encoding.ids) for encoding in model.tokenizer.encode_batch(texts))
            of_set = encoded(ways, texts)
            if not given.no_index and not given.limit:
                of_set["index, from files to commit"] = (*index_seconds(folder), "")
        peer = next(iter(of_set.values()))[0]
        for way, (seconds, used, near) in of_set.items():
            speed = tokens / seconds
            figures = (f"{seconds:.1f}", f"{speed:,.0f}", peer / seconds, speed / roof)
            rows.append((name, way, *figures, f"{tokens / used:,.0f}", near))
    print(f"{processor()}, of {', '.join(FLAGS)}")
    print(f"{given.threads} threads, {flops / 1e9:.0f} GFLOP/s, roof {roof:,.0f} tokens/s")
    print_table(
        (
            "set",
            "way",
            "seconds",
            "tokens/s",
            "of the peer",
            "of the roof",
            "tokens a processor second",
            "cosine mean / least",
        ),
        rows,
    )


if __name__ == "__main__":
    main()
