"""What the parsers of the standard library raise on damaged files. A list, and no behaviour.

Libraries outside of it are translated where they are called. None of these is caught around
anything but the reading of one file.
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
