"""Small true files of each format, and what makes variants of those that no library writes.

`FILES` maps a file's name to its bytes; each says the sentence "The ferry leaves at nine." once,
and the archive once for each of its documents. They lie in tests/files, as the libraries of their
formats and, where there is none, hand-written code made them.
"""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable, Sequence
from itertools import pairwise

from tests.support.made_containers import SENTENCE
from tests.support.places import TESTS

__all__ = ["FILES", "SENTENCE"]

FILES = {path.name: path.read_bytes() for path in sorted((TESTS / "files").iterdir())}


def zipped(members: dict[str, str | bytes], stored_first: bool = False) -> bytes:
    """A ZIP file; with `stored_first` its first member is not compressed, as `mimetype` must be."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for index, (name, content) in enumerate(members.items()):
            stored = zipfile.ZIP_STORED if stored_first and not index else zipfile.ZIP_DEFLATED
            archive.writestr(name, content, stored)
    return buffer.getvalue()


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


def doc(encrypted: bool = False) -> bytes:
    """Word 97: a heading, a field, a row of two cells, a footnote."""
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
    return compound({"WordDocument": bytes(stream + formats), "1Table": clx + plc})


def _record(kind: int, content: bytes, instance: int = 0, container: bool = False) -> bytes:
    return struct.pack("<HHI", instance << 4 | 0xF * container, kind, len(content)) + content


def ppt(hidden: int = 0, lost: int = 0) -> bytes:
    """Two slides, listed in the other order than the one in which they stand in the file.

    `lost` is the key of one that is not where the file says.
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
    stream += _record(4085, struct.pack("<IIIIIII", 0, 0, 0, directory, 1, 3, 0))
    user = struct.pack("<HHIIII", 0, 4086, 20, 20, 0xE391C05F, edit)
    return compound({"PowerPoint Document": bytes(stream), "Current User": user})


def _kept(name: str) -> Callable[[], bytes]:
    return lambda: FILES[name]


docx, pptx, xlsx, xls, rtf, epub, odt, odp, ods, iwork = (
    _kept(f"a.{kind}")
    for kind in ("docx", "pptx", "xlsx", "xls", "rtf", "epub", "odt", "odp", "ods", "pages")
)
