import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.errors import UnreadableDocument
from indexer.extract.normalise import MAX_LINE_CHARS, lines_of
from indexer.extract.text import decode, markdown_title
from tests.support.documents import extract
from tests.support.pdfs import bare_pdf

LANGUAGES = {
    "Příliš žluťoučký kůň úpěl ďábelské ódy.": ("cp1250", "iso8859_2"),
    "Árvíztűrő tükörfúrógép, hétfőn és kedden.": ("cp1250", "iso8859_2"),
    "Zażółć gęślą jaźń, proszę bardzo.": ("cp1250", "iso8859_2"),
    "Čeština, žluť a šťáva: kuřata, včera.": ("cp1250", "iso8859_2"),
    "Şoförün ağzı çok bozuk, İstanbul'da yağmur yağıyor.": ("cp1254", "iso8859_9"),
    "Įlinkdama fechtuotojo špaga sublykčiojusi pragręžė apvalų arbūzą.": ("cp1257",),
    "The area is 12 m², at 20 °C ± 2; “quoted” – and 3½ × 4 µm.": ("cp1252",),
    **dict.fromkeys(("naïve", "12 rue de l'Église", "Rent: £450 for the café"), ("cp1252",)),
    "Größere Änderungen an der Straße kosten 1.250 € im März.": ("cp1252",),
    "L'été dernier, où la société a été créée, ça allait.": ("cp1252", "iso8859_1"),
    "El niño pidió más café; ¿cuánto costó?": ("cp1252", "iso8859_1"),
    "Þar sem ég er, bíður þú við ána í kvöld.": ("cp1252", "iso8859_1"),
    "Съешь же ещё этих мягких французских булок, да выпей чаю.": ("cp1251", "koi8_r"),
    "Срок договора аренды истекает в марте, оплата до пятого числа.": (
        *("cp1251", "koi8_r", "cp866", "iso8859_5"),
    ),
    "Η πολιτική της χώρας αλλάζει, και ο κόσμος το ξέρει.": ("cp1253", "iso8859_7"),
    "מסמך בעברית על מחירים, שלום עולם.": ("cp1255", "iso8859_8"),
    "هذا نص عربي طويل قليلا عن أسعار السفن في الميناء.": ("cp1256", "iso8859_6"),
}


def test_a_sentence_is_read_in_the_code_page_of_its_language():
    for text, pages in LANGUAGES.items():
        for page in pages:
            assert decode(text.encode(page)) == text, page


def test_bytes_that_no_language_explains_are_refused_with_their_reason():
    noise = bytes(range(128, 256)) * 4
    with pytest.raises(UnreadableDocument, match="no known encoding"):
        decode(noise)


SENTENCES = {
    **dict.fromkeys(("utf-8", "utf-8-sig", "utf-16", "utf-32"), "Größe und Maß der Türen, 日本語."),
    "utf-16-le": "Plain letters without any mark at all",
    "shift_jis": "今日は天気がいいので、駅まで歩いて行きました。図書館は月曜日に休みです。",
    "gb18030": "今天天气很好，我们去公园散步。图书馆星期一不开门，请注意开放时间。",
    "euc_kr": "오늘은 날씨가 좋아서 공원까지 걸어갔습니다. 도서관은 월요일에 쉽니다.",
}


def test_text_in_any_encoding_is_read_as_it_was_written():
    for encoding, text in SENTENCES.items():
        assert decode((text + "\n" + text).encode(encoding)) == text + "\n" + text, encoding


def test_a_stray_byte_in_utf_8_costs_that_byte():
    text = SENTENCES["utf-8"]
    assert decode(text.encode() * 3 + b" \xff " + text.encode()) == text * 3 + " \ufffd " + text


def test_all_line_ends_are_line_ends_and_nul_is_gone():
    assert list(lines_of("a\r\nb\rc\nd\0e\n")) == ["a", "b", "c", "de"]


@pytest.mark.slow
@given(
    st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=300).map(lambda t: t * 20)
)
def test_wrapping_long_lines_loses_nothing(text):
    whole = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
    whole = whole.replace("\0", "")
    lines = list(lines_of(text))
    assert all(len(line) <= MAX_LINE_CHARS for line in lines)
    assert "".join(lines) == unicodedata.normalize("NFC", whole.replace("\n", ""))


def test_a_line_is_wrapped_at_white_space_one_past_the_limit_and_not_at_it():
    assert len(list(lines_of("x" * MAX_LINE_CHARS))) == 1
    lines = list(lines_of("word " * 400 + "x"))
    assert [len(line) for line in lines] == [2000, 1]


def test_markdown_takes_its_title_from_front_matter_then_from_its_first_heading():
    assert markdown_title("---\ntitle: Bread\ntags: [a]\n---\n# Other\n") == "Bread"
    assert markdown_title("---\ntags: [a]\n---\ntext\n## Second\n") == "Second"
    assert markdown_title("---\n: [broken\n---\n# Kept\n") == "Kept"
    assert markdown_title("no title here") is None


@given(st.binary(max_size=2000))
def test_no_bytes_raise_anything_but_unreadable_document(data):
    for source in ("a.txt", "a.md"):
        try:
            lines = extract(data, source).lines
        except UnreadableDocument:
            continue
        assert not any("\0" in line.text or "\n" in line.text for line in lines)
        assert max(len(line.text) for line in lines) <= MAX_LINE_CHARS


def test_half_a_surrogate_pair_in_a_title_costs_that_character_and_not_the_run():
    """A file whose title no database can store once ended the run over the whole folder."""
    matter = b'---\ntitle: "a\\ud800b \\ud83d\\ude00"\n---\n\nwords\n'
    assert extract(matter, "a.md").title == "a\ufffdb \U0001f600"
    planted = bare_pdf(["hello Q world"], "title Q")
    broken = planted.replace(b"<0051>", b"<d800>").replace(b"00200051>", b"0020d800>")
    assert broken.count(b"d800") == 3
    document = extract(broken, "a.pdf")
    assert document.title == "a"
    for line in document.lines:
        assert line.text.encode()
    assert list(lines_of("x\ud800y")) == ["x\ufffdy"]
