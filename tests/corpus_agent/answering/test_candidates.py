"""The lines that name a document: above its first sentence, below its last."""

from corpus_agent.answering.candidates import candidates
from indexer import Chunk, Hit

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
    chunk = Chunk("a.md", 0 if first else 1, text, "", 1, text.count("\n") + 1)
    found = candidates([Hit(chunk, 1.0, 0.0, 0.0)])
    return [candidate.text for candidate in found if candidate.naming]


def test_a_letter_and_a_receipt_are_named_by_their_head_and_signature():
    head = ["Brill & Sons, Gardeners", "2 May 2024", "Dear Ms Tarrant,"]
    assert lines(LETTER) == [*head, "Yours sincerely,", "Oswin Brill"]
    assert lines(LETTER, first=False) == ["Yours sincerely,", "Oswin Brill"]  # further down in it
    assert lines(RECEIPT) == ["Brill & Sons", "Bill 2024/17"]
    assert lines(RECEIPT, first=False) == []


ANSWERS = (
    "The hedge was cut on Monday. It took us four hours.",  # prose alone
    "Hedge trimmer 84.00\nTwo blades 12.50",  # a paragraph alone: nothing is above it
    "Hedge trimmer 84.00\n\nThe bill is due at once.",  # an amount
    "- Oswin Brill\n- Ida Brill\n\nThey cut the hedge.\n\n- Oswin Brill",  # items of a list
    "The hedge is cut on these days.\n\nMonday 4\nTuesday 5",  # figures that answer
    "The hedge is cut by these.\n\nAda\nBea\nCid\nDan\nEli",  # longer than a signature
)


def test_what_may_answer_is_no_letterhead():
    for text in ANSWERS:
        assert lines(text) == [], text
