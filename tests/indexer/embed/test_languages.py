"""The language of a passage, of a question, and the fragments of words."""

from indexer.embed.languages import in_languages, language_of
from indexer.records import Chunk

SAID = {
    "en": "The tenant has to give three months' notice, and the deposit is returned afterwards.",
    "de": "Die Kündigungsfrist beträgt drei Monate, danach wird die Kaution zurückgezahlt.",
    "es": "El inquilino debe avisar con tres meses de antelación y después recibe la fianza.",
    "ru": "Срок уведомления составляет три месяца, после чего залог возвращается.",
    "zh": "租户必须提前三个月通知，然后退还押金。",
    "th": "ผู้เช่าต้องแจ้งล่วงหน้าสามเดือน หลังจากนั้นจะได้รับเงินมัดจำคืน",
}


def test_the_language_of_a_sentence_is_told_and_what_tells_none_has_none():
    assert {code: language_of(said) for code, said in SAID.items()} == {code: code for code in SAID}
    nothing = ("", "4,500.00", "def f(x):\n    return x + 1", "Invoice", "\ud800")
    assert {language_of(text) for text in nothing} == {""}


def test_a_passage_that_tells_no_language_has_that_of_its_document():
    texts = [SAID["de"], "4.500,00 EUR", SAID["de"], SAID["en"]]
    chunks = [Chunk("a.md", n, text, "", 1, 1) for n, text in enumerate(texts)]
    assert [chunk.language for chunk in in_languages(chunks)] == ["de", "de", "de", "en"]
    assert [chunk.text for chunk in in_languages(chunks)] == texts
    assert in_languages([]) == []
