"""Landlock's rights, the system's file rules, limits and capabilities: each taken away or added.

`python -m tests.support.file_mutation` prints JSON: for each part what was done and whether
it was noticed. Every mutant is applied to a child of its own, which then tries; what it should find
is written here. What needs a device node or a mount, and cannot be had by this user, is not tried.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import resource
import shutil
import socket
import stat
import struct
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from indexer.confine import FileRule, Policy, kernel, landlock, raw, system_files
from indexer.confine.capabilities import KEPT, drop_capabilities
from indexer.confine.policy import Limits, limit_table
from indexer.confine.syscalls import number

ARCH, ABI = kernel.check_kernel()
NO_SUCH_IOCTL = 0x1234
ROOT = os.geteuid() == 0


def in_a_child(work: Callable[[], Any]) -> Any:
    """What `work` returns, as JSON gives it back."""
    reader, writer = os.pipe()
    if (pid := os.fork()) == 0:
        try:
            os.write(writer, json.dumps(work()).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    os.waitpid(pid, 0)
    return json.loads(said) if said else None


# -- what each right of Landlock is about; half of them are needed to read the others' errors


def _open(path: Path, flags: int) -> None:
    os.close(os.open(path, flags))


def _execute(path: Path) -> None:
    try:
        os.execv(path, ["x"])
    except OSError as error:
        if error.errno != errno.ENOEXEC:  # it may be started, and is no program
            raise


def _ioctl(_: Path) -> None:
    descriptor = os.open("/dev/null", os.O_RDONLY)
    try:
        fcntl.ioctl(descriptor, NO_SUCH_IOCTL)
    except OSError as error:
        if error.errno != errno.ENOTTY:
            raise
    finally:
        os.close(descriptor)


def _node(kind: int, device: tuple[int, int] = (0, 0)) -> Callable[[Path], None]:
    return lambda folder: os.mknod(folder / "node", kind | 0o600, os.makedev(*device))


RIGHTS: dict[str, tuple[int, Callable[[Path], object]]] = {
    "execute": (0, lambda folder: _execute(folder / "file")),
    "write": (1, lambda folder: _open(folder / "file", os.O_WRONLY)),
    "read": (2, lambda folder: _open(folder / "file", os.O_RDONLY)),
    "list": (3, lambda folder: _open(folder, os.O_RDONLY | os.O_DIRECTORY)),
    "remove a folder": (4, lambda folder: (folder / "empty").rmdir()),
    "remove a file": (5, lambda folder: (folder / "spare").unlink()),
    "make a character device": (6, _node(stat.S_IFCHR, (1, 3) if ROOT else (0, 0))),
    "make a folder": (7, lambda folder: (folder / "new").mkdir()),
    "make a file": (8, _node(stat.S_IFREG)),
    "make a socket": (9, _node(stat.S_IFSOCK)),
    "make a pipe": (10, lambda folder: os.mkfifo(folder / "pipe")),
    "make a block device": (11, _node(stat.S_IFBLK, (7, 0))),
    "make a link": (12, lambda folder: (folder / "link").symlink_to("file")),
    "move": (13, lambda folder: (folder / "one" / "x").rename(folder / "two" / "x")),
    "truncate": (14, lambda folder: os.truncate(folder / "file", 0)),
    "ask a device": (15, _ioctl),
}
ALLOWED = {
    "list": {"list"},
    "read": {"list", "read"},
    "execute": {"list", "read", "execute"},
    "write": {
        "list", "read", "write", "remove a folder", "remove a file", "make a folder",
        "make a file", "make a socket", "move", "truncate",
    },
    "device": {"list", "read", "write", "ask a device"},
}  # fmt: skip


# Rights that give nothing to an access without the others that they need: a program is started by
# reading it, a file is moved by removing and making it. The kernel cannot tell these apart.
POWERLESS = {
    ("list", "execute"), ("list", "move"), ("read", "move"), ("execute", "move"),
    ("device", "move"),
}  # fmt: skip


def known(name: str) -> bool:
    """Whether this kernel has the right, and this user could use it."""
    bit = RIGHTS[name][0]
    return bool(landlock.handled_fs(ABI) >> bit & 1) and (ROOT or bit != 11)


def tried_with(handled: int, allowed: int) -> list[str]:
    """The operations that go through in a folder with these rights, of all that are handled."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def one(act: Callable[[Path], object]) -> bool:
            shutil.rmtree(folder / "here", ignore_errors=True)
            for each in ("empty", "one", "two"):
                (folder / "here" / each).mkdir(parents=True)
            for each in ("file", "spare", "one/x"):
                (folder / "here" / each).write_text("text")
            (folder / "here" / "file").chmod(0o700)

            def confined() -> bool:
                _confine(handled, ((folder / "here", allowed),))
                try:
                    act(folder / "here")
                except OSError as error:
                    return error.errno not in (errno.EACCES, errno.EXDEV, errno.EPERM)
                return True

            return bool(in_a_child(confined))

        return [right for right, (_, act) in RIGHTS.items() if known(right) and one(act)]


