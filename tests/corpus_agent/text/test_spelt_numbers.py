"""Figures in words, in texts of any length."""

import time
from collections import deque

import pytest

from corpus_agent.text.spelt_numbers import spelt_figures


def seconds(text: str) -> float:
    start = time.process_time()
    deque(spelt_figures(text), maxlen=0)
    return time.process_time() - start


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["hundred ", "a million, ", "hundred - - - - ", "no word of it "])
def test_figures_of_a_long_document_take_time_as_its_length(unit):
    """Of four times the text no more than nine times, as of patterns; the square is sixteen."""
    short, long = (unit * (size // len(unit)) for size in (250_000, 1_000_000))
    assert any(seconds(long) <= 9 * seconds(short) for _ in range(3))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("2 hundred", []),  # read with the figure
        ("2\u00a0- hundred", []),
        ("about two hundred", ["200"]),
        ("hundred", ["100"]),
        (" - hundred", ["100"]),
    ],
)
def test_a_scale_behind_a_figure_is_left_to_it(text, values):
    assert [value for figure in spelt_figures(text) for value in figure.values] == values
