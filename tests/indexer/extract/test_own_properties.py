"""What files say of themselves beside their text: title, author and day."""

import struct
import time

import olefile

from indexer.extract import open_document
from indexer.extract.extraction import OwnProperties, day_of, own_properties
from tests.support import made_files as made

CORE = (
    '<cp:coreProperties xmlns:cp="c" xmlns:dc="d" xmlns:dcterms="t"><dc:title>Lease</dc:title>'
    "<dc:creator>Ann Lee</dc:creator><dcterms:created>2024-03-12T09:00:00Z</dcterms:created>"
    "<dcterms:modified>2025-05-05T00:00:00Z</dcterms:modified></cp:coreProperties>"
)
META = (
    '<office:document-meta xmlns:office="o" xmlns:dc="d" xmlns:meta="m"><office:meta>'
    "<dc:title>Lease</dc:title><meta:initial-creator>Ann Lee</meta:initial-creator><dc:creator>Bob"
    "</dc:creator><dc:date>2025-05-05T00:00:00</dc:date><meta:creation-date>2024-03-12T09:00:00"
    "</meta:creation-date></office:meta></office:document-meta>"
)
RTF = rb"{\title Lease}{\author Ann Lee}{\creatim\yr2024\mo3\dy12\hr9}{\revtim\yr2025\mo5\dy5}"
LEASE = OwnProperties("Lease", "Ann Lee", "2024-03-12")


def changed(name: str, part: str, text: str) -> bytes:
    """A file of FILES with another part of this name."""
    return made.zipped(made.members(made.FILES[name]) | {part: text}, stored_first=True)


def test_formats_hand_out_title_author_and_day():
    files = {name: changed(name, "docProps/core.xml", CORE) for name in ("a.docx", "a.xlsx")}
    files |= {name: changed(name, "meta.xml", META) for name in ("a.odt", "a.odp", "a.ods")}
    files["a.rtf"] = made.FILES["a.rtf"].replace(rb"{\title Harbour notes}", RTF)
    assert {name: open_document(data, name).own for name, data in files.items()} == dict.fromkeys(
        files, LEASE
    )


def test_what_says_nothing_is_no_property():
    for title in (
        "Microsoft Word - Document1", "untitled", "Dokument1", "lease.docx", "  ", "-", "\0",
    ):  # fmt: skip
        assert own_properties(title).title == "", title
    for author in ("Administrator", "user", "Windows User", "root", "", "1", "(unspecified)"):
        assert own_properties(None, author).author == "", author
    template = own_properties("Lease", "python-docx", "2013-12-23T23:15:00Z")
    assert template == OwnProperties("Lease"), "the day of a template is that of no document"


DAYS = {
    **dict.fromkeys(("D:20240312101500+01'00'", "2024-03-12T10:00:00Z", "20240312"), "2024-03-12"),
    **dict.fromkeys(
        ("99999-01-01", "2024-02-30", "0000-01-01", "2024-03-123", "1601-01-01", "1970-01-01T00",
         "soon", "", None, 20240312, b"2024-03-12", "٢٠٢٤-٠٣-١٢", "D:2024", "2" * 10**6),
        "",
    ),
}  # fmt: skip


def test_a_day_is_one_of_the_calendar_that_somebody_set():
    assert {value: day_of(value) for value in DAYS} == DAYS


def with_summary(kind: int, count: int, rest: bytes) -> bytes:
    """A .doc whose one property, its title, has this type and claims to be so long."""
    with olefile.OleFileIO(made.FILES["a.doc"]) as own:
        streams = {path[0]: own.openstream(path).read() for path in own.listdir()}
    value = struct.pack("<II", kind, count) + rest
    head = b"\xfe\xff" + bytes(22) + struct.pack("<I", 1) + bytes(16) + struct.pack("<I", 48)
    table = struct.pack("<IIII", 16 + len(value), 1, 2, 16)
    return made.compound(streams | {"\x05SummaryInformation": head + table + value})


def test_a_property_that_claims_two_thousand_million_values_costs_no_time():
    text, vector, most = 30, 0x1000, 0x7FFFFFFF
    said = open_document(with_summary(text, 6, b"Lease\0"), "a.doc").own  # the control
    assert said.title == "Lease"
    started = time.process_time()
    assert open_document(with_summary(vector, most, bytes(64)), "a.doc").own.title == ""
    assert time.process_time() - started < 2
