import pytest

from indexer.chunk import Chunker
from indexer.errors import UnreadableDocument
from indexer.extract import REGISTRY, open_document
from indexer.extract.container import MAX_PART_BYTES
from indexer.extract.tables.rows import simple, table_text
from tests.support import made_files as made
from tests.support.documents import extract
from tests.support.fakes import ToyEncoder

TOY = ToyEncoder()
CHUNKER = Chunker(TOY)
EXTRACTORS = {
    "a.txt": "text",
    "a.md": "markdown",
    "a.tex": "latex",
    **dict.fromkeys(("a.srt", "a.vtt"), "text"),
    "a.fb2": "xml",
    "a.ipynb": "notebook",
    "a.odt": "odf",
    "a.odp": "odf",
    "a.pages": "iwork",
    **dict.fromkeys(("a.tar.gz", "a.txt.gz", "a.txt.bz2", "a.txt.xz"), "packed"),
    "a.emlx": "eml",
    "a.vcf": "contacts",
    "a.ics": "calendar",
}
TITLES = {
    **dict.fromkeys(("a.docx", "a.odt", "a.odp", "a.ods", "a.rtf"), "Harbour notes"),
    **dict.fromkeys(("a.md", "a.org", "a.rst", "a.tex"), "Harbour notes"),
    "a.epub": "Harbour tales",
    "a.pptx": "Harbour deck",
    "a.ppt": "Opening",
    "a.html": "Harbour",
    "a.ipynb": "Fares",
    "a.eml": "Fähre",
    "a.msg": "Ferry",
    "a.emlx": "fares",
    "a.ics": "Harbour dates",
    **{f"a.txt.{packed}": "a.txt" for packed in ("gz", "bz2", "xz")},
    "a.tar.gz": "a.tar",
}


def text_of(name: str) -> str:
    return "\n".join(line.text for line in extract(made.FILES[name], name).lines)


@pytest.mark.parametrize("name", made.FILES)
def test_a_file_of_every_format_gives_its_sentence_its_title_and_its_extractor(name):
    document = extract(made.FILES[name], name)
    assert made.SENTENCE in "\n".join(line.text for line in document.lines)
    assert document.title == TITLES.get(name, "a")
    assert document.extractor.partition("/")[0] == EXTRACTORS.get(name, name[2:])


@pytest.mark.slow
@pytest.mark.parametrize("name", made.FILES)
def test_the_lines_of_each_chunk_are_the_lines_that_are_read_there(name):
    lines = [line.text for line in open_document(made.FILES[name], name).lines]
    document = extract(made.FILES[name], name)
    assert lines == [line.text for line in document.lines]
    chunks = CHUNKER.chunk(document)
    assert chunks
    for chunk in chunks:
        assert chunk.text in "\n".join(lines[chunk.line_start - 1 : chunk.line_end])


def test_every_extractor_of_the_registry_has_a_file_here_and_a_reader():
    tried = {extract(data, name).extractor.partition("/")[0] for name, data in made.FILES.items()}
    assert {extractor.name for extractor in REGISTRY} - tried == {
        "image",
        "pdf",
    }  # a picture has no text of its own
    assert len({extractor.name for extractor in REGISTRY}) == len(REGISTRY)


# --- Parts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.pptx", "a.odp", "a.ppt"])
def test_slides_are_marked_and_numbered_like_pages(name):
    lines = extract(made.FILES[name], name).lines
    assert [(line.text, line.page) for line in lines if line.is_mark] == [
        ("--- Slide 1 ---", 1),
        ("--- Slide 2 ---", 2),
    ]
    assert next(line for line in lines if line.text == made.SENTENCE).page == 2
    assert "# Timetable" in [line.text for line in lines]


@pytest.mark.parametrize("name", ["a.xlsx", "a.ods", "a.xls"])
def test_a_sheet_is_marked_and_each_row_says_the_names_of_its_columns(name):
    lines = [line.text for line in extract(made.FILES[name], name).lines]
    assert lines[:4] == [
        "--- Sheet Costs ---",
        "| Port | Fare | Remark |",
        f"| Port: Vigo | Fare: 7.5 | Remark: {made.SENTENCE} |",
        "| Port: Cangas | Fare: 1200000 |",
    ]


# --- What a format keeps, and what it leaves out ------------------------------------------------

