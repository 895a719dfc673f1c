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
