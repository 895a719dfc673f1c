"""The screens of `ask` without a model over the sample corpus: passage, likely line, one word."""

import pytest

from corpus_agent import render
from corpus_agent.answering.extractive import ExtractiveAnswerer
from indexer.embed import FolderEncoder
from indexer.index import Index

STARTER = "How long can the sourdough starter stay in the fridge without being fed?"
GYOZA = "How long can raw gyoza be kept in the freezer?"


@pytest.fixture(scope="module")
def ask(sample_store):
    encoder = FolderEncoder()
    corpus = Index.open(sample_store, encoder)
    answerer = ExtractiveAnswerer(encoder)
    return lambda question: list(render.answer_lines(answerer.answer(question, corpus)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "place", "marked"),
    [
        (STARTER, "kitchen/sourdough.md:", "In the fridge he is fine for up to 12 days"),
        (GYOZA, "kitchen/freezer-inventory.md:37", "| gyoza, raw           | 3      |"),
        ("On which day of the month is the rent due?", "home/lease.md:13", "the 3rd day of each"),
        ("The bike display says E1042, what should I do?", "varda-c7-manual.pdf, page 5", "E1042"),
    ],
)
def test_the_first_passage_shows_the_line_that_answers_marked(ask, question, place, marked):
    lines = ask(question)
    first = lines.index("")
    if lines[0].startswith("No passage answers this outright"):
        lines = lines[first + 1 :]
        first = lines.index("")
    head, *body = lines[:first]
    assert head.split()[0] in ("answered", "likely", "perhaps") and place in head
    assert any(line.startswith("  ▸ ") and marked in line for line in body)
    assert lines[-1].endswith("could not be read") and " documents searched" in lines[-1]
    assert not any("verified" in line for line in lines)  # nothing is said where all is well


@pytest.mark.slow
def test_where_nothing_comes_near_the_last_line_says_so(ask):
    *_, line = ask("Which volcano erupted on Iceland under the Vikings?")
    assert line.startswith("Nothing in the ") and "is about this." in line
