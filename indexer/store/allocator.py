"""Freed memory, given back to the system. LanceDB's threads free in arenas that glibc keeps.

Called by the writer after each commit.
"""

from __future__ import annotations

import ctypes


def release() -> None:
    """Return what is free to the system; nothing where the C library has no call for it."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
