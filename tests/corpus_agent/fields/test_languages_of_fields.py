"""Documents in languages in which a field may be called otherwise are counted and named."""

import pytest

from corpus_agent import render
from corpus_agent.fields.condition import parse_condition
from corpus_agent.fields.definition import fields_of
from corpus_agent.fields.languages import field_notices
from corpus_agent.fields.mentions import mention_of
from corpus_agent.fields.records import OtherLanguage
from corpus_agent.fields.table import table_of
from corpus_agent.fields.timeline import listed, timeline_of
from corpus_agent.mcp import tables
from corpus_agent.text.delimiters import Frame
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


def test_a_field_that_is_not_known_says_in_which_languages_no_document_has_its_words(corpus):
    table = made(corpus, "excess", "due date")
    assert table.elsewhere == (
        OtherLanguage("de", 2, 0),
        OtherLanguage("tr", 1, 0),
        OtherLanguage("tr", 1, 1),  # German is one of the lexicon's
    )
    excess = (
        "excess: looked for in these words alone, which no document in German (2 documents) or "
        "Turkish (1) has: ask in theirs, too"
    )
    due = f"due date: its words are not known in Turkish (1 document): {THERE}"
    assert list(render.foot_lines(table))[-2:] == [f"  {excess}", f"  {due}"]
    assert excess in render.table_html(table)
    assert render.table_object(table, "off")["other_languages"] == [
        {"field": "excess", "language": "de", "documents": 2},
        {"field": "excess", "language": "tr", "documents": 1},
        {"field": "due date", "language": "tr", "documents": 1},
    ]
    result = tables.run(
        corpus, Frame(), {"fields": "excess"}, lambda among, columns, _: table_of(among, columns)
    )
    assert f"Note: {excess}" in result.text


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


def test_words_of_the_documents_language_have_no_notice(corpus):
    table = made(corpus, "Selbstbeteiligung")
    assert [one.language for one in table.elsewhere] == ["en", "tr"]
    among = table_of(corpus, fields_of(["Selbstbeteiligung"], None), paths=["auto*"])
    assert (among.elsewhere, len(list(render.foot_lines(among)))) == ((), 2)


def test_a_list_and_what_is_missing_say_it_too(corpus):
    found = listed(corpus, parse_condition("contracts with an excess over 40 euros"))
    assert any("German (2 documents)" in line for line in render.list_lines(found))
    missing = table_of(corpus, [mention_of("excess")])
    assert list(render.missing_lines(missing))[-1].startswith("  excess: looked for in these words")
    one = table_of(corpus, [mention_of("excess")], paths=["bike.txt"])
    assert list(render.missing_lines(one))[-1].startswith("1 document looked at")  # the control


def test_a_timeline_names_languages_whose_months_are_not_known(corpus):
    made = timeline_of(corpus)
    assert made.elsewhere == (OtherLanguage("tr", 1),)
    assert list(render.timeline_lines(made))[-1] == (
        "  Names of months are not known in Turkish (1 document): only dates in figures"
    )
    assert render.timeline_object(made, "off")["other_languages"] == [
        {"field": None, "language": "tr", "documents": 1}
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "excees",
            "no value of the type text stands beside these words, and no others are",
        ),
        ("landord", "did you mean “landlord”?"),
        ("Kaltmeite", "did you mean “kaltmiete”?"),
        ("bake temperature", "try others, or search"),
    ],
)
def test_a_field_that_nobody_says_and_that_is_not_known_says_so(corpus, words, said):
    assert any(said in line for line in render.foot_lines(made(corpus, words)))
    known = render.foot_lines(made(corpus, "landlord"))  # the control: known, and said by none
    assert not any("did you mean" in line for line in known)
