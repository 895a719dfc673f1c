"""What files say of themselves beside their text: title, author and day of each format."""

import io
import struct
import zipfile
from datetime import UTC, datetime

import pytest
from pypdf import PdfReader, PdfWriter

from indexer.extract import open_document
from indexer.extract.extraction import OwnProperties, day_of, own_properties
from tests.support import made_files as made
from tests.support.pdfs import pdf_of

CORE = (
    '<cp:coreProperties xmlns:cp="c" xmlns:dc="d" xmlns:dcterms="t"><dc:title>{title}</dc:title>'
    "<dc:creator>{author}</dc:creator><dcterms:created>{made}</dcterms:created>"
    "<dcterms:modified>2025-05-05T00:00:00Z</dcterms:modified></cp:coreProperties>"
)
LEASE = OwnProperties("Lease of the Mill", "Ann Lee", "2024-03-12")


def own(data: bytes, name: str) -> OwnProperties:
    return open_document(data, name).own


def with_core(data: bytes, core: str) -> bytes:
    """An Office file whose properties are replaced."""
    archive = zipfile.ZipFile(io.BytesIO(data))
    members = {name: archive.read(name) for name in archive.namelist()}
    return made.zipped(members | {"docProps/core.xml": core})


def pdf(**information: str) -> bytes:
    writer = PdfWriter(PdfReader(io.BytesIO(pdf_of("The rent is due."))))
    writer.metadata = {f"/{key}": value for key, value in information.items()} or None
    return written(writer)


def written(writer: PdfWriter) -> bytes:
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


def summary(**changes: bytes) -> bytes:
    """A property set with title, author and two times, any of them changed."""
    ticks = int((datetime(2024, 3, 12, tzinfo=UTC) - datetime(1601, 1, 1, tzinfo=UTC)).days)
    values = {
        2: text_value("Lease of the Mill"),
        4: text_value("Ann Lee"),
        12: struct.pack("<IQ", 64, ticks * 86_400 * 10**7),
    } | {int(key[1:]): value for key, value in changes.items()}
    at, places, body = 8 + 8 * len(values), b"", b""
    for number, value in values.items():
        places += struct.pack("<II", number, at + len(body))
        body += value
    section = struct.pack("<II", 8 + len(places) + len(body), len(values)) + places + body
    return b"\0" * 44 + struct.pack("<I", 48) + section


def text_value(text: str) -> bytes:
    raw = text.encode() + b"\0"
    return struct.pack("<II", 30, len(raw)) + raw


def legacy(stream: bytes) -> bytes:
    import olefile

    ole = olefile.OleFileIO(io.BytesIO(made.doc()))
    streams = {"/".join(path): ole.openstream(path).read() for path in ole.listdir()}
    return made.compound({**streams, "\x05SummaryInformation": stream})


@pytest.mark.slow
def test_every_format_hands_out_title_author_and_day():
    core = CORE.format(title="Lease of the Mill", author="Ann Lee", made="2024-03-12T09:00:00Z")
    files = {
        "a.docx": with_core(made.docx(), core),
        "a.pptx": with_core(made.pptx(), core),
        "a.xlsx": with_core(made.xlsx(), core),
        "a.rtf": made.rtf().replace(
            rb"{\title Harbour notes}",
            rb"{\title Lease of the Mill}{\author Ann Lee}{\creatim\yr2024\mo3\dy12\hr9}"
            rb"{\revtim\yr2025\mo5\dy5}",
        ),
        "a.doc": legacy(summary()),
        "a.pdf": pdf(
            Title="Lease of the Mill", Author="Ann Lee", CreationDate="D:20240312091500+01'00'"
        ),
    }
    for kind in ("odt", "odp", "ods"):
        data = getattr(made, kind)()
        archive = zipfile.ZipFile(io.BytesIO(data))
        members = {name: archive.read(name) for name in archive.namelist()}
        members["meta.xml"] = (
            members["meta.xml"]
            .replace(b"Harbour notes", b"Lease of the Mill")
            .replace(
                b"</office:meta>",
                b'<meta:initial-creator xmlns:meta="m">Ann Lee</meta:initial-creator>'
                b"<dc:creator>Bob</dc:creator><dc:date>2025-05-05T00:00:00</dc:date>"
                b'<meta:creation-date xmlns:meta="m">2024-03-12T09:00:00</meta:creation-date>'
                b"</office:meta>",
            )
        )
        files[f"a.{kind}"] = made.zipped(members, stored_first=True)
    for name, data in files.items():
        assert own(data, name) == LEASE, name


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
