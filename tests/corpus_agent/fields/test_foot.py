"""The counts at the foot are exact, with five files that cannot be read and three that changed."""

from pathlib import Path

import pytest

from corpus_agent import render
from corpus_agent.fields.condition import parse_condition
from corpus_agent.fields.definition import field_of
from corpus_agent.fields.mentions import mention_of
from corpus_agent.fields.table import table_of
from corpus_agent.fields.timeline import listed, timeline_of
from corpus_agent.mcp import tables
from corpus_agent.service.places import bounded
from corpus_agent.text.delimiters import Frame
from indexer import Index
from tests.support.fakes import ListedCorpus
from tests.support.toy_index import sync

CHANGED = 3
UNREADABLE = 5


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Index:
    """Twelve leases: six end in 2025, three in 2026, three say nothing; a binary file is none."""
    folder: Path = tmp_path_factory.mktemp("foot")
    root = folder / "docs"
    root.mkdir()
    for number in range(12):
        year = (2025, 2025, 2026, None)[number % 4]
        said = f"The agreement ends on 31 December {year}." if year else "Nothing is said."
        (root / f"lease{number:02}.txt").write_text(f"{said}\n")
    for number in range(UNREADABLE):
        (root / f"broken{number}.pdf").write_bytes(b"%PDF-1.4 cut")
    (root / "picture.bin").write_bytes(bytes(range(256)) * 9)
    sync(root, folder / "store")
    for number in (2, 3, 4):  # one of 2026, one that was silent, one of 2025
        (root / f"lease{number:02}.txt").write_text("The agreement ends on 1 May 2025.\n")
    return Index.open(folder / "store", root=root)


@pytest.mark.slow
def test_of_a_table(corpus):
    table = table_of(corpus, [field_of("expiry")])
    assert list(render.foot_lines(table)) == [
        "17 documents looked at, 3 of them changed after they were indexed:",
        "  expiry: 10 say, 2 silent, 5 unreadable",
    ]


def test_of_what_is_missing(corpus):
    table = table_of(corpus, [mention_of("agreement")])
    assert list(render.missing_lines(table))[-1] == (
        "17 documents looked at, 3 of them changed after they were indexed: "
        "2 do not mention it, 10 do, 5 unreadable"
    )


def test_of_what_is_missing_of_several_terms(corpus):
    table = table_of(corpus, [mention_of("agreement"), mention_of("31 December 2026")])
    assert list(render.missing_lines(table))[-1].endswith(
        ": 2 mention none of them, 10 mention one or more, 5 unreadable"
    )


def test_one_document_says_and_has_and_does_not_mention(corpus):
    one = bounded(corpus, ["lease00.txt"])
    (_, said) = render.foot_lines(table_of(one, [field_of("expiry")]))
    assert said == "  expiry: 1 says, 0 silent, 0 unreadable"
    found = listed(one, parse_condition("leases that end in 2025"))
    assert ": 1 has expiry in 2025, 0 have not, " in next(render.list_foot(found))
    none = table_of(one, [mention_of("pets")])
    assert ": 1 does not mention it, 0 do, " in list(render.missing_lines(none))[-1]
    dated = list(render.timeline_lines(timeline_of(one)))[-1]
    assert dated.endswith(": 1 dated statement, 0 documents without, 0 unreadable")


def test_of_a_list(corpus):
    found = listed(corpus, parse_condition("leases that end in 2025"))
    assert next(render.list_foot(found)) == (
        "17 documents looked at, 3 of them changed after they were indexed: "
        "8 have expiry in 2025, 2 have not, 0 unclear, 2 silent, 5 unreadable"
    )


def test_of_a_timeline(corpus):
    assert list(render.timeline_lines(timeline_of(corpus)))[-1] == (
        "17 documents looked at, 3 of them changed after they were indexed: "
        "10 dated statements, 2 documents without, 5 unreadable"
    )


def test_of_an_amount_whose_sign_is_not_sure():
    read = ListedCorpus({"a.md": "Balance: **(900 EUR)**", "b.md": "Balance: 900 EUR"})
    lines = list(render.table_lines(table_of(read, [field_of("balance", "money")]), 80))
    told = "left out, since its quotation was not found whole, or it may be less than zero"
    assert f"  1 value {told}" in lines


def test_of_a_table_for_a_parent(corpus):
    def make(corpus, columns, llm):
        return table_of(corpus, columns)

    text = tables.run(corpus, Frame(outside=True), {"fields": "expiry"}, make).text
    assert text.startswith(
        "17 documents looked at: 3 of them changed after they were indexed, 5 unreadable; 0 values "
        "left out, since their quotation was not found whole, or they may be less than zero.\n"
        "expiry: 10 say it (0 in more than one way), 2 silent, 5 unreadable.\n"
    )
