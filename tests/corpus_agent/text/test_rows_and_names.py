"""Tables of a document's lines: with bars, and figures under names; in doubt there is none."""

import time

from corpus_agent.text.tables import (
    MAX_LINES_ABOVE,
    TextTable,
    column_of,
    names_of_columns,
    tables_of,
)


def test_the_tables_of_a_text():
    for text, tables in (
        ("| Date | Sum |\n| Date: May | Sum: 3 |\n| Sum: 4 |", [(1, ("Date", "Sum"), (2, 3))]),
        ("text\n| A | B |\n|---|---:|\n| x | |\n\n| z | 3 |", [(2, ("A", "B"), (4,))]),
        ("| A | B |\n| A: 1 | B: 2 |\n| C | D |\n| C: 3 | D |",
         [(1, ("A", "B"), (2,)), (3, ("C", "D"), (4,))]),
        ("plain", []),
        ("| 1 | 2 |\n| 3 | 4 |", []),
        ("| A | B |\n| B: 1 | A: 2 |", []),  # not in the order of the names
    ):  # fmt: skip
        assert list(tables_of(text.split("\n"))) == [TextTable(*each) for each in tables], text


def test_the_column_of_a_place():
    table = TextTable(1, ("Payee", "Sum"), (2,))
    for line, at, name in (
        ("| Ash | 3 |", "3", "Sum"),
        ("| Sum: 3 |", "3", "Sum"),
        ("| Ash | 3 | 4 |", "3", ""),
        ("| Ash \\| Co | 3 |", "Co", "Payee"),
    ):
        assert column_of(table, line, line.index(at)) == name, line


ROWS = {
    "2023 2022 2021": "Rent 18,400 17,900 17,150",
    "($ million) June 30, 2022 June 30, 2023": "Debt 6,340 6,653",
    "Years ended December 31, 2018 2017 2016": "Sales growth 9.5 % 4.8 % — %",
    "Q1 2024 Q2 2024": "Umsatz 1.204,5 (88,0)",
    "31.12.2023 31.12.2022": "Eigenkapital 12 –",
    "Note 2023 2022": "Total 4 5",
    "            Adult   Child under six": "Night ferry    8.50    4.25",
    "Route\tAdult\tChild": "Ferry\t8.50\t4.25",
}
DOUBTFUL = (
    ["2023 2022 2021", "Rent 18,400 17,900"],  # more names than figures
    ["2023 2022", "2021 2020 2019", "Rent 18,400 17,900"],  # another table is nearer
    ["2023 2022", "The rent rose by far more than the harbour board had expected it to do.",
     "Rent 18,400 17,900"],
    ["2023 2022", "Okafor Tern B12"],
    ["Adult Child", "Ferry 8.50 4.25"],  # three words may be one column or three
    ["Valid from   June", "Ferry   8.50", "Tram   8.50   4.25   2.10"],
    ["2023 2022", *["Assets"] * MAX_LINES_ABOVE, "Rent 18,400 17,900"],
    ["2023 2022", "2021 2020"],  # a header is no row
    [],
)  # fmt: skip


def test_a_line_of_as_many_periods_or_labels_names_the_columns_of_a_row():
    for header, row in ROWS.items():
        assert names_of_columns([header, "Assets", row]) == 0, header
    table = ["(in millions) 2023 2022", "Fees 41,200 39,850", "Rent:", "Berths $ 18,400 $ (17,900)"]
    assert names_of_columns(["2020 2019", *table]) == 1  # the nearest
    for lines in DOUBTFUL:
        assert names_of_columns(lines) is None, lines


def test_a_long_line_of_figures_takes_no_time():
    begun = time.process_time()
    for tail in ("1 " * 1_000 + "x", "1" * 2_000 + "x", "2023 " * 400 + "x", "1,2." * 500):
        names_of_columns(["2023 2022", tail])
    assert time.process_time() - begun < 1
