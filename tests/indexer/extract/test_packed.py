"""TAR, gzip, bzip2 and xz: read as ZIP archives are, within the same limits."""

import bz2
import gzip
import io
import lzma
import tarfile

import pytest

from indexer.errors import UnreadableDocument
from indexer.extract import REGISTRY, open_document
from indexer.extract.archives import MAX_HEADER_BYTES
from indexer.extract.extraction import MAX_NESTING, Budget, Within
from indexer.extract.members import Members, member_of
from indexer.parsers.worker import Worker
from tests.support import made_containers as made
from tests.support import made_files
from tests.support.documents import extract
from tests.support.parsing import file_of
from tests.support.pdfs import pdf_of

MEMBERS = {
    "a.txt": b"words",
    "d/b.pdf": pdf_of("first", "second"),
    "quay.png": made.PICTURE,
    "inner.zip": made_files.zipped({"c.txt": "inner words"}),
}
MARKS = [
    "--- File a.txt ---",
    "--- File d/b.pdf, Page 1 ---",
    "--- File d/b.pdf, Page 2 ---",
    "--- File quay.png --- (not read: picture (PNG))",
    "--- File inner.zip/c.txt ---",
]
ARCHIVES = {
    "a.tar": lambda: made.tar(MEMBERS),
    "a.tar.gz": lambda: made.tar(MEMBERS, "w:gz"),
    "a.tbz2": lambda: made.tar(MEMBERS, "w:bz2"),
    "a.tar.xz": lambda: made.tar(MEMBERS, "w:xz"),
}


def marks(data: bytes, name: str) -> list[str]:
    return [line.text for line in extract(data, name).lines if line.is_mark]


def refusal(data: bytes, name: str) -> tuple[str, str]:
    with pytest.raises(UnreadableDocument, match=r".") as caught:
        extract(data, name)
    return caught.value.reason, caught.value.detail


@pytest.mark.parametrize("name", ARCHIVES)
def test_an_archive_is_read_member_by_member_whatever_it_is_packed_with(name):
    assert marks(ARCHIVES[name](), name) == MARKS
    assert marks(ARCHIVES[name](), "a.txt") == MARKS  # by its bytes


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_single_packed_file_is_read_as_the_file_that_it_is(pack):
    document = extract(pack(b"Port,Fare\nVigo,7.50\n"), "fares.csv.gz")
    assert [line.text for line in document.lines] == [
        "| Port | Fare |",
        "| Port: Vigo | Fare: 7.50 |",
    ]
    pages = extract(pack(pdf_of("first", "second")), "b.pdf.xz").lines
    assert [(line.page, line.text) for line in pages if not line.is_mark] == [
        (1, "first"),
        (2, "second"),
    ]
    assert refusal(pack(made.PICTURE), "quay.png.gz")[0] == "binary"
    assert refusal(pack(b"words"), "id_rsa.gz")[0] == "secret"


@pytest.mark.slow
def test_a_real_parser_process_reads_what_each_library_unpacks():
    worker = Worker()
    try:
        for name in ("a.tar.gz", "a.txt.xz", "a.txt.bz2", *OF_LIBRARIES):
            with file_of(made_files.FILES[name]) as descriptor:
                text = worker.read(descriptor, name)
            assert made.SENTENCE.encode() in text.encoding, name
    finally:
        worker.close()


OF_LIBRARIES = ("a.pages", "a.vcf")


def test_a_tar_file_from_before_its_mark_is_known_by_its_checksum():
    data = bytearray(made.tar({"a.txt": b"words"}))
    data[257:265] = bytes(8)
    data[148:156] = b"        "
    data[148:156] = b"%06o\0 " % sum(data[:512])
    assert marks(bytes(data), "a.dat") == ["--- File a.txt ---"]


def test_links_devices_and_pipes_are_named_and_nothing_else():
    kinds = {"to.txt": tarfile.SYMTYPE, "hard.txt": tarfile.LNKTYPE, "pipe": tarfile.FIFOTYPE}
    kinds |= {"disk": tarfile.BLKTYPE, "tty": tarfile.CHRTYPE}
    special = []
    for name, kind in kinds.items():
        info = tarfile.TarInfo(name)
        info.type, info.linkname = kind, "/etc/passwd"
        special.append(info)
    assert marks(made.tar({"a.txt": b"words"}, more=special), "a.tar") == [
        "--- File a.txt ---",
        "--- File to.txt --- (not read: symlink)",
        "--- File hard.txt --- (not read: symlink)",
        "--- File pipe --- (not read: special)",
        "--- File disk --- (not read: special)",
        "--- File tty --- (not read: special)",
    ]


