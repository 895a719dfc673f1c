"""Runs a cluster in namespaces of its own, and says what was seen of its processes.

Started by tests/claims/test_clustered.py; there is loopback and no other interface.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

from corpus_agent.service.ray_side import QUIET
from indexer.confine import starting
from tests.attacks.clustered.watching import SeenProcesses, Watch

DOCUMENTS = 24
REPEATED = 400  # so that there are several shards; equal passages are embedded once
RAY_SECONDS = 90.0
RUN_SECONDS = 600.0
_SIOCSIFFLAGS, _IFF_UP = 0x8914, 1  # linux/sockios.h, linux/if.h
_RAY_PORT = 6379  # nobody else is in this namespace
# Opens a document, keeps its text, and listens: what no process of a cluster does together.
_CONTROL = (
    "import socket, sys; file = open(sys.argv[1], 'rb'); text = file.read(); "
    "listening = socket.socket(); listening.bind(('127.0.0.1', 0)); listening.listen(); "
    "print('ready', flush=True); sys.stdin.read()"
)
_CONTROL_SECONDS = 30.0


def main() -> None:
    """Print what was seen, as one line of JSON."""
    folder, kind = Path(sys.argv[1]), sys.argv[2]
    _raise_loopback()
    word = os.urandom(16).hex()
    root = _documents(folder / kind, word)
    store = folder / kind / "store"
    with Watch(folder / kind, word.encode()) as watch:
        with _cluster(kind, folder) as where:
            run = starting.run(_index(store, root, where), seconds=RUN_SECONDS)
        _show_control(watch, next(root.iterdir()))
    out, own = _packets()
    seen = {"readers": watch.readers, "others": watch.others, "control": watch.control}
    made = json.loads(run.stdout)["index"] if run.returncode == 0 else {}
    sys.stdout.write(json.dumps({
        "code": run.returncode, "said": run.stderr[-500:], "documents": made.get("added", 0),
        "shards": (made.get("cluster") or {}).get("shards", 0), "out": out, "own": own,
        **{name: _counts(each) for name, each in seen.items()},
    }) + "\n")  # fmt: skip


def _counts(seen: SeenProcesses) -> dict[str, int]:
    return {field.name: len(getattr(seen, field.name)) for field in fields(seen)}


def _raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _IFF_UP))


def _documents(folder: Path, word: str) -> Path:
    root = folder / "documents"
    root.mkdir(parents=True)
    for number in range(DOCUMENTS):
        text = f"# Note {number}\n\nThe lantern {word} hangs over harbour door {number}.\n\n"
        (root / f"note {number:02}.md").write_text(text * REPEATED)
    return root


def _index(store: Path, root: Path, where: str) -> starting.Command:
    arguments = ("--store", str(store), "index", str(root), "--ocr", "off", "--json")
    environment = starting.common_variables() | {"HOME": str(store.parent)}
    module = starting.python_module("corpus_agent", *arguments, "--cluster", where)
    return starting.Command(module, environment)


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
    command = starting.Command(
        starting.python_module("ray.scripts.scripts", *arguments), environment
    )
    head = _started(command)
    try:
        _wait_for(_RAY_PORT)
        yield f"127.0.0.1:{_RAY_PORT}"
    finally:
        head.send_signal(signal.SIGTERM)  # it ends what it started
        head.wait()


def _started(command: starting.Command) -> subprocess.Popen[bytes]:
    nowhere = subprocess.DEVNULL
    return starting.popen(command, stdin=nowhere, stdout=nowhere, stderr=nowhere, own_session=True)


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + RAY_SECONDS
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), 1.0).close()
        except OSError:
            time.sleep(0.2)
        else:
            return


def _show_control(watch: Watch, document: Path) -> None:
    """Have a process do what none may, until all of it was seen."""
    command = starting.Command(
        starting.python(_CONTROL, str(document)), starting.common_variables()
    )
    pipe = subprocess.PIPE
    control = starting.popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
    watch.controls.add(control.pid)
    assert control.stdin is not None
    assert control.stdout is not None
    control.stdout.readline()
    deadline = time.monotonic() + _CONTROL_SECONDS
    met: Any = watch.control
    while time.monotonic() < deadline and not (met.sockets and met.documents and met.texts):
        time.sleep(0.05)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:  # counted on loopback
        own.sendto(b"control", ("127.0.0.1", 9))
    control.stdin.close()
    control.wait()
    control.stdout.close()


def _packets() -> tuple[int, int]:
    """Packets that left by any interface but loopback, and by loopback."""
    out = own = 0
    for line in Path("/proc/net/dev").read_text().splitlines()[2:]:
        name, _, figures = line.partition(":")
        sent = int(figures.split()[9])
        own, out = (own + sent, out) if name.strip() == "lo" else (own, out + sent)
    return out, own


if __name__ == "__main__":
    main()
