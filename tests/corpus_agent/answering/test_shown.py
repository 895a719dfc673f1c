"""Which sentences are shown, and when two in a row are one quotation."""

import pytest

from corpus_agent.answering.extractive import ExtractiveAnswerer
from indexer.embed import FolderEncoder
from tests.support.fakes import MemoryCorpus

pytestmark = pytest.mark.slow

FIRST = "In spring a notice for all owners of boats was pinned to the door of the harbour."
SECOND = 'The wording was Dutch, apart from "no mooring", which was in Frisian.'
OTHER = "The door was painted green in autumn."
ASKED = "Which part of the notice at the harbour was in Frisian?"


def quotes(text: str, asked: str = ASKED) -> list[str]:
    answer = ExtractiveAnswerer(FolderEncoder()).answer(asked, MemoryCorpus({"a.txt": text}))
    return [" ".join(citation.quote.split()) for citation in answer.citations]


@pytest.mark.parametrize("between", [" ", "\n"])
def test_two_sentences_that_hold_the_question_together_are_one_quotation(between):
    assert quotes(f"{FIRST}{between}{SECOND}")[0] == f"{FIRST} {SECOND}"


def test_sentences_of_two_paragraphs_items_and_what_adds_nothing_stand_alone():
    for text in (
        f"{FIRST}\n\n{SECOND}",
        f"- {FIRST}\n- {SECOND}",
        f"A.4 Notices in Frisian at the harbour\n{SECOND}",
        f"{FIRST} {OTHER} {SECOND}",
        f'The notice at the harbour was in Dutch, "no mooring" in Frisian. {OTHER}',
    ):
        assert all(quote.count(".") == 1 for quote in quotes(text)), text


def test_a_term_is_quoted_with_the_day_that_it_is_counted_from():
    term, begins, other = (
        "The lease of the boathouse runs for seven years.",
        "It began on 1 March 2021.",
        "It is renewed by both sides in writing.",
    )
    when = "When does the lease of the boathouse end?"
    assert quotes(f"{term} {begins}", when) == [f"{term} {begins}"]
    # The control: what has no date, is in another paragraph or is not asked for stays away.
    assert quotes(f"{term} {other}", when)[0] == term
    assert quotes(f"{term}\n\n{begins}", when)[0] == term
    long = "For how many years does the lease of the boathouse run?"
    assert quotes(f"{term} {begins}", long)[0] == term


@pytest.mark.parametrize(
    ("asked", "other", "answer"),
    [
        (
            "When does the lease end?",
            "The deposit for the lease was paid at the bank on 3 February 2021.",
            "The workshop is let to the tenant until 28 February 2028.",
        ),
        (
            "When does the insurance end?",
            "The premium of the insurance is paid on 3 May of each year.",
            "The policy expires on 28 February 2028.",
        ),
        (
            "Wann endet die Versicherung?",
            "Die Versicherung wurde am 3. Mai 2020 bezahlt.",
            "Das Boot ist versichert bis 28. Februar 2028.",
        ),
    ],
)
def test_what_ends_is_answered_by_until_when_and_not_by_the_day_of_something_else(
    asked, other, answer
):
    assert quotes(f"{other} {answer}", asked)[0] == answer


def test_the_day_of_something_else_is_quoted_where_that_is_asked():
    paid = "The deposit for the lease was paid at the bank on 3 February 2021."
    until = "The workshop is let to the tenant until 28 February 2028."
    assert quotes(f"{paid} {until}", "When was the deposit for the lease paid?")[0] == paid


@pytest.mark.parametrize(
    "asked",
    [
        "Bis wann läuft der Mietvertrag der Garage?",
        "Wann endet der Mietvertrag der Garage?",
    ],
)
def test_a_sum_is_no_answer_to_when(asked):
    costs = "Der Mietvertrag der Garage kostet 80 Euro."
    ends = "Der Mietvertrag der Garage endet am 31. März 2027."
    assert quotes(f"{costs} {ends}", asked)[0] == ends
