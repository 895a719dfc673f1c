"""The same questions with a model and without one: right ones, refusals, tokens until the answer.

Right: a gold string stands in what is shown. Every question is asked of both in turn, so that the
figures are of the same questions. Tokens are the server's own (llama.cpp's timings); seconds follow
at 60 prompt tokens and 8 written ones a second, two cores of a laptop with a model of 1.5 billion
parameters. Answerable and unanswerable questions of each set in turn, articles evenly.

`--reader` asks for the first word alone: the AUC of answerable against not of the
program's probability, of the model's and of both, what lies above the thresholds of
answering/decision.py in each half of the articles, and the F1 of refusing (`unanswerable`: below
`READ_YES`, where nothing is called answered). `mtrag` are the last turns of MTRAG-UN's
conversations, with what was said before, over all passages of the file; only read.

    python benchmarks/with_model.py --llm http://127.0.0.1:8080 [--set sample|squad|litrag|mtrag]
        [--questions 40] [--reader] [--tools] [--show] [--chance 1]
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from asked import Asked, flat, index_of, sample, squad
from common import data, print_table, read_jsonl

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

READ, WRITTEN = 60.0, 8.0  # tokens a second


class Timings(DirectBroker):
    """Sends requests as they are and keeps the timings in their replies."""

    def __init__(self, server: Server, *, sized: bool = True) -> None:
        super().__init__(Gate(server.address, frozenset(["model"]), None))
        self.sized = sized
        self.every: list[dict[str, Any]] = []

    def ask(self, method: str, path: str, body: bytes, on_frame: OnFrame) -> Exchange:
        """As a broker does; a server whose model's size is not to be known lists none."""
        content = bytearray()

        def kept(frame: Reply) -> None:
            if frame.kind is Kind.DATA:
                content.extend(frame.payload)
            on_frame(frame)
            for line in bytes(content).splitlines():
                if b'"timings"' in line and line.endswith(b"}"):
                    self.every.append(json.loads(line.removeprefix(b"data: "))["timings"])
                    content.clear()

        wanted = "/health" if path == "/v1/models" and not self.sized else path
        return super().ask(method, wanted, body, kept)


def litrag() -> list[tuple[Asked, dict[str, str]]]:
    """Each question with the documents that it is asked of."""
    found = []
    for n, entry in enumerate(read_jsonl(data("refusal", "litrag-dev.jsonl"))):
        chunks = [*entry["positive_chunk_list"], *entry["negative_chunk_list"]]
        texts = {f"{i:02}.md": f"{c['title']}\n\n{c['content']}" for i, c in enumerate(chunks)}
        none = "A_negative_only" in entry["qa_type"]
        answers = () if none else (entry["answer"],)
        found.append((Asked("litrag", str(n), entry["question"], "", answers), texts))
    return found


def mtrag() -> list[tuple[Asked, list[str]]]:
    """Each answerable and unanswerable turn with the turns before it, user and agent in turn."""
    return [
        (
            Asked(
                "mtrag",
                turn["conversation_id"],
                turn["input"][-1]["text"],
                "",
                () if turn["answerability"] == ["UNANSWERABLE"] else (turn["targets"][0]["text"],),
            ),
            [said["text"] for said in turn["input"][:-1]],
        )
        for turn in read_jsonl(data("refusal", "mtrag-un-dev.jsonl"))
        if turn["answerability"] in (["ANSWERABLE"], ["UNANSWERABLE"])
    ]


