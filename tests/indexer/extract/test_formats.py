"""What comes out of a file of every format, what is left out, and why one is not read."""

from itertools import pairwise

import pytest

from indexer.errors import UnreadableDocument
from indexer.extract import REGISTRY
from indexer.extract.container import MAX_PART_BYTES
from indexer.extract.tables import simple, table_text
from tests.support import made_files as made
from tests.support.documents import extract


def text_of(name: str) -> str:
    return "\n".join(line.text for line in extract(made.FILES[name], name).lines)


def test_a_file_of_every_format_gives_its_sentence_by_its_extractor():
    tried = set()
    for name, data in made.FILES.items():
        document = extract(data, name)
        assert made.SENTENCE in "\n".join(line.text for line in document.lines), name
        assert document.title, name
        tried.add(document.extractor.partition("/")[0])
    # A picture has no text of its own; PDFs are made by their tests.
    assert {each.name for each in REGISTRY} - tried == {"image", "pdf"}
    assert len({each.name for each in REGISTRY}) == len(REGISTRY)


# --- Parts --------------------------------------------------------------------------------------


def test_slides_are_numbered_like_pages_and_each_row_of_a_sheet_names_its_columns():
    for name in ("a.pptx", "a.odp", "a.ppt"):
        lines = extract(made.FILES[name], name).lines
        marks = [(line.text, line.page) for line in lines if line.is_mark]
        assert marks == [("--- Slide 1 ---", 1), ("--- Slide 2 ---", 2)], name
        assert next(line for line in lines if line.text == made.SENTENCE).page == 2
        assert "# Timetable" in [line.text for line in lines]
    for name in ("a.xlsx", "a.ods", "a.xls"):
        assert text_of(name).split("\n")[:4] == [
            "--- Sheet Costs ---",
            "| Port | Fare | Remark |",
            f"| Port: Vigo | Fare: 7.5 | Remark: {made.SENTENCE} |",
            "| Port: Cangas | Fare: 1200000 |",
        ], name


# --- What a format keeps, and what it leaves out ------------------------------------------------

LINK = "- [the fares](https://example.org/x)"
KEPT = {
    "a.docx": [
        *("# Timetable", "1. first", "2. second", "| Vigo & Cangas | 7.50 |"),
        *("Comment (Ana): check the fare", "See the fares", LINK),
    ],
    "a.pptx": ["Notes: say it slowly", "- [See the fares](https://example.org/x)"],
    "a.xlsx": ["Comment (B2): since May", "Prices as of May"],
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
        *("Subject: Fähre", "From: Ana <ana@example.org>", "Attachment: fares.pdf", "In HTML"),
        "Date: Mon, 04 Aug 2025 09:00:00 +0200",
    ],
    "a.mbox": ["Subject: Second", "From the start"],
    "a.msg": [
        *("Subject: Ferry", "From: Ana <ana@example.org>", "To: Bea", "Attachment: fares.pdf"),
        "Date: 2024-01-17 21:20 UTC",
    ],
    "a.vcf": [
        *("--- Contact 2: Ana Ruiz ---", "Phone (work): +34-600-000", "Birthday: 03-04"),
        *("Address (home): Straße 12, Berlin, 10115, Germany", "and a second line"),
    ],
    "a.ics": [
        *("--- Appointment 2: Fair ---", "Start: 2025-08-04 09:00 (Europe/Madrid)", "It is folded"),
        *("Organiser: Ruiz, Ana <ana@example.org>", "End: before 2025-08-12", "Reminder: -PT15M"),
        *("Due: 2025-09-01 12:00 (UTC)", "UNTIL=20251231T000000Z"),
    ],
}
LEFT_OUT = {
    "a.docx": ["printed on every page"],
    "a.odt": ["withdrawn"],
    "a.doc": ["HYPERLINK"],
    "a.xlsx": ["a shape of a later version"],
    "a.ppt": ["page one of all", "once upon a time"],
    "a.rtf": ["on every page", "hidden", "Arial"],
    "a.html": ["scripted", "color", "menu entry", "imprint", "<"],
    "a.eml": ["%PDF"],
    "a.ipynb": ["iVBOR", "nbformat"],
    "a.emlx": ["flags", "kept by the program"],
    "a.vcf": ["/9j/4AAQ", "X-ABLabel"],
    "a.ics": ["VTIMEZONE", "BEGIN:"],
}
# Where the bytes of a text are not those of the file.
PACKED = ("a.docx", "a.odt", "a.eml", "a.ppt", "a.xlsx")


def test_what_a_reader_would_see_is_kept_and_what_none_sees_is_left_out():
    for name, wanted in KEPT.items():
        text = text_of(name)
        assert [each for each in wanted if each not in text] == [], name
    for name, unwanted in LEFT_OUT.items():
        assert [each for each in unwanted if each in text_of(name)] == [], name
        raw = made.FILES[name]  # the control: it is in the file
        assert name in PACKED or all(each.encode() in raw for each in unwanted), name


