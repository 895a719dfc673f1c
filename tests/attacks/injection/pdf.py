"""Minimal PDF files of any text: one page, one font, a title.

Writes what no layout program would: hidden and control characters, as text and as metadata.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
_LINE_POINTS = 12
_MAP_ROWS = 100  # that one block of a character map may hold (Adobe Technical Note 5014)


def pdf_of(lines: Sequence[str], title: str) -> bytes:
    """A PDF of one page with the text `lines` and `title` in its metadata.

    The font has no shapes; its character map gives the meaning of each code (PDF 32000, 9.10.3).
    """
    codes = {char: n for n, char in enumerate(sorted(set("".join(lines))), start=1)}
    shown = (b"".join(codes[char].to_bytes(2) for char in line).hex() for line in lines)
    text = "".join(f"<{line}> Tj T*\n" for line in shown)
    height = 2 * _LINE_POINTS * (len(lines) + 2)
    page = (
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9000 {height}] /Contents 4 0 R "
        "/Resources << /Font << /F 5 0 R >> >> >>"
    )
    start = f"BT /F 8 Tf {_LINE_POINTS} TL 10 {height - 2 * _LINE_POINTS} Td\n"
    encoded = title.encode("utf-16-be").hex()
    return _file(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            page.encode(),
            _stream(f"{start}{text}ET"),
            _FONT,
            _CHARACTERS,
            _stream("\n".join(_character_map(codes))),
            _DESCRIPTOR,
            f"<< /Title <feff{encoded}> /Subject <feff{encoded}> >>".encode(),
        ]
    )


def _character_map(codes: dict[str, int]) -> Iterator[str]:
    yield "/CIDInit /ProcSet findresource begin 12 dict begin begincmap"
    yield "/CMapName /Planted def /CMapType 2 def"
    yield "1 begincodespacerange <0000> <ffff> endcodespacerange"
    rows = [f"<{code:04x}> <{char.encode('utf-16-be').hex()}>" for char, code in codes.items()]
    for first in range(0, len(rows), _MAP_ROWS):
        block = rows[first : first + _MAP_ROWS]
        yield "\n".join([f"{len(block)} beginbfchar", *block, "endbfchar"])
    yield "endcmap CMapName currentdict /CMap defineresource pop end end"


def _stream(content: str) -> bytes:
    return f"<< /Length {len(content)} >>\nstream\n{content}\nendstream".encode("ascii")


def _file(objects: Sequence[bytes]) -> bytes:
    """The file of the objects, numbered from 1, with the table of their positions."""
    parts = [b"%PDF-1.7\n"]
    places: list[int] = []
    for number, content in enumerate(objects, start=1):
        places.append(sum(map(len, parts)))
        parts.append(b"%d 0 obj\n%s\nendobj\n" % (number, content))
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}"
    end += f"trailer << /Size {size} /Root 1 0 R /Info {len(objects)} 0 R >>\n"
    return b"".join([*parts, f"{end}startxref\n{sum(map(len, parts))}\n%%EOF\n".encode()])
