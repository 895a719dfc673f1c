"""The lines that name a document: above its first sentence, below its last."""

import pytest

from corpus_agent.text.letterhead import naming_lines
from corpus_agent.text.sentences import units

LETTER = """Brill & Sons, Gardeners
2 May 2024

Dear Ms Tarrant,

The hedge was cut on Monday. It took us four hours.

Yours sincerely,
Oswin Brill
"""
RECEIPT = """Brill & Sons
Bill 2024/17

Hedge trimmer 84.00
Two blades 12.50
"""


def lines(text: str, *, first: bool = True) -> list[str]:
    return [text[u.start : u.end] for u in naming_lines(text, units(text), first=first)]


def test_a_letter_is_named_by_its_head_its_greeting_and_its_signature():
    head = ["Brill & Sons, Gardeners", "2 May 2024", "Dear Ms Tarrant,"]
    assert lines(LETTER) == [*head, "Yours sincerely,", "Oswin Brill"]
    assert lines(LETTER, first=False) == ["Yours sincerely,", "Oswin Brill"]  # further down in it


def test_a_receipt_is_named_by_the_first_of_its_paragraphs():
    assert lines(RECEIPT) == ["Brill & Sons", "Bill 2024/17"]
    assert lines(RECEIPT, first=False) == []


@pytest.mark.parametrize(
    "text",
    [
        "The hedge was cut on Monday. It took us four hours.",  # prose alone
        "Hedge trimmer 84.00\nTwo blades 12.50",  # a paragraph alone: nothing is above it
        "Hedge trimmer 84.00\n\nThe bill is due at once.",  # an amount
        "- Oswin Brill\n- Ida Brill\n\nThey cut the hedge.\n\n- Oswin Brill",  # items of a list
        "The hedge is cut on these days.\n\nMonday 4\nTuesday 5",  # figures that answer
        "The hedge is cut by these.\n\nAda\nBea\nCid\nDan\nEli",  # longer than a signature
    ],
)
def test_what_may_answer_is_no_letterhead(text):
    assert lines(text) == []
