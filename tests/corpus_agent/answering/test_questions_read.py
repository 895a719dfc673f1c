"""How a question is read: after the one before it, of which documents, in which language."""

from dataclasses import replace

import pytest

from corpus_agent.answering.coverage import is_asked_in_another, language_of
from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.answering.reading import asks_all, leans, named_documents, readings, without_names
from corpus_agent.answering.records import Answer, Citation, Turn
from corpus_agent.text.tokens import content_terms, name_terms
from indexer import Chunk, Coverage, Encoder, Hit, Query
from tests.support.fakes import MemoryCorpus, passages

DAL = "The dal simmers for 35 minutes in the large pot."


def turn(question: str, quote: str) -> Turn:
    cited = passages(Citation(1, "a.md", None, 1, 1, quote, "verified"))
    return Turn(question, Answer(question, quote, "perhaps", "m", cited, Coverage(), 1))


LEANS = {
    "How long does that take?": "What is the pass that won the game?",
    "Is it covered there?": "How many districts are there in Warsaw?",
    "What is his phone number?": "What did Tesla get after he sold his company?",
    "Which one is cheaper?": "Which is one of the two topics of the paper?",
    "How can I create one?": "Is the lease of the flat a long one?",
    "And in winter?": "And how many balls did Josh Norman intercept?",
    "Und wie hoch darf sie sein?": "Wie hoch darf das Haus sein?",
    "What does it cost?": "What does it cost to send a parcel?",
    "Why?": "Who fixes the boiler?",
    "¿Cuánto cuesta eso?": "¿Cuál es el apellido del jugador?",
}


def test_what_points_at_nothing_in_its_question_leans():
    history = [turn("How long does the dal simmer?", DAL)]
    for question, alone in LEANS.items():
        assert leans(question) and not leans(alone), (question, alone)
        assert readings(alone, history) == (alone,)
        assert readings(question, history) == (f"{question} (dal simmer)", question)


def test_the_words_of_the_question_before_rank_the_sentences_too(answerer):
    rice = "Rice takes twelve minutes in the small pot."
    corpus = MemoryCorpus({"dal.md": DAL, "rice.md": rice})
    for before, quote in (("dal", DAL), ("rice", rice)):
        history = [turn(f"In which pot is the {before} cooked?", quote)]
        found = answerer.read("How long does it take?", corpus, history)
        assert found.sentences[0].text == quote


def test_of_the_documents_named_the_likeliest_are_searched():
    chances = {"a.pdf": 0.8, "b.pdf": 0.0, "c.pdf": 0.8, "d.pdf": 0.6}
    hits = [
        Hit(Chunk(source, 0, "", "", 1, 1), 1.0, 0.0, 0.0, named=chance)
        for source, chance in chances.items()
    ]
    assert named_documents(hits) == ["a.pdf", "c.pdf"]
    assert named_documents(hits[1:2]) == []


def test_a_question_about_a_named_document_is_ranked_without_its_name():
    source = "BLUEFINCH_2021_10K.pdf"
    asked = "What was Blue Finch's net profit in 2021?"
    assert without_names(asked, source).split() == ["What", "was", "net", "profit", "in", "2021?"]
    assert without_names(asked, "notes.md") == asked
    question = "Blue Finch's earnings, BLUEFINCH 2021 stores and "
    once = without_names(question, source)
    assert once == " earnings,  stores and "
    assert without_names(question * 2_000, source) == once * 2_000  # it recursed, name by name


EVERY = {
    "Which of my contracts end in 2025?": "When does my contract end?",
    "How many invoices are there from June?": "How many months' notice do we have to give?",
    "List all the phone numbers.": "What is the list price of the bike?",
    "Which documents do not mention a deposit?": "Which documents do I need for a theft?",
    "How often is the boiler mentioned?": "How often is the boiler serviced?",
    "Show me every letter about the flat.": "Show me the letter about the flat.",
    "Welche meiner Verträge enden 2025?": "Wann endet mein Vertrag?",
    "Combien de factures y a-t-il ?": "Combien coûte la chambre ?",
    "¿Cuáles de mis contratos terminan en 2025?": "¿Cuándo termina el contrato?",
}


def test_what_needs_every_document_is_told_from_what_one_answers():
    for every, one in EVERY.items():
        assert asks_all(every) and not asks_all(one), (every, one)


LEASE = "Die Kaution beträgt 1.130 € und wird vom Vermieter verwahrt.\n\nHunde sind verboten."


class Mixed(MemoryCorpus):
    """The German lease among English notes, or all of it taken for one language."""

    def __init__(self, notes=(), language=""):
        super().__init__({"mietvertrag.md": LEASE, **{f"{n}.md": t for n, t in enumerate(notes)}})
        self._language = language

    def search(self, query):
        found = super().search(query)
        return [replace(h, chunk=replace(h.chunk, language=self._told(h))) for h in found]

    def _told(self, hit):
        return self._language or ("de" if hit.chunk.source == "mietvertrag.md" else "en")


@pytest.fixture(scope="module")
def answerer():
    return ExtractiveAnswerer(Encoder())


@pytest.mark.slow
def test_a_question_in_another_language_is_told_so_and_shown_the_closest_passages(answerer):
    answer = answerer.answer("Who has paid which Kaution to whom and why?", Mixed(language="de"))
    (notice,) = [text for text in answer.notices if "language" in text]
    assert "German" in notice
    assert "corpus-agent --model multilingual index" in notice
    assert answer.status != "not_found"
    assert any("1.130" in passage.text for passage in answer.passages)


def test_passages_of_several_indexes_are_judged_by_those_that_may_answer(answerer):
    question = "Wie hoch ist die Kaution und wer verwahrt sie?"
    club = "The deposit of the boat club is kept by the club."
    mixed = Mixed(notes := [club, "Wie is a village.", "Die is cast."])
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
        ("fee per hour for Café Böhm", "en", False),  # nor does a name
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
