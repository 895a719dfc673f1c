"""Run Python without a network: `python tests/support/offline.py -m pytest -q`.

Uses an empty network namespace in which only loopback is up, so that a library that phones home
fails no matter what language it is written in. Says so where the system cannot do that.
"""

import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys

SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 0x1  # linux/sockios.h, linux/if.h
STAGE = "--inside"


def bring_loopback_up() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        request = struct.pack("16sH14x", b"lo", 0)
        flags = struct.unpack_from("16xH", fcntl.ioctl(control, SIOCGIFFLAGS, request))[0]
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", flags | IFF_UP))


def succeeds(command: list[str]) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def main(arguments: list[str]) -> None:
    if arguments[:1] == [STAGE]:
        bring_loopback_up()
        os.environ["TESTS_OFFLINE"] = "1"
        os.execv(sys.executable, [sys.executable, *arguments[1:]])
    # Without a user namespace first: in one, tests could not become another user.
    for isolated in (["unshare", "--net", "--"], ["unshare", "--map-root-user", "--net", "--"]):
        if shutil.which("unshare") and succeeds([*isolated, "true"]):
            os.execvp("unshare", [*isolated, sys.executable, __file__, STAGE, *arguments])
    print("NOTE: no network namespaces here; the tests run with the network on.", file=sys.stderr)
    os.execv(sys.executable, [sys.executable, *arguments])


if __name__ == "__main__":
    main(sys.argv[1:])
