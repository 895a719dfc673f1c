"""The same questions with a model and without one: right ones, refusals, tokens until the answer.

Right: a gold string stands in what is shown. Every question is asked of both in turn, answerable
and unanswerable ones in turn. Tokens are the server's own (llama.cpp's timings). `--reader` asks
for the first word alone: the AUC of answerable against not of the program's probability, of the
model's and of both, and the F1 of not calling the unanswerable answered. `litrag` asks each
question of its own documents; `mtrag` are the last turns of conversations, over all passages.

    python benchmarks/with_model.py --llm http://127.0.0.1:8080 [--set sample|squad|litrag|mtrag]
        [--questions 40] [--reader]
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from benchmarks.common import (
    Asked,
    corpus_of,
    corpus_of_texts,
    data,
    flat,
    print_table,
    read_jsonl,
    sample,
    squad,
)
from corpus_agent.agent.answerer import ModelAnswerer, log_odds
from corpus_agent.agent.messages import UserMessage, sent
from corpus_agent.agent.prompts import PASSAGES_PROMPT, READER_QUESTION
from corpus_agent.agent.request import ChatModel, first_word
from corpus_agent.answering import decision
from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.answering.records import Answer, Turn
from corpus_agent.models.address import Server, server_at
from corpus_agent.models.http import Deadline
from corpus_agent.seal import Gate
from corpus_agent.seal.broker import Exchange, OnFrame
from corpus_agent.seal.frames import Kind, Reply
from corpus_agent.service import session
from corpus_agent.text.delimiters import Frame
from indexer.index import Index
from tests.support.fakes import DirectBroker

Said = dict[Asked, list[str]]  # what was said before a question, user and agent in turn
Case = tuple[AbstractContextManager[Index], list[Asked], Said]


class Timings(DirectBroker):
    """Sends requests as they are and keeps the timings in their replies."""

    def __init__(self, server: Server) -> None:
        super().__init__(Gate(server.address, frozenset(["model"]), None))
        self.every: list[dict[str, Any]] = []

    def ask(self, method: str, path: str, body: bytes, on_frame: OnFrame) -> Exchange:
        """As a broker does."""
        content = bytearray()

        def kept(frame: Reply) -> None:
            if frame.kind is Kind.DATA:
                content.extend(frame.payload)
            on_frame(frame)
            for line in bytes(content).splitlines():
                if b'"timings"' in line and line.endswith(b"}"):
                    self.every.append(json.loads(line.removeprefix(b"data: "))["timings"])
                    content.clear()

        return super().ask(method, path, body, kept)


# ---- Questions


def litrag(count: int) -> Iterator[Case]:
    """Each question with the documents that it is asked of."""
    found: dict[Asked, dict[str, str]] = {}
    for n, entry in enumerate(read_jsonl(data("refusal", "litrag-dev.jsonl"))):
        chunks = [*entry["positive_chunk_list"], *entry["negative_chunk_list"]]
        answers = () if "A_negative_only" in entry["qa_type"] else (entry["answer"],)
        asked = Asked("litrag", str(n), entry["question"], "", answers)
        found[asked] = {
            f"{i:02}.md": f"{c['title']}\n\n{c['content']}" for i, c in enumerate(chunks)
        }
    for asked in evenly(list(found), count):
        yield corpus_of_texts(found[asked]), [asked], {}


def mtrag(count: int) -> Iterator[Case]:
    """Each answerable and unanswerable turn with the turns before it."""
    said: Said = {}
    texts: dict[str, str] = {}
    for turn in read_jsonl(data("refusal", "mtrag-un-dev.jsonl")):
        for passage in turn["contexts"]:
            name = passage["document_id"].replace("/", "_")[:100]
            texts[f"{name}.txt"] = passage["text"]
        if (kind := turn["answerability"]) in (["ANSWERABLE"], ["UNANSWERABLE"]):
            *before, last = (each["text"] for each in turn["input"])
            answers = (turn["targets"][0]["text"],) if kind == ["ANSWERABLE"] else ()
            said[Asked("mtrag", turn["conversation_id"], last, "", answers)] = before
    yield corpus_of_texts(texts), evenly(list(said), count), said


def cases(which: str, count: int) -> Iterator[Case]:
    """Indexes, the questions that are asked of each, and what was said before them."""
    if which in ("litrag", "mtrag"):
        yield from (litrag if which == "litrag" else mtrag)(count)
        return
    folder, every = sample() if which == "sample" else squad()
    yield corpus_of(folder), evenly(every, count), {}


def evenly(asked: list[Asked], count: int) -> list[Asked]:
    """So many questions, half of them answerable as far as there are any; always the same ones."""
    chance = random.Random(1)
    yes = [each for each in asked if each.answers]
    no = [each for each in asked if not each.answers]
    few = min(len(no), count // 2)
    return chance.sample(yes, min(len(yes), count - few)) + chance.sample(no, few)


# ---- With the model and without


@dataclass(frozen=True)
class Row:
    """A question, both answers, and what the server says of its work."""

    asked: Asked
    answers: dict[str, Answer]
    timings: list[dict[str, Any]] = field(default_factory=list)

    def holds(self, way: str) -> bool:
        """Whether what is shown has a gold string."""
        answer = self.answers[way]
        shown = flat("\n".join([answer.text, *(each.text for each in answer.passages)]))
        return any(flat(gold) in shown for gold in self.asked.answers)


def both(case: Case, server: Server) -> Iterator[Row]:
    made, questions, _ = case
    with made as corpus:
        own, broker = ExtractiveAnswerer(corpus.encoder), Timings(server)
        model = ModelAnswerer(server, "model", broker, encode=corpus.encoder.encode_tokens, own=own)
        for asked in questions:
            broker.every.clear()
            answers = {"without a model": own.answer(asked.text, corpus)}
            answers["with it"] = session.ask(asked.text, corpus, model)
            yield Row(asked, answers, list(broker.every))


def report(rows: list[Row]) -> None:
    yes = [row for row in rows if row.asked.answers]
    table = []
    for way in ("without a model", "with it"):
        called = [row for row in rows if row.answers[way].status in ("answered", "likely")]
        right, held = (sum(row.holds(way) for row in some) for some in (yes, called))
        others = sum(not row.asked.answers for row in called)
        counts = f"{right} of {len(yes)}", f"{held} of {len(called)}"
        table.append((way, *counts, f"{others} of {len(rows) - len(yes)}"))
    header = ("right shown", "likely or answered hold", "of the unanswerable so called")
    print_table(("", *header), table)
    timed = [row.timings for row in rows if row.timings]
    if timed:
        first = median(each[0]["prompt_n"] for each in timed)
        every = median(sum(one["prompt_n"] for one in each) for each in timed)
        written = median(sum(one["predicted_n"] for one in each) for each in timed)
        print(f"median new prompt tokens before the first word {first:.0f}, in all {every:.0f}, "
              f"written {written:.0f}")  # fmt: skip


# ---- The model's first word


@dataclass(frozen=True)
class Reading:
    """A question, and how sure program and model are that it is answered."""

    asked: Asked
    own: float
    read: float

    @property
    def both(self) -> float:
        """What the program makes of the two."""
        return decision.reading(self.own, self.read)


def readings(case: Case, server: Server) -> Iterator[Reading]:
    made, questions, said = case
    with made as corpus:
        own = ExtractiveAnswerer(corpus.encoder)
        for asked in questions:
            history: list[Turn] = []
            for question in said.get(asked, [])[::2]:
                history.append(Turn(question, own.answer(question, corpus, history)))
            found = own.answer(asked.text, corpus, history)
            shown = "\n".join(Frame().wrap(passage.text) for passage in found.passages)
            message = f"{shown}\n\nQuestion: {asked.text}\n\n{READER_QUESTION}"
            model = ChatModel(Timings(server), "model", Deadline(600))
            read = log_odds(*first_word(model, sent(PASSAGES_PROMPT, [UserMessage(message)])))
            yield Reading(asked, found.probability or decision.UNKNOWN, read or 0.0)


def auc(found: Sequence[Reading], score: Callable[[Reading], float]) -> float:
    yes = [score(each) for each in found if each.asked.answers]
    no = [score(each) for each in found if not each.asked.answers]
    return sum((a > b) + (a == b) / 2 for a in yes for b in no) / (len(yes) * len(no))


def report_readings(found: list[Reading]) -> None:
    refused = [each for each in found if each.both < decision.READ_YES]
    silent = sum(not each.asked.answers for each in refused)
    f1 = 2 * silent / max(1, len(refused) + sum(not each.asked.answers for each in found))
    scores = (lambda each: each.own, lambda each: each.read, lambda each: each.both)
    header = ("questions", "AUC of the program", "of the first word", "of both", "F1")
    print_table(header, [(len(found), *(auc(found, score) for score in scores), f1)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--llm", required=True)
    parser.add_argument("--set", choices=("sample", "squad", "litrag", "mtrag"), default="sample")
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--reader", action="store_true", help="the first word alone")
    arguments = parser.parse_args()
    where = urlsplit(arguments.llm)
    server = server_at(where.hostname or "127.0.0.1", where.port or 8080)
    every = cases(arguments.set, arguments.questions)
    if arguments.reader:
        report_readings([each for case in every for each in readings(case, server)])
    else:
        report([row for case in every for row in both(case, server)])


if __name__ == "__main__":
    main()
