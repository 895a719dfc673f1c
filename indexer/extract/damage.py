"""The exceptions that the standard library's parsers raise on damaged files.

Other libraries' errors are translated where they are called. These are caught only around the
reading of one file.
"""

from __future__ import annotations

import struct
import zipfile
import zlib

BROKEN = (
    ValueError,  # Unicode errors among them
    LookupError,  # KeyError and IndexError
    ArithmeticError,
    EOFError,
    OSError,  # archives, also where no file is involved
    RuntimeError,  # RecursionError and NotImplementedError: an archive's compression
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)
# What such an exception says to a person; the libraries' own words are for programmers.
_SAYS: tuple[tuple[type[Exception], str], ...] = (
    (RecursionError, "nested too deeply"),
    (NotImplementedError, "packed in a way that is not known"),
    (UnicodeError, "characters that its encoding does not have"),
    (EOFError, "it ends too early"),
    (struct.error, "it ends too early"),
    (zlib.error, "its compressed data is damaged"),
    (zipfile.BadZipFile, "its archive is damaged"),
    (OSError, "its packed data is damaged"),
)
# The same of libraries that are not imported here, by the names of their exceptions.
_OTHERS_SAY = {
    "EmptyFileError": "there is nothing in it",
    "PdfStreamError": "it ends too early",
    "TarError": "its archive is damaged",
    "LZMAError": "its compressed data is damaged",
}


def what_broke(error: BaseException) -> str:
    """What is wrong with a file at which a parser raised one of these, in plain words."""
    says = (text for kind, text in _SAYS if isinstance(error, kind))
    named = (
        _OTHERS_SAY[kind.__name__] for kind in type(error).mro() if kind.__name__ in _OTHERS_SAY
    )
    return next(named, None) or next(says, "its structure is damaged")
