"""Tables over real stores: every document is a row, every value stands in its document."""

import csv
import io
import json
from pathlib import Path

import pytest

from corpus_agent import render
from corpus_agent.answering.quotations import check_quotation
from corpus_agent.fields.condition import listed, parse_condition
from corpus_agent.fields.lexicon import fields_of
from corpus_agent.fields.table import FieldTable, table_of
from indexer import Index
from tests.support.command import Cli
from tests.support.toy_index import copied, indexed, sync

CONTRACT = """SUPPLY AGREEMENT

This Supply Agreement (the "Agreement") is made as of 4 May 2021 (the "Effective Date") by and
between Dunmoor Heating Ltd., a company with its office in Leeds (the "Supplier"), and Jane Roe,
residing at 3 Mill Lane, York (the "Customer").

1. Term. The term of this Agreement shall commence on the Effective Date and shall continue for a
period of three (3) years.

2. Governing law. This Agreement shall be governed by and construed in accordance with the laws of
the State of New York, without regard to conflicts of laws.
"""
LEASE = """MIETVERTRAG

Vermieter: Erika Beispiel
Mieter: Hans Muster
Mietbeginn: 01.02.2023
Mietende: 31.01.2026
Kaltmiete: 850,00 EUR
Kaution: 2.550,00 EUR
Es gilt deutsches Recht.
"""
INVOICE = """INVOICE

Invoice number: 2024-117
Invoice date: 12 March 2024
Due date: 11 April 2024

| Item | Price |
|---|---|
| Boiler | 1,100.00 |

Subtotal: $1,100.00
Total due: $1,309.00
"""
MINUTES = """Minutes of the meeting of 7 June 2024

Place of meeting: Town Hall, York
Chair: Ann Smith
The next meeting was not fixed.
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    texts = {"contract.txt": CONTRACT, "lease.txt": LEASE, "invoice.txt": INVOICE}
    texts |= {"minutes.txt": MINUTES, "empty.pdf": "%PDF-1.4 cut"}
    return indexed(tmp_path_factory.mktemp("fields"), texts)


def table(folder: Path, *words: str) -> FieldTable:
    corpus = Index.open(folder / "store", root=folder / "docs")
    return table_of(corpus, fields_of(words))


def said(made_table: FieldTable) -> dict[str, list[str]]:
    """For each document the values of each column, or the state of the cell."""
    return {
        row.source.removesuffix(".txt"): [
            " | ".join(value.normal for value in cell.values) or cell.status for cell in row.cells
        ]
        for row in made_table.rows
    }


def test_each_document_is_a_row_and_each_value_has_one_form(made):
    words = ("due date", "total", "deposit", "landlord", "place of meeting", "expiry")
    silent = "silent"
    assert said(table(made, *words)) == {
        "contract": [silent, silent, silent, silent, silent, "2024-05-04"],
        "empty.pdf": ["unreadable"] * 6,
        "invoice": ["2024-04-11", "USD 1309", silent, silent, silent, silent],
        "lease": [silent, silent, "EUR 2550", "Erika Beispiel", silent, "2026-01-31"],
        "minutes": [silent, silent, silent, silent, "Town Hall, York", silent],
    }


def test_a_document_that_says_nothing_is_counted_and_not_a_row(made):
    lines = list(render.table_lines(table(made, "total", "deposit"), 90))
    assert lines[2:] == [
        "invoice.txt                  $1,309.00                      –",
        "lease.txt                    –                              2.550,00 EUR",
        "",
        "2 of 4 documents say nothing of these: contract.txt, minutes.txt",
        "could not be read: empty.pdf",
    ]


def test_a_field_that_was_not_understood_is_said_to_be_so_and_not_counted_as_unsaid(made):
    unreadable, note = render.table_lines(table(made, "landord"), 90)
    assert unreadable.startswith("could not be read: ")
    assert "Did you mean “landlord”?" in note
    assert note in render.table_object(table(made, "landord"))["notices"]
    corpus = Index.open(made / "store", root=made / "docs")
    assert (
        render.counted_line(listed(corpus, parse_condition("landord = Roe")))
        == "landord = Roe: fulfilled in 0 of 4 documents"
    )


def test_a_computed_value_is_marked_and_shows_both_things_that_it_follows_from(made):
    expiry = table(made, "expiry")
    row = next(row for row in expiry.rows if row.source == "contract.txt")
    (value,) = row.cells[0].values
    assert (value.normal, value.shown) == ("2024-05-04", "until 2024-05-04 (computed)")
    assert value.text == "three (3) years from 4 May 2021: until 2024-05-04"
    term, begins = value.citations
    assert "three (3) years" in term.quote
    assert "4 May 2021" in begins.quote
    stated = next(row for row in expiry.rows if row.source == "lease.txt").cells[0].values[0]
    assert not stated.computed


def test_every_quotation_of_a_table_stands_in_its_document(made):
    corpus = Index.open(made / "store", root=made / "docs")
    words = ["agreement date", "expiry", "governing law", "parties", "total", "rent", "due date"]
    quoted = [
        citation
        for row in table_of(corpus, fields_of(words)).rows
        for cell in row.cells
        for value in cell.values
        for citation in value.citations
    ]
    assert len(quoted) > 8
    for cited in quoted:
        checked = check_quotation(corpus, 1, cited.source, cited.quote, cited.line_start)
        assert checked.verdict == "verified"


@pytest.mark.slow
def test_nothing_of_a_document_is_a_formula_or_mark_up(tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "=1+1.txt").write_text("Subject: =HYPERLINK(1) <script>alert(1)</script>\n")
    sync(docs, tmp_path / "store")
    subject = table(tmp_path, "subject")
    rows = list(csv.reader(io.StringIO(render.table_csv(subject))))
    assert [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@"))] == []
    assert rows[1][0] == "'=1+1.txt"
    assert rows[1][1].startswith("'=HYPERLINK")
    (docs / "b.txt").write_text('Subject: heating;=HYPERLINK(2);+1; -2;"@SUM(3)\n')
    (docs / "c.txt").write_text("Subject: ＝HYPERLINK(4)\n")
    sync(docs, tmp_path / "store")
    written = render.table_csv(table(tmp_path, "subject"))
    assert "HYPERLINK(2)" in written  # the control
    behind = [cell.strip('"') for line in written.splitlines() for cell in line.split(";")]
    assert [cell for cell in behind if cell.startswith(("=", "+", "-", "@"))] == []
    assert "'＝HYPERLINK(4)" in written


@pytest.mark.slow
def test_the_command_prints_a_table_and_writes_files(cli: Cli, made, tmp_path):
    copied(made, tmp_path / "mine")
    store = tmp_path / "mine/store"
    done = cli("--store", store, "table", "due date", "notice period", "--csv", "a.csv")
    assert done.returncode == 0, done.stderr
    assert "3 of 4 documents say nothing of these" in done.stdout
    written = (tmp_path / "a.csv").read_bytes()
    assert written.startswith(b"\xef\xbb\xbfdocument,due date,due date (place),notice period,")
    assert b"invoice.txt,2024-04-11,invoice.txt:5,," in written
    again = cli("--store", store, "table", "due date", "--csv", "a.csv")
    assert (again.returncode, "is not overwritten" in again.stderr) == (2, True)
    assert cli("--store", store, "table", "due date", "--csv", "b.xlsx").returncode == 2
    wrong = cli("--store", store, "table", "due date", "--path", "no", "--csv", "b.csv")
    assert wrong.returncode == 1
    assert cli("--store", store, "table", "due date", "--csv", "b.csv").returncode == 0
    two = ("--path", "lease.txt", "--path", "invoice.txt")
    shown = cli("--store", store, "table", "due date", "--quotations", *two)
    assert "due date: invoice.txt:5\n        “Due date: 11 April 2024" in shown.stdout
    assert "1 of 2 documents says nothing of due date" in shown.stdout
    without = cli("--store", store, "list", "without boiler")
    assert without.stdout.startswith("contract.txt\nlease.txt\nminutes.txt\n\nwithout “boiler”: ")
    law = cli("--store", store, "list", "governing law = new york", "--json")
    verdicts = {row["source"]: row["verdict"] for row in json.loads(law.stdout)["rows"]}
    assert [name for name, verdict in verdicts.items() if verdict == "yes"] == ["contract.txt"]
