"""From a policy's file rules to Landlock's rights and structures; pure.

No input or output; kernel.py applies the result. Landlock denies all handled rights that no rule
allows, so all rights that the kernel knows are handled.

Source of all numbers: include/uapi/linux/landlock.h, Linux 6.15 (ABI 7).
"""

from __future__ import annotations

import struct

from indexer.confine.rules import Access

EXECUTE = 1 << 0
WRITE_FILE = 1 << 1
READ_FILE = 1 << 2
READ_DIR = 1 << 3
REMOVE_DIR = 1 << 4
REMOVE_FILE = 1 << 5
MAKE_DIR = 1 << 7
MAKE_REG = 1 << 8
MAKE_SOCK = 1 << 9  # of no use to a process that may not bind
REFER = 1 << 13
TRUNCATE = 1 << 14
IOCTL_DEV = 1 << 15

_FS_RIGHTS = ((1, (1 << 13) - 1), (2, REFER), (3, TRUNCATE), (5, IOCTL_DEV))
_RIGHTS_OF_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV

BIND_TCP = 1 << 0
CONNECT_TCP = 1 << 1
_NET_ABI = 4

SCOPE_ABSTRACT_UNIX_SOCKET = 1 << 0
SCOPE_SIGNAL = 1 << 1
_SCOPE_ABI = 6

RULE_PATH_BENEATH = 1
RULE_NET_PORT = 2

_READ = READ_FILE | READ_DIR
_WRITE = WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | MAKE_SOCK | REFER | TRUNCATE
_RIGHTS: dict[Access, int] = {
    "list": READ_DIR,
    "read": _READ,
    "execute": _READ | EXECUTE,
    "write": _READ | _WRITE,
    "device": _READ | WRITE_FILE | IOCTL_DEV,
}

# What an older kernel leaves open although a rule would close it, by the ABI that brought it.
# Truncation (ABI 3) is not here: the system call table denies it on every kernel.
_SINCE = (
    (4, "which TCP port the broker may connect to"),
    (5, "ioctl on device nodes that may be opened"),
    (6, "signals to other processes of the same user"),
)


def handled_fs(abi: int) -> int:
    """All rights on files that a kernel of this ABI can take away."""
    return sum(rights for since, rights in _FS_RIGHTS if abi >= since)


def rights(access: Access, abi: int, *, folder: bool) -> int:
    """The rights of a rule, without those that this ABI or a single file does not know."""
    wanted = _RIGHTS[access] & handled_fs(abi)
    return wanted if folder else wanted & _RIGHTS_OF_A_FILE


def ruleset(abi: int) -> bytes:
    """The struct landlock_ruleset_attr, as long as the ABI knows it: everything is handled."""
    attr = struct.pack("=Q", handled_fs(abi))
    if abi >= _NET_ABI:
        attr += struct.pack("=Q", BIND_TCP | CONNECT_TCP)
    if abi >= _SCOPE_ABI:
        attr += struct.pack("=Q", SCOPE_ABSTRACT_UNIX_SOCKET | SCOPE_SIGNAL)
    return attr


def path_rule(allowed: int, descriptor: int) -> bytes:
    """The struct landlock_path_beneath_attr, which the kernel declares packed."""
    return struct.pack("=Qi", allowed, descriptor)


def port_rules(ports: tuple[int, ...], abi: int) -> tuple[bytes, ...]:
    """A struct landlock_net_port_attr for each port to connect to; none below ABI 4."""
    if abi < _NET_ABI:
        return ()
    return tuple(struct.pack("=QQ", CONNECT_TCP, port) for port in ports)


def not_covered(abi: int) -> tuple[str, ...]:
    """What this kernel's Landlock cannot take away, in words; empty from ABI 6 on."""
    return tuple(f"{what} (Landlock ABI {since})" for since, what in _SINCE if abi < since)
