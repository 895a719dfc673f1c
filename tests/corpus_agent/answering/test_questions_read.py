"""How a question is read: after the one before it, of the documents that it names, of all."""

from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.answering.reading import asks_all, leans, named_documents, readings, without_names
from corpus_agent.answering.records import Answer, Citation, Turn
from indexer import Chunk, Coverage, FolderEncoder, Hit
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


def test_the_words_of_the_question_before_rank_the_sentences_too():
    rice = "Rice takes twelve minutes in the small pot."
    corpus, answerer = (
        MemoryCorpus({"dal.md": DAL, "rice.md": rice}),
        ExtractiveAnswerer(FolderEncoder()),
    )
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
