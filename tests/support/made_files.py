"""Small true files of each format, and what makes variants of those that no library writes.

`FILES` maps a file's name to its bytes; each says the sentence "The ferry leaves at nine." once,
and the archive once for each of its documents. They lie in tests/files, as the libraries of their
formats and, where there is none, hand-written code made them.
"""

import io
import re
import struct
import tarfile
import zipfile
from collections.abc import Iterable, Sequence
from email.message import EmailMessage
from itertools import pairwise

from tests.support.places import TESTS

SENTENCE = "The ferry leaves at nine."
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(20)
FILES = {path.name: path.read_bytes() for path in sorted((TESTS / "files").iterdir())}


def zipped(members: dict[str, str | bytes], stored_first: bool = False) -> bytes:
    """A ZIP file; with `stored_first` its first member is not compressed, as `mimetype` must be."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for index, (name, content) in enumerate(members.items()):
            stored = zipfile.ZIP_STORED if stored_first and not index else zipfile.ZIP_DEFLATED
            archive.writestr(name, content, stored)
    return buffer.getvalue()


def members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def locked(data: bytes, *names: bytes) -> bytes:
    """The archive with these members said to be encrypted."""
    changed = bytearray(data)
    for name in names:
        for found in re.finditer(b"PK(?:\3\4.{26}|\1\2.{42})" + name, data, re.DOTALL):
            changed[found.start() + (6 if data[found.start() + 2] == 3 else 8)] |= 1
    return bytes(changed)


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
    'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'
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
    data = bytearray(FILES["a.doc"])
    struct.pack_into("<H", data, data.index(b"\xec\xa5") + 0x0A, 0x0300 if encrypted else 0x0200)
    return bytes(data)


def ppt(hidden: int = 0, lost: int = 0) -> bytes:
    """Two slides, listed in the other order than the one in which they stand in the file.

    `hidden` are the flags of the second; `lost` is the key of one that is not where the file says.
    """
    data = bytearray(FILES["a.ppt"])
    struct.pack_into("<H", data, data.rindex(struct.pack("<HHI", 0, 1017, 16)) + 18, hidden)
    if lost:
        at = data.index(struct.pack("<HHI", 0, 6002, 16)) + 8 + 4 * lost
        struct.pack_into("<I", data, at, struct.unpack_from("<I", data, at)[0] + 4)
    return bytes(data)


def tar(members: dict[str, bytes], mode: str = "w", more: Iterable[tarfile.TarInfo] = ()) -> bytes:
    """A TAR file of these members; `mode` "w:gz" and the like packs it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for info in more:
            archive.addfile(info)
    return buffer.getvalue()


def mail(subject: str, *attached: tuple[str, bytes] | EmailMessage) -> EmailMessage:
    """A message that says "About" and its subject, with files or messages attached."""
    message = EmailMessage()
    message["Subject"] = subject
    message["From"] = "Ana <ana@example.org>"
    message.set_content(f"About {subject}.")
    for each in attached:
        if isinstance(each, EmailMessage):
            message.add_attachment(each)
        else:
            message.add_attachment(
                each[1], maintype="application", subtype="octet-stream", filename=each[0]
            )
    return message
