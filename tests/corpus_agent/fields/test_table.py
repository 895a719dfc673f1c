"""Tables over real stores: every document is a row, every value stands in its document."""

import csv
import io
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from corpus_agent import render
from corpus_agent.answering.quotations import check_quotation
from corpus_agent.cli.progress import counted
from corpus_agent.fields.definition import field_of, fields_of
from corpus_agent.fields.mentions import mention_of, mentions
from corpus_agent.fields.page import DocumentText
from corpus_agent.fields.records import FieldTable, FieldValue
from corpus_agent.fields.table import proposed, table_of
from corpus_agent.fields.timeline import timeline_of
from corpus_agent.mcp import tables
from corpus_agent.text.delimiters import Frame
from corpus_agent.text.wording import number_of
from indexer import Index, Line
from tests.support.checks import check_store
from tests.support.command import Cli
from tests.support.fakes import ListedCorpus
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


@pytest.mark.slow
def test_a_file_without_a_byte_says_nothing_and_is_not_unreadable(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/blank.txt").write_bytes(b"")
    (tmp_path / "docs/broken.pdf").write_bytes(b"%PDF-1.4 cut")  # the control
    sync(tmp_path / "docs", tmp_path / "store")
    found = table(tmp_path, "total")
    assert said(found) == {"blank": ["silent"], "broken.pdf": ["unreadable"]}
    told = timeline_of(Index.open(tmp_path / "store", root=tmp_path / "docs"))
    assert (told.undated, [source for source, _ in told.unread]) == (1, ["broken.pdf"])


def test_a_contract_says_who_when_and_until_when(made):
    row = said(table(made, "agreement date", "expiry", "governing law", "parties"))["contract"]
    assert row == ["2021-05-04", "2024-05-04", "New York", "Dunmoor Heating Ltd.; Jane Roe"]


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


def test_a_role_is_a_column_and_a_party_is_found_by_it(made):
    assert said(table(made, "supplier", "customer"))["contract"] == [
        "Dunmoor Heating Ltd.",
        "Jane Roe",
    ]


@pytest.mark.parametrize(
    ("field", "text", "expected"),
    [
        ("chair", "Present: Ann Smith (chair), Joe Roe (treasurer)", "Ann Smith"),
        ("chair", "Present: Joe Roe (treasurer), Ann (chair)", "Ann"),
        (
            "chair",
            "Joe Roe stepped down. Ann Smith was re-elected chair, with four votes.",
            "Ann Smith",
        ),
        ("chair", "Ann Smith has been appointed as our new chair of the board.", "Ann Smith"),
        (
            "landlord",
            "made between Elm Estates Ltd (the Landlord) and the Oak Lane Club (the Tenant).",
            "Elm Estates Ltd",
        ),
        (
            "tenant",
            "made between Elm Estates Ltd (the Landlord) and the Oak Lane Club (the Tenant).",
            "Oak Lane Club",
        ),
        (
            "landlord",
            "Rent is paid to Elm Estates Ltd (the Landlord) each month.",
            "Elm Estates Ltd",
        ),
        ("chair", "Present: Ann Smith (outgoing chair), Joe Roe (vice chair)", ""),
        ("chair", "Ann Smith was not elected chair. Joe Roe was elected vice chair.", ""),
        ("tenant", "Ann Smith was appointed tenant adviser.", ""),
        ("landlord", "A firm in Leeds and Wales (the Landlord) pays.", ""),
        ("landlord", "Somebody of 12 Elm Road, New York (the Landlord) pays.", ""),
    ],
)
def test_who_holds_a_role_is_found_where_it_stands_behind_the_name(field, text, expected):
    document = DocumentText("a.md", [Line(text)])
    values = [each.normal for each in proposed(document, field_of(field))]
    assert values == ([expected] if expected else [])


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


@pytest.mark.slow
def test_the_foot_counts_what_changed_and_what_is_gone(made, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(made, folder)
    (folder / "docs/invoice.txt").write_text(INVOICE.replace("11 April", "12 April"))
    (folder / "docs/lease.txt").unlink()
    corpus = Index.open(folder / "store", root=folder / "docs")
    due = table_of(corpus, fields_of(["due date"], None))
    assert said(due)["invoice"] == ["2024-04-12"]  # as the file is now
    foot = list(render.foot_lines(due))
    assert foot == [
        "5 documents looked at, 1 of them changed after they were indexed:",
        "  due date: 1 says, 2 silent, 2 unreadable",
    ]
    gone = next(row for row in due.rows if row.source == "lease.txt")
    assert re.search("no longer exists", gone.reason)
    assert (due.count(0, "found"), due.unreadable, due.changed) == (1, 2, 1)


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
KILLS = 12  # benchmarks/crash.py has more


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


def test_a_table_that_is_stopped_says_what_was_done_and_what_is_kept(capsys):
    with pytest.raises(KeyboardInterrupt), counted("looking") as on_document:
        on_document(3, 10)
        raise KeyboardInterrupt
    assert capsys.readouterr().err == (
        "3 of 10 documents were looked at; nothing was written, and the index is as it was. "
        "Texts that were read are kept for the next time.\n"
    )


def test_a_document_that_says_two_things_has_both():
    text = "Due date: 3 May 2024\n\nDue date: 4 May 2024\n"
    document = DocumentText("a.txt", [Line(line) for line in text.splitlines()])
    (field,) = fields_of(["due date"], None)
    assert [one.normal for one in proposed(document, field)] == ["2024-05-03", "2024-05-04"]


def test_a_milestone_with_two_days_in_its_row_has_both():
    (field,) = fields_of(["delivery date"], None)
    both, first = ["2024-05-01", "2024-05-20"], ["2024-05-01"]
    for text, expected in {
        "Delivery date 1 May 2024 20 May 2024": both,  # a row of a PDF: planned, actual
        "Delivery date     2024-05-01     2024-05-20": both,
        "| Delivery date | 1 May 2024 | 20 May 2024 |": both,
        "| Milestone: Delivery date | Planned: 1 May 2024 | Actual: 20 May 2024 |": both,
        # The controls: the second day is said of something else, or ends a sentence.
        "| Delivery date | 1 May 2024 | Invoice date | 20 May 2024 |": first,
        "| Delivery date: 1 May 2024 | Invoice date: 20 May 2024 |": first,
        "Delivery date: 1 May 2024    Signed: 20 May 2024": first,
        "Delivery date: 1 May 2024. 20 May 2024 was a Monday.": first,
        "Delivery date: 1 May 2024\n20 May 2024": first,
    }.items():
        document = DocumentText("a.txt", [Line(line) for line in text.splitlines()])
        assert [one.normal for one in proposed(document, field)] == expected, text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The rent is £985 per month.", ["GBP 985"]),
        ("Rent: £985", ["GBP 985"]),
        ("For the rent see the annex; cleaning costs £30.", []),  # the control: said of another
        ("We rent boats. A boat is £30 a day.", []),
    ],
)
def test_a_short_word_has_the_value_that_is_said_of_it_alone(text, expected):
    document = DocumentText("a.txt", [Line(text)])
    (field,) = fields_of(["rent"], None)
    assert [one.normal for one in proposed(document, field)] == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Brookside Mills. The doors are due in May.", "Brookside Mills"),
        ("Low & Sons. Payment is by transfer.", "Low & Sons"),
        # The control: these full stops end no sentence.
        ("J. P. Low & Co. Ltd., Hull", "J. P. Low & Co. Ltd."),
        ("St. Mary Hospital", "St. Mary Hospital"),
        ("Dr. Jane Roe", "Dr. Jane Roe"),
        ("Smith Bros. Haulage", "Smith Bros. Haulage"),
    ],
)
def test_the_name_of_a_party_ends_with_its_sentence(said, expected):
    (field,) = fields_of(["customer"], None)
    for text in (f"Customer: {said}", f"The customer is {said}"):
        document = DocumentText("a.txt", [Line(text)])
        assert [one.text for one in proposed(document, field)] == [expected]


