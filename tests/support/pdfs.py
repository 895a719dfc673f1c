"""Small PDF files with the text of a test: printed, of objects as written, or of any characters."""

import io
from collections.abc import Iterator, Sequence

from reportlab.pdfgen.canvas import Canvas


def pdf_of(*pages: str, title: str = "") -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, invariant=True)
    canvas.setTitle(title)
    for page in pages:
        for row, line in enumerate(page.split("\n")):
            canvas.drawString(72, 720 - 14 * row, line)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def pdf_of_objects(*objects: bytes, info: int = 0) -> bytes:
    """A PDF of these objects, numbered from 1; the first is the catalogue, `info` its title."""
    out, places = bytearray(b"%PDF-1.7\n"), []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    more = b"/Info %d 0 R " % info if info else b""
    out += b"trailer\n<< /Size %d /Root 1 0 R %s>>\n" % (len(objects) + 1, more)
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)


_FONT = (
    b"<< /Type /Font /Subtype /Type0 /BaseFont /Planted /Encoding /Identity-H "
    b"/DescendantFonts [6 0 R] /ToUnicode 7 0 R >>"
)
_CHARACTERS = (
    b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Planted /DW 500 /FontDescriptor 8 0 R "
    b"/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>"
)
_DESCRIPTOR = (
    b"<< /Type /FontDescriptor /FontName /Planted /Flags 4 /FontBBox [0 0 500 700] /Ascent 700 "
    b"/Descent 0 /CapHeight 700 /StemV 80 /ItalicAngle 0 >>"
)
_MAP_ROWS = 100  # that one block of a character map may hold (Adobe Technical Note 5014)


def bare_pdf(lines: Sequence[str], title: str = "") -> bytes:
    """A PDF of one page with what no layout program would write: hidden and control characters.

    The font has no shapes; its character map gives the meaning of each code (PDF 32000, 9.10.3).
    """
    codes = {char: n for n, char in enumerate(sorted(set("".join(lines))), start=1)}
    shown = (b"".join(codes[char].to_bytes(2) for char in line).hex() for line in lines)
    height = 24 * (len(lines) + 2)
    text = f"BT /F 8 Tf 12 TL 10 {height - 24} Td\n"
    text += "".join(f"<{line}> Tj T*\n" for line in shown) + "ET"
    page = (
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9000 {height}] /Contents 4 0 R "
        "/Resources << /Font << /F 5 0 R >> >> >>"
    )
    encoded = title.encode("utf-16-be").hex()
    return pdf_of_objects(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        page.encode(),
        _plain_stream(text),
        _FONT,
        _CHARACTERS,
        _plain_stream("\n".join(_character_map(codes))),
        _DESCRIPTOR,
        f"<< /Title <feff{encoded}> /Subject <feff{encoded}> >>".encode(),
        info=9,
    )


def _plain_stream(content: str) -> bytes:
    return f"<< /Length {len(content)} >>\nstream\n{content}\nendstream".encode("ascii")


def _character_map(codes: dict[str, int]) -> Iterator[str]:
    yield "/CIDInit /ProcSet findresource begin 12 dict begin begincmap"
    yield "/CMapName /Planted def /CMapType 2 def"
    yield "1 begincodespacerange <0000> <ffff> endcodespacerange"
    rows = [f"<{code:04x}> <{char.encode('utf-16-be').hex()}>" for char, code in codes.items()]
    for first in range(0, len(rows), _MAP_ROWS):
        block = rows[first : first + _MAP_ROWS]
        yield "\n".join([f"{len(block)} beginbfchar", *block, "endbfchar"])
    yield "endcmap CMapName currentdict /CMap defineresource pop end end"
