"""Recognises file formats by their bytes and the content of containers; not text formats.

Called by the registry.
"""

from __future__ import annotations

import io
import re
from collections.abc import Collection
from pathlib import PurePosixPath

from indexer.errors import UnreadableDocument
from indexer.extract.image import name_of as picture_name
from indexer.extract.legacy.compound import OLE

# Formats that are recognised in order to say so. First bytes, then what it is.
_UNSUPPORTED: tuple[tuple[bytes, str], ...] = (
    (b"\x1f\x8b", "gzip archive"),
    (b"BZh", "bzip2 archive"),
    (b"\xfd7zXZ\x00", "xz archive"),
    (b"\x28\xb5\x2f\xfd", "zstandard archive"),
    (b"7z\xbc\xaf\x27\x1c", "7z archive"),
    (b"Rar!", "RAR archive"),
    (b"MSCF", "cabinet archive"),
    (b"!<arch>\n", "ar archive"),
    (b"ITSF", "compiled HTML help"),
    (b"!BDN", "Outlook mail folder (PST)"),
    (b"%!PS", "PostScript document"),
    (b"\xffWPC", "WordPerfect document"),
    (b"AT&TFORM", "DjVu document"),
)
_BINARY: tuple[tuple[bytes, str], ...] = (
    (b"GIF8", "GIF image"),
    (b"RIFF", "RIFF media (WAV, AVI)"),
    (b"\x7fELF", "program"),
    (b"MZ", "program"),
    (b"SQLite format 3", "SQLite database"),
    (b"ID3", "MP3 audio"),
    (b"OggS", "Ogg media"),
    (b"fLaC", "FLAC audio"),
    (b"\x1aE\xdf\xa3", "Matroska media"),
)
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
    for magic, name in _UNSUPPORTED:
        if sample.startswith(magic):
            raise UnreadableDocument("unsupported", name)
    if picture_name(sample):
        return "picture"
    for magic, name in _BINARY:
        if sample.startswith(magic):
            raise UnreadableDocument("binary", name)
    if sample[257:262] == b"ustar":
        raise UnreadableDocument("unsupported", "tar archive")
    if sample.startswith((_ZIP, _EMPTY_ZIP)):
        return _zip_kind(sample, path)
    if sample.startswith(OLE):
        return _ole_kind(sample, path)
    if _PDF.match(sample) or (_LATE_PDF.search(sample[:1024]) and b" obj" in sample):
        return "pdf"
    return "rtf" if sample.startswith(b"{\\rtf") else None


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
    raise UnreadableDocument("unsupported", "ZIP archive")


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
    raise UnreadableDocument("unsupported", "legacy Office document of an unknown kind")


def _ole_names(sample: bytes) -> set[str]:
    """Names of streams and storages at the top; empty where the directory cannot be read."""
    import olefile

    try:
        with olefile.OleFileIO(io.BytesIO(sample)) as ole:
            return {path[0] for path in ole.listdir(streams=True, storages=True)}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return set()
