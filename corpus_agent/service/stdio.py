"""Standard input and output reserved for a protocol: libraries print, also from native code."""

from __future__ import annotations

import fcntl
import os
from typing import BinaryIO

_FIRST_FREE = 3  # above the standard streams


def take_standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """The streams of descriptors 0 and 1, which then are empty and a duplicate of 2."""
    requests = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE)
    replies = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    # Open until the process ends: a thread may be blocked in a read.
    return os.fdopen(requests, "rb", closefd=False), os.fdopen(replies, "wb", closefd=False)
