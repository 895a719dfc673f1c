"""Tables over real stores: every document is a row, every value stands in its document."""

import csv
import io
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from corpus_agent import render
from corpus_agent.answering.quotations import check_quotation
from corpus_agent.fields.definition import fields_of
from corpus_agent.fields.mentions import mention_of
from corpus_agent.fields.records import FieldTable
from corpus_agent.fields.table import table_of
from corpus_agent.mcp import tables
from corpus_agent.text.delimiters import Frame
from corpus_agent.text.wording import number_of
from indexer import Index
from tests.support.checks import check_store
from tests.support.command import Cli
from tests.support.places import REPOSITORY
from tests.support.toy_index import sync

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
    folder = tmp_path_factory.mktemp("fields")
    docs = folder / "docs"
    docs.mkdir()
    named = {"contract": CONTRACT, "lease": LEASE, "invoice": INVOICE, "minutes": MINUTES}
    for name, text in named.items():
        (docs / f"{name}.txt").write_text(text)
    (docs / "empty.pdf").write_bytes(b"%PDF-1.4 cut")
    sync(docs, folder / "store")
    return folder


def table(folder: Path, *words: str) -> FieldTable:
    corpus = Index.open(folder / "store", root=folder / "docs")
    return table_of(corpus, fields_of(words, None))


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
    assert [line.split()[0] for line in lines[2 : lines.index("")]] == [
        "empty.pdf",
        "it",  # is damaged
        "invoice.txt",
        "lease.txt",
    ]
    assert "2 documents say nothing of these" in lines
    alone = "\n".join(render.table_lines(table(made, "total"), 90))
    assert "nothing of these" not in alone
    assert "total: 1 says, 3 silent, 1 unreadable" in alone


def test_a_computed_value_is_marked_and_shows_both_things_that_it_follows_from(made):
    expiry = table(made, "expiry")
    row = next(row for row in expiry.rows if row.source == "contract.txt")
    (value,) = row.cells[0].values
    assert value.computed
    assert (value.normal, value.shown) == ("2024-05-04", "until 2024-05-04")
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
        for row in table_of(corpus, fields_of(words, None)).rows
        for cell in row.cells
        for value in cell.values
        for citation in value.citations
    ]
    assert len(quoted) > 8
    for cited in quoted:
        checked = check_quotation(corpus, 1, cited.source, cited.quote, cited.line_start)
        assert checked.verdict == "verified"


# Looks at every document until it is killed, and says how many it has looked at.
TABLING = """
import sys
from pathlib import Path
from corpus_agent.fields.definition import field_of, fields_of
from corpus_agent.fields.table import table_of
from indexer import Index
corpus = Index.open(Path(sys.argv[1]))
print("ready", flush=True)
table_of(corpus, fields_of(["due date"], None), on_document=lambda n, _: print(n, flush=True))
print("done", flush=True)
"""
KILLS = 12


@pytest.mark.nightly
@pytest.mark.slow
def test_killed_at_random_moments_a_table_loses_nothing_and_goes_on_from_what_was_read(tmp_path):
    random = Random(int(os.environ.get("CRASH_SEED", "1")))
    docs, store = tmp_path / "docs", tmp_path / "store"
    docs.mkdir()
    for number in range(200):
        (docs / f"{number:03}.txt").write_text(f"Due date: 2024-03-{1 + number % 28:02}\n" * 50)
    sync(docs, store)
    committed = (store / "manifest.json").read_bytes()
    whole = table(tmp_path, "due date")
    shutil.rmtree(store / "texts")  # then each run parses what the ones before did not keep
    kept, killed = 0, 0
    for _ in range(KILLS):
        with subprocess.Popen(
            [sys.executable, "-c", TABLING, store],
            cwd=REPOSITORY,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            for _ in range(random.randrange(1, 80)):
                process.stdout.readline()
            process.send_signal(signal.SIGKILL)
            killed += "done" not in process.stdout.read()
        check_store(store).close()
        assert (store / "manifest.json").read_bytes() == committed
        now = sum(
            1 for path in (store / "texts").rglob("*") if re.fullmatch(r"\w+\.\w+", path.name)
        )
        assert now >= kept, "what was read is kept"
        kept = now
    assert (killed, kept > 0) == (KILLS, True), "the control: there was something to be killed"
    check_store(store).close()
    assert table(tmp_path, "due date") == whole
    assert len(whole.rows) == whole.count(0, "found") == 200


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("boiler", ["contract.txt", "lease.txt", "minutes.txt"]),
        ("BOILER", ["contract.txt", "lease.txt", "minutes.txt"]),
        ("boil", ["contract.txt", "invoice.txt", "lease.txt", "minutes.txt"]),
        ("supply agreement", ["invoice.txt", "lease.txt", "minutes.txt"]),
        ("period of three", ["invoice.txt", "lease.txt", "minutes.txt"]),
        ("town's hall", ["contract.txt", "invoice.txt", "lease.txt", "minutes.txt"]),
    ],
)
def test_documents_that_mention_no_term_are_exactly_those_without_its_words(made, term, expected):
    corpus = Index.open(made / "store", root=made / "docs")
    found = table_of(corpus, [mention_of(term)])
    texts = {
        path.name: " ".join(path.read_text().split()) for path in (made / "docs").glob("*.txt")
    }
    truth = [
        name
        for name, text in sorted(texts.items())
        if text and not re.search(rf"(?i)\b{re.escape(term)}\b", text)
    ]
    silent = [row.source for row in found.rows if row.cells[0].status == "silent"]
    assert silent == expected == truth
    lines = list(render.missing_lines(found))
    assert lines[: len(expected)] == expected
    without = number_of(len(expected), "does not mention it", "do not mention it")
    mention = number_of(4 - len(expected), "does", "do")
    assert next(line for line in lines if "looked at" in line).endswith(
        f"{without}, {mention}, 1 unreadable"
    )


