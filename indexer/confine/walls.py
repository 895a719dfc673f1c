"""Namespaces as a second wall: no network device, no shared memory, no surviving children.

Optional: seccomp and Landlock alone define what a process may do. Namespaces are entered one by
one, and those entered are reported.

No PID namespace: a process that has created one for its children can start no thread.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Sequence
from pathlib import Path

from indexer.confine.kernel import SYS_ADMIN, drop_capabilities, held, restrict_syscalls
from indexer.confine.policy import NO_SOCKETS
from indexer.confine.syscalls import Architecture, architecture, call, number

# linux/sched.h, linux/mount.h
_NEWNS, _NEWIPC, _NEWUSER, _NEWNET = 0x20000, 0x8000000, 0x10000000, 0x40000000
_MS_RDONLY, _MS_REC, _MS_SLAVE = 1, 0x4000, 0x80000
_HIDDEN = ("/dev/shm", "/dev/mqueue")  # noqa: S108 - named memory and queues, not a file of ours
_READY = b"."
_LOOK_AGAIN_SECONDS = 0.01


def enter(paths: Sequence[Path] = ()) -> tuple[str, ...]:
    """The walls now in place, of "network", "ipc", "mount", "children"; possibly none.

    `paths` must stay visible. No other thread may run. An unprivileged user enters a user namespace
    with the same user number first, which permits the others; a process with some capabilities but
    not CAP_SYS_ADMIN gets no wall, since it would lose them there.
    """
    arch = architecture()
    own = held(arch)
    ordinary = not own[0] & SYS_ADMIN
    if ordinary and (any(own) or not _join_own_user_namespace(arch)):
        return ()
    walls = [name for name, flag in (("network", _NEWNET), ("ipc", _NEWIPC)) if _left(arch, flag)]
    if _mounts_are_shared() and _left(arch, _NEWNS):
        _hide_shared_memory(arch, paths)
        walls.append("mount")
    if ordinary:
        drop_capabilities(arch, kept=0)
    if "network" in walls:
        _start_guardian(arch)
        walls.append("children")
    return tuple(walls)


def _left(arch: Architecture, flag: int) -> bool:
    """Unshare a namespace; returns whether that succeeded."""
    try:
        call(number("unshare", arch), flag)
    except OSError:
        return False
    return True


def _join_own_user_namespace(arch: Architecture) -> bool:
    """Enter a user namespace with the same user; returns whether that succeeded.

    A child creates it and this process joins: some systems permit creating a namespace and then
    forbid mapping users in it, which would leave this process as the overflow user for good.
    """
    ready, announce = os.pipe()
    leave, left = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(left)
        _make_user_namespace(arch, announce, leave)
    os.close(announce)
    os.close(leave)
    try:
        return os.read(ready, 1) == _READY and _followed(arch, child)
    finally:
        os.close(left)
        os.close(ready)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(child, 0)


def _make_user_namespace(arch: Architecture, announce: int, leave: int) -> None:
    """The child: create the namespace, report, wait until the parent has joined; never returns."""
    user, group = os.geteuid(), os.getegid()
    try:
        call(number("unshare", arch), _NEWUSER)
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
        os.write(announce, _READY)
        os.close(announce)
        os.read(leave, 1)
    finally:
        os._exit(0)


def _followed(arch: Architecture, child: int) -> bool:
    descriptor = os.pidfd_open(child)
    try:
        call(number("setns", arch), descriptor, _NEWUSER)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def _mounts_are_shared() -> bool:
    """Whether mounts made later would propagate into a mount namespace of this process."""
    try:
        lines = Path("/proc/self/mountinfo").read_text().splitlines()
    except OSError:
        return False
    roots = [fields for fields in map(str.split, lines) if fields[4] == "/"]
    return bool(roots) and any(field.startswith("shared:") for field in roots[-1][6:-1])


def _hide_shared_memory(arch: Architecture, paths: Sequence[Path]) -> None:
    """Mount an empty folder over the places of named memory that `paths` do not need."""
    mount = number("mount", arch)
    call(mount, b"none", b"/", None, _MS_REC | _MS_SLAVE, None)
    for place in _HIDDEN:
        if not any(path.is_relative_to(place) for path in paths) and Path(place).is_dir():
            with contextlib.suppress(OSError):  # the file rules close it all the same
                call(mount, b"none", place.encode(), b"tmpfs", _MS_RDONLY, None)


def _start_guardian(arch: Architecture) -> None:
    """Start a process that waits until this one ends, in any way, and then kills its children.

    It finds them by their network namespace, which only they are in and cannot leave; this includes
    those that left their process group or cleared their parent-death signal.
    """
    program = os.pidfd_open(os.getpid())
    if child := os.fork():
        os.close(program)
        os.waitpid(child, 0)
        return
    try:
        if os.fork():  # reparented: a caller of the library may wait for its own children
            os._exit(0)
        os.setsid()
        for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(ignored, signal.SIG_IGN)
        watched = os.dup2(program, 3)
        os.closerange(0, 3)
        os.closerange(4, os.sysconf("SC_OPEN_MAX"))
        os.chdir("/")
        poll = select.poll()
        poll.register(watched, select.POLLIN)
        drop_capabilities(arch)
        restrict_syscalls(NO_SOCKETS)
        poll.poll()
        while _end_those_left():
            time.sleep(_LOOK_AGAIN_SECONDS)
    finally:
        os._exit(0)


def _end_those_left() -> int:
    """Kill all other processes in this network namespace; their number."""
    here = os.stat("/proc/self/ns/net").st_ino  # noqa: PTH116
    found = 0
    for name in os.listdir("/proc"):  # noqa: PTH208
        with contextlib.suppress(OSError):  # it has ended meanwhile, or is another user's
            if not name.isdigit() or int(name) == os.getpid():
                continue
            if os.stat(f"/proc/{name}/ns/net").st_ino == here:  # noqa: PTH116
                os.kill(int(name), signal.SIGKILL)
                found += 1
    return found
