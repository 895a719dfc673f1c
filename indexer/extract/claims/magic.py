"""Recognises file formats by their bytes and the content of containers; not text formats.

Called by the registry.
"""

from __future__ import annotations

import io
import re
from collections.abc import Collection
from pathlib import PurePosixPath

from indexer.errors import UnreadableDocument
from indexer.extract.claims.known_kinds import (
    RECOGNISABLE,
    Known,
    known_by_bytes,
    known_container,
)
from indexer.extract.extraction import Extraction
from indexer.extract.legacy.compound import OLE
from indexer.extract.text.plain import is_text

# Compressed files: first bytes and kind.
_PACKED = ((b"\x1f\x8b\x08", "gz"), (b"BZh", "bz2"), (b"\xfd7zXZ\0", "xz"))
_BZIP2 = (b"1AY&SY", b"\x17rE8P\x90")  # behind "BZh" and a digit
# "From " with a year, and a header in the line after it.
MBOX = re.compile(rb"^From [^\n]{0,200}\d{4}\r?\n(?:>?[A-Za-z-]+:)", re.MULTILINE)
_ZIP = b"PK\x03\x04"
_EMPTY_ZIP = b"PK\x05\x06"

# The `mimetype` member that OpenDocument and EPUB files begin with.
_MIME_TYPES = {
    "application/epub+zip": "epub",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/vnd.oasis.opendocument.graphics": "odp",
    "application/vnd.sun.xml.writer": "odt",
    "application/vnd.sun.xml.calc": "ods",
    "application/vnd.sun.xml.impress": "odp",
}
# A member that only one format has, in the order in which it is looked for.
_MEMBERS = (
    ("word/", "docx"),
    ("xl/workbook.bin", "xlsb"),
    ("xl/", "xlsx"),
    ("ppt/", "pptx"),
    ("META-INF/container.xml", "epub"),
    ("index.xml", "iwork"),
    ("index.apxl", "iwork"),
    ("Index/", "iwork"),
    ("Index.zip", "iwork"),
)
_SOME_ZIP = Known("ZIP archive", "call it .zip to have its files read")
_SOME_OFFICE = Known("legacy Office document", "open and save it as DOCX or PDF")
_CONTENT_TYPES = "[Content_Types].xml"
_ZIP_SUFFIXES = frozenset({"docx", "pptx", "xlsx", "odt", "odp", "ods", "epub"})
_OLE_SUFFIXES = frozenset({"doc", "ppt", "xls", "msg"})
# Streams of a compound file.
_STREAMS = (
    ("EncryptedPackage", "encrypted"),
    ("__properties_version1.0", "msg"),
    ("PowerPoint Document", "ppt"),
    ("WordDocument", "doc"),
    ("Workbook", "xls"),
    ("Book", "xls"),
)
_PDF = re.compile(rb"(?:\xef\xbb\xbf)?\s*%PDF-")
_PDF_PARTS = re.compile(rb"\d obj\b|\bxref\b|\btrailer\b|\bendobj\b")
_RTF = re.compile(rb"\{\\rtf\d*\s*[\\{}]|\{\\rtf\d*\s*\Z")
_LATE_PDF = re.compile(rb"%PDF-\d\.\d\s")  # readers accept it within the first 1,024 bytes
_LOCAL_HEADER = re.compile(rb"PK\x03\x04.{22}(..)..", re.DOTALL)
# A first member that is stored as it is: its size, then behind the name its bytes.
_MIME_TYPE = re.compile(rb"PK\x03\x04.{4}\0\0.{8}(.{4}).{8}mimetype", re.DOTALL)
_MAX_NAME = 512


def kind_of(sample: bytes, path: str) -> str | None:
    """The format of a file by its first bytes (or all), as in "docx"; None if unknown.

    The name decides if a container's directory is damaged or beyond the sample. Raises
    UnreadableDocument for formats that are recognised but not supported.
    """
    for begins, kind in _PACKED:
        if sample.startswith(begins) and (kind != "bz2" or sample[4:10] in _BZIP2):
            return kind
    if is_tar(sample):
        return "tar"
    if known := known_by_bytes(sample):
        if known.what in RECOGNISABLE:
            return "picture"
        raise known.refusal()
    if MBOX.match(sample[:4096]):
        return "mbox"
    if sample.startswith((_ZIP, _EMPTY_ZIP)):
        return _zip_kind(sample, path)
    if sample.startswith(OLE):
        return _ole_kind(sample, path)
    if _is_pdf(sample, path):
        return "pdf"
    return "rtf" if _RTF.match(sample) else None