def evenly(asked: list[Asked], count: int, chance: random.Random) -> list[Asked]:
    """So many questions, half of them answerable as far as there are any."""
    yes = [each for each in asked if each.answers]
    no = [each for each in asked if not each.answers]
    few = min(len(no), count // 2)
    return chance.sample(yes, min(len(yes), count - few)) + chance.sample(no, few)


def holds(asked: Asked, answer: Answer) -> bool:
    """Whether what is shown has a gold string."""
    shown = flat("\n".join([answer.text, *(each.text for each in answer.passages)]))
    return any(flat(gold) in shown for gold in asked.answers)


@dataclass(frozen=True)
class Row:
    asked: Asked
    without: Answer
    with_model: Answer
    timings: list[dict[str, Any]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--llm", required=True)
    parser.add_argument("--set", choices=("sample", "squad", "litrag", "mtrag"), default="sample")
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--reader", action="store_true", help="the first word alone")
    parser.add_argument("--tools", action="store_true", help="as if its size were unknown")
    parser.add_argument("--chance", type=int, default=1)
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    where = urlsplit(arguments.llm)
    server = server_at(where.hostname or "127.0.0.1", where.port or 8080)
    if arguments.reader:
        return report_readings(list(readings(arguments, server)))
    rows = []
    for row in asked_of_both(arguments, server):
        rows.append(row)
        if arguments.show:
            show(row)
    return report(rows)


def asked_of_both(arguments: argparse.Namespace, server: Server) -> Iterator[Row]:
    chance = random.Random(arguments.chance)
    if arguments.set == "litrag":
        cases = litrag()
        chosen = set(evenly([asked for asked, _ in cases], arguments.questions, chance))
        for asked, texts in cases:
            if asked in chosen:
                with folder_of(texts) as folder:
                    yield from both(folder, [asked], arguments, server)
        return
    folder, every = sample() if arguments.set == "sample" else squad()
    yield from both(folder, evenly(every, arguments.questions, chance), arguments, server)


def both(
    folder: Path, questions: list[Asked], arguments: argparse.Namespace, server: Server
) -> Iterator[Row]:
    with index_of(folder) as corpus:
        own = ExtractiveAnswerer(corpus.encoder)
        broker = Timings(server, sized=not arguments.tools)
        model = ModelAnswerer(
            server,
            "model",
            broker,
            encode=corpus.encoder.encode_tokens,
            own=own,
        )
        for asked in questions:
            broker.every.clear()
            without = own.answer(asked.text, corpus)
            answer = session.ask(asked.text, corpus, model)
            yield Row(asked, without, answer, list(broker.every))


@dataclass(frozen=True)
class Reading:
    asked: Asked
    own: float
    read: float

    @property
    def both(self) -> float:
        return decision.reading(self.own, self.read)


def readings(arguments: argparse.Namespace, server: Server) -> Iterator[Reading]:
    """What program and model make of each question."""
    chance = random.Random(arguments.chance)
    for folder, questions, said in cases(arguments.set, arguments.questions, chance):
        with index_of(folder) as corpus:
            own = ExtractiveAnswerer(corpus.encoder)
            for asked in questions:
                history = turns(said.get(asked, ()), own, corpus)
                found = own.answer(asked.text, corpus, history)
                shown = "\n".join(Frame().wrap(passage.text) for passage in found.passages)
                message = f"{shown}\n\nQuestion: {asked.text}\n\n{READER_QUESTION}"
                model = ChatModel(Timings(server), "model", Deadline(600))
                text = sent(PASSAGES_PROMPT, [UserMessage(message)])
                read = log_odds(*first_word(model, text))
                each = Reading(asked, found.probability or decision.UNKNOWN, read or 0.0)
                if arguments.show:
                    kind = "?" if asked.answers else "-"
                    print(f"{kind} {each.own:.2f} {each.read:+.2f} {asked.text}", flush=True)
                yield each


def cases(
    which: str, count: int, chance: random.Random
) -> Iterator[tuple[Path, list[Asked], dict[Asked, list[str]]]]:
    """Folders, the questions that are asked of each, and what was said before them."""
    if which == "litrag":
        chosen = set(evenly([asked for asked, _ in litrag()], count, chance))
        for asked, texts in litrag():
            if asked in chosen:
                with folder_of(texts) as folder:
                    yield folder, [asked], {}
    elif which == "mtrag":
        passages = {
            f"{passage['document_id'].replace('/', '_')[:100]}.txt": passage["text"]
            for turn in read_jsonl(data("refusal", "mtrag-un-dev.jsonl"))
            for passage in turn["contexts"]
        }
        said = dict(mtrag())
        with folder_of(passages) as folder:
            yield folder, evenly(list(said), count, chance), said
    else:
        folder, every = sample() if which == "sample" else squad()
        yield folder, evenly(every, count, chance), {}


def turns(said: Sequence[str], own: ExtractiveAnswerer, corpus: Index) -> list[Turn]:
    """The conversation before a question: its questions, answered without a model."""
    history: list[Turn] = []
    for question in said[::2]:
        history.append(Turn(question, own.answer(question, corpus, history)))
    return history


def report_readings(found: list[Reading]) -> None:
    def auc(score: Callable[[Reading], float]) -> float:
        yes = [score(each) for each in found if each.asked.answers]
        no = [score(each) for each in found if not each.asked.answers]
        return sum((a > b) + (a == b) / 2 for a in yes for b in no) / (len(yes) * len(no))

    print_table(
        ("AUC of", f"{len(found)} questions"),
        [
            ("the program's probability", auc(lambda each: each.own)),
            ("the model's first word", auc(lambda each: each.read)),
            ("both", auc(lambda each: each.both)),
        ],
    )
    refused = [each for each in found if each.both < decision.READ_YES]
    silent = sum(not each.asked.answers for each in refused)
    f1 = 2 * silent / max(1, len(refused) + sum(not each.asked.answers for each in found))
    print(f"unanswerable: F1 {f1:.3f}, {silent} of {len(refused)} not called answered are")
    groups = sorted({each.asked.group for each in found})
    rows = []
    for name, threshold in (("READ_NO", decision.READ_NO), ("READ_YES", decision.READ_YES)):
        for half, odd in (("one half", 0), ("the other", 1)):
            part = [each for each in found if groups.index(each.asked.group) % 2 == odd]
            above = [each for each in part if each.both >= threshold]
            yes, no = (
                sum(bool(each.asked.answers) == kind for each in above)
                / max(1, sum(bool(each.asked.answers) == kind for each in part))
                for kind in (True, False)
            )
            right = sum(bool(each.asked.answers) for each in above) / max(1, len(above))
            rows.append((f"{name} {threshold}", half, len(part), yes, no, right))
    columns = ("threshold", "articles", "questions", "answerable above", "others above", "of those")
    print_table(columns, rows)


@contextmanager
def folder_of(texts: dict[str, str]) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as scratch:
        for name, text in texts.items():
            (Path(scratch) / name).write_text(text, "utf-8")
        yield Path(scratch)


def tokens(row: Row) -> tuple[int, int, int]:
    """Prompt tokens until the first word of the first reply, in all; tokens written."""
    read = [each["prompt_n"] for each in row.timings]
    return (read[0] if read else 0, sum(read), sum(each["predicted_n"] for each in row.timings))


def show(row: Row) -> None:
    right = "right" if holds(row.asked, row.with_model) else "wrong"
    print(
        f"{'?' if row.asked.answers else '-'} {row.asked.text}\n  without: {row.without.status} "
        f"{'right' if holds(row.asked, row.without) else 'wrong'}; with: {row.with_model.status} "
        f"{right}; tokens {tokens(row)}\n  {flat(row.with_model.text)[:300]}",
        flush=True,
    )


def report(rows: list[Row]) -> None:
    yes = [row for row in rows if row.asked.answers]
    no = [row for row in rows if not row.asked.answers]
    table = []
    for name, answers in (
        ("without a model", lambda row: row.without),
        ("with it", lambda row: row.with_model),
    ):
        statuses = [answers(row).status for row in yes]
        called = [row for row in rows if answers(row).status in ("answered", "likely")]
        held = sum(holds(row.asked, answers(row)) for row in called)
        refused = sum(answers(row).status in ("perhaps", "not_found") for row in no)
        table.append(
            (
                name,
                f"{sum(holds(row.asked, answers(row)) for row in yes)} of {len(yes)}",
                statuses.count("answered") + statuses.count("likely"),
                statuses.count("not_found"),
                f"{refused} of {len(no)}",
                f"{held} of {len(called)}",
            )
        )
    columns = ("right shown", "likely", "not_found", "unanswerable not likely", "likely hold")
    print_table(("", *columns), table)
    counts = [tokens(row) for row in rows if row.timings]
    if not counts:
        return
    first, every, written = (
        sorted(column)[len(counts) // 2] for column in zip(*counts, strict=True)
    )
    print(
        f"{len(rows)} questions; median new prompt tokens before the model's first word {first} "
        f"({first / READ:.1f} s), in all {every}, written {written} "
        f"({every / READ + written / WRITTEN:.1f} s to the end); first question {counts[0][0]}"
    )


if __name__ == "__main__":
    main()