def test_the_cost_of_a_field_grows_as_its_document_does():
    (field,) = fields_of(["rent"], None)

    def seconds(lines: int) -> float:
        document = DocumentText("a.txt", [Line("The rent 5 was paid"), Line("x" * 990)] * lines)
        began = time.process_time()
        proposed(document, field)
        return time.process_time() - began

    few = min(seconds(100) for _ in range(2))
    assert seconds(1_000) < 30 * few  # ten times the lines


def test_a_form_that_leaves_its_date_blank_has_none():
    text = "This Agreement is made as of the ___ day of ____, 2019 between X Ltd and Y Ltd."
    later = "\nThe Closing was signed on 3 May 2018."
    (field,) = fields_of(["agreement date"], None)
    document = DocumentText("a.txt", [Line(line) for line in (text + later).splitlines()])
    assert proposed(document, field) == []
    filled = text.replace("___ day of ____, 2019", "3rd day of May, 2019")
    document = DocumentText("a.txt", [Line(line) for line in (filled + later).splitlines()])
    assert [one.normal for one in proposed(document, field)] == ["2019-05-03"]


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


@pytest.mark.parametrize(
    ("words", "text", "value"),
    [
        ("first aider", "First aiders: Ida Kolb, Tom Reed", "Ida Kolb, Tom Reed"),
        ("first aider", "| First aiders | Room |\n|---|---|\n| Ida Kolb | 3 |", "Ida Kolb"),
        ("insurance company", "Insurance companies: Kolb Ltd", "Kolb Ltd"),
        ("deposit", "Deposits: EUR 300", "EUR 300"),
        ("term", "1. Term. Three years from 1 March 2024.", "P3Y"),
        ("rent", "## 2.1 Rent. EUR 900 per month.", "EUR 900"),
        ("landlord", "3) **Landlord.** Ida Kolb, York.", "Ida Kolb"),
        ("pets", "§ 4 Pets. None are allowed.", "None are allowed"),
    ],
)
def test_a_label_may_be_of_several_or_the_heading_of_a_clause(words, text, value):
    corpus = ListedCorpus({"a.md": f"# Paper\n\n{text}\n"})
    (row,) = table_of(corpus, [field_of(words)]).rows
    assert [one.normal for one in row.cells[0].values] == [value]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("first aider", "Two first aiders are in the house."),  # no label
        ("from", "Froms: Ida Kolb"),
        ("term", "The long term. Three years have passed."),  # no heading
        ("landlord", "See Part 3 Landlord. Ida Kolb wrote it."),
        ("term", "1. Term. The lease runs as agreed, with notice of three months."),
    ],
)
def test_what_is_no_label_of_several_and_no_heading_of_a_clause_says_nothing(words, text):
    (row,) = table_of(ListedCorpus({"a.md": f"# Paper\n\n{text}\n"}), [field_of(words)]).rows
    assert row.cells[0].status == "silent"


