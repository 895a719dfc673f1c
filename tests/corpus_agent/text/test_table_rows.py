"""Tables of a document's lines, in both forms in which they come."""

from corpus_agent.text.table_rows import TableRow, table_at
from indexer import Line


def lines(text):
    return [Line(line) for line in text.split("\n")]


def test_rows_that_name_their_columns_and_blank_cells_are_read():
    table = table_at(lines("| Date | Payee | Sum |\n| Date: May | Sum: 3 |\n| Payee | Sum: 4 |"), 2)
    assert table is not None and (table.header, table.names) == (1, ("Date", "Payee", "Sum"))
    named = {"Payee": "Payee", "Sum": "4"}  # a cell that is called as its column stands once
    assert table.rows == (TableRow(2, {"Date": "May", "Sum": "3"}), TableRow(3, named))


def test_a_table_in_markdown_is_read_by_place():
    table = table_at(lines("text\n| A | B |\n|---|---:|\n| x | |\n| y | 2 |\n\n| z | 3 |"), 5)
    assert table is not None and table.header == 2
    assert [row.cells for row in table.rows] == [{"A": "x"}, {"A": "y", "B": "2"}]


def test_a_row_that_does_not_fit_is_irregular():
    table = table_at(lines("| A | B |\n|---|---|\n| x | 1 | 2 |\n| y | 2 |"), 3)
    assert table is not None and [row.irregular for row in table.rows] == [True, False]


def test_a_second_header_begins_another_table():
    text = "| A | B |\n| A: 1 | B: 2 |\n| C | D |\n| C: 3 | D: 4 |"
    tables = [table_at(lines(text), number) for number in (2, 4)]
    assert [table and table.names for table in tables] == [("A", "B"), ("C", "D")]


def test_lines_in_no_table_or_in_one_without_a_header_have_none():
    assert table_at(lines("plain"), 1) is None
    assert table_at(lines("| 1 | 2 |\n| 3 | 4 |"), 2) is None
    assert table_at(lines("| A | B |\n| A: 1 | B: 2 |"), 9) is None


def test_two_columns_of_one_name_are_never_taken_for_one():
    twice = "| Team | Points | Points |\n| Team: North | Points: 5 | Points: 7 |"
    for text in (twice, "| Team | Points | Points |\n|---|---|---|\n| North | 5 | 7 |"):
        table = table_at(lines(text), 1)
        assert table is not None and [row.irregular for row in table.rows] == [True]
    nameless = table_at(lines("| Team |  | Points |  |\n| Team: North | Points: 5 |"), 1)
    assert nameless is not None and not nameless.rows[0].irregular  # what has no name is no column
