"""Standard input and output reserved for a protocol; the rest of the process cannot use them.

Libraries print banners, warnings and progress, also from native code that bypasses `sys.stdout`.
So the descriptors are moved before any of them is imported. Called by `mcp` and by the librarian's
process, before the seal.
"""

from __future__ import annotations

import fcntl
import os
from typing import BinaryIO

_FIRST_FREE = 3  # above the standard streams


def take_standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """The streams that descriptors 0 and 1 referred to.

    Afterwards descriptor 0 is empty and 1 is a duplicate of 2. Children do not inherit the new
    descriptors.
    """
    requests = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE)
    replies = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    # Open until the process ends: a thread may be blocked in a read.
    return (
        os.fdopen(requests, "rb", closefd=False),
        os.fdopen(replies, "wb", closefd=False),
    )
