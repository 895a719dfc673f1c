"""A table that a model reads too: nothing of what it makes up is taken, nothing is asked twice."""

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from corpus_agent import render
from corpus_agent.agent.field_reader import said_in
from corpus_agent.fields.definition import fields_of
from corpus_agent.models.discovery import Model
from corpus_agent.seal import Gate, unsealed
from corpus_agent.service import session, tables
from corpus_agent.settings import Settings
from corpus_agent.startup import Launch
from indexer import Index
from tests.support.brokers import broker_for
from tests.support.fakes import FieldsModelServer, ScriptedModelServer
from tests.support.toy_index import sync

DOCUMENTS = 12
WORDS = ("delivery date", "insurer", "penalty")
# Said so that no rule finds it: the words of the fields stand nowhere beside the values.
LETTER = """Dear Sir,

Your {thing} leaves our yard on {day} May 2024, rain or shine.

Whoever comes late will have to put {sum} EUR into the tin.

All of it is covered by Northern Mutual {number} of York, as ever.
"""
MADE_UP = re.compile(r"1 April 1999|Invented Mutual|EUR 4711")


@pytest.fixture(scope="module")
def docs(tmp_path_factory) -> Path:
    folder: Path = tmp_path_factory.mktemp("letters")
    for number in range(DOCUMENTS):
        text = LETTER.format(thing="boiler", day=number + 1, sum=(number + 1) * 10, number=number)
        (folder / f"letter{number:02}.txt").write_text(text)
    return folder


@pytest.fixture
def corpus(docs, tmp_path) -> Index:
    sync(docs, tmp_path / "store")
    return Index.open(tmp_path / "store", root=docs)


def true(name: str, _: str, passages: str) -> tuple[str, str] | None:
    """What a letter says of a field, with its sentence."""
    pattern = {
        "delivery date": r"Your \w+ leaves our yard on (\d+ May 2024)",
        "insurer": r"covered by (Northern Mutual \d+) of York",
        "penalty": r"have to put (\d+ EUR) into the tin",
    }.get(name)
    found = re.search(pattern, passages) if pattern else None
    return (found[1], found[0]) if found else None


def inventing(name: str, kind: str, passages: str) -> tuple[str, str] | None:
    """A third of it made up: a value that the quotation does not hold, a quotation of no document,
    or a true value with a quotation of elsewhere.
    """
    said = true(name, kind, passages)
    assert said is not None
    day = int(re.search(r"(\d+) May", passages)[1])  # type: ignore[index]
    value, quote = said
    if day % 3:
        return said
    false = {"delivery date": "1 April 1999", "insurer": "Invented Mutual", "penalty": "EUR 4711"}
    return {
        3: (false[name], quote),
        6: (false[name], f"It was agreed: {false[name]} and no less."),
        9: (value, "Dear Sir,"),
        12: (false[name], quote.replace(value, false[name])),
    }[day]


@contextmanager
def launched(server: ScriptedModelServer) -> Iterator[Launch]:
    with server, broker_for(Gate(server.server.address, frozenset({"toy-model"}), None)) as broker:
        yield Launch(unsealed(), Model(server.server, "toy-model"), broker)


def made(corpus: Index, launch: Launch, *, llm: bool = True, **options):
    columns = fields_of(options.pop("words", WORDS), None)
    reader = session.field_reader_for(launch, Settings()) if llm else None
    return tables.table(corpus, columns, launch, reader, **options)


@pytest.mark.slow
def test_nothing_that_a_model_makes_up_is_taken_and_what_it_finds_is(corpus, docs):
    server = FieldsModelServer(say=inventing)
    with launched(server) as launch:
        table = made(corpus, launch)
        control = made(corpus, launch, llm=False)
    assert [cell.status for row in control.rows for cell in row.cells] == ["silent"] * 36
    shown = json.dumps(render.table_object(table, "off"))
    assert MADE_UP.search(shown) is None
    for row in table.rows:
        day = int(row.source[6:8]) + 1
        for name, cell in zip(WORDS, row.cells, strict=True):
            if day % 3 == 0:
                assert cell.status == "silent", (row.source, name)
                continue
            (value,) = cell.values
            text = (docs / row.source).read_text()
            assert value.by_model
            assert value.text in text
            assert value.citations[0].verdict == "verified"
            assert value.citations[0].quote in text
            assert value.text in value.citations[0].quote
    reading = table.reading
    assert (reading.asked, reading.taken, reading.refused) == (12, 24, 12)
    assert list(render.foot_lines(table))[-1] == (
        "  toy-model: 12 documents read, 0 known from before; 24 values more than the rules found, "
        "0 the same, 12 refused: not in the document, or not in what it quoted"
    )
    assert json.loads(shown)["model"]["refused"] == 12


@pytest.mark.slow
def test_a_reply_of_broken_objects_is_read_in_linear_time():
    whole = '{"field": 1, "value": "900 euros", "quote": "The rent is 900 euros."}'
    assert [one.value for one in said_in(f"{{ {{x}} [{whole}, {whole}", 1)] == ["900 euros"] * 2
    for piece in ('{"a":"', '{"a":', "{", "{'a':", "{[(", '{"a": {1, "b": '):
        began = time.process_time()
        assert list(said_in(piece * (60_000 // len(piece)), 1)) == []
        assert time.process_time() - began < 3, piece  # it was over a minute


def test_a_note_that_is_none_of_ours_says_nothing(corpus):
    for note in (b"", b"\xff", b"[]", b"{", b'{"a": 1}', b'{"a": [[1, 2, 3]]}', b"[" * 10_000):
        assert tables._known(note) == {}
    notes = corpus.notes("letter00.txt")
    assert notes.get("x") is None
    assert notes.put("x", b"said")
    assert notes.get("x") == b"said"
    assert not notes.put("large", bytes(2**20 + 1))


@pytest.mark.slow
def test_the_command_asks_through_the_relay_from_inside_the_seal(cli, docs, tmp_path):
    assert cli("--store", tmp_path / "store", "index", docs).returncode == 0
    with FieldsModelServer(say=inventing) as server:
        asked = ("--store", tmp_path / "store", "table", *WORDS, "--json", "--llm")
        first, second = (cli(*asked, server.server.base_url) for _ in range(2))
        assert len(server.requests) == DOCUMENTS
    assert first.returncode == 0, first.stderr
    found, again = json.loads(first.stdout), json.loads(second.stdout)
    assert (found["seal"], found["model"]["asked"], found["model"]["refused"]) == (
        "enforced",
        12,
        12,
    )
    assert (again["rows"], again["model"]["known"]) == (found["rows"], 12)
    assert MADE_UP.search(first.stdout) is None
    gone = cli(*asked, "http://127.0.0.1:9")
    assert (gone.returncode, "No model server answers" in gone.stderr) == (1, True)
