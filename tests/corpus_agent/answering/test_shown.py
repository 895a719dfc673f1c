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
