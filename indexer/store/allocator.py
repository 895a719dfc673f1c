"""Returns freed memory to the system: glibc keeps the arenas of LanceDB's threads.

Called by the writer after each commit.
"""

from __future__ import annotations

import ctypes


def release() -> None:
    """Call `malloc_trim`; does nothing if the C library has none."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