def _is_pdf(sample: bytes, path: str) -> bool:
    """Whether a file is a PDF, or the remains of one: text may begin with its first word."""
    if _PDF.match(sample):
        named = PurePosixPath(path).suffix.lower() == ".pdf"
        return named or _PDF_PARTS.search(sample) is not None or not is_text(sample)
    return _LATE_PDF.search(sample[:1024]) is not None and b" obj" in sample


_TAR = re.compile(rb".{257}ustar", re.DOTALL)
_CHECKSUM = re.compile(rb"[^\0].{147}[ 0]*([0-7]{3,6})[\0 ]", re.DOTALL)


def is_tar(head: bytes) -> bool:
    """Whether these first bytes are a member's header: by its mark, or by its checksum."""
    if _TAR.match(head):
        return b"\0" in head[:257]
    checksum = _CHECKSUM.match(head[:512])
    if checksum is None or len(head) < 512:  # before 1988 there was no mark
        return False
    return int(checksum[1], 8) == sum(head[:148]) + 8 * 0x20 + sum(head[156:512])


def _zip_kind(sample: bytes, path: str) -> str:
    """The format of a ZIP file; "zip" for a plain archive named .zip, else UnreadableDocument.

    Many programs and documents are ZIP files too, as their names show.
    """
    suffix = PurePosixPath(path).suffix.lower()[1:]
    names = _zip_names(sample)
    whole = names is not None
    names = _local_names(sample) if names is None else names
    base = _mime_type(sample).removesuffix("-template").removesuffix("-master")
    if base in _MIME_TYPES:
        return _MIME_TYPES[base]
    # In an archive a folder may be called "word" for other reasons.
    telling = _MEMBERS if suffix != "zip" or _CONTENT_TYPES in names else ()
    for member, kind in telling:
        if any(name == member or (member[-1] == "/" and name.startswith(member)) for name in names):
            return kind
    if "content.xml" in names and "META-INF/manifest.xml" in names:
        return "odt"
    if suffix == "zip":
        return suffix
    if not whole and suffix in _ZIP_SUFFIXES:
        return suffix
    raise known_container(path, _SOME_ZIP).refusal()


def _zip_names(sample: bytes) -> Collection[str] | None:
    """Names in the archive's directory; None if it is unreadable."""
    import zipfile

    try:
        with zipfile.ZipFile(io.BytesIO(sample)) as archive:
            return archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        return None


def _local_names(sample: bytes) -> list[str]:
    """Names in the local headers of the remaining members."""
    names = []
    for header in _LOCAL_HEADER.finditer(sample):
        length = min(int.from_bytes(header[1], "little"), _MAX_NAME)
        names.append(sample[header.end() : header.end() + length].decode("utf-8", "replace"))
    return names


def _mime_type(sample: bytes) -> str:
    stored = _MIME_TYPE.match(sample)
    if stored is None:
        return ""
    length = min(int.from_bytes(stored[1], "little"), _MAX_NAME)
    return sample[stored.end() : stored.end() + length].decode("ascii", "replace")


def _ole_kind(sample: bytes, path: str) -> str:
    """The format of a compound file (legacy Office), by the names of its streams.

    In a truncated file the directory may be missing; then any stream name in it or the file name
    decides.
    """
    found = _ole_names(sample)
    for stream, kind in _STREAMS:
        if stream in found if found else stream.encode("utf-16-le") in sample:
            if kind == "encrypted":
                raise UnreadableDocument("encrypted", "a password is needed")
            return kind
    suffix = PurePosixPath(path).suffix.lower()[1:]
    if suffix in _OLE_SUFFIXES:
        return suffix  # damaged, as its reader will say
    raise known_container(path, _SOME_OFFICE).refusal()


def _ole_names(sample: bytes) -> set[str]:
    """Names of streams and storages at the top; empty where the directory cannot be read."""
    import olefile

    try:
        with olefile.OleFileIO(io.BytesIO(sample)) as ole:
            return {path[0] for path in ole.listdir(streams=True, storages=True)}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return set()


def read_image(data: bytes) -> Extraction:
    """Raises UnreadableDocument("binary"), always: a picture has no text, one page of it waits.

    With the extra `[ocr]` its words are recognised afterwards, in another process.
    """
    known = known_by_bytes(data)
    assert known is not None
    detail = f"{known.what}; its words are read with the extra [ocr]"
    raise UnreadableDocument("binary", detail, waiting=1)
