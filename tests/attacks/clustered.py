"""Runs a cluster in namespaces of its own, and says what was seen of its processes.

Started by tests/claims/test_clustered.py; there is loopback and no other interface. While the
cluster indexes, /proc is looked at again and again: which process has a socket, a document, or its
text in memory. Sees what is there when it looks, and no more.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from corpus_agent.service.ray_side import QUIET
from indexer.confine import starting
from tests.support.offline import bring_loopback_up
from tests.support.processes import network_sockets, until

DOCUMENTS = 24
REPEATED = 400  # so that there are several shards; equal passages are embedded once
RAY_SECONDS = 90.0
RUN_SECONDS = 600.0
_RAY_PORT = 6379  # nobody else is in this namespace
# Opens a document, keeps its text, and listens: what no process of a cluster does together.
_CONTROL = (
    "import socket, sys; file = open(sys.argv[1], 'rb'); text = file.read(); "
    "listening = socket.socket(); listening.bind(('127.0.0.1', 0)); listening.listen(); "
    "print('ready', flush=True); sys.stdin.read()"
)
_CONTROL_SECONDS = 30.0
_LOOK_SECONDS = 0.02
_SEARCH_SECONDS = 1.0  # between two searches of memory
_MOST_BYTES = 2**24  # of memory, read at a time
# Who opens documents, besides those that are seen to: the driver, what shards are made by, parsers.
_DRIVER = b"corpus_agent\0--store\0"
_READERS = (_DRIVER, b"indexer.sync.shards", b"indexer.parsers.child")
_WRITABLE = re.compile(r"([0-9a-f]+)-([0-9a-f]+) rw-p .*")


def main() -> None:
    """Print what was seen, as one line of JSON."""
    folder, kind = Path(sys.argv[1]), sys.argv[2]
    bring_loopback_up()
    word = os.urandom(16).hex()
    root, store = folder / kind / "documents", folder / kind / "store"
    root.mkdir(parents=True)
    for number in range(DOCUMENTS):
        text = f"# Note {number}\n\nThe lantern {word} hangs over harbour door {number}.\n\n"
        (root / f"note {number:02}.md").write_text(text * REPEATED)
    with Watch(folder / kind, word.encode()) as watch:
        with _cluster(kind, folder) as where:
            words = ("--store", str(store), "index", str(root), "--ocr", "off", "--json")
            module = starting.python_module("corpus_agent", *words, "--cluster", where)
            environment = starting.common_variables() | {"HOME": str(store.parent)}
            run = starting.run(starting.Command(module, environment), seconds=RUN_SECONDS)
        _show_control(watch, next(root.iterdir()))
    out, own = _packets()
    made = json.loads(run.stdout)["index"]["added"] if run.returncode == 0 else 0
    about = {"code": run.returncode, "said": run.stderr[-500:], "documents": made}
    print(json.dumps({**about, "out": out, "own": own, **watch.counts()}))


@contextmanager
def _cluster(kind: str, folder: Path) -> Iterator[str]:
    """What `--cluster` is to name; a Ray cluster lives as long as the block."""
    if kind == "local":
        yield "local:2"
        return
    arguments = (
        *("start", "--head", "--block", "--num-cpus=2", "--include-dashboard=false"),
        *("--node-ip-address=127.0.0.1", f"--port={_RAY_PORT}", f"--temp-dir={folder / 'r'}"),
        "--object-store-memory=83886080",
    )
    environment = starting.common_variables() | {**QUIET, "HOME": str(folder)}
    module = starting.python_module("ray.scripts.scripts", *arguments)
    nothing = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    head = starting.popen(starting.Command(module, environment), **nothing, own_session=True)
    try:
        assert until(_ray_answers, RAY_SECONDS, every=0.2)
        yield f"127.0.0.1:{_RAY_PORT}"
    finally:
        head.send_signal(signal.SIGTERM)  # it ends what it started
        head.wait()


def _ray_answers() -> bool:
    try:
        socket.create_connection(("127.0.0.1", _RAY_PORT), 1.0).close()
    except OSError:
        return False
    return True


def _show_control(watch: Watch, document: Path) -> None:
    """Have a process seen that does all of it, and that sends something."""
    command = [sys.executable, "-c", _CONTROL, str(document)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as control:
        watch.controls.add(control.pid)
        assert control.stdout is not None and control.stdin is not None
        control.stdout.readline()
        until(lambda: all(watch.counts()["control"].values()), _CONTROL_SECONDS, every=0.05)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:  # counted on loopback
            own.sendto(b"control", ("127.0.0.1", 9))
        control.stdin.close()


def _packets() -> tuple[int, int]:
    """Packets that left by any interface but loopback, and by loopback."""
    sent = {}
    for line in Path("/proc/net/dev").read_text().splitlines()[2:]:
        name, _, figures = line.partition(":")
        sent[name.strip()] = int(figures.split()[9])
    return sum(sent.values()) - sent["lo"], sent["lo"]


class Watch:
    """Looks at all processes of this network namespace, and at what they started, until its end.

    `folder` holds documents and index; `word` stands in each document and nowhere else. Of three
    kinds of process it notes which were seen, and which had a socket of a table of the network
    (half an unnamed pair leads to a parser), a document, its text.
    """

    def __init__(self, folder: Path, word: bytes) -> None:
        self.controls: set[int] = set()
        self._seen: dict[tuple[str, str], set[int]] = defaultdict(set)
        self._folder, self._word = f"{folder}/".encode(), word
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

    def counts(self) -> dict[str, dict[str, int]]:
        """How many processes of each kind were seen with what."""
        held = ("processes", "sockets", "documents", "texts")
        kinds = ("readers", "others", "control")
        return {kind: {each: len(self._seen[kind, each]) for each in held} for kind in kinds}

    def _watch(self) -> None:
        while not self._over.wait(_LOOK_SECONDS):
            due = time.monotonic() > self._searched + _SEARCH_SECONDS
            for name in os.listdir("/proc"):  # noqa: PTH208 - of names alone
                if name.isdigit() and int(name) != os.getpid():
                    with contextlib.suppress(OSError):  # it has ended meanwhile
                        self._look(int(name), searches=due)
            if due:
                self._searched = time.monotonic()

    def _look(self, pid: int, *, searches: bool) -> None:
        if (kind := self._kind(pid)) is None:
            return
        self._seen[kind, "processes"].add(pid)
        if network_sockets(pid):
            self._seen[kind, "sockets"].add(pid)
        links = [str(each.readlink()) for each in Path(f"/proc/{pid}/fd").iterdir()]
        if any(link.startswith((os.fsdecode(self._folder), "/memfd:document")) for link in links):
            self._seen[kind, "documents"].add(pid)
        if searches and kind != "readers" and _holds(pid, self._word):
            self._seen[kind, "texts"].add(pid)

    def _kind(self, pid: int) -> str | None:
        """What a process is; None for one that is not of this cluster."""
        if pid in self.controls:
            return "control"
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        if self._folder in command and _DRIVER in command:  # the driver has its own namespace
            return "readers"
        if not command:  # it has ended
            return None
        if _namespace(pid) != self._here:
            parent = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
            return "readers" if parent in self._seen["readers", "processes"] else None
        return "readers" if any(name in command for name in _READERS) else "others"


def _namespace(pid: int) -> int:
    return Path(f"/proc/{pid}/ns/net").stat().st_ino


def _holds(pid: int, word: bytes) -> bool:
    """Whether a word stands in the writable memory of a process."""
    maps = map(_WRITABLE.match, Path(f"/proc/{pid}/maps").read_text().splitlines())
    parts = [(int(found[1], 16), int(found[2], 16)) for found in maps if found]
    with Path(f"/proc/{pid}/mem").open("rb", 0) as memory:
        return any(_within(memory.fileno(), start, end, word) for start, end in parts)


def _within(memory: int, start: int, end: int, word: bytes) -> bool:
    for at in range(start, end, _MOST_BYTES):
        try:
            if word in os.pread(memory, min(_MOST_BYTES + len(word), end - at), at):
                return True
        except OSError:  # given back meanwhile
            return False
    return False


if __name__ == "__main__":
    main()
