"""Namespaces as a second wall: no network device, no shared memory, no child that lives on.

Where they cannot be had, nothing is lost but that wall: what a process may do is said by the
filter and the file rules alone. Enters them one by one and says which it is in. Called by
corpus_agent.seal before it confines the process; neither parsers nor the broker call it.

No namespace of processes: whoever has made one for its children can start no thread.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Sequence
from pathlib import Path

from indexer.confine.calls import NO_SOCKETS
from indexer.confine.capabilities import drop_capabilities, has_any, may_administer
from indexer.confine.kernel import restrict_syscalls
from indexer.confine.raw import architecture, call
from indexer.confine.syscalls import Architecture, number

# linux/sched.h, linux/mount.h
_NEWNS, _NEWIPC, _NEWUSER, _NEWNET = 0x20000, 0x8000000, 0x10000000, 0x40000000
_MS_RDONLY, _MS_REC, _MS_SLAVE = 1, 0x4000, 0x80000
_HIDDEN = ("/dev/shm", "/dev/mqueue")  # noqa: S108 - named memory and queues, not a file of ours
_READY = b"."
_LOOK_AGAIN_SECONDS = 0.01


def enter(paths: Sequence[Path] = ()) -> tuple[str, ...]:
    """The walls that stand from now on: of "network", "ipc", "mount", "children"; maybe none.

    `paths` are those that must stay in sight. No other thread may run. A user is put into a user
    namespace with their own number first, where they may make the others; who has capabilities and
    not that one gets no wall, since there they would lose what they have.
    """
    arch = architecture()
    ordinary = not may_administer(arch)
    if ordinary and (has_any(arch) or not _join_own_user_namespace(arch)):
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
    """Whether this process has a namespace of its own now."""
    try:
        call(number("unshare", arch), flag)
    except OSError:
        return False
    return True


def _join_own_user_namespace(arch: Architecture) -> bool:
    """Whether this process is in a user namespace of its own, with its own user in it.

    A child makes it and this process follows: some systems let a namespace be made and then forbid
    to say who is in it, and whoever made it would be nobody for good.
    """
    ready, told = os.pipe()
    leave, left = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(left)
        _make_user_namespace(arch, told, leave)
    os.close(told)
    os.close(leave)
    try:
        return os.read(ready, 1) == _READY and _followed(arch, child)
    finally:
        os.close(left)
        os.close(ready)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(child, 0)


def _make_user_namespace(arch: Architecture, told: int, leave: int) -> None:
    """The child: make it, say so, and stay until the parent has followed; never returns."""
    user, group = os.geteuid(), os.getegid()
    try:
        call(number("unshare", arch), _NEWUSER)
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
        os.write(told, _READY)
        os.close(told)
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
    """Whether what is mounted later elsewhere would be seen in a mount namespace of our own."""
    try:
        lines = Path("/proc/self/mountinfo").read_text().splitlines()
    except OSError:
        return False
    roots = [fields for fields in map(str.split, lines) if fields[4] == "/"]
    return bool(roots) and any(field.startswith("shared:") for field in roots[-1][6:-1])


def _hide_shared_memory(arch: Architecture, paths: Sequence[Path]) -> None:
    """Lay an empty folder over the places of named memory that no path needs."""
    mount = number("mount", arch)
    call(mount, b"none", b"/", None, _MS_REC | _MS_SLAVE, None)
    for place in _HIDDEN:
        if not any(path.is_relative_to(place) for path in paths) and Path(place).is_dir():
            with contextlib.suppress(OSError):  # the file rules close it all the same
                call(mount, b"none", place.encode(), b"tmpfs", _MS_RDONLY, None)


def _start_guardian(arch: Architecture) -> None:
    """A process that waits for the end of this one, however it ends, and then ends its children.

    It knows them by their network namespace, which nobody else is in and none of them can leave;
    also those that put themselves out of reach of a process group or of their parent's death.
    """
    program = os.pidfd_open(os.getpid())
    if child := os.fork():
        os.close(program)
        os.waitpid(child, 0)
        return
    try:
        if os.fork():  # nobody's child: a caller of the library may wait for its own
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
    """How many other processes were in this one's network namespace; they have been ended."""
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
