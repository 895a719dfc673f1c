"""Files that are made to hurt whoever opens them; each small, and each of a known kind."""

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator

from tests.support.made_files import tar
from tests.support.pdfs import pdf_of_objects

MIB = 2**20
SECRET = "words from a file outside of the corpus"

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_BODY = f'<w:document xmlns:w="{_WORD}"><w:body><w:p><w:r><w:t>'
_END = "</w:t></w:r></w:p></w:body></w:document>"


def docx_of(*document: bytes, repeated: int = 1) -> bytes:
    """A DOCX whose main part is these bytes; the middle one stands in it `repeated` times."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        with archive.open("word/document.xml", "w", force_zip64=True) as part:
            for index, piece in enumerate(document):
                for _ in range(repeated if index == len(document) // 2 else 1):
                    part.write(piece)
    return buffer.getvalue()


_ENTITIES = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))


def laughs(head: str, tail: str) -> bytes:
    doctype = f'<!DOCTYPE l [<!ENTITY l0 "lol">{_ENTITIES}]>'
    return f'<?xml version="1.0"?>{doctype}{head}&l9;{tail}'.encode()


def external(url: str, head: str = "<a>", tail: str = "</a>") -> bytes:
    return (
        f'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "{url}">]>'
        f"{head}Harmless words. &x;{tail}"
    ).encode()


def _stream(data: bytes, more: bytes = b"") -> bytes:
    packed = zlib.compress(data, 1)
    head = b"<< /Length %d /Filter /FlateDecode %s >>\n" % (len(packed), more)
    return head + b"stream\n" + packed + b"\nendstream"


_CATALOGUE = b"<< /Type /Catalog /Pages 2 0 R >>"
_PAGES = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
_PAGE = (
    b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
    b"/Resources << /Font << /F 5 0 R >> /XObject << /X 6 0 R >> >> >>"
)
_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
_WORDS = b"BT /F 12 Tf 72 700 Td (A page of words) Tj ET\n"


def pdf_with_contents(content: bytes, form: bytes = b"") -> bytes:
    shape = (
        b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >>"
    )
    return pdf_of_objects(_CATALOGUE, _PAGES, _PAGE, _stream(content), _FONT, _stream(form, shape))


def deep_pdf() -> bytes:
    """A page tree of 100,000 levels, and an array as deep."""
    levels = 100_000
    kids = [b"<< /Type /Pages /Kids [%d 0 R] /Count 1 >>" % (n + 3) for n in range(levels)]
    page = b"<< /Type /Page /MediaBox [0 0 612 792] /Deep %s >>" % (b"[" * levels + b"]" * levels)
    return pdf_of_objects(_CATALOGUE, *kids, page)


def pdf_bomb() -> bytes:
    """A content stream of one gibibyte, packed twice, in a few kilobytes."""
    packer = zlib.compressobj(9)
    inner = b"".join(packer.compress(bytes(MIB)) for _ in range(1024)) + packer.flush()
    packed = zlib.compress(inner, 9)
    content = b"<< /Length %d /Filter [/FlateDecode /FlateDecode] >>\nstream\n%s\nendstream"
    return pdf_of_objects(
        _CATALOGUE, _PAGES, _PAGE, content % (len(packed), packed), _FONT, _stream(b"")
    )


_BOMB = (b"A bomb of many words. " * 47_663)[:MIB]


def archive_bomb() -> bytes:
    """A ZIP file of a few megabytes whose members unpack to twenty gibibytes of words."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr("first.txt", "The bomb comes after these words.")
        with archive.open("bomb-000.txt", "w", force_zip64=True) as member:
            for _ in range(90):
                member.write(_BOMB)
    packed = bytearray(buffer.getvalue())
    # As often again in the directory alone: entries of other names for the same bytes.
    entry_at = packed.rindex(b"PK\x01\x02")
    end_at = packed.rindex(b"PK\x05\x06")
    entry = bytes(packed[entry_at:end_at])
    more = b"".join(entry.replace(b"bomb-000", b"bomb-%03d" % n) for n in range(1, 220))
    start, length = packed.index(b"PK\x01\x02"), end_at - packed.index(b"PK\x01\x02")
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 221, 221, length + len(more), start, 0)
    return bytes(packed[:end_at]) + more + end


HOSTILE: dict[str, Callable[[], bytes]] = {  # deep ones and many small ones: test_nesting.py
    # a Word document of 5 MB whose one paragraph is a gibibyte
    "bomb.docx": lambda: docx_of(_BODY.encode(), _BOMB, _END.encode(), repeated=1024),
    "laughs.docx": lambda: docx_of(laughs(_BODY, _END)),
    # ten million operators
    "busy.pdf": lambda: pdf_with_contents(b"q Q\n" * 5_000_000 + _WORDS),
    "deep.pdf": deep_pdf,
    # a form that draws itself, twice
    "selfish.pdf": lambda: pdf_with_contents(_WORDS + b"/X Do\n", b"/X Do /X Do\n"),
    "bomb.pdf": pdf_bomb,
    "bomb.zip": archive_bomb,
    # words, then a member of half a gibibyte
    "bomb.tar.gz": lambda: tar({"first.txt": b"The bomb.", "bomb.txt": _BOMB * 512}, "w:gz"),
}


def asking_for(url: str) -> Iterator[tuple[str, bytes]]:
    yield "asking.xml", external(url)
    yield "asking.svg", external(url, "<svg><text>", "</text></svg>")
    yield "asking.docx", docx_of(external(url, _BODY, _END))
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as members:
        link = zipfile.ZipInfo("link.txt")
        link.create_system, link.external_attr = 3, 0o120777 << 16
        members.writestr(link, url)
        members.writestr(f"../../{url}", "Harmless words.")
    yield "asking.zip", archive.getvalue()
    yield "asking.html", f'<p>Harmless words.<iframe src="{url}"></iframe></p>'.encode()
    yield "asking.rst", f"Harmless words.\n\n.. include:: {url}\n".encode()
    yield "asking.tex", f"\\documentclass{{a}} Harmless words. \\input{{{url}}}\n".encode()