@pytest.mark.slow
def test_a_mention_that_is_too_little_to_be_quoted_is_one(tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    apart = "\n" * 6
    (docs / "a.txt").write_text(
        f"The terms of our contract{apart}deposit{apart}and so it ends here.\n"
    )
    sync(docs, tmp_path / "store")
    corpus = Index.open(tmp_path / "store", root=docs)
    (row,) = table_of(corpus, [mention_of("deposit")]).rows
    assert (row.cells[0].status, row.cells[0].values) == ("found", ())
    (row,) = table_of(corpus, [mention_of("bond")]).rows
    assert row.cells[0].status == "silent"


@pytest.mark.parametrize(
    ("field", "text", "expected"),
    [
        ("tenant", "| Plot | Tenant | Start |\n|---|---|---|\n| 1 | Ann Ash | May |", ["Ann Ash"]),
        ("tenant", "| Plot | Tenant | Start |\n|---|---|---|\n| 1 | | May |", []),
        ("price", "| Mill | Price | 18 g |\n|---|---|---|\n| A | 9 EUR | |", ["EUR 9"]),
        ("price", "| Mill | Price |\n| Mill: A | Price: 9 EUR |\n| Mill: B |", ["EUR 9"]),
        ("price", "| Price | 9 EUR |\n| Weight | 18 kg |", ["EUR 9"]),  # the control: no header
        ("price", "| Mill | Price 2023 |\n| Mill: A | Price 2023: 9.50 |", ["9.5"]),
        ("price", "| Mill | Price 2023 |\n|---|---|\n| A | 9 EUR |", ["EUR 9"]),
        ("price", "| Mill | Price (EUR) |\n|---|---|\n| A | 9 |", ["9"]),
        ("price", "| Mill | Price list 2023 |\n|---|---|\n| A | 9 |", []),  # the control
        ("daily rate", "| Mill | Daily rate |\n| Mill: A | Daily rate: 54 |", ["54"]),
    ],
)
def test_the_name_of_a_column_has_the_values_below_it_and_not_its_neighbour(field, text, expected):
    document = DocumentText("a.txt", [Line(line) for line in text.splitlines()])
    assert [one.normal for one in proposed(document, fields_of([field], None)[0])] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The hourly rate of a glazier is £58.", ["GBP 58"]),
        ("Hourly rate: 62", ["62"]),
        ("Hourly rate: 62 €, discount 5 %", ["EUR 62"]),
        ("The hourly rate rises by 2.5 %.", ["2.5%"]),
        ("Hourly rate: 4 %", ["4%"]),
        ("The hourly rate is paid in 30 days.", []),  # the control
    ],
)
def test_a_rate_is_the_share_or_the_amount_that_stands_there(text, expected):
    document = DocumentText("a.txt", [Line(text)])
    (field,) = fields_of(["hourly rate"], None)
    assert field.type == "rate"
    assert [one.normal for one in proposed(document, field)] == expected


