"""What stands in /proc of the processes of a cluster: their sockets, documents and memory.

Looks again and again while the cluster works. Sees what is there when it looks, and no more.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

_LOOK_SECONDS = 0.02
_SEARCH_SECONDS = 1.0  # between two searches of memory
_TABLES = ("tcp", "tcp6", "udp", "udp6", "raw", "raw6", "packet", "netlink", "unix")
_MOST_BYTES = 2**24  # of memory, read at a time
# Who opens documents, besides those that are seen to: the driver, what shards are made by, parsers.
_DRIVER = b"corpus_agent\0--store\0"
_READERS = (_DRIVER, b"indexer.sync.shards", b"indexer.parsers.child")
_WRITABLE = re.compile(r"([0-9a-f]+)-([0-9a-f]+) rw-p .*")


@dataclass(slots=True)
class SeenProcesses:
    """What was seen of some processes: their numbers, and which had a socket, a document, its text.

    Only sockets of a table of the network count: half an unnamed pair leads to a parser.
    """

    processes: set[int] = field(default_factory=set)
    sockets: set[int] = field(default_factory=set)
    documents: set[int] = field(default_factory=set)
    texts: set[int] = field(default_factory=set)


class Watch:
    """Looks at all processes of this network namespace, and at what they started, until its end.

    `folder` holds documents and index; `word` stands in each document and nowhere else. What is in
    `known` is left out, as the process that watches.
    """

    def __init__(self, folder: Path, word: bytes) -> None:
        self.readers, self.others, self.control = SeenProcesses(), SeenProcesses(), SeenProcesses()
        self.known = {os.getpid()}
        self.controls: set[int] = set()
        self._folder = f"{folder}/".encode()
        self._word = word
        self._here = _namespace(os.getpid())
        self._searched = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(_LOOK_SECONDS):
            due = time.monotonic() > self._searched + _SEARCH_SECONDS
            for name in os.listdir("/proc"):  # noqa: PTH208 - of names alone
                if name.isdigit() and int(name) not in self.known:
                    with contextlib.suppress(OSError):  # it has ended meanwhile
                        self._look(int(name), searches=due)
            if due:
                self._searched = time.monotonic()

    def _look(self, pid: int, *, searches: bool) -> None:
        seen = self._kind(pid)
        if seen is None:
            return
        seen.processes.add(pid)
        links = [os.readlink(f"/proc/{pid}/fd/{name}") for name in os.listdir(f"/proc/{pid}/fd")]  # noqa: PTH115, PTH208
        open_ones = {link[8:-1] for link in links if link.startswith("socket:[")}
        if open_ones & _listed(pid):
            seen.sockets.add(pid)
        if any(link.startswith((os.fsdecode(self._folder), "/memfd:document")) for link in links):
            seen.documents.add(pid)
        if searches and seen is not self.readers and holds(pid, self._word):
            seen.texts.add(pid)

    def _kind(self, pid: int) -> SeenProcesses | None:
        """Where to note what is seen of a process; None for one that is not of this cluster."""
        if pid in self.controls:
            return self.control
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        if self._folder in command and _DRIVER in command:  # the driver has its own namespace
            return self.readers
        if not command:  # it has ended
            return None
        if _namespace(pid) != self._here:
            parent = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
            return self.readers if parent in self.readers.processes else None
        return self.readers if any(name in command for name in _READERS) else self.others


def holds(pid: int, word: bytes) -> bool:
    """Whether a word stands in the writable memory of a process."""
    with Path(f"/proc/{pid}/maps").open() as maps:
        parts = [tuple(int(end, 16) for end in m.groups()) for m in map(_WRITABLE.match, maps) if m]
    with Path(f"/proc/{pid}/mem").open("rb", 0) as memory:
        return any(_within(memory.fileno(), start, end, word) for start, end in parts)


def _within(memory: int, start: int, end: int, word: bytes) -> bool:
    tail = b""
    for at in range(start, end, _MOST_BYTES):
        try:
            data = os.pread(memory, min(_MOST_BYTES, end - at), at)
        except OSError:  # given back meanwhile
            return False
        if word in tail + data:
            return True
        tail = data[-len(word) :]
    return False


def _namespace(pid: int) -> int:
    return os.stat(f"/proc/{pid}/ns/net").st_ino  # noqa: PTH116


def _listed(pid: int) -> set[str]:
    """The inodes of the sockets in the tables of a process's network."""
    found: set[str] = set()
    for table in _TABLES:
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            # An unnamed Unix socket has no path: it is one half of a pair.
            if table != "unix" or len(fields) > 7:
                found.update(fields)
    return found