def _confine(handled: int, rules: Sequence[tuple[Path, int]], net: int = 0, scope: int = 0) -> None:
    kernel._no_new_privileges()
    attr = struct.pack("=QQQ", handled, net, scope)[: len(landlock.ruleset(ABI))]
    ruleset = raw.call(number("landlock_create_ruleset", ARCH), attr, len(attr), 0)
    files = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15  # what there is of a single file
    null = (Path("/dev/null"), rules[0][1] & files & ~2 | 4 if rules else 4)
    for path, allowed in (*rules, null):
        if granted := allowed & handled:
            descriptor = os.open(path, os.O_PATH)
            rule = landlock.path_rule(granted, descriptor)
            raw.call(number("landlock_add_rule", ARCH), ruleset, 1, rule, 0)
    raw.call(number("landlock_restrict_self", ARCH), ruleset, 0)


def rights() -> Iterator[tuple[str, bool]]:
    """Each right of each access, left out or added; each handled right, not handled."""
    handled = landlock.handled_fs(ABI)
    for access, expected in ALLOWED.items():
        granted = landlock.rights(access, ABI, folder=True)  # type: ignore[arg-type]
        wanted = [name for name in expected if known(name)]
        met = tried_with(handled, granted)
        yield f"{access}: {met}", set(met) == set(wanted)
        for name, (bit, _) in RIGHTS.items():
            if known(name) and (access, name) not in POWERLESS:
                noticed = set(tried_with(handled, granted ^ 1 << bit)) != set(wanted)
                yield f"{access}: {name} turned round", noticed
    none = tried_with(handled, 0)
    yield f"nothing allowed: {none}", none == []
    for name, (bit, _) in RIGHTS.items():
        if known(name):
            # What moves is refused unless it is handled and allowed; the others are open then.
            # What is started must be readable as well.
            less = handled & ~(1 << bit)
            allowed = {"move": "write", "execute": "read"}.get(name)
            granted = landlock.rights(allowed, ABI, folder=True) if allowed else 0  # type: ignore[arg-type]
            met = set(tried_with(less, granted)) ^ {
                n for n in ALLOWED.get(allowed or "", ()) if known(n)
            }
            yield f"{name} not handled", met == {name}


