"""`tests.support.no_override.drop()`: from here on permissions stop this process, also as root.

Another user could not start Python where it is installed below a folder that only root enters; a
root without CAP_DAC_OVERRIDE is held by the modes of its own files like anybody else. The right is
given up thread by thread, so this comes before every import that starts threads.
"""

import ctypes
import os
import struct

VERSION_3 = 0x20080522  # linux/capability.h
DAC_OVERRIDE, DAC_READ_SEARCH = 1, 2


def drop() -> None:
    """Give up the superuser's right to read and write whatever the permissions say."""
    if os.getuid() != 0:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header = ctypes.create_string_buffer(struct.pack("=Ii", VERSION_3, 0))
    held = ctypes.create_string_buffer(24)
    if libc.capget(header, held):
        raise OSError(ctypes.get_errno(), "capget")
    sets = list(struct.unpack("=6I", held.raw[:24]))
    mask = ~(1 << DAC_OVERRIDE | 1 << DAC_READ_SEARCH) & 0xFFFFFFFF
    sets[:3] = [value & mask for value in sets[:3]]
    if libc.capset(header, struct.pack("=6I", *sets)):
        raise OSError(ctypes.get_errno(), "capset")
