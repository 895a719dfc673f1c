"""What Landlock's rights leave to a process, whatever the policy's tables say.

`python -m tests.support.file_rights` prints JSON: for each access what of all operations goes
through, and whether that is as it is written here. Each is tried in a child of its own. What needs
a device node, and cannot be had by this user, is not tried.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from indexer.confine import FileRule, Policy, kernel, landlock

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


# -- what each right of Landlock is about


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


def tried() -> list[str]:
    """The rights of which this kernel knows, and that this user could use."""
    known = landlock.handled_fs(ABI)
    return [n for n, (bit, _) in RIGHTS.items() if known >> bit & 1 and (ROOT or bit != 11)]


def confine(*rules: FileRule) -> None:
    kernel._no_new_privileges()
    kernel._restrict_files(Policy(files=rules), ARCH, ABI)


def possible(access: str | None) -> set[str]:
    """The operations that go through in a folder with this access; None is a folder without."""
    with tempfile.TemporaryDirectory() as name:
        here = Path(name, "here")

        def confined(act: Callable[[Path], object]) -> bool:
            null = FileRule(Path("/dev/null"), "device" if access == "device" else "read")
            confine(null, *([FileRule(here, access)] if access else []))  # type: ignore[arg-type]
            try:
                act(here)
            except OSError as error:
                return error.errno not in (errno.EACCES, errno.EXDEV, errno.EPERM)
            return True

        def one(act: Callable[[Path], object]) -> bool:
            shutil.rmtree(here, ignore_errors=True)
            for each in ("empty", "one", "two"):
                (here / each).mkdir(parents=True)
            for each in ("file", "spare", "one/x"):
                (here / each).write_text("text")
            (here / "file").chmod(0o700)
            return bool(in_a_child(lambda: confined(act)))

        return {right for right in tried() if one(RIGHTS[right][1])}


def rights() -> Iterator[tuple[str, bool]]:
    """What each access lets through of all operations that there are."""
    for access, expected in (*ALLOWED.items(), (None, set[str]())):
        met = possible(access)
        yield f"{access}: {sorted(met)}", met == expected & set(tried())


if __name__ == "__main__":
    print(json.dumps(list(rights())))
