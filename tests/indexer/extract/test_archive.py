"""ZIP archives: what is in them is read as the files that they are, and nothing else happens."""

import io
import zipfile

import pytest

from indexer.chunk import Chunker
from indexer.errors import UnreadableDocument
from indexer.extract import REGISTRY, members
from indexer.extract.extraction import MAX_MEMBERS, MAX_TEXT_CHARS
from tests.support import made_files as made
from tests.support.documents import extract
from tests.support.fakes import ToyEncoder
from tests.support.pdfs import pdf_of

TOY = ToyEncoder()
CHUNKER = Chunker(TOY)
PICTURE = b"\x89PNG\r\n\x1a\n"


def lines_of(data: bytes) -> list[str]:
    return [line.text for line in extract(data, "a.zip").lines]


def refusal(data: bytes) -> tuple[str, str]:
    with pytest.raises(UnreadableDocument, match=r".") as caught:
        extract(data, "a.zip")
    return caught.value.reason, caught.value.detail


def marks(data: bytes) -> list[str]:
    return [line.text for line in extract(data, "a.zip").lines if line.is_mark]


def locked(data: bytes, *names: bytes) -> bytes:
    """The archive with these members said to be encrypted."""
    changed = bytearray(data)
    for name in names:
        for signature, flags, name_at in ((b"PK\x03\x04", 6, 30), (b"PK\x01\x02", 8, 46)):
            place = changed.find(signature)
            while place >= 0:
                if changed[place + name_at :].startswith(name):
                    changed[place + flags] |= 1
                place = changed.find(signature, place + 4)
    return bytes(changed)


def test_each_part_of_each_member_begins_with_its_mark():
    assert marks(made.FILES["a.zip"]) == [
        "--- File harbour/notes.md ---",
        "--- File harbour/deck.pptx, Slide 1 ---",
        "--- File harbour/deck.pptx, Slide 2 ---",
        "--- File harbour/costs.xlsx, Sheet Costs ---",
        "--- File harbour/costs.xlsx, Sheet Empty corner ---",
        "--- File quay.png --- (not read: picture (PNG))",
    ]


BY_ITS_NAME = ("a.pages",)


@pytest.mark.slow
def test_a_member_is_read_as_it_would_be_alone_but_for_its_marks():
    names = [name for name in made.FILES if name not in BY_ITS_NAME]
    files = {name: made.FILES[name] for name in names} | {"b.pdf": pdf_of("first", "second")}
    archived = extract(made.zipped(files), "all.zip")
    assert archived.remark == ""
    for name, data in files.items():
        alone = [line.text for line in extract(data, name).lines if not line.is_mark]
        here = [
            line.text
            for line in archived.lines
            if not line.is_mark and f"{line.part},".startswith((f"File {name},", f"File {name}/"))
        ]
        assert here == alone, name


def test_a_passage_carries_the_file_and_the_part_that_it_stands_in():
    files = {"letters/fares.md": "# Fares\n\nVigo is cheap.\n", "b.pdf": pdf_of("first", "second")}
    chunks = CHUNKER.chunk(extract(made.zipped(files), "box.zip"))
    assert [(chunk.text, chunk.heading, chunk.page_start) for chunk in chunks] == [
        ("# Fares\n\nVigo is cheap.", "box > File letters/fares.md > Fares", None),
        ("first", "box > File b.pdf, Page 1", None),
        ("second", "box > File b.pdf, Page 2", None),
    ]


def test_what_is_not_read_has_a_mark_with_the_reason_and_a_remark_if_it_is_a_document():
    files = {
        "a.txt": "words",
        "scan.pdf": pdf_of(""),
        "cut.docx": made.FILES["a.docx"][:2000],
        "inner.zip": made.zipped({"b.txt": "inner words"}),
        "photo.png": PICTURE,
        "notes.one": bytes.fromhex("e4525c7b8cd8a74daeb15378d02996d3"),
        "nothing.txt": b"",
        "server.pem": f"-----BEGIN PRIVATE KEY-----\n{'x' * 64}\n-----END PRIVATE KEY-----\n",
        "locked.txt": "locked words",
    }
    document = extract(locked(made.zipped(files), b"locked.txt"), "a.zip")
    assert [line.text for line in document.lines if line.text] == [
        "--- File a.txt ---",
        "words",
        "--- File scan.pdf, Page 1 ---",
        "--- File cut.docx --- (not read: malformed)",
        "--- File inner.zip/b.txt ---",
        "inner words",
        "--- File photo.png --- (not read: picture (PNG))",
        "--- File notes.one --- (not read: OneNote section; export as PDF from OneNote)",
        "--- File nothing.txt --- (not read: no_bytes)",
        "--- File server.pem --- (not read: secret)",
        "--- File locked.txt --- (not read: encrypted)",
    ]
    assert document.remark == (
        "not readable: scan.pdf (no_text_layer), cut.docx (malformed), "
        "notes.one (OneNote section), locked.txt (encrypted)"
    )


