"""Documents in languages in which a field may be called otherwise are counted and named."""

import pytest

from corpus_agent.fields.definition import fields_of
from corpus_agent.fields.languages import field_notices
from corpus_agent.fields.table import table_of
from indexer import Index
from tests.support.toy_index import sync

ENGLISH = """The policy of the bicycle and what it does not cover. It was made in spring.
Excess: 50 EUR
Due date: 3 May 2024
"""
GERMAN = """Die Versicherung des Wagens beginnt am Ersten des Monats und wird jedes Jahr verlängert.
Selbstbeteiligung: {} EUR
Fällig am 4. Mai 2024
"""
TURKISH = """Bu sözleşme kiracı ile ev sahibi arasında yapılmıştır ve her yıl yeniden uzatılacaktır.
Kira her ayın beşinci gününe kadar ödenir, depozito ise sözleşme bitince geri verilir.
"""
THERE = "ask in words that stand there"
POLISH = """Faktura za remont łodzi, którą nasz warsztat wykonał na zlecenie klubu.
Do zapłaty: 4 maja 2024
Dziękujemy za zamówienie i prosimy o zachowanie tego dokumentu przez cały rok.
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Index:
    folder = tmp_path_factory.mktemp("languages")
    root = folder / "docs"
    root.mkdir()
    (root / "bike.txt").write_text(ENGLISH)
    for number in range(2):
        (root / f"auto{number}.txt").write_text(GERMAN.format(300 + number))
    (root / "kira.txt").write_text(TURKISH)
    sync(root, folder / "store")
    return Index.open(folder / "store", root=root)


def made(corpus: Index, *words: str):
    return table_of(corpus, fields_of(words, None))


@pytest.mark.slow
def test_in_a_language_that_is_not_known_the_words_of_a_document_find_its_value(tmp_path):
    root = tmp_path / "docs"
    root.mkdir()
    (root / "faktura.txt").write_text(POLISH)
    sync(root, tmp_path / "store")
    polish = Index.open(tmp_path / "store", root=root)
    said = f"due date: its words are not known in Polish (1 document): {THERE}"
    unknown = made(polish, "due date")
    assert (unknown.rows[0].cells[0].status, *field_notices(unknown)) == ("silent", said)
    found = made(polish, "do zapłaty")
    assert "4 maja 2024" in found.rows[0].cells[0].values[0].text
    other = made(polish, "termin płatności")  # Polish as well, and nowhere in the document
    assert other.rows[0].cells[0].status == "silent"
