"""Units of a text: rows of figures that have lost their cells."""

from corpus_agent.text.sentences import units


def test_rows_of_figures_and_the_line_of_their_years_are_units_of_their_own():
    text = "Stores at the end were as follows:\nFiscal 2024 Fiscal 2023\nBest 907 925\nOther 20 21"
    found = [text[unit.start : unit.end] for unit in units(text)]
    assert found == text.split("\n")
    prose = "In the years that were looked at the number of all stores grew\nfrom 907 in 2024."
    assert [prose[unit.start : unit.end] for unit in units(prose)] == [prose]
