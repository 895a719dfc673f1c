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
# What an exception says to a person, by its name or a base's; the libraries' words are technical.
_SAYS = {
    "RecursionError": "nested too deeply",
    "NotImplementedError": "packed in a way that is not known",
    "UnicodeError": "characters that its encoding does not have",
    "EOFError": "it ends too early",
    "struct.error": "it ends too early",
    "PdfStreamError": "it ends too early",
    "zlib.error": "its compressed data is damaged",
    "LZMAError": "its compressed data is damaged",
    "BadZipFile": "its archive is damaged",
    "TarError": "its archive is damaged",
    "EmptyFileError": "there is nothing in it",
    "OSError": "its packed data is damaged",
}


def what_broke(error: BaseException) -> str:
    """What is wrong with a file at which a parser raised one of these, in plain words."""
    names = (
        f"{kind.__module__}.error" if kind.__name__ == "error" else kind.__name__
        for kind in type(error).mro()
    )
    return next((_SAYS[name] for name in names if name in _SAYS), "its structure is damaged")