def test_a_long_cell_stays_in_its_row_and_a_table_of_long_texts_is_read_as_text():
    rows = [["Port", "Remark"], ["Vigo", "w " * 300], ["Cangas", "a|b"], ["Moaña", "| x | y |"]]
    lines = table_text(simple(rows, headed=True)).split("\n")
    assert lines[2].startswith("| Port: Vigo | Remark: w w")
    assert lines[3:] == ["| Port: Cangas | Remark: a|b |", "| Port: Moaña | Remark: x, y |"]
    assert table_text(simple([["w " * 300, "v " * 300], ["", "u"]])).count("|") == 0


# --- Whose file is it? --------------------------------------------------------------------------

MARKED = ("docx", "pptx", "xlsx", "odt", "odp", "ods", "epub", "pages", "doc", "ppt", "xls", "msg")
TEXTS = (
    ("a.html", "a.txt", "html"),
    ("a.html", "a.doc", "html"),
    ("a.eml", "a.txt", "eml"),
    ("a.mbox", "Inbox", "mbox"),
    ("a.html", "a.md", "markdown"),
    ("memo", "a.txt", "text"),
    *(("a.txt", f"a.{suffix}", "text") for suffix in ("docx", "ipynb", "xml", "srt", "vcf")),
)


def test_a_file_is_what_its_bytes_say_and_text_what_its_beginning_or_its_name_says():
    for suffix in MARKED:
        data = made.FILES[f"a.{suffix}"]
        for other in ("a.txt", "a.pdf", "a.html", "a"):
            assert extract(data, other).extractor == extract(data, f"a.{suffix}").extractor
    memo = b"From: Ana\nTo: Bea\nDate: today\nSubject: fares\nRe: May\n\nwords\n"
    for name, other, wanted in TEXTS:
        label = extract(made.FILES.get(name, memo), other).extractor
        assert label.partition("/")[0] == wanted, (name, other)


# --- What is not read, and why ------------------------------------------------------------------


def refusal(data: bytes, name: str) -> str:
    with pytest.raises(UnreadableDocument, match=r".") as caught:
        extract(data, name)
    return caught.value.reason


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
        ("encrypted", made.locked(made.FILES["a.docx"], b"word/document.xml"), "a.docx"),
        ("encrypted", encrypted_odt, "a.odt"),
        ("no_bytes", b"", "a.docx"),
        ("no_text", made.zipped({"word/document.xml": "<w><body/></w>"}), "a.docx"),
        ("binary", b"\x89PNG\r\n\x1a\n", "a.docx"),
    ]
    for reason, data, name in cases:
        assert refusal(data, name) == reason, name


def test_a_cut_file_is_malformed_and_says_which_extractor_tried():
    for name in ("a.docx", "a.pptx", "a.xlsx", "a.odt", "a.ods", "a.epub"):
        data = made.FILES[name]
        with pytest.raises(UnreadableDocument) as caught:
            extract(data[: len(data) * 2 // 3], name)
        assert caught.value.reason == "malformed" and caught.value.extractor, name


# --- Files that mean harm -----------------------------------------------------------------------


@pytest.mark.slow
def test_a_part_that_unpacks_beyond_the_limit_is_refused_and_one_at_the_limit_is_read():
    head, tail = b"<w><body><p><r><t>", b"</t></r></p></body></w>"
    at_limit = head + b" " * (MAX_PART_BYTES - len(head) - len(tail)) + tail
    for size, reason in ((0, "malformed"), (1, "too_large_unpacked")):
        data = made.zipped({"word/document.xml": at_limit + b" " * size})
        assert len(data) < 200_000
        # At the limit it is unpacked, and then has a text longer than XML's parser takes.
        assert refusal(data, "a.docx") == reason


BOMB = "".join(f"<!ENTITY {a} '{f'&{b};' * 10}'>" for a, b in pairwise("kjihgfedcba"))
RESOLVED = (
    ("[<!ENTITY who 'Anna Berg'>]", "<p>To &who; <b>all</b></p>", ["p: To Anna Berg all"]),
    ("SYSTEM 'd.dtd'", "<p>caf&eacute;</p>&nbsp;<p>x</p>", ["p: caf&eacute;", "p: x"]),
    ("[<!ENTITY o SYSTEM 'file:///etc/hostname'>]", "<p>to &o;</p>", ["p: to &o;"]),
    (f"[{BOMB}<!ENTITY a 'ha'>]", "<p>&k;</p>", []),  # that is no XML, and read as it stands there
)


def test_entities_of_xml_are_resolved_or_stay_as_written_and_neither_grow_nor_read_files():
    for doctype, said, lines in RESOLVED:
        page = f"<?xml version='1.0'?><!DOCTYPE d {doctype}><d>{said}</d>"
        assert [line.text for line in extract(page.encode(), "a.xml").lines] == (lines or [page])
