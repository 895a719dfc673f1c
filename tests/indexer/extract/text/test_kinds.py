"""What is skipped says what it is and what would be read; text that begins like it is text."""

import itertools

import pytest

from indexer.errors import UnreadableDocument
from indexer.extract import claim
from indexer.extract.text.kinds import known_by_bytes
from tests.support import made_files
from tests.support.documents import extract

SKIPPED = {
    "notes.one": (bytes.fromhex("e4525c7b8cd8a74daeb15378d02996d3"), "OneNote section"),
    "photo.jpg": (b"\xff\xd8\xff\xe1\0\x18Exif", "photo (JPEG)"),
    "data.db": (b"SQLite format 3\0\x10\0", "SQLite database"),
    "mail.pst": (b"!BDN\x84\xd5\xe2\x36SM" + bytes(99), "Outlook data file"),
    "a.rar": (b"Rar!\x1a\x07\x01\0", "RAR archive"),
    "film.mp4": (b"\0\0\0\x20ftypisom\0\0\x02\0", "film (MP4)"),
    "song.mp3": (b"ID3\x04\0\0\0\0\0\x21", "sound (MP3)"),
    "a.exe": (b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0", "program (Windows)"),
    "a.ps": (b"%!PS-Adobe-3.0\n%%Pages: 1\nshowpage\n", "PostScript document"),
    "a.gif": (b"GIF89a\x01\0\x01\0\x80\0\0\xff\xff\xff\0\0\0!", "picture (GIF)"),
    "a.vsd": (made_files.compound({"VisioDocument": b"x"}), "Visio drawing"),
    "a.vsdx": (made_files.zipped({"visio/document.xml": "<v/>"}), "Visio drawing"),
    "a.nef": (b"\x00\x01\x02\x03\x04\x05" * 9, "photo (camera raw)"),
    "a.bin": (b"\x00\x01\x02\x03\x04\x05" * 9, "not text"),
    "b.pages": (made_files.zipped({"Index/x": "?"}), "Pages, Numbers or Keynote document"),
}
# What would be read instead of some of them.
ADVICE = {
    "notes.one": "export as PDF from OneNote",
    "mail.pst": "export as .msg or .eml from Outlook",
    "b.pages": "export as PDF from Pages, Numbers or Keynote",
    "a.rar": "unpack it beside it",
}
TEXTS = (
    "MZ 125 and other motorcycles",
    "ID3 tags are old",
    "RIFF raff on the quay AVI is",
    "MZ",
    "%!PS is how such files begin",
    "%!PS-Adobe-3.0 begins such a file",
    "PWS3 is a word",
    "%PDF-1.7 is the first line of a PDF",
    "{\\rtf1 is how rich text begins",
    "PK is a rank",
    "From 2024 on, the mill is closed",
    "AT&TFORM begins a scan",
    "GIF89a is an old format",
    "ustar is a mark",
    "bplist00 is a list",
    "(11:private-key( is how it begins",
    "-----BEGIN CERTIFICATE----- is how one begins",
)


def test_a_skipped_file_says_what_it_is_and_what_would_be_read():
    for name, (data, what) in SKIPPED.items():
        with pytest.raises(UnreadableDocument) as caught:
            extract(data, name)
        assert caught.value.detail.partition(";")[0] == what
        assert ADVICE.get(name, "") in caught.value.detail
    for name in ("a.docx", "a.txt", "a"):  # by the bytes before the name
        with pytest.raises(UnreadableDocument, match="photo"):
            extract(SKIPPED["photo.jpg"][0], name)


def test_a_text_that_begins_like_another_format_is_text():
    for text in TEXTS:
        longer = f"{text}, as everybody knows.\nAnd more lines of it.\n"
        for data, name in itertools.product((longer.encode(), text.encode()), ("a.txt", "a")):
            assert known_by_bytes(data) is None
            assert claim(data, name).name == "text", text
