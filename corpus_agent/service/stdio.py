"""The real standard streams, kept for a protocol, while everything else in the process loses them.

Libraries print: banners, warnings, progress, also from native code that knows nothing of Python's
`sys.stdout`. A protocol on the standard output takes the descriptor away before any of them is
imported. Called by `mcp` and by the librarian's process, before the seal.
"""

from __future__ import annotations

import fcntl
import os
from typing import BinaryIO

_FIRST_FREE = 3  # above the standard streams


def take_standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """The streams that descriptors 0 and 1 were.

    From here on descriptor 0 is empty and 1 leads where 2 does. The new descriptors are not
    inherited by children.
    """
    requests = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE)
    replies = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    # Open to the end of the process: a thread may still be waiting in a read.
    return (
        os.fdopen(requests, "rb", closefd=False),
        os.fdopen(replies, "wb", closefd=False),
    )