def test_an_archive_without_text_has_the_reason_of_its_members():
    two = made.zipped({"a.txt": "words", "b.txt": "words"})
    assert refusal(locked(two, b"a.txt", b"b.txt")) == ("encrypted", "a password is needed")
    assert refusal(made.zipped({"a.png": PICTURE}))[0] == "unsupported"
    assert refusal(made.zipped({"a.zip": made.zipped({"a.png": PICTURE})}))[0] == "unsupported"
    assert refusal(made.zipped({}))[0] == "unsupported"
    assert refusal(two[:60])[0] == "malformed"
    reason, detail = refusal(made.zipped({"scan.pdf": pdf_of("")}))
    assert (reason, detail) == ("malformed", "not readable: scan.pdf (no_text_layer)")


def test_names_are_labels_that_lead_nowhere_and_are_each_their_own():
    long = "x/" * 80 + "end.txt"
    names = [
        "../../etc/passwd.txt",
        "/root/a.txt",
        "C:\\b\\c.txt",
        "..",
        long,
        "d\ne.txt",
        "./a.txt",
    ]
    found = marks(made.zipped(dict.fromkeys([*names, "a.txt"], "words")))
    assert found == [
        "--- File etc/passwd.txt ---",
        "--- File root/a.txt ---",
        "--- File C:/b/c.txt ---",
        "--- File unnamed ---",
        f"--- File …{long[1 - members.MAX_NAME_CHARS :]} ---",
        "--- File d e.txt ---",
        "--- File a.txt ---",
        "--- File a.txt (2) ---",
    ]


def test_names_in_utf8_are_read_whether_or_not_the_archive_says_so():
    data = made.zipped({"Größe.txt": "words"})
    unsaid = bytearray(data)
    for signature, flags in ((b"PK\x03\x04", 7), (b"PK\x01\x02", 9)):
        unsaid[unsaid.find(signature) + flags] &= ~8
    assert unsaid != data
    assert marks(data) == marks(bytes(unsaid)) == ["--- File Größe.txt ---"]


def test_litter_and_the_folders_of_machines_are_passed_over():
    names = [
        "__MACOSX/._a.txt",
        ".git/config",
        "node_modules/x/readme.md",
        "b/Thumbs.db",
        "~$a.docx",
    ]
    data = made.zipped({**dict.fromkeys(names, "words"), "a.txt": "words"})
    assert lines_of(data) == ["--- File a.txt ---", "words"]


def test_a_link_in_an_archive_is_not_followed_nor_read():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made_archive:
        link = zipfile.ZipInfo("link.txt")
        link.create_system, link.external_attr = 3, 0o120777 << 16
        made_archive.writestr(link, "/etc/passwd")
        made_archive.writestr("a.txt", "words")
    assert lines_of(buffer.getvalue()) == [
        "--- File link.txt --- (not read: symlink)",
        "--- File a.txt ---",
        "words",
    ]


@pytest.mark.slow
def test_members_are_read_up_to_the_most_and_the_others_counted():
    names = [f"{number}.txt" for number in range(MAX_MEMBERS + 1)]
    at_limit = extract(made.zipped(dict.fromkeys(names[:-1], "words")), "a.zip")
    assert (len(at_limit.lines), at_limit.remark) == (2 * MAX_MEMBERS, "")
    beyond = extract(made.zipped(dict.fromkeys(names, "words")), "a.zip")
    assert beyond.lines == at_limit.lines
    assert beyond.remark == "not readable: the last file"


@pytest.mark.slow
def test_text_is_read_up_to_the_most_and_files_after_that_are_counted():
    million = ("x" * 99 + "\n") * 10_000
    data = made.zipped({f"{number}.txt": million for number in range(40)})
    document = extract(data, "a.zip")
    read = MAX_TEXT_CHARS // len(million) + 1
    assert sum(line.is_mark for line in document.lines) == read < 40
    assert document.remark == f"not readable: the last {40 - read} files"


def test_a_folder_called_word_is_no_document_of_words():
    data = made.zipped({"word/notes.txt": "words", "xl/a.txt": "more", "Index/b.txt": "others"})
    assert len(marks(data)) == 3
    assert extract(made.FILES["a.docx"], "a.zip").extractor.startswith("docx/")


def test_a_change_of_any_reader_is_one_of_archives():
    archives = ("zip", "tar", "packed")
    others = [each.version for each in REGISTRY if each.name not in archives]
    assert all(each.version > sum(others) for each in REGISTRY if each.name in archives)
