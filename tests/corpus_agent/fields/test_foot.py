"""The counts at the foot are exact, with five files that cannot be read and three that changed."""

from pathlib import Path

import pytest

from corpus_agent import render
from corpus_agent.fields.definition import field_of
from corpus_agent.fields.table import table_of
from corpus_agent.mcp import tables
from corpus_agent.text.delimiters import Frame
from indexer import Index
from tests.support.toy_index import sync

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


def test_of_a_table_for_a_parent(corpus):
    def make(corpus, columns, llm):
        return table_of(corpus, columns)

    text = tables.run(corpus, Frame(outside=True), {"fields": "expiry"}, make).text
    assert text.startswith(
        "17 documents looked at: 3 of them changed after they were indexed, 5 unreadable; 0 values "
        "left out, since their quotation was not found whole, or they may be less than zero.\n"
        "expiry: 10 say it (0 in more than one way), 2 silent, 5 unreadable.\n"
    )