LINK = "- [the fares](https://example.org/x)"
KEPT = {
    "a.docx": [
        *("# Timetable", "1. first", "2. second", "| Vigo & Cangas | 7.50 |"),
        *("Comment (Ana): check the fare", "See the fares", LINK),
    ],
    "a.pptx": ["Notes: say it slowly", "- [See the fares](https://example.org/x)"],
    "a.xlsx": ["Comment (B2): since May", "Prices as of May", "Fares by port"],
    "a.odt": ["## Timetable", "Footnote: in summer", "| Vigo | 7.50 |", LINK],
    "a.doc": ["# Timetable", "| Port | Fare |", "in summer"],
    "a.rtf": [
        *("1. first", "2. second", "- third", "Total\t12"),
        *("# Timetable", "Привет", "7\u00a0€", "| Vigo | 7.50 |", "Footnote: in summer"),
    ],
    "a.html": [
        *("# Timetable", "See the fares.", "- one", "| Port: Vigo | Fare: 7.50 |"),
        LINK,
    ],
    "a.eml": [
        *("Subject: Fähre", "From: Ana <ana@example.org>", "Attachment: fares.pdf"),
        "Date: Mon, 04 Aug 2025 09:00:00 +0200",
    ],
    "a.mbox": ["Subject: Second", "From the start"],
    "a.msg": [
        *("Subject: Ferry", "From: Ana <ana@example.org>", "To: Bea", "Attachment: fares.pdf"),
        "Date: 2024-01-17 21:20 UTC",
    ],
    "a.ipynb": ["```python", "print(7.5)", "7.5", "ValueError: no fare", "plot"],
    "a.json": ["Größe"],
    "a.xml": ["trip: (port=Vigo)"],
    "a.csv": [f"| Port: Vigo | Fare: 7,50 | Remark: {made.SENTENCE} |"],
    "a.md": ["title: Harbour notes"],
    "a.vcf": ["Name: Dr. Jürgen Müller", "Phone (mobile) of Dr. Jürgen Müller: 0170 99"],
    "a.ics": ["Start of Board meeting: 2025-08-04 09:00 (Europe/Madrid)"],
}
LEFT_OUT = {
    "a.docx": ["printed on every page"],
    "a.odt": ["withdrawn"],
    "a.doc": ["HYPERLINK"],
    "a.xlsx": ["a shape of a later version"],
    "a.ppt": ["page one of all", "once upon a time"],
    "a.rtf": ["on every page", "hidden", "Arial"],
    "a.html": ["scripted", "color", "menu entry", "imprint", "<"],
    "a.eml": ["In HTML", "%PDF"],
    "a.ipynb": ["iVBOR", "nbformat"],
    "a.emlx": ["flags", "kept by the program"],
    "a.vcf": ["/9j/4AAQ", "X-ABLabel"],
    "a.ics": ["VTIMEZONE", "BEGIN:"],
}


@pytest.mark.parametrize("name", KEPT)
def test_what_a_reader_would_see_is_kept(name):
    lines = text_of(name).split("\n")
    for wanted in KEPT[name]:
        assert any(wanted in line for line in lines), wanted


# Where the bytes of a text are not those of the file.
PACKED = ("a.docx", "a.odt", "a.eml", "a.ppt", "a.xlsx")


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_no_reader_sees_is_left_out(name):
    raw = made.FILES[name]
    for unwanted in LEFT_OUT[name]:
        assert unwanted not in text_of(name)
        hidden = unwanted.encode() in raw or name in PACKED
        assert hidden, f"{unwanted} is not in the file, so that it could not be found"


def test_a_long_cell_stays_in_its_row_and_a_table_of_long_texts_is_read_as_text():
    rows = [["Port", "Remark"], ["Vigo", "w " * 300], ["Cangas", "a|b"], ["Moaña", "| x | y |"]]
    lines = table_text(simple(rows, headed=True)).split("\n")
    assert lines[2].startswith("| Port: Vigo | Remark: w w")
    assert lines[3:] == ["| Port: Cangas | Remark: a|b |", "| Port: Moaña | Remark: x, y |"]
    assert table_text(simple([["w " * 300, "v " * 300], ["", "u"]])).count("|") == 0


# --- Whose file is it? --------------------------------------------------------------------------


MARKED = ("docx", "pptx", "xlsx", "odt", "odp", "ods", "epub", "pages", "doc", "ppt", "xls", "msg")


@pytest.mark.parametrize("suffix", MARKED)
def test_a_file_with_a_wrong_name_is_known_by_its_bytes(suffix):
    data = made.FILES[f"a.{suffix}"]
    for other in ("a.txt", "a.pdf", "a.html", "a"):
        assert extract(data, other).extractor == extract(data, f"a.{suffix}").extractor


@pytest.mark.parametrize(
    ("name", "other", "expected"),
    [
        ("a.html", "a.txt", "html"),
        ("a.html", "a.doc", "html"),
        ("a.eml", "a.txt", "eml"),
        ("a.mbox", "Inbox", "mbox"),
        ("a.html", "a.md", "markdown"),
        ("memo", "a.txt", "text"),
        ("a.txt", "a.docx", "text"),
        ("a.txt", "a.ipynb", "text"),
        ("a.txt", "a.xml", "text"),
        ("a.txt", "a.srt", "text"),
    ],
)
def test_text_is_what_its_beginning_or_its_name_says_and_plain_text_else(name, other, expected):
    memo = b"From: Ana\nTo: Bea\nDate: today\nSubject: fares\nRe: May\n\nwords\n"
    label = extract(made.FILES.get(name, memo), other).extractor
    assert label.partition("/")[0] == expected


# --- What is not read, and why ------------------------------------------------------------------