def network_and_scopes() -> Iterator[tuple[str, bool]]:
    """Binding, connecting, abstract sockets and signals: refused, and not without their bit."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as named:
        named.bind("\0corpus-agent-mutation")
        named.listen()
        parent = os.getpid()
        address = server.getsockname()
        attempts: dict[str, tuple[int, int, Callable[[], object]]] = {
            "bind": (1, 0, lambda: socket.socket().bind(("127.0.0.1", 0))),
            "connect": (2, 0, lambda: socket.socket().connect(address)),
            "abstract": (0, 1, lambda: socket.socket(socket.AF_UNIX).connect(named.getsockname())),
            "signal": (0, 2, lambda: os.kill(parent, 0)),
        }
        sizes = len(landlock.ruleset(ABI)) // 8
        for name, (net, scope, act) in attempts.items():
            if sizes < (2 if net else 3):
                continue

            def refused(
                less_net: int, less_scope: int, act: Callable[[], object] = act
            ) -> bool | None:
                def confined() -> bool:
                    whole = struct.unpack("=QQQ", landlock.ruleset(ABI).ljust(24, b"\0"))
                    _confine(whole[0], (), whole[1] & ~less_net, whole[2] & ~less_scope)
                    try:
                        act()
                    except PermissionError:
                        return True
                    return False

                return in_a_child(confined)  # type: ignore[no-any-return]

            yield f"{name} refused", refused(0, 0) is True
            yield f"{name} not handled", refused(net, scope) is False


# -- the rules of the system's files, in a tree that has all of them


def system_rules() -> Iterator[tuple[str, bool]]:
    """Each rule left out, and what it opens no longer opens."""
    plain = list(system_files())
    gpu = [rule for rule in system_files(gpu=True) if not rule.path.name.startswith("nvidia")]
    yield from _each_left_out(plain, plain)
    yield from _each_left_out(gpu, [rule for rule in gpu if rule not in plain])


def _each_left_out(
    rules: Sequence[FileRule], tried: Sequence[FileRule]
) -> Iterator[tuple[str, bool]]:
    wanted = in_a_child(lambda: _in_a_tree(rules, rules))
    if wanted is None:
        return
    for rule in tried:
        expected = ALLOWED[rule.access] & {"list", "read", "write", "execute"}
        met = set(wanted[str(rule.path)])
        yield f"{rule.path}: {met}", met == expected
        rest = [other for other in rules if other != rule]
        yield f"{rule.path} left out", in_a_child(lambda r=rest: _in_a_tree(r, rules)) != wanted


def _in_a_tree(rules: Sequence[FileRule], all_rules: Sequence[FileRule]) -> dict[str, list[str]]:
    """What can be done at each path of `all_rules`, in a tree that holds them, under `rules`."""
    if not ROOT:
        raw.call(number("unshare", ARCH), 0x10000000)
    raw.call(number("unshare", ARCH), 0x20000)
    mount, top = number("mount", ARCH), tempfile.mkdtemp()
    raw.call(mount, b"none", b"/", None, 0x4000 | 0x40000, None)  # MS_REC, MS_PRIVATE
    raw.call(mount, b"none", top.encode(), b"tmpfs", 0, None)
    for rule in all_rules:
        place = Path(top + str(rule.path))
        place.mkdir(parents=True, exist_ok=True)
        (place / "file").write_text("text")
        (place / "file").chmod(0o700)
    os.chroot(top)
    os.chdir("/")
    kernel._no_new_privileges()
    kernel._restrict_files(Policy(files=tuple(rules)), ARCH, ABI)
    return {str(rule.path): _possible(rule.path) for rule in all_rules}


def _possible(place: Path) -> list[str]:
    found = []
    for name in ("list", "read", "write", "execute"):
        try:
            RIGHTS[name][1](place)
        except OSError as error:
            assert error.errno == errno.EACCES, (place, name, error)
        else:
            found.append(name)
    return found


# -- limits and capabilities


def limits() -> Iterator[tuple[str, bool]]:
    """Each limit left out, and the kernel says another figure."""
    wanted = limit_table(Limits(2**33, 77, 2**20, 50))
    expected = {resource.RLIMIT_CORE: 1, resource.RLIMIT_AS: 2**33, resource.RLIMIT_CPU: 77,
                resource.RLIMIT_FSIZE: 2**20, resource.RLIMIT_NOFILE: 50}  # fmt: skip

    def met(table: Sequence[tuple[int, int]]) -> bool:
        def confined() -> bool:
            kernel._set_limits(table)
            return all(
                resource.getrlimit(which) == (min(most, before[which]),) * 2
                for which, most in expected.items()
            )

        return bool(in_a_child(confined))

    hard = {which: resource.getrlimit(which)[1] for which in expected}
    before = {
        w: sys.maxsize if most == resource.RLIM_INFINITY else most for w, most in hard.items()
    }
    yield "all limits", met(wanted)
    for entry in wanted:
        yield f"limit {entry} left out", not met([other for other in wanted if other != entry])


def capabilities() -> Iterator[tuple[str, bool]]:
    """Each capability kept that is dropped, or dropped that is kept."""

    def left(kept: int) -> list[int] | None:
        def confined() -> list[int]:
            drop_capabilities(ARCH, kept=kept)
            lines = Path("/proc/self/status").read_text().splitlines()
            sets = dict(line.split(":\t") for line in lines if line.startswith("Cap"))
            return [int(sets[name], 16) for name in ("CapEff", "CapPrm", "CapInh", "CapBnd")]

        return in_a_child(confined)  # type: ignore[no-any-return]

    lines = Path("/proc/self/status").read_text().splitlines()
    had = int(next(line.split()[1] for line in lines if line.startswith("CapEff")), 16)
    files_alone = 0b1111 & had  # CHOWN, DAC_OVERRIDE, DAC_READ_SEARCH, FOWNER
    expected = [files_alone, files_alone, 0, files_alone]
    if had >> 8 & 1:
        yield "none but files", left(KEPT) == expected
        for bit in range(had.bit_length()):
            if had >> bit & 1:
                yield f"capability {bit} turned round", left(KEPT ^ 1 << bit) != expected


if __name__ == "__main__":
    seen = {
        part.__name__: list(part())
        for part in (rights, network_and_scopes, system_rules, limits, capabilities)
    }
    print(json.dumps(seen))