def test_the_date_of_a_document_is_neither_its_end_nor_what_another_label_says():
    (field,) = fields_of(["date"], None)
    for text, expected in {
        "Der Vertrag wurde am 3. April 2022 geschlossen und endet am 31. März 2027.": "2022-04-03",
        "Leeds, 3 May 2024\nWe agree as follows.": "2024-05-03",
        "Vertragsbeginn: 01.01.2024\nEs gilt, was folgt.": None,
    }.items():
        document = DocumentText("a.txt", [Line(line) for line in text.splitlines()])
        found = [one.normal for one in proposed(document, field)]
        assert found == ([expected] if expected else []), text


def test_a_value_has_its_cents_and_not_the_full_stop_of_its_sentence():
    text = "Vessel: Heron.\nFlag: Ash Ltd.\nTotal due: £705.80."
    document = DocumentText("a.txt", [Line(line) for line in text.splitlines()])
    found = [proposed(document, one)[0] for one in fields_of(["vessel", "flag", "total"], None)]
    assert [one.normal for one in found] == ["Heron", "Ash Ltd.", "GBP 705.8"]
    assert FieldValue("£705.80", "GBP 705.8", ()).shown == "GBP 705.80"
    assert FieldValue("2.5", "2.5", ()).shown == "2.5"  # the control: no sum


def test_a_term_may_be_hyphenated_at_a_line_end():
    document = DocumentText("a.txt", [Line("a secu-"), Line("rity deposit")])
    assert [one.text for one in mentions(document, "security deposit")] == ["secu- rity deposit"]
    assert mentions(document, "security bond") == []


def test_a_table_of_some_documents_counts_these_alone(made):
    corpus = Index.open(made / "store", root=made / "docs")
    columns = fields_of(["due date"], None)
    some = table_of(corpus, columns, paths=["*e.txt"], not_paths=["lease"])
    assert [row.source for row in some.rows] == ["invoice.txt"]
    assert len(table_of(corpus, columns, not_paths=["empty"]).rows) == 4


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


def test_documents_are_compared_in_the_order_in_which_they_were_named(made):
    corpus = Index.open(made / "store", root=made / "docs")
    for named in (["lease.txt", "contract.txt"], ["contract.txt", "lease.txt"]):
        both = table_of(corpus, fields_of(["expiry"], None), sources=named)
        assert [row.source for row in both.rows] == named


def test_a_short_word_that_was_asked_for_and_a_heading_say_what_they_say():
    def said(text: str, name: str) -> list[str]:
        document = DocumentText("a.md", [Line(line) for line in text.split("\n")])
        return [one.text for one in proposed(document, fields_of([name], None)[0])]

    recipe = "Water 650 g. Salt 24 g. Bake at 230 C."
    assert said(recipe, "salt") == said(recipe, "water") == [recipe]
    assert said(recipe, "to") == said(recipe, "rye") == []
    for heading in ("## Art. 4 – Quota", "# Quota", "## Quota sociale"):
        rules = f"# Statuto\n\n{heading}\n\nSi paga ogni anno 120 euro.\n\nAltro."
        assert said(rules, "quota") == ["Si paga ogni anno 120 euro."], heading
    # A heading with nothing of its own says nothing.
    assert said("## Quota\n\n## Altro\n\nNiente.", "quota") == []


@pytest.mark.slow
def test_durations_are_told_in_words_and_compared_by_their_length(tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    texts = {
        "a": "Warranty: two years.\nNotice period: 1 month.\nCode: P3M\n",
        "b": "Warranty: 24 months.\n",
    }
    for name, text in texts.items():
        (docs / f"{name}.txt").write_text(text)
    sync(docs, tmp_path / "store")
    made = table(tmp_path, "warranty", "notice period", "code")
    assert [field.type for field in made.fields] == ["duration", "duration", "text"]
    lines = list(render.compared_lines(made))
    assert [line for line in lines if not line.startswith(" ")] == [
        "warranty: the same",
        "notice period: not in each",
        "code: not in each",
    ]
    assert {"  a.txt: 2 years", "  b.txt: 24 months", "  a.txt: 1 month", "  a.txt: P3M"} <= {
        *lines
    }
    assert made.rows[0].cells[0].values[0].normal == "P2Y"  # for programs
    assert "<summary>2 years</summary>" in render.table_html(made)


@pytest.mark.parametrize(
    "clause",
    [
        "for three years from the Launch Date.",
        "until the later of the third anniversary of the Effective Date and the last delivery.",
    ],
)
def test_a_term_that_is_counted_from_an_event_has_no_day(clause):
    (field,) = fields_of(["expiry"], None)
    opening = "This Agreement is made as of 4 May 2021 (the “Effective Date”).\n\n"
    lines = f"{opening}The term of this Agreement shall continue {clause}".splitlines()
    assert proposed(DocumentText("a.txt", [Line(line) for line in lines]), field) == []


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
    assert "verified" in shown.stdout
    assert "“Due date: 11 April 2024" in shown.stdout
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
