"""Index a folder with another tool, in one process; `peers.py` starts it with that tool's Python.

    python peer_programs.py TASK.json

The task says which tool, `files` (a folder that the tool reads and cuts itself) or `chunks` (a JSON
list of texts that it only embeds and stores), the folder of the model, the folder for the store and
the tool's options. When its store is on disk, what the tool embedded is written to the file named
as `report`, with the time of the system's clock before that, and the files that its own search
ranks first for each of the task's `queries`, with the seconds of each. Imports nothing of this
project.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

Task = dict[str, Any]
POOL = 100  # passages asked for: enough for ten files


@dataclass(frozen=True)
class Built:
    """The texts that were embedded, the tokens of a text after which the tool cuts, its search."""

    texts: Iterable[str]
    window: int
    search: Callable[[str], list[str]] | None = None  # the files of the best passages, best first


def given_chunks(task: Task) -> list[str] | None:
    return json.loads(Path(task["chunks"]).read_text("utf-8")) if task["chunks"] else None


def with_txtai(task: Task) -> Built:
    """`Embeddings` with stored content over the paragraphs of `Textractor`."""
    from txtai import Embeddings

    chunks = given_chunks(task)
    pairs = _paragraphs(Path(task["files"])) if chunks is None else (("", one) for one in chunks)
    rows = [(f"{source}#{number}", text, None) for number, (source, text) in enumerate(pairs)]
    embeddings = Embeddings(path=task["model"], content=True, **task["options"])
    embeddings.index(rows)
    embeddings.save(task["store"])

    def search(query: str) -> list[str]:
        return [hit["id"].rsplit("#", 1)[0] for hit in embeddings.search(query, POOL)]

    return Built((text for _, text, _ in rows), embeddings.model.model.maxlength, search)


def _paragraphs(folder: Path) -> Iterator[tuple[str, str]]:
    """PDF goes through LiteParse as txtai calls it, but without OCR, which downloads its models."""
    from txtai.pipeline import Segmentation, Textractor

    plain, of_pages = Textractor(paragraphs=True, backend=None), Segmentation(paragraphs=True)
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        if path.suffix == ".pdf":
            import liteparse

            parser = liteparse.LiteParse(output_format="markdown", ocr_enabled=False, quiet=True)
            texts = of_pages(parser.parse(str(path)).text)
        else:
            texts = plain(str(path))
        yield from ((str(path), text) for text in texts)


def with_llamaindex(task: Task) -> Built:
    """`SimpleDirectoryReader`, `SentenceSplitter`, `VectorStoreIndex` in LanceDB."""
    from llama_index.core import SimpleDirectoryReader, StorageContext, VectorStoreIndex
    from llama_index.core.node_parser import SentenceSplitter
    from llama_index.core.schema import MetadataMode, TextNode
    from llama_index.embeddings.huggingface import HuggingFaceEmbedding
    from llama_index.vector_stores.lancedb import LanceDBVectorStore

    chunks, options = given_chunks(task), task["options"]
    if chunks is None:
        documents = SimpleDirectoryReader(task["files"], recursive=True).load_data()
        nodes = SentenceSplitter(**options["splitter"]).get_nodes_from_documents(documents)
    else:
        nodes = [TextNode(text=text) for text in chunks]
    model = HuggingFaceEmbedding(model_name=task["model"], device="cpu", **options["embedding"])
    storage = StorageContext.from_defaults(vector_store=LanceDBVectorStore(uri=task["store"]))
    index = VectorStoreIndex(nodes, storage_context=storage, embed_model=model)

    def search(query: str) -> list[str]:
        hits = index.as_retriever(similarity_top_k=POOL).retrieve(query)
        return [hit.node.metadata["file_path"] for hit in hits]

    texts = (node.get_content(MetadataMode.EMBED) for node in nodes)
    return Built(texts, model.max_length, search)


def with_leann(task: Task) -> Built:
    """`leann build`, or the builder that it calls, with the defaults of that command."""
    chunks, threads = given_chunks(task), task["threads"]
    if chunks is None:
        from leann.cli import main

        sys.argv = ["leann", "build", "peer", "--docs", task["files"]]
        sys.argv += ["--embedding-model", task["model"], "--num-threads", str(threads)]
        main()  # below the working directory
        index = Path(".leann", "indexes", "peer")
    else:
        from leann import LeannBuilder

        index = Path(task["store"])
        builder = LeannBuilder(
            "hnsw",
            embedding_model=task["model"],
            graph_degree=32,
            complexity=64,
            is_compact=False,
            is_recompute=True,
            num_threads=threads,
        )
        for text in chunks:
            builder.add_text(text)
        builder.build_index(str(index / "documents.leann"))
    window = json.loads(Path(task["model"], "sentence_bert_config.json").read_text())
    return Built(_passages(index / "documents.leann.passages.jsonl"), window["max_seq_length"])


def _passages(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)["text"]


PROGRAMS: dict[str, tuple[str, Callable[[Task], Built]]] = {
    "txtai": ("txtai", with_txtai),
    "llamaindex": ("llama-index-core", with_llamaindex),
    "leann": ("leann", with_leann),
}


def asked(search: Callable[[Any], list[str]], queries: Sequence[Any]) -> dict[str, list[Any]]:
    """The files that are found for each query, and the seconds of each search, the first unseen."""
    search(queries[0])  # what a tool loads with its first search is not a search's time
    ranked, seconds = [], []
    for query in queries:
        begun = time.perf_counter()
        found = search(query)
        seconds.append(time.perf_counter() - begun)
        ranked.append(list(dict.fromkeys(found)))
    return {"ranked": ranked, "searched": seconds}


def main() -> None:
    task = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    package, program = PROGRAMS[task["tool"]]
    built = program(task)
    report = {"committed": time.monotonic(), "version": metadata.version(package)}
    report |= {"texts": list(built.texts), "window": built.window}
    if built.search is not None and task["queries"]:
        report |= asked(built.search, task["queries"])
    Path(task["report"]).write_text(json.dumps(report), "utf-8")


if __name__ == "__main__":
    main()
