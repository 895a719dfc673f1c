"""The language of a passage, of a question, and the fragments of words."""

from dataclasses import replace

import pytest

from indexer.embed.languages import fragments, in_languages, is_english, language_of
from indexer.records import Chunk

SAID = {
    "en": "The tenant has to give three months' notice, and the deposit is returned afterwards.",
    "de": "Die Kündigungsfrist beträgt drei Monate, danach wird die Kaution zurückgezahlt.",
    "es": "El inquilino debe avisar con tres meses de antelación y después recibe la fianza.",
    "ru": "Срок уведомления составляет три месяца, после чего залог возвращается.",
    "zh": "租户必须提前三个月通知，然后退还押金。",
    "th": "ผู้เช่าต้องแจ้งล่วงหน้าสามเดือน หลังจากนั้นจะได้รับเงินมัดจำคืน",
}


@pytest.mark.parametrize("code", SAID)
def test_the_language_of_a_sentence_is_told(code):
    assert language_of(SAID[code]) == code


@pytest.mark.parametrize(
    "text", ["", "4,500.00", "def f(x):\n    return x + 1", "Invoice", "\ud800"]
)
def test_what_tells_no_language_has_none(text):
    assert language_of(text) == ""


def test_a_passage_that_tells_no_language_has_that_of_its_document():
    texts = [SAID["de"], "4.500,00 EUR", SAID["de"], SAID["en"]]
    chunks = [Chunk("a.md", n, text, "", 1, 1) for n, text in enumerate(texts)]
    assert [chunk.language for chunk in in_languages(chunks)] == ["de", "de", "de", "en"]
    assert [chunk.text for chunk in in_languages(chunks)] == texts
    assert in_languages([]) == []


def test_plain_text_of_an_english_document_is_english():
    texts = [SAID["en"], "def f(x): return x", SAID["de"]]
    chunks = [Chunk("a.md", n, text, "", 1, 1) for n, text in enumerate(texts)]
    assert [chunk.language for chunk in in_languages(chunks[:2])] == ["en", "en"]
    with_english = [*chunks, replace(chunks[0], ordinal=3)]
    assert [chunk.language for chunk in in_languages(with_english)][2] == "de"


def test_fragments_are_four_letters_of_a_word_without_case_and_accents():
    assert fragments("Häuser, am 3.") == "_haus _ause _user _am _3"


def test_the_forms_of_a_word_share_fragments():
    assert set(fragments("Kündigungsfristen").split()) >= set(fragments("Kündigung").split())


def test_scripts_without_spaces_have_pairs_that_no_tokenizer_takes_apart():
    pieces = fragments("退还押金").split()
    assert len(pieces) == 3
    assert all(piece.isascii() and piece.startswith("_") for piece in pieces)
    assert set(pieces) >= set(fragments("押金").split())


def test_vowel_signs_stay_with_their_letters():
    assert fragments("किताब") == "_किता _िताब"


@pytest.mark.parametrize(
    ("question", "english"),
    [
        ("What is the notice period of the flat?", True),
        ("How long may the tenant stay?", True),
        ("Wie lang ist die Kündigungsfrist?", False),
        ("Wer schrieb The Hobbit?", True),  # too short to tell: asked with the words alone
        ("¿Cuándo se devuelve la fianza?", False),
        ("押金什么时候退还？", False),
        ("invoice december", False),
        ("", False),
    ],
)
def test_an_english_question_is_known_by_its_small_words(question, english):
    assert is_english(question) is english
