"""What a file is by what it begins with, where that is not what its name says.

Pure, and no parser: it looks at the first bytes alone, in a process that has read no document. A
program that shows files may go by these bytes and not by the name that a person agreed to.
"""

from __future__ import annotations

import re

SAMPLE_BYTES = 1_024

_ZIP = b"PK\x03\x04"
_MARKUP = "a page or other mark-up"
# What is known by its beginning, the first that fits.
_KINDS: tuple[tuple[str, re.Pattern[bytes]], ...] = (
    ("a PDF", re.compile(rb"(?:\xef\xbb\xbf)?\s*%PDF-")),
    ("a PNG picture", re.compile(rb"\x89PNG\r\n\x1a\n")),
    ("a JPEG picture", re.compile(rb"\xff\xd8\xff")),
    ("a TIFF picture", re.compile(rb"II[*+]\0|MM\0[*+]")),
    ("a WebP picture", re.compile(rb"RIFF.{4}WEBP", re.DOTALL)),
    ("a GIF picture", re.compile(rb"GIF8[79]a")),
    ("a BMP picture", re.compile(rb"BM.{4}\0\0\0\0", re.DOTALL)),
    ("a ZIP file", re.compile(_ZIP)),
    ("an older Office file", re.compile(rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")),
    ("RTF", re.compile(rb"\{\\rtf")),
    ("a program", re.compile(rb"\x7fELF|MZ[^\n]{0,60}\0|\xca\xfe\xba\xbe|\xcf\xfa\xed\xfe")),
    ("a script", re.compile(rb"#!")),
    ("a launcher", re.compile(rb"\s*(?:#[^\n]*\n\s*){0,20}\[(?:Desktop Entry|InternetShortcut)\]")),
    (_MARKUP, re.compile(rb"(?:\xef\xbb\xbf)?\s*<[!?a-zA-Z]")),
)
_ZIPPED = ("docx", "xlsx", "pptx", "odt", "ods", "odp", "epub")
_EXPECTED = {
    ".pdf": "a PDF",
    ".png": "a PNG picture",
    ".jpg": "a JPEG picture",
    ".jpeg": "a JPEG picture",
    ".tif": "a TIFF picture",
    ".tiff": "a TIFF picture",
    ".webp": "a WebP picture",
    ".gif": "a GIF picture",
    ".bmp": "a BMP picture",
    ".rtf": "RTF",
    **dict.fromkeys((".doc", ".xls", ".ppt"), "an older Office file"),
    **{f".{suffix}": "a ZIP file" for suffix in _ZIPPED},
}
# A PDF may begin later, and readers look for it there.
_LATE_PDF = re.compile(rb"%PDF-\d\.\d\s")


def differing(suffix: str, sample: bytes) -> str:
    """What a file that begins so is, if that is not what its ending says; "" if it is."""
    found = next((kind for kind, begins in _KINDS if begins.match(sample)), "")
    expected = _EXPECTED.get(suffix, "")  # text has no beginning
    if found == expected or (found == _MARKUP and suffix in (".md", ".markdown")):
        return ""
    if expected == "a PDF" and not found and _LATE_PDF.search(sample):
        return ""
    return found or ("text" if _is_text(sample) else "of an unknown kind")


def _is_text(sample: bytes) -> bool:
    return b"\0" not in sample
