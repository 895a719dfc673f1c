"""Questions in one language over documents in another, and sentences cut by their own rules."""

from dataclasses import replace

import pytest

from corpus_agent.answering.coverage import is_asked_in_another, language_of
from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.text.tokens import content_terms, name_terms
from indexer import FolderEncoder, Query
from tests.support.fakes import MemoryCorpus

LEASE = "Die Kaution beträgt 1.130 € und wird vom Vermieter verwahrt.\n\nHunde sind verboten."


class Written(MemoryCorpus):
    """A corpus whose passages are all in one language."""

    def __init__(self, language):
        super().__init__({"mietvertrag.md": LEASE})
        self._language = language

    def search(self, query):
        found = super().search(query)
        return [replace(h, chunk=replace(h.chunk, language=self._language)) for h in found]


class Mixed(MemoryCorpus):
    """The German lease among English notes, or all of it taken for one language."""

    def __init__(self, notes, language=""):
        super().__init__({"mietvertrag.md": LEASE, **{f"{n}.md": t for n, t in enumerate(notes)}})
        self._language = language

    def search(self, query):
        return [
            replace(h, chunk=replace(h.chunk, language=self._told(h)))
            for h in super().search(query)
        ]

    def _told(self, hit):
        return self._language or ("de" if hit.chunk.source == "mietvertrag.md" else "en")


@pytest.fixture(scope="module")
def answerer():
    return ExtractiveAnswerer(FolderEncoder())


@pytest.mark.slow
def test_a_question_in_another_language_is_told_so_and_shown_the_closest_passages(answerer):
    answer = answerer.answer("Who has paid which Kaution to whom and why?", Written("de"))
    (notice,) = [text for text in answer.notices if "language" in text]
    assert "German" in notice
    assert "corpus-agent --model multilingual index" in notice
    assert answer.status != "not_found"
    assert any("1.130" in passage.text for passage in answer.passages)


def test_passages_of_several_indexes_are_judged_by_those_that_may_answer(answerer):
    question = "Wie hoch ist die Kaution und wer verwahrt sie?"
    notes = [
        "The deposit of the boat club is kept by the club.",
        "Wie is a village.",
        "Die is cast.",
    ]
    mixed = Mixed(notes)
    answer = answerer.answer(question, mixed)
    assert any("1.130" in passage.text for passage in answer.passages)
    assert not [text for text in answer.notices if "language" in text]
    alone = Mixed(notes, "en")  # the control: all that was found is in English
    assert [text for text in answerer.answer(question, alone).notices if "language" in text]
    found = mixed.search(Query("Kaution die village"))
    assert [language_of(found), language_of(found, question)] == ["en", "de"]


@pytest.mark.parametrize(
    ("question", "language", "another"),
    [
        ("What is the deposit?", "de", True),
        ("What is the deposit?", "en", False),
        ("What is the deposit?", "", False),
        ("Wie hoch ist die Kaution?", "en", True),
        ("Wie hoch ist die Kaution?", "de", False),
        ("押金是多少？", "en", True),
        ("押金是多少？", "zh", False),
        ("deposit flat", "de", False),  # a word or two tell no language
        ("café opening hours", "en", False),
    ],
)
def test_a_question_is_known_to_be_in_another_language(question, language, another):
    assert is_asked_in_another(question, language) is another


def test_nouns_are_no_names_where_all_are_capitalised():
    question = "Wie hoch ist die Kaution für GX-1180?"
    assert name_terms(question, "de") == {"gx", "1180"}
    assert name_terms(question) == {"kaution", "gx", "1180"}


def test_what_asks_is_no_word_of_the_subject():
    assert content_terms("押金什么时候退还？") == content_terms("押金 退还")
    assert content_terms("Когда возвращается залог?") == ["возвращается", "залог"]
