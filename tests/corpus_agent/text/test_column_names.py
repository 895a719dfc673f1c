import time

import pytest

from corpus_agent.text.column_names import MAX_LINES_ABOVE, names_of_columns

TABLE = ["(in millions) 2023 2022", "Fees 41,200 39,850", "Rent:", "Berths $ 18,400 $ (17,900)"]


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("2023 2022 2021", "Rent 18,400 17,900 17,150"),
        ("($ million) June 30, 2022 June 30, 2023", "Debt 6,340 6,653"),
        ("Years ended December 31, 2018 2017 2016", "Sales growth 9.5 % 4.8 % — %"),
        ("Q1 2024 Q2 2024", "Umsatz 1.204,5 (88,0)"),
        ("31.12.2023 31.12.2022", "Eigenkapital 12 –"),
        ("Note 2023 2022", "Total 4 5"),
        ("            Adult   Child under six", "Night ferry    8.50    4.25"),
        ("Route\tAdult\tChild", "Ferry\t8.50\t4.25"),
    ],
)
def test_a_line_of_as_many_periods_names_the_columns_of_a_row(header, row):
    assert names_of_columns([header, "Assets", row]) == 0


def test_the_nearest_line_of_periods_counts():
    assert names_of_columns(["2020 2019", *TABLE]) == 1


@pytest.mark.parametrize(
    "lines",
    [
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
    ],
)  # fmt: skip
def test_where_it_is_doubtful_there_are_no_names(lines):
    assert names_of_columns(lines) is None


def test_a_long_line_of_figures_takes_no_time():
    begun = time.process_time()
    for tail in ("1 " * 1_000 + "x", "1" * 2_000 + "x", "2023 " * 400 + "x", "1,2." * 500):
        names_of_columns(["2023 2022", tail])
    assert time.process_time() - begun < 1