def refusal(data: bytes, name: str) -> str:
    with pytest.raises(UnreadableDocument, match=r".") as caught:
        extract(data, name)
    return caught.value.reason


def locked_zip() -> bytes:
    plain = bytearray(made.FILES["a.docx"])
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = plain.find(signature)
        while place >= 0:
            plain[place + offset] |= 1
            place = plain.find(signature, place + 4)
    return bytes(plain)


def test_archives_and_locked_and_empty_files_have_their_reasons():
    encrypted_odt = made.zipped(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "META-INF/manifest.xml": "<m><encryption-data/></m>",
            "content.xml": b"\x01\x02",
        },
        stored_first=True,
    )
    cases = [
        ("unsupported", made.zipped({"notes.txt": "words"}), "a.jar"),
        ("unsupported", made.zipped({"notes.txt": "words"}), "a.docx"),
        ("malformed", b"\x1f\x8b\x08\0 rest", "a.txt.gz"),
        ("unsupported", b"7z\xbc\xaf\x27\x1c rest", "a.7z"),
        ("unsupported", b"\x78\x9f\x3e\x22 rest", "winmail.dat"),
        ("unsupported", b"\x28\xb5\x2f\xfd rest", "a.txt.zst"),
        ("malformed", bytes(257) + b"ustar" + bytes(300), "a.tar"),
        ("unsupported", b"Rar!\x1a\x07\0 rest", "a.rar"),
        ("unsupported", made.compound({"VisioDocument": b"x"}), "a.vsd"),
        ("encrypted", made.compound({"EncryptedPackage": b"x", "EncryptionInfo": b"x"}), "a.docx"),
        ("encrypted", made.doc(encrypted=True), "a.doc"),
        ("encrypted", locked_zip(), "a.docx"),
        ("encrypted", encrypted_odt, "a.odt"),
        ("no_bytes", b"", "a.docx"),
        ("no_text", made.zipped({"word/document.xml": "<w><body/></w>"}), "a.docx"),
        ("binary", b"\x89PNG\r\n\x1a\n", "a.docx"),
    ]
    for reason, data, name in cases:
        assert refusal(data, name) == reason, name


@pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.xlsx", "a.odt", "a.ods", "a.epub"])
def test_a_cut_file_is_malformed_and_says_which_extractor_tried(name):
    data = made.FILES[name]
    with pytest.raises(UnreadableDocument, match="malformed") as caught:
        extract(data[: len(data) * 2 // 3], name)
    assert caught.value.reason == "malformed"
    assert caught.value.extractor is not None


# --- Files that mean harm -----------------------------------------------------------------------


def test_entities_of_xml_neither_grow_nor_read_files(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("a secret")
    bomb = '<!DOCTYPE x [<!ENTITY a "ha">' + "".join(
        f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(10)
    )
    outside = f'<!ENTITY file SYSTEM "{secret.as_uri()}">'
    content = f"{bomb}{outside}]><x><p>&k;</p><p>&file;</p><p>{made.SENTENCE}</p></x>".encode()
    for name, data in (
        ("a.xml", content),
        ("a.docx", made.zipped({"word/document.xml": content})),
        ("a.fb2", b"<?xml version='1.0'?>" + content.replace(b"<x>", b"<FictionBook>")),
    ):
        try:
            text = "\n".join(line.text for line in extract(data, name).lines)
        except UnreadableDocument as error:
            assert error.reason in ("malformed", "no_text")
            continue
        assert len(text) < 10 * len(content)
        assert "a secret" not in text


@pytest.mark.slow
def test_a_part_that_unpacks_beyond_the_limit_is_refused_and_one_at_the_limit_is_read():
    head, tail = b"<w><body><p><r><t>", b"</t></r></p></body></w>"
    at_limit = head + b" " * (MAX_PART_BYTES - len(head) - len(tail)) + tail
    for size, reason in ((0, "malformed"), (1, "too_large_unpacked")):
        data = made.zipped({"word/document.xml": at_limit + b" " * size})
        assert len(data) < 200_000
        # At the limit it is unpacked, and then has a text longer than XML's parser takes.
        assert refusal(data, "a.docx") == reason


@pytest.mark.parametrize(
    ("doctype", "said", "lines"),
    [
        ("[<!ENTITY who 'Anna Berg'>]", "<p>To &who; <b>all</b></p>", ["p: To Anna Berg all"]),
        ("SYSTEM 'd.dtd'", "<p>caf&eacute;</p>&nbsp;<p>x</p>", ["p: caf&eacute;", "p: x"]),
        ("[<!ENTITY o SYSTEM 'file:///etc/hostname'>]", "<p>to &o;</p>", ["p: to &o;"]),
    ],
)  # fmt: skip
def test_entities_of_xml_are_resolved_or_stay_as_written(doctype, said, lines):
    document = extract(
        f"<?xml version='1.0'?><!DOCTYPE d {doctype}><d>{said}</d>".encode(), "a.xml"
    )
    assert [line.text for line in document.lines] == lines