def test_two_documents_are_compared_field_by_field(made):
    corpus = Index.open(made / "store", root=made / "docs")
    columns = fields_of(["expiry", "governing law", "total"], None)
    both = table_of(corpus, columns, sources=["contract.txt", "lease.txt"])
    lines = list(render.compared_lines(both))
    assert [line for line in lines if not line.startswith(" ")] == [
        "expiry: different",
        "governing law: different",
        "total: silent",
    ]
    assert "  contract.txt: until 2024-05-04 (computed)" in lines


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
    assert rows[1][2].startswith("'=HYPERLINK")
    (docs / "b.txt").write_text('Subject: heating;=HYPERLINK(2);+1; -2;"@SUM(3)\n')
    (docs / "c.txt").write_text("Subject: ＝HYPERLINK(4)\n")
    sync(docs, tmp_path / "store")
    written = render.table_csv(table(tmp_path, "subject"))
    assert "HYPERLINK(2)" in written  # the control
    behind = [cell.strip('"') for line in written.splitlines() for cell in line.split(";")]
    assert [cell for cell in behind if cell.startswith(("=", "+", "-", "@"))] == []
    assert "'＝HYPERLINK(4)" in written
    page = render.table_html(subject)
    assert "<script" not in page
    assert "HYPERLINK(1)" in page


@pytest.mark.slow
def test_the_command_prints_a_table_and_writes_files(cli: Cli, made, tmp_path):
    from tests.support.toy_index import copied

    copied(made, tmp_path / "mine")
    store = tmp_path / "mine/store"
    done = cli("--store", store, "table", "due date", "--csv", "a.csv", "--html", "a.html")
    assert done.returncode == 0, done.stderr
    assert "due date: 1 says, 3 silent, 1 unreadable" in done.stdout
    assert "2024-04-11" in (tmp_path / "a.csv").read_text()
    assert "2024-04-11" in (tmp_path / "a.html").read_text()
    again = cli("--store", store, "table", "due date", "--csv", "a.csv")
    assert (again.returncode, "is not overwritten" in again.stderr) == (2, True)
    wrong = cli("--store", store, "table", "due date", "--path", "no", "--csv", "b.csv")
    assert wrong.returncode == 1
    assert cli("--store", store, "table", "due date", "--csv", "b.csv").returncode == 0
    shown = cli("--store", store, "table", "due date", "--quotations")
    assert "due date: invoice.txt:5\n        “Due date: 11 April 2024" in shown.stdout
    without = cli("--store", store, "missing", "boiler")
    assert without.stdout.startswith("contract.txt\nlease.txt\nminutes.txt\nunreadable: empty.pdf")
    compared = cli("--store", store, "compare", "lease.txt", "invoice.txt", "total")
    assert compared.stdout.startswith("total: not in each")
    wrong = cli("--store", store, "compare", "lease.txt", "leese.txt", "total")
    assert (wrong.returncode, "is not in the index" in wrong.stderr) == (1, True)


@pytest.mark.slow
def test_a_value_of_a_text_that_the_document_hides_is_marked_at_every_door(tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    for name, style in (("hidden", "display:none"), ("shown", "color:red")):
        (docs / f"{name}.html").write_text(
            f'<p>Hello.</p><p style="{style}">Due date: 3 May 2024</p>'
        )
    sync(docs, tmp_path / "store")
    made = table(tmp_path, "due date")
    lines = [line for line in render.table_lines(made, 90) if line.startswith(("hidden", "shown"))]
    assert [line.split(maxsplit=1)[1] for line in lines] == ["2024-05-03 (hidden)", "2024-05-03"]
    rows = list(csv.reader(io.StringIO(render.table_csv(made))))
    assert [row[2:4] for row in rows[1:]] == [
        ["2024-05-03", "found, hidden"],
        ["2024-05-03", "found"],
    ]
    page = render.table_html(made)
    assert page.count("<summary>2024-05-03 (hidden)</summary>") == 1
    assert page.count("<summary>2024-05-03</summary>") == 1
    told = ["\n".join(tables._row(Frame(), made, 1, row)) for row in made.rows]
    assert ["due date (hidden in the document):" in one for one in told] == [True, False]
    for row in render.table_object(made, "off")["rows"]:
        (value,) = row["cells"][0]["values"]
        assert value["citations"][0]["hidden"] == (row["source"] == "hidden.html")
