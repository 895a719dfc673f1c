"""A quotation says that its document hides it, and how surely its text was recognised."""

import json
from dataclasses import asdict, replace
from datetime import UTC, datetime

from corpus_agent import render
from corpus_agent.agent.answerer import ModelAnswerer
from corpus_agent.answering import receipt
from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.answering.quotations import check_quotation
from corpus_agent.answering.records import Answer, Citation
from corpus_agent.librarian.process import parsed
from corpus_agent.render import for_parent
from corpus_agent.text.delimiters import Frame
from indexer.records import Coverage, FileRow, Line
from tests.support.fakes import MemoryCorpus, ScriptedModelServer, ToyEncoder, passages, says

HIDES = "hidden in the document"
RECOGNISED = "recognised from a picture"
SHOWN = "The deposit of the mill is 900 euros."
HIDDEN = "The hidden fee of the mill is 50 euros."
SCANNED = "The mill was sold to Anna Berg for 7,000 euros."
BLURRED = "The buyer Anna Berg pays until May 2030."
LINES = [
    Line(SHOWN, 1),
    Line("", 1),
    Line(f"(hidden in the document) {HIDDEN}", 1, hidden=True),
    Line("", 1),
    Line(SCANNED, 2, confidence=0.98),
    Line(BLURRED, 2, confidence=0.61),
]
CORPUS = MemoryCorpus({"mill.pdf": LINES})


def cited(quote: str, line: int = 1, lines: list[Line] = LINES) -> Citation:
    return check_quotation(MemoryCorpus({"mill.pdf": lines}), 1, "mill.pdf", quote, line)


def test_a_citation_knows_what_its_lines_are():
    for quote, *wanted in (
        (SHOWN, "verified", False, None),
        (HIDDEN, "verified", True, None),
        (SCANNED, "verified", False, 0.98),
        (f"{SCANNED} {BLURRED}", "verified", False, 0.61),
        (f"{HIDDEN} {SCANNED}", "verified", True, 0.98),
        (f"{SHOWN} {HIDDEN}", "altered", True, None),  # the mark stands between them
        ("The deposit of the mill is 950 euros.", "altered", False, None),
        ("The mill was sold to Anna Berg for 7 euros.", "altered", False, 0.98),
        ("The tower was built of bricks.", "not_found", False, None),
    ):
        found = cited(quote)
        assert [found.verdict, found.hidden, found.confidence] == wanted, quote


def test_an_answer_says_it_to_a_person_in_json_and_to_a_parent():
    for quote, shown in (
        (SHOWN, ""),
        (HIDDEN, HIDES),
        (SCANNED, f"{RECOGNISED} (confidence 0.98)"),
    ):
        line = 1 + next(n for n, each in enumerate(LINES) if quote in each.text)
        with ScriptedModelServer([says(f'{quote[:-1]} [mill.pdf:{line}] "{quote}"')]) as fake:
            answerer = ModelAnswerer(fake.server, "toy-model", fake.broker)
            answer = answerer.answer("What about the mill?", CORPUS)
        (citation,) = answer.citations
        (one,) = render.answer_object(answer)["passages"]
        said = {name: getattr(citation, name) for name in ("verdict", "hidden", "confidence")}
        assert said.items() <= one["citation"].items()
        text = "\n".join(render.answer_lines(answer))
        crossed = for_parent.handed_over(answer)
        parent = for_parent.render(Frame("7f3a91"), crossed)
        marks = [f"· {each}" in text for each in (HIDES, RECOGNISED)]
        assert marks == [each in shown for each in (HIDES, RECOGNISED)]
        assert shown in text and shown in parent
        reply = json.dumps({"id": 1, "answer": asdict(crossed)}).encode()
        assert parsed(reply).answer.passages == answer.passages


def test_an_answer_without_a_model_says_it_too():
    question = "What is the hidden fee of the mill?"
    answer = ExtractiveAnswerer(ToyEncoder()).answer(question, CORPUS)
    assert any(citation.hidden for citation in answer.citations)
    assert f"· {HIDES}" in "\n".join(render.answer_lines(answer))


def row(source: str) -> FileRow:
    return FileRow(source, "indexed", sha256="0" * 64)


def test_a_receipt_keeps_it_and_checks_it_again():
    quoted = tuple(replace(cited(q), n=n) for n, q in enumerate((SHOWN, HIDDEN, SCANNED), 1))
    answer = Answer("q?", "a [1] [2] [3]", "answered", "m", passages(*quoted), Coverage(1), 1)
    started = datetime(2026, 11, 22, tzinfo=UTC)
    content = receipt.receipt(answer, row, seal="off", server=None, started=started, seconds=0)
    assert [(c["hidden"], c["confidence"]) for c in content["citations"]] == [
        *((False, None), (True, None), (False, 0.98)),
    ]
    for one in content["citations"]:
        del one["hidden"], one["confidence"]  # as an older version wrote it
    checked = [(content, list(receipt.check(content, CORPUS, row)))]
    assert [line for line in render.receipt_lines(checked) if "mill.pdf" in line] == [
        "[1] mill.pdf:1 · holds",
        "[2] mill.pdf:3 · holds · hidden in the document",
        "[3] mill.pdf:5 · holds · recognised from a picture (confidence 0.98)",
    ]
    *_, last = render.receipt_lines(checked)
    assert last == "3 of 3 quotations still stand in their documents"
    (one,) = render.receipts_object(checked, 1)["check"]["receipts"]
    assert one["holds"]
    assert [(c["verdict"], c["hidden"], c["confidence"]) for c in one["citations"]] == [
        *(("verified", False, None), ("verified", True, None), ("verified", False, 0.98)),
    ]
