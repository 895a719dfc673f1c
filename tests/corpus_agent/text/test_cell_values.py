"""Values of cells: numbers as a whole, read alike in a column."""

from decimal import Decimal

import pytest

from corpus_agent.text.cell_values import column_values


@pytest.mark.parametrize(
    ("cells", "numbers", "unit"),
    [
        (["120.00", "1,400.5"], ["120.00", "1400.5"], ""),
        (["£1,200", "£ 3.50"], ["1200", "3.50"], "£"),
        (["12 km", "7.25 km"], ["12", "7.25"], "km"),
        (["(500)", "-20", "3"], ["-500", "-20", "3"], ""),
        (["1.234,50", "2,5"], ["1234.50", "2.5"], ""),
        (["EUR 7", "EUR 8"], ["7", "8"], "EUR"),
        (["12%", "7.5 %"], ["12", "7.5"], "%"),
        (["1.234", "1.5"], ["1.234", "1.5"], ""),
    ],
)
def test_numbers_are_read_with_their_unit(cells, numbers, unit):
    found = column_values(cells)
    assert found is not None
    assert [value.number for value in found] == [Decimal(number) for number in numbers]
    assert {value.unit for value in found} == {unit}


@pytest.mark.parametrize(
    "cells",
    [
        ["202 (estimate)", "3"],
        ["5h 29' 10\"", "1"],
        ["1.234", "5.678"],  # more than a thousand, or a little more than one
        ["1,5", "1.5"],  # read in two ways
        ["12[1]", "3"],
        ["10-6", "3"],
        ["1,23,456", "3"],
        ["(5", "3"],
        ["n/a", "3"],
        ["", "3"],
    ],
)
def test_what_is_no_number_or_unsure_has_no_value(cells):
    assert column_values(cells) is None