def test_a_header_that_would_fill_the_memory_is_damaged():
    long = tarfile.TarInfo("x" * (MAX_HEADER_BYTES + 1))
    at_limit = tarfile.TarInfo("x" * (MAX_HEADER_BYTES - 1))
    for info, expected in ((long, "malformed"), (at_limit, "read")):
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
            info.size = 5
            archive.addfile(info, io.BytesIO(b"words"))
        if expected == "read":
            assert len(marks(buffer.getvalue(), "a.tar")) == 1
        else:
            assert refusal(buffer.getvalue(), "a.tar")[0] == "malformed"


def test_a_sparse_file_that_is_all_holes_costs_nothing():
    info = tarfile.TarInfo("holes.txt")
    info.type = tarfile.GNUTYPE_SPARSE
    block = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    block[483:495] = b"%011o\0" % 2**35
    block[148:156] = b"        "
    block[148:156] = b"%06o\0 " % sum(block)
    data = bytes(block) + bytes(1024)
    assert "too_large_unpacked" in refusal(data, "a.tar")[1]


def test_an_archive_that_is_cut_keeps_what_is_whole():
    data = made.tar({"a.txt": b"words", "b.txt": b"x" * 5000})
    document = extract(data[:2000], "a.tar")
    assert [line.text for line in document.lines] == [
        "--- File a.txt ---",
        "words",
        "--- File b.txt --- (not read: malformed)",
    ]
    assert document.remark.startswith("not readable: b.txt (malformed)")


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_packed_file_beyond_the_limit_is_refused_and_one_at_the_limit_is_read(pack):
    words = b"A bomb of many words. " * 1_000
    for data, most in ((words, len(words)), (words + b"x", len(words))):
        budget = Budget(unpacked_bytes=most)
        within = Within("a.txt.gz", budget=budget)
        if data == words:
            assert next(open_document(pack(data), "a.txt.gz", within=within).lines)
            assert budget.unpacked_bytes == 0
        else:
            with pytest.raises(UnreadableDocument, match="too_large_unpacked"):
                open_document(pack(data), "a.txt.gz", within=within)


@pytest.mark.slow
def test_a_bomb_in_any_packing_ends_at_the_limit():
    for bomb in (gzip.compress(bytes(2**27)), made.tar({"a.txt": bytes(2**27)}, "w:gz")):
        assert len(bomb) < 200_000
        assert "too_large_unpacked" in " ".join(refusal(bomb, "a.gz"))


def test_what_is_nested_shares_one_budget_and_ends_at_a_depth():
    data = b"words"
    for level in range(MAX_NESTING):
        data = made_files.zipped({f"{level}.zip" if level else "a.txt": data})
    assert len(marks(data, "a.zip")) == 1
    deeper = made_files.zipped({"a.zip": made_files.zipped({"b.zip": data})})
    assert refusal(deeper, "a.zip")[0] == "unsupported"
    budget = Budget(members=5)
    inner = made_files.zipped(dict.fromkeys(("a.txt", "b.txt", "c.txt"), "words"))
    outer = made_files.zipped({"1.zip": inner, "2.zip": inner})
    opened = open_document(outer, "a.zip", within=Within("a.zip", budget=budget))
    assert [line.text for line in opened.lines if line.is_mark] == [
        *(f"--- File 1.zip/{name}.txt ---" for name in "abc"),
        "--- File 2.zip --- (not read: too_large_unpacked)",
    ]
    assert list(opened.unread) == ["2.zip (too_large_unpacked)"]


def test_the_bytes_of_all_members_count_together():
    budget = Budget(unpacked_bytes=12)
    members = Members(Within("a.mbox", budget=budget))
    lines = list(members.lines([member_of("a.txt", b"12345678"), member_of("b.txt", b"12345678")]))
    assert [line.text for line in lines] == [
        "--- File a.txt ---",
        "12345678",
        "--- File b.txt --- (not read: too_large_unpacked)",
    ]
    assert members.unread == ["b.txt (too_large_unpacked)"]


def test_every_format_that_others_stand_in_is_bounded_in_depth():
    containers = {each.name for each in REGISTRY if each.container}
    assert containers == {*("zip", "tar", "packed", "eml", "mbox", "msg")}
