"""Questions with known answers, and the corpora that they are asked of."""

from __future__ import annotations

import random
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.common import (
    Asked,
    corpus_of,
    data,
    read_jsonl,
    sample,
    squad,
    written,
    xquad,
)
from corpus_agent.answering.records import Answerer, Turn
from indexer.index import Index

Texts = dict[str, str]
Case = tuple[Path | Texts, list[Asked]]  # a folder, or files that are written for a run


def litrag() -> Iterator[Case]:
    """57 questions, each of its own dozen documents; half without the ones that answer."""
    for n, entry in enumerate(read_jsonl(data("refusal", "litrag-dev.jsonl"))):
        chunks = [*entry["positive_chunk_list"], *entry["negative_chunk_list"]]
        texts = {f"{i:02}.md": f"{c['title']}\n\n{c['content']}" for i, c in enumerate(chunks)}
        whole = not any(kind.startswith("A_") for kind in entry["qa_type"])
        places = tuple((f"{i:02}.md", None) for i in range(len(entry["positive_chunk_list"])))
        answers = (entry["answer"],) if whole else ()
        asked = Asked("litrag", str(n), entry["question"], "", answers, places if whole else ())
        yield texts, [asked]


def mtrag() -> Iterator[Case]:
    """The last turns of conversations, over the passages of all; those that are not answerable."""
    texts: Texts = {}
    found = []
    for turn in read_jsonl(data("refusal", "mtrag-un-dev.jsonl")):
        names = [f"{c['document_id'].replace('/', '_')[:100]}.txt" for c in turn["contexts"]]
        texts |= dict(zip(names, (c["text"] for c in turn["contexts"]), strict=True))
        kind = turn["answerability"]
        if kind == ["UNANSWERABLE"] or (kind == ["ANSWERABLE"] and names):
            said = [each["text"] for each in turn["input"] if each["speaker"] == "user"]
            has = kind == ["ANSWERABLE"]
            places = tuple((name, None) for name in names) if has else ()
            answers = (turn["targets"][0]["text"],) if has else ()
            key = turn["conversation_id"]
            found.append(Asked("mtrag", key, said[-1], "", answers, places, tuple(said[:-1])))
    yield texts, found


# Papers of our own: of a household and follow-ups over contracts and notes, on which nothing was
# ever set; everyday ones, half of them looked at.
OWN = ("household", "follow_ups", "everyday")


def _own(which: str) -> Iterator[Case]:
    path = Path(__file__).with_name(f"{which}.toml")
    papers: dict[str, list[dict[str, Any]]] = tomllib.loads(path.read_text("utf-8"))
    texts = {entry["path"]: entry["text"].removeprefix("\n") for entry in papers["documents"]}
    asked = [
        Asked(which, e.get("half", ""), e["asked"], answers=(e["holds"],) * bool(e["holds"]),
              before=tuple(e.get("before", ())))
        for e in papers["questions"]
    ]  # fmt: skip
    yield texts, asked


SETS: dict[str, Callable[[], Iterator[Case]]] = {
    "xquad": lambda: iter([xquad("en")]),
    "squad": lambda: iter([squad()]),
    "sample": lambda: iter([sample()]),
    **{each.__name__: each for each in (litrag, mtrag)},
    **{each: partial(_own, each) for each in OWN},
}


def corpora(which: str, stores: Path | None = None) -> Iterator[tuple[Index, list[Asked]]]:
    """Each corpus of a set, indexed for this run or kept in `stores`, with its questions."""
    for number, (documents, asked) in enumerate(SETS[which]()):
        with tempfile.TemporaryDirectory() as scratch:
            own = stores / which / str(number) if stores else Path(scratch)
            is_folder = isinstance(documents, Path)
            folder = documents if is_folder else written(documents, own / "files")
            with corpus_of(folder, own / "store") as index:
                yield index, asked


def evenly(asked: Sequence[Asked], count: int) -> list[Asked]:
    """So many questions, half of them answerable as far as there are any; always the same ones."""
    chance = random.Random(1)
    yes = [each for each in asked if each.answerable]
    no = [each for each in asked if not each.answerable]
    less = min(len(no), count // 2)
    return chance.sample(yes, min(len(yes), count - less)) + chance.sample(no, less)


def history(answerer: Answerer, asked: Asked, index: Index) -> list[Turn]:
    """What was said before a question, as the program would have answered it."""
    turns: list[Turn] = []
    for question in asked.before:
        turns.append(Turn(question, answerer.answer(question, index, turns)))
    return turns
