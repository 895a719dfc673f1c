"""The same questions with a model and without one: right ones, refusals, tokens until the answer.

Right: a gold string stands in what is shown. Every question is asked of both in turn, answerable
and unanswerable ones in turn. Tokens are the server's own (llama.cpp's timings). `--reader` asks
for the first word alone: the AUC of answerable against not of the program's probability, of the
model's and of both, and the F1 of not calling the unanswerable answered.

    python benchmarks/with_model.py --llm http://127.0.0.1:8080 [--set SET]
        [--questions 40] [--reader]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from benchmarks.common import Asked, flat, print_table
from benchmarks.passages import auc
from benchmarks.sets import SETS, corpora, evenly, history
from corpus_agent.agent.answerer import ModelAnswerer, log_odds
from corpus_agent.agent.conversation import PROMPTS, Message, sent
from corpus_agent.agent.request import ChatModel, first_word
from corpus_agent.answering import decision
from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.answering.records import Answer
from corpus_agent.models.discovery import Server, server_at
from corpus_agent.models.http import Deadline
from corpus_agent.seal import Gate
from corpus_agent.seal.broker import Exchange, OnFrame
from corpus_agent.seal.frames import Reply, ReplyKind
from corpus_agent.service import session
from corpus_agent.text.delimiters import Frame
from indexer.index import Index
from tests.support.fakes import DirectBroker


class Timings(DirectBroker):
    """Sends requests as they are and keeps the timings in their replies."""

    def __init__(self, server: Server) -> None:
        super().__init__(Gate(server.address, frozenset(["model"]), None))
        self.every: list[dict[str, Any]] = []

    def ask(self, method: str, path: str, body: bytes, on_frame: OnFrame) -> Exchange:
        content = bytearray()

        def kept(frame: Reply) -> None:
            if frame.kind is ReplyKind.DATA:
                content.extend(frame.payload)
            on_frame(frame)
            for line in bytes(content).splitlines():
                if b'"timings"' in line and line.endswith(b"}"):
                    self.every.append(json.loads(line.removeprefix(b"data: "))["timings"])
                    content.clear()

        return super().ask(method, path, body, kept)


@dataclass(frozen=True)
class Row:
    """A question, both answers, and what the server says of its work."""

    asked: Asked
    answers: dict[str, Answer]
    timings: list[dict[str, Any]] = field(default_factory=list)

    def holds(self, way: str) -> bool:
        """Whether what is shown has a gold string, or a passage from where the answer stands."""
        answer, shown = self.answers[way], self.asked.held_by
        passages = [(each.citation, each.text) for each in answer.passages]
        held = any(shown(cited.source, cited.page, text) for cited, text in passages)
        return held or any(flat(gold) in flat(answer.text) for gold in self.asked.answers)


def both(corpus: Index, asked: Asked, server: Server) -> Row:
    own, broker = ExtractiveAnswerer(corpus.encoder), Timings(server)
    model = ModelAnswerer(server, "model", broker, encode=corpus.encoder.encode_tokens, own=own)
    said = history(own, asked, corpus)
    answers = {"without a model": own.answer(asked.text, corpus, said)}
    answers["with it"] = session.ask(asked.text, corpus, model, said)
    return Row(asked, answers, list(broker.every))


def report(rows: list[Row]) -> None:
    yes = [row for row in rows if row.asked.answerable]
    table = []
    for way in ("without a model", "with it"):
        called = [row for row in rows if row.answers[way].status in ("answered", "likely")]
        right, held = (sum(row.holds(way) for row in some) for some in (yes, called))
        others = sum(not row.asked.answerable for row in called)
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


@dataclass(frozen=True)
class Reading:
    """A question, and how sure program and model are that it is answered."""

    asked: Asked
    own: float
    read: float

    @property
    def both(self) -> float:
        """What the program makes of the two."""
        return decision.odds_of(self.own, self.read)


def reading(corpus: Index, asked: Asked, server: Server) -> Reading:
    own = ExtractiveAnswerer(corpus.encoder)
    found = own.answer(asked.text, corpus, history(own, asked, corpus))
    shown = "\n".join(Frame().wrap(passage.text) for passage in found.passages)
    message = f"{shown}\n\nQuestion: {asked.text}\n\n{PROMPTS['reader']}"
    model = ChatModel(Timings(server), "model", Deadline(600))
    read = log_odds(*first_word(model, sent(PROMPTS["passages"], [Message("user", message)])))
    return Reading(asked, found.probability or decision.UNKNOWN, read or 0.0)


def chosen(which: str, count: int) -> Iterator[tuple[Index, Asked]]:
    """So many questions of each corpus of a set, half of them answerable."""
    for index, every in corpora(which):
        yield from ((index, asked) for asked in evenly(every, count))


def report_readings(found: list[Reading]) -> None:
    refused = [each for each in found if each.both < decision.READ_YES]
    silent = sum(not each.asked.answerable for each in refused)
    f1 = 2 * silent / max(1, len(refused) + sum(not each.asked.answerable for each in found))
    scores = (lambda each: each.own, lambda each: each.read, lambda each: each.both)
    header = ("questions", "AUC of the program", "of the first word", "of both", "F1")
    areas = (auc([(each.asked.answerable, score(each)) for each in found]) for score in scores)
    print_table(header, [(len(found), *areas, f1)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--llm", required=True)
    parser.add_argument("--set", choices=SETS, default="sample")
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--reader", action="store_true", help="the first word alone")
    arguments = parser.parse_args()
    where = urlsplit(arguments.llm)
    server = server_at(where.hostname or "127.0.0.1", where.port or 8080)
    every = chosen(arguments.set, arguments.questions)
    if arguments.reader:
        report_readings([reading(*case, server) for case in every])
    else:
        report([both(*case, server) for case in every])


if __name__ == "__main__":
    main()
