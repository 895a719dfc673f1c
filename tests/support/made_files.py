"""Small true files of each format, made by the libraries that write them or byte by byte.

`FILES` maps a file's name to its bytes; each says the sentence "The ferry leaves at nine." once,
and the archive once for each of its documents.
"""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Sequence
from email.message import EmailMessage
from itertools import pairwise

from tests.support.made_containers import FILES as CONTAINERS
from tests.support.made_containers import SENTENCE
from tests.support.pdfs import pdf_of

__all__ = ["FILES", "SENTENCE"]


def zipped(members: dict[str, str | bytes], stored_first: bool = False) -> bytes:
    """A ZIP file; with `stored_first` its first member is not compressed, as `mimetype` must be."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for index, (name, content) in enumerate(members.items()):
            stored = zipfile.ZIP_STORED if stored_first and not index else zipfile.ZIP_DEFLATED
            archive.writestr(name, content, stored)
    return buffer.getvalue()


# --- Office -------------------------------------------------------------------------------------


def docx() -> bytes:
    import docx as library

    document = library.Document()
    document.core_properties.title = "Harbour notes"
    document.add_heading("Timetable", 1)
    document.add_paragraph(SENTENCE)
    document.add_paragraph("first", style="List Number")
    document.add_paragraph("second", style="List Number")
    table = document.add_table(2, 2)
    for cell, text in zip(table._cells, ("Port", "Fare", "Vigo & Cangas", "7.50"), strict=True):
        cell.text = text
    _link(document.add_paragraph("See "), "the fares", "https://example.org/x")
    run = document.add_paragraph("A remark").runs[0]
    document.add_comment(run, text="check the fare", author="Ana")
    document.sections[0].header.paragraphs[0].text = "printed on every page"
    return _saved(document)


def _link(paragraph: object, text: str, address: str) -> None:
    """A link at the end of a paragraph, which the library reads and cannot write."""
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    link, run = OxmlElement("w:hyperlink"), OxmlElement("w:r")
    key = paragraph.part.relate_to(address, RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
    link.set(qn("r:id"), key)
    run.text = text
    link.append(run)
    paragraph._p.append(link)


def pptx() -> bytes:
    import pptx as library

    deck = library.Presentation()
    for title, text in (("Opening", "welcome"), ("Timetable", SENTENCE)):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = text
        _footer(slide, "Port authority")
        run = slide.placeholders[1].text_frame.add_paragraph().add_run()
        run.text, run.hyperlink.address = "See the fares", "https://example.org/x"
    deck.slides[1].notes_slide.notes_text_frame.text = "say it slowly"
    deck.core_properties.title = "Harbour deck"
    return _saved(deck)


def _footer(slide: object, text: str) -> None:
    """A footer as PowerPoint puts it on each slide."""
    from pptx.enum.shapes import PP_PLACEHOLDER

    place = next(
        each
        for each in slide.slide_layout.placeholders
        if each.placeholder_format.type == PP_PLACEHOLDER.FOOTER
    )
    slide.shapes.clone_placeholder(place)
    slide.placeholders[place.placeholder_format.idx].text = text


ROWS = (("Port", "Fare", "Remark"), ("Vigo", 7.5, SENTENCE), ("Cangas", 1200000, ""))


def xlsx() -> bytes:
    import openpyxl
    from openpyxl.chart import BarChart, Reference
    from openpyxl.comments import Comment

    book = openpyxl.Workbook()
    book.active.title = "Costs"
    for row in ROWS:
        book.active.append(row)
    book.active["B2"].comment = Comment("since May", "Ana")
    other = book.create_sheet("Empty corner")
    other["C3"] = "alone"
    chart = BarChart()
    chart.title = "Fares by port"
    chart.add_data(Reference(book.active, min_col=2, min_row=1, max_row=3), titles_from_data=True)
    book.active.add_chart(chart, "F2")
    return _with_text_box(_saved(book), "Prices as of May")


def _with_text_box(workbook: bytes, text: str) -> bytes:
    """The workbook with a text box in its drawing, which the library does not write."""
    box = (
        "<xdr:absoluteAnchor><xdr:sp><xdr:txBody><a:p><a:r><a:t>{}</a:t></a:r></a:p></xdr:txBody>"
        "</xdr:sp></xdr:absoluteAnchor>"
    )
    spare = f"<mc:AlternateContent><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
    names = (
        'xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" '
        'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
        'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    )
    with zipfile.ZipFile(io.BytesIO(workbook)) as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}
    drawing = members["xl/drawings/drawing1.xml"].decode()
    inner = drawing[drawing.index(">", drawing.index("<wsDr")) + 1 : drawing.index("</wsDr>")]
    outer = drawing[drawing.index("<wsDr") : drawing.index(">", drawing.index("<wsDr"))]
    boxes = box.format(text) + spare.format("a shape of a later version")
    members["xl/drawings/drawing1.xml"] = f"{outer} {names}>{inner}{boxes}</wsDr>".encode()
    return zipped(members)


def _saved(document: object) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


_ODF = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" '
    'xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0" '
    'xmlns:xlink="http://www.w3.org/1999/xlink" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/"'
)


def _odf(kind: str, body: str, title: str = "Harbour notes", **objects: str) -> bytes:
    return zipped(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "META-INF/manifest.xml": "<manifest/>",
            "content.xml": f"<office:document-content {_ODF}><office:body>{body}</office:body>"
            "</office:document-content>",
            "meta.xml": f"<office:document-meta {_ODF}><office:meta><dc:title>{title}</dc:title>"
            "</office:meta></office:document-meta>",
        }
        | {f"{name}/content.xml": content for name, content in objects.items()},
        stored_first=True,
    )


def odt() -> bytes:
    return _odf(
        "text",
        '<office:text><text:h text:outline-level="2">Timetable</text:h>'
        "<text:p>The ferry<text:s/>leaves<text:note text:note-class='footnote'><text:note-body>"
        "<text:p>in summer</text:p></text:note-body></text:note> at nine.</text:p>"
        "<text:p>Its cost<draw:frame><draw:object xlink:href='./Object1'/></draw:frame></text:p>"
        "<text:p>See <text:a xlink:href='https://example.org/x'>the fares</text:a></text:p>"
        "<text:tracked-changes><text:p>withdrawn</text:p></text:tracked-changes>"
        "<table:table><table:table-row><table:table-cell><text:p>Port</text:p></table:table-cell>"
        "<table:table-cell><text:p>Fare</text:p></table:table-cell></table:table-row>"
        "<table:table-row><table:table-cell><text:p>Vigo</text:p></table:table-cell>"
        "<table:table-cell><text:p>7.50</text:p></table:table-cell></table:table-row>"
        "</table:table></office:text>",
        Object1='<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mi>c</mi>'
        '<annotation encoding="StarMath 5.0">c = {f over n}</annotation></semantics></math>',
    )


def odp() -> bytes:
    pages = "".join(
        '<draw:page><draw:frame presentation:class="title"><draw:text-box>'
        f"<text:p>{title}</text:p></draw:text-box></draw:frame><draw:frame><draw:text-box>"
        f"<text:p>{text}</text:p></draw:text-box></draw:frame></draw:page>"
        for title, text in (("Opening", "welcome"), ("Timetable", SENTENCE))
    )
    return _odf("presentation", f"<office:presentation>{pages}</office:presentation>")


def ods() -> bytes:
    rows = "".join(
        "<table:table-row>"
        + "".join(
            f'<table:table-cell office:value-type="string"><text:p>{cell}</text:p>'
            "</table:table-cell>"
            for cell in row
        )
        + "</table:table-row>"
        for row in ROWS
    )
    return _odf(
        "spreadsheet",
        f'<office:spreadsheet><table:table table:name="Costs">{rows}</table:table>'
        "</office:spreadsheet>",
    )


def rtf() -> bytes:
    return (
        rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial;}}"
        rb"{\stylesheet{\s1 heading 1;}}{\info{\title Harbour notes}}{\header on every page}"
        rb"\pard\s1 Timetable\par\pard The {\b ferry} leaves at nine.\par"
        rb"\f1 \'cf\'f0\'e8\'e2\'e5\'f2\f0\par 7\~\u8364?\par{\*\unknown hidden}"
        rb"\trowd\intbl Port\cell Fare\cell\row\intbl Vigo\cell 7.50\cell\row\pard"
        rb" end{\footnote in summer}\par{\listtext 1.\tab}first\par{\listtext 2.\tab}second\par"
        rb"{\listtext \'95\tab}third\par Total\tab 12\par}"
    )


# --- Compound files -----------------------------------------------------------------------------

_SECTOR = 512
_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_SMALLEST = 4096  # streams below it would go into a stream of their own


def compound(streams: dict[str, bytes]) -> bytes:
    """A compound file with these streams; "a/b" is stream b of storage a. Streams are padded."""
    above = (name.split("/")[:-1] for name in streams)
    storages = dict.fromkeys("/".join(parts[: n + 1]) for parts in above for n in range(len(parts)))
    paths = ["", *storages]
    entries: list[tuple[str, int, bytes]] = [("Root Entry", 5, b"")]
    entries += [(path.rpartition("/")[2], 1, b"") for path in storages]
    children: dict[int, list[int]] = {}
    for name, content in streams.items():
        storage, _, leaf = name.rpartition("/")
        children.setdefault(paths.index(storage), []).append(len(entries))
        entries.append((leaf, 2, content.ljust(_SMALLEST, b"\0")))
    for index, path in enumerate(storages, start=1):
        children.setdefault(paths.index(path.rpartition("/")[0]), []).append(index)
    return _laid_out(entries, children)


def _laid_out(entries: Sequence[tuple[str, int, bytes]], children: dict[int, list[int]]) -> bytes:
    chains: list[int] = []
    sectors = bytearray()
    starts = []
    for _, _, content in entries:
        starts.append(len(chains) if content else _END)
        count = -(-len(content) // _SECTOR)
        chains += [len(chains) + i + 1 for i in range(count - 1)] + [_END] * bool(count)
        sectors += content.ljust(count * _SECTOR, b"\0")
    directory = bytearray()
    right = {a: b for kin in children.values() for a, b in pairwise(kin)}
    for index, (name, kind, content) in enumerate(entries):
        raw = name.encode("utf-16-le")
        directory += raw.ljust(64, b"\0") + struct.pack("<HBB", len(raw) + 2, kind, 1)
        first = children.get(index, [_FREE])[0]
        directory += struct.pack("<III", _FREE, right.get(index, _FREE), first) + bytes(36)
        directory += struct.pack("<IQ", starts[index], len(content))
    directory = directory.ljust(-(-len(directory) // _SECTOR) * _SECTOR, b"\0")
    start = len(chains)
    count = len(directory) // _SECTOR
    chains += [start + i + 1 for i in range(count - 1)] + [_END]
    fats = -(-(len(chains) + 2) // 128)
    fat = len(chains)
    chains += [_FAT] * fats
    table = b"".join(struct.pack("<I", link) for link in chains)
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    head += struct.pack("<HHHHH6sIIII", 0x3E, 3, 0xFFFE, 9, 6, bytes(6), 0, fats, start, 0)
    head += struct.pack("<IIIII", _SMALLEST, _END, 0, _END, 0)
    head += b"".join(struct.pack("<I", fat + i if i < fats else _FREE) for i in range(109))
    table = table.ljust(fats * _SECTOR, b"\xff")
    return head + bytes(sectors) + bytes(directory) + table


def doc(encrypted: bool = False, looks: dict[str, bytes] | None = None) -> bytes:
    """Word 97: a heading, a field, a row of two cells, a footnote; `looks` of words."""
    paragraphs = (
        ("Timetable\r", 1, b""),
        ('The \x13HYPERLINK "x"\x14ferry\x15 leaves at nine.\r', 0, b""),
        ("Port\x07", 0, b"\x16\x24\x01"),
        ("Fare\x07", 0, b"\x16\x24\x01"),
        ("\x07", 0, b"\x16\x24\x01\x17\x24\x01"),
        ("end\r", 0, b""),
    )
    text, note = "".join(p[0] for p in paragraphs), "in summer\r"
    begin, page = 0x600, 4
    stream = bytearray(512 * page)
    struct.pack_into("<HH", stream, 0, 0xA5EC, 0xC1)
    struct.pack_into("<H", stream, 0x0A, 0x0300 if encrypted else 0x0200)
    struct.pack_into("<II", stream, 0x4C, len(text), len(note))
    stream[begin : begin + len(text + note)] = (text + note).encode("cp1252")
    formats = bytearray(512)
    place, slot = begin, 510
    for index, (part, style, settings) in enumerate(paragraphs):
        struct.pack_into("<I", formats, 4 * index, place)
        place += len(part)
        properties = struct.pack("<H", style) + settings
        properties += b"\0" * (1 - len(properties) % 2)
        slot -= len(properties) + 1 & ~1
        formats[slot] = (len(properties) + 1) // 2
        formats[slot + 1 : slot + 1 + len(properties)] = properties
        formats[4 * (len(paragraphs) + 1) + 13 * index] = slot // 2
    struct.pack_into("<I", formats, 4 * len(paragraphs), place)
    formats[511] = len(paragraphs)
    pieces = struct.pack("<II", 0, len(text + note))
    pieces += struct.pack("<HIH", 0, begin * 2 | 0x40000000, 0)
    clx = b"\x02" + struct.pack("<I", len(pieces)) + pieces
    plc = struct.pack("<III", begin, place, page)
    struct.pack_into("<II", stream, 0x1A2, 0, len(clx))
    struct.pack_into("<II", stream, 0x102, len(clx), len(plc))
    letters = struct.pack("<III", begin, place, page + 1)
    if looks:
        struct.pack_into("<II", stream, 0xFA, len(clx + plc), len(letters))
    formats += _looks_of(looks or {}, text, begin)
    return compound({"WordDocument": bytes(stream + formats), "1Table": clx + plc + letters})


def _looks_of(looks: dict[str, bytes], text: str, begin: int) -> bytes:
    """A page of formats of characters; all others have none."""
    ends = sorted({0, len(text)} | {text.index(w) + n for w in looks for n in (0, len(w))})
    page = bytearray(512)
    slot = 510
    for index, (first, last) in enumerate(pairwise(ends)):
        struct.pack_into("<II", page, 4 * index, begin + first, begin + last)
        if settings := looks.get(text[first:last]):
            slot -= len(settings) + 2 & ~1
            page[slot : slot + 1 + len(settings)] = bytes([len(settings)]) + settings
            page[4 * len(ends) + index] = slot // 2
    page[511] = len(ends) - 1
    return bytes(page)


def _record(kind: int, content: bytes, instance: int = 0, container: bool = False) -> bytes:
    return struct.pack("<HHI", instance << 4 | 0xF * container, kind, len(content)) + content


def ppt(hidden: int = 0, lost: int = 0, earlier: int = 0) -> bytes:
    """Two slides, listed in the other order than the one in which they stand in the file.

    `lost` is the key of one that is not where the file says, `earlier` the place of a former edit.
    """

    def box(kind: int, text: str, placeholder: bytes = b"") -> bytes:
        inner = _record(3999, struct.pack("<I", kind)) + _record(4000, text.encode("utf-16-le"))
        client = _record(0xF011, placeholder, container=True)
        return _record(0xF004, client + _record(0xF00D, inner, container=True), container=True)

    footer = box(4, "page one of all", _record(1056, b"\x09"))
    date = box(4, "once upon a time", _record(3011, struct.pack("<IBBH", 2, 7, 0, 0)))

    stream = bytearray()
    places = {}
    for key, title, text in ((3, "Timetable", SENTENCE), (2, "Opening", "welcome")):
        places[key] = len(stream)
        drawing = _record(1036, box(0, title) + footer + date + box(1, text), container=True)
        show = _record(
            1017, struct.pack("<iIBBHBBH", 0, 0, 0, 0, hidden if key == 2 else 1, 0, 0, 0)
        )
        stream += _record(1006, _record(1007, bytes(24)) + show + drawing, container=True)
    listed = b"".join(
        _record(1011, struct.pack("<IIIII", key, 0, 0, 256 + key, 0)) for key in (2, 3)
    )
    places[1] = len(stream)
    stream += _record(1000, _record(4080, listed, container=True), container=True)
    directory = len(stream)
    entries = struct.pack("<I", 3 << 20 | 1) + b"".join(
        struct.pack("<I", places[key] + 4 * (key == lost)) for key in (1, 2, 3)
    )
    stream += _record(6002, entries)
    edit = len(stream)
    stream += _record(4085, struct.pack("<IIIIIII", 0, 0, earlier, directory, 1, 3, 0))
    user = struct.pack("<HHIIII", 0, 4086, 20, 20, 0xE391C05F, edit)
    return compound({"PowerPoint Document": bytes(stream), "Current User": user})


def xls() -> bytes:
    """Excel 97: one sheet of texts and numbers."""

    def record(kind: int, content: bytes) -> bytes:
        return struct.pack("<HH", kind, len(content)) + content

    def begin(kind: int) -> bytes:
        return record(0x0809, struct.pack("<HHHHII", 0x0600, kind, 0, 0, 0, 0))

    end = record(0x0A, b"")
    cells = b""
    for y, row in enumerate(ROWS):
        for x, value in enumerate(row):
            if isinstance(value, str):
                text = struct.pack("<HHHHB", y, x, 0, len(value), 0) + value.encode("latin-1")
                cells += record(0x0204, text)
            else:
                cells += record(0x0203, struct.pack("<HHHd", y, x, 0, value))
    name = struct.pack("<BB", 5, 0) + b"Costs"
    start = len(begin(5)) + 4 + 6 + len(name) + len(end)
    head = begin(5) + record(0x85, struct.pack("<IBB", start, 0, 0) + name) + end
    return compound({"Workbook": head + begin(16) + cells + end})


def msg() -> bytes:
    wide = {
        "0037": "Ferry",
        "0C1A": "Ana",
        "5D01": "ana@example.org",
        "0E04": "Bea",
        "1000": SENTENCE,
    }
    streams = {f"__substg1.0_{key}001F": text.encode("utf-16-le") for key, text in wide.items()}
    sent = struct.pack("<IIQ", 0x00390040, 0, 133_500_000_000_000_000)
    streams["__properties_version1.0"] = bytes(32) + sent
    attached = "__attach_version1.0_#00000000/__substg1.0_3707001F"
    streams[attached] = "fares.pdf".encode("utf-16-le")
    streams[attached.replace("3707001F", "37010102")] = pdf_of("The fares of May")
    return compound(streams)


# --- Mail, books, data --------------------------------------------------------------------------


def eml() -> bytes:
    message = EmailMessage()
    message["Subject"] = "Fähre"
    message["From"] = "Ana <ana@example.org>"
    message["To"] = "Bea <bea@example.org>"
    message["Date"] = "Mon, 4 Aug 2025 09:00:00 +0200"
    message.set_content(SENTENCE)
    message.add_alternative(f"<p>{SENTENCE} <b>In HTML.</b></p>", subtype="html")
    fares = pdf_of("The fares of May")
    message.add_attachment(fares, maintype="application", subtype="pdf", filename="fares.pdf")
    return bytes(message)


def mbox() -> bytes:
    second = b"Subject: Second\nFrom: b@example.org\n\nbody\n>From the start\n"
    start = b"From ana@example.org Mon Aug  4 09:00:00 2025\n"
    return start + eml() + b"\n" + start + second


def epub() -> bytes:
    page = "<html xmlns='http://www.w3.org/1999/xhtml'><head><title/></head><body>{}</body></html>"
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container><rootfiles><rootfile full-path="o/b.opf"/>'
            "</rootfiles></container>",
            "o/b.opf": '<package xmlns:dc="d"><metadata><dc:title>Harbour tales</dc:title>'
            "<dc:creator>Ana Lago</dc:creator></metadata><manifest>"
            '<item id="n" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
            '<item id="a" href="one.xhtml" media-type="application/xhtml+xml"/>'
            '<item id="b" href="two.xhtml" media-type="application/xhtml+xml"/></manifest>'
            '<spine><itemref idref="n"/><itemref idref="b"/><itemref idref="a"/></spine></package>',
            "o/nav.xhtml": page.format('<nav><a href="two.xhtml">The crossing</a></nav>'),
            "o/one.xhtml": page.format("<p>the end</p>"),
            "o/two.xhtml": page.format(f"<h1>The crossing</h1><p>{SENTENCE}</p>"),
        },
        stored_first=True,
    )


def fb2() -> bytes:
    return (
        '<?xml version="1.0" encoding="utf-8"?><FictionBook><description><title-info>'
        "<author><first-name>Ana</first-name></author><book-title>Harbour tales</book-title>"
        "</title-info></description><body><section><title><p>The crossing</p></title>"
        f"<p>{SENTENCE}</p></section></body><binary>AAAA</binary></FictionBook>"
    ).encode()


def notebook() -> bytes:
    cells = [
        {"cell_type": "markdown", "source": ["# Fares\n", SENTENCE]},
        {
            "cell_type": "code",
            "source": "print(7.5)",
            "outputs": [
                {"output_type": "stream", "text": ["7.5\n"]},
                {"output_type": "error", "ename": "ValueError", "evalue": "no fare"},
                {
                    "output_type": "display_data",
                    "data": {"image/png": "iVBOR", "text/plain": "plot"},
                },
            ],
        },
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}).encode()


HTML = (
    "<!DOCTYPE html><html><head><title>Harbour</title><style>p{color:red}</style>"
    "<script>var secret = 'scripted';</script></head><body><nav><a href='/'>menu entry</a></nav>"
    f"<main><h1>Timetable</h1><p>{SENTENCE} See <a href='https://example.org/x'>the fares</a>."
    "<ul><li>one<li>two</ul><table><tr><th>Port<th>Fare<tr><td>Vigo<td>7.50</table></main>"
    "<footer>imprint</footer></body></html>"
)


def iwork() -> bytes:
    return zipped({"index.xml": f'<d xmlns:sf="a"><sf:p>{SENTENCE}<sf:br/></sf:p></d>'})


def _texts() -> dict[str, bytes]:
    return {
        "a.txt": SENTENCE.encode(),
        "a.md": f"---\ntitle: Harbour notes\n---\n\n# Timetable\n\n{SENTENCE}\n".encode(),
        "a.org": f"#+TITLE: Harbour notes\n* Timetable\n{SENTENCE}\n".encode(),
        "a.rst": f"Harbour notes\n=============\n\n{SENTENCE}\n".encode(),
        "a.tex": f"\\title{{Harbour \\emph{{notes}}}}\n{SENTENCE}\n".encode(),
        "a.csv": f"Port;Fare;Remark\nVigo;7,50;{SENTENCE}\nCangas;8,00;\n".encode(),
        "a.json": json.dumps({"text": SENTENCE, "name": "Größe"}).encode(),
        "a.xml": f'<trip port="Vigo"><note>{SENTENCE}</note></trip>'.encode(),
        "a.srt": f"1\n00:00:01,000 --> 00:00:02,000\n<i>{SENTENCE}</i>\n".encode(),
        "a.vtt": f"WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ana>{SENTENCE}\n".encode(),
        "a.html": HTML.encode(),
        "a.fb2": fb2(),
        "a.ipynb": notebook(),
        "a.eml": eml(),
        "a.mbox": mbox(),
        "a.rtf": rtf(),
    }


FILES: dict[str, bytes] = {
    "a.docx": docx(),
    "a.pptx": pptx(),
    "a.xlsx": xlsx(),
    "a.odt": odt(),
    "a.odp": odp(),
    "a.ods": ods(),
    "a.epub": epub(),
    "a.pages": iwork(),
    "a.doc": doc(),
    "a.ppt": ppt(),
    "a.xls": xls(),
    "a.msg": msg(),
    **_texts(),
    **CONTAINERS,
}
FILES["a.zip"] = zipped(
    {
        "harbour/": "",
        "harbour/notes.md": FILES["a.md"],
        "harbour/deck.pptx": FILES["a.pptx"],
        "harbour/costs.xlsx": FILES["a.xlsx"],
        "quay.png": b"\x89PNG\r\n\x1a\n",
    }
)
