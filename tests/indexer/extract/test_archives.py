"""Archives and packed files: what is in them is read as the files that they are, within limits."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile

import pytest

from indexer.errors import UnreadableDocument
from indexer.extract import open_document
from indexer.extract.extraction import (
    MAX_MEMBERS,
    MAX_NESTING,
    MAX_TEXT_CHARS,
    Budget,
    Extraction,
    Within,
)
from indexer.extract.members import MAX_NAME_CHARS
from tests.support import made_files as made
from tests.support.documents import extract
from tests.support.pdfs import pdf_of

PICTURE = made.PICTURE
PACKERS = (gzip.compress, bz2.compress, lzma.compress)


def refusal(data: bytes, name: str = "a.zip") -> str:
    with pytest.raises(UnreadableDocument, match=r".") as caught:
        extract(data, name)
    return str(caught.value)


def marks(data: bytes, name: str = "a.zip") -> list[str]:
    return [line.text for line in extract(data, name).lines if line.is_mark]


def shown(document: Extraction) -> list[str]:
    return [line.text for line in document.lines if line.text]


MEMBERS = {
    "a.txt": b"words",
    "d/b.pdf": pdf_of("first", "second"),
    "quay.png": PICTURE,
    "inner.zip": made.zipped({"c.txt": "inner words"}),
}
ARCHIVES = {
    "a.zip": lambda: made.zipped(MEMBERS),
    "a.tar": lambda: made.tar(MEMBERS),
    "a.tar.gz": lambda: made.tar(MEMBERS, "w:gz"),
    "a.tbz2": lambda: made.tar(MEMBERS, "w:bz2"),
    "a.tar.xz": lambda: made.tar(MEMBERS, "w:xz"),
}


def test_an_archive_is_read_member_by_member_whatever_it_is_packed_with():
    for name, make in ARCHIVES.items():
        for called in (name, "a.txt" if name != "a.zip" else name):  # by its bytes
            assert marks(make(), called) == [
                "--- File a.txt ---",
                "--- File d/b.pdf, Page 1 ---",
                "--- File d/b.pdf, Page 2 ---",
                "--- File quay.png --- (not read: picture (PNG))",
                "--- File inner.zip/c.txt ---",
            ], name


def test_a_single_packed_file_is_read_as_the_file_that_it_is():
    for pack in PACKERS:
        document = extract(pack(b"Port,Fare\nVigo,7.50\n"), "fares.csv.gz")
        assert shown(document) == ["| Port | Fare |", "| Port: Vigo | Fare: 7.50 |"]
        pages = extract(pack(pdf_of("first", "second")), "b.pdf.xz").lines
        assert [line.page for line in pages if not line.is_mark] == [1, 2]
        assert refusal(pack(PICTURE), "quay.png.gz").startswith("binary")
        assert refusal(pack(b"words"), "id_rsa.gz").startswith("secret")


@pytest.mark.slow
def test_a_member_is_read_as_it_would_be_alone_but_for_its_marks():
    files = {name: data for name, data in made.FILES.items() if name != "a.pages"}  # by its name
    files["b.pdf"] = pdf_of("first", "second")
    archived = extract(made.zipped(files), "all.zip")
    assert archived.remark == ""
    for name, data in files.items():
        alone = [line.text for line in extract(data, name).lines if not line.is_mark]
        begins = (f"File {name},", f"File {name}/")
        ours = [line for line in archived.lines if f"{line.part},".startswith(begins)]
        assert [line.text for line in ours if not line.is_mark] == alone, name


def test_what_is_not_read_has_a_mark_with_the_reason_and_a_remark_if_it_is_a_document():
    body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC" * 40
    files = {
        "a.txt": "words",
        "scan.pdf": pdf_of(""),
        "cut.docx": made.FILES["a.docx"][:2000],
        "notes.one": bytes.fromhex("e4525c7b8cd8a74daeb15378d02996d3"),
        "nothing.txt": b"",
        "id_rsa": "words",
        "server.pem": f"-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n",
        "locked.txt": "locked words",
    }
    document = extract(made.locked(made.zipped(files), b"locked.txt"), "a.zip")
    assert shown(document) == [
        "--- File a.txt ---",
        "words",
        "--- File scan.pdf, Page 1 ---",
        "--- File cut.docx --- (not read: malformed)",
        "--- File notes.one --- (not read: OneNote section; export as PDF from OneNote)",
        "--- File nothing.txt --- (not read: no_bytes)",
        "--- File id_rsa --- (not read: secret)",
        "--- File server.pem ---",
        "(private key, left out)",
        "--- File locked.txt --- (not read: encrypted)",
    ]
    assert document.remark == (
        "not readable: scan.pdf (no_text_layer), cut.docx (malformed), "
        "notes.one (OneNote section), locked.txt (encrypted)"
    )


def test_an_archive_without_text_has_the_reason_of_its_members():
    two = made.zipped({"a.txt": "words", "b.txt": "words"})
    assert refusal(made.locked(two, b"a.txt", b"b.txt")) == "encrypted"
    only_a_picture = made.zipped({"a.png": PICTURE})
    for data in (only_a_picture, made.zipped({"a.zip": only_a_picture}), made.zipped({})):
        assert refusal(data).startswith("unsupported")
    assert refusal(two[:60]).startswith("malformed")
    scan = made.zipped({"scan.pdf": pdf_of("")})
    assert refusal(scan) == "malformed: not readable: scan.pdf (no_text_layer)"


LONG = "x/" * 80 + "end.txt"


LABELS = {
    ("../../etc/passwd.txt", "/root/a.txt"): ["etc/passwd.txt", "root/a.txt"],
    ("C:\\b\\c.txt", ".."): ["C:/b/c.txt", "unnamed"],
    (LONG, "d\ne.txt"): [f"…{LONG[1 - MAX_NAME_CHARS :]}", "d e.txt"],
    ("./a.txt", "a.txt"): ["a.txt", "a.txt (2)"],
    ("__MACOSX/._a.txt", ".git/config", "node_modules/b.md", "~$a.docx", "c.txt"): ["c.txt"],
    ("word/notes.txt", "Größe.txt"): ["word/notes.txt", "Größe.txt"],
}


def test_names_are_labels_that_lead_nowhere_and_litter_is_passed_over():
    for names, labels in LABELS.items():
        data = made.zipped(dict.fromkeys(names, "words"))
        assert marks(data) == [f"--- File {label} ---" for label in labels]


def test_links_devices_and_pipes_are_named_and_nothing_else():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        link = zipfile.ZipInfo("link.txt")
        link.create_system, link.external_attr = 3, 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("a.txt", "words")
    assert marks(buffer.getvalue())[0] == "--- File link.txt --- (not read: symlink)"
    kinds = {"to": tarfile.SYMTYPE, "hard": tarfile.LNKTYPE, "pipe": tarfile.FIFOTYPE}
    kinds |= {"disk": tarfile.BLKTYPE, "tty": tarfile.CHRTYPE}
    special = []
    for name, kind in kinds.items():
        info = tarfile.TarInfo(name)
        info.type, info.linkname = kind, "/etc/passwd"
        special.append(info)
    reasons = {"to": "symlink", "hard": "symlink"}
    assert marks(made.tar({"a.txt": b"words"}, more=special), "a.tar")[1:] == [
        f"--- File {name} --- (not read: {reasons.get(name, 'special')})" for name in kinds
    ]


# --- Limits ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_members_and_text_are_read_up_to_the_most_and_the_others_counted():
    names = [f"{number}.txt" for number in range(MAX_MEMBERS + 1)]
    at_limit = extract(made.zipped(dict.fromkeys(names[:-1], "words")), "a.zip")
    assert (len(at_limit.lines), at_limit.remark) == (2 * MAX_MEMBERS, "")
    beyond = extract(made.zipped(dict.fromkeys(names, "words")), "a.zip")
    assert beyond.lines == at_limit.lines
    assert beyond.remark == "not readable: the last file"
    million = ("x" * 99 + "\n") * 10_000
    document = extract(made.zipped({f"{number}.txt": million for number in range(40)}), "a.zip")
    read = MAX_TEXT_CHARS // len(million) + 1
    assert sum(line.is_mark for line in document.lines) == read < 40
    assert document.remark == f"not readable: the last {40 - read} files"


def test_a_sparse_file_that_is_all_holes_costs_nothing():
    info = tarfile.TarInfo("holes.txt")
    info.type = tarfile.GNUTYPE_SPARSE
    block = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    block[483:495] = b"%011o\0" % 2**35
    block[148:156] = b"        "
    block[148:156] = b"%06o\0 " % sum(block)
    assert "too_large_unpacked" in refusal(bytes(block) + bytes(1024), "a.tar")


def test_a_packed_file_beyond_the_limit_is_refused_and_one_at_the_limit_is_read():
    words = b"A bomb of many words. " * 1_000
    for pack in PACKERS:
        within = Within("a.txt.gz", budget=Budget(unpacked_bytes=len(words)))
        assert next(open_document(pack(words), "a.txt.gz", within=within).lines)
        assert within.budget.unpacked_bytes == 0
        within = Within("a.txt.gz", budget=Budget(unpacked_bytes=len(words)))
        with pytest.raises(UnreadableDocument, match="too_large_unpacked"):
            open_document(pack(words + b"x"), "a.txt.gz", within=within)


def test_what_is_nested_shares_one_budget_and_ends_at_a_depth():
    data = b"words"
    for level in range(MAX_NESTING):
        data = made.zipped({f"{level}.zip" if level else "a.txt": data})
    assert len(marks(data, "a.zip")) == 1
    deeper = made.zipped({"a.zip": made.zipped({"b.zip": data})})
    assert refusal(deeper).startswith("unsupported")
    inner = made.zipped(dict.fromkeys(("a.txt", "b.txt", "c.txt"), "words"))
    outer = made.zipped({"1.zip": inner, "2.zip": inner})
    opened = open_document(outer, "a.zip", within=Within("a.zip", budget=Budget(members=5)))
    assert [line.text for line in opened.lines if line.is_mark] == [
        *(f"--- File 1.zip/{name}.txt ---" for name in "abc"),
        "--- File 2.zip --- (not read: too_large_unpacked)",
    ]
    assert list(opened.unread) == ["2.zip (too_large_unpacked)"]
