"""Figures of a long text cost as its length; a sign belongs to the figure beside it."""

import time

import pytest

from corpus_agent.text.numbers import found
from corpus_agent.text.quantities import bounds, counted


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", ["1 2 ", "(500) ", "one hundred (500) ", "hundred - - - ", "-5 kg "]
)
@pytest.mark.parametrize("reads", [found, counted])
def test_four_times_the_text_costs_less_than_nine_times(reads, unit):
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        found.cache_clear()
        begun = time.process_time()
        reads(text)
        return time.process_time() - begun

    # Both are long enough that the square of the first took more than all of it does now.
    assert any(seconds(24_000) <= 9 * seconds(6_000) + 0.05 for _ in range(3))


SIGNED = {
    "a gain of (500)": "-500",
    "of us chf -7": "-7",
    "x -EUR 7": "-7",
    "moins € 7": "-7",
    "| -SEK 500 |": "-500",
    "| −¥500 |": "-500",
    "| -US$500 |": "-500",
    "| 500 NOK- |": "-500",
    "a loss: (500 PLN)": "-500",
    "₹5m": "5000000",
    "-try 5": "5",  # a word
    "这本书(500元)": "500",  # an aside
    "tel. 030 (500)": "500",
    "five hundred   (500)": "500",
    "10-7": "7",
    "about two hundred": "200",
    "2\u00a0- hundred": "2",  # a scale behind a figure is read with it
}


def test_a_sign_is_found_beside_its_figure_alone():
    for text, value in SIGNED.items():
        padded = "word " * 20 + text
        assert found(padded)[-1].values == found(text)[-1].values == (value,), text


def test_a_bound_stands_before_a_sum_in_any_currency():
    for money in ("€", "SEK ", "US$", "PLN "):
        assert bounds(f"It costs at most {money}500.") == {"500": {"high"}}
        assert bounds(f"It costs at most, {money}500.") == {}  # the control
