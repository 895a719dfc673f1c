"""Tables of a document's lines, in both forms in which they come."""

import pytest

from corpus_agent.text.table_rows import TextTable, column_of, tables_of


@pytest.mark.parametrize(
    ("text", "tables"),
    [
        ("| Date | Sum |\n| Date: May | Sum: 3 |\n| Sum: 4 |", [(1, ("Date", "Sum"), (2, 3))]),
        ("text\n| A | B |\n|---|---:|\n| x | |\n\n| z | 3 |", [(2, ("A", "B"), (4,))]),
        ("| A | B |\n| A: 1 | B: 2 |\n| C | D |\n| C: 3 | D |",
         [(1, ("A", "B"), (2,)), (3, ("C", "D"), (4,))]),
        ("plain", []),
        ("| 1 | 2 |\n| 3 | 4 |", []),
        ("| A | B |\n| B: 1 | A: 2 |", []),  # not in the order of the names
    ],
)  # fmt: skip
def test_the_tables_of_a_text(text, tables):
    assert list(tables_of(text.split("\n"))) == [TextTable(*each) for each in tables]


def test_the_column_of_a_place():
    table = TextTable(1, ("Payee", "Sum"), (2,))
    for line, at, name in (
        ("| Ash | 3 |", "3", "Sum"),
        ("| Sum: 3 |", "3", "Sum"),
        ("| Ash | 3 | 4 |", "3", ""),
        ("| Ash \\| Co | 3 |", "Co", "Payee"),
    ):
        assert column_of(table, line, line.index(at)) == name, line
