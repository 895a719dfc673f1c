"""A worker whose parser does what its document says, as one would that a document has taken over.

The document is JSON: {"do": ACTION, ...}. What the action returns becomes the lines of the
document; an OSError becomes the name of its number. Started as a real process by the tests of the
workers, and called in the test's own process as the control.
"""

import ctypes
import errno
import itertools
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from indexer.extract import Opened, open_document
from indexer.extract.own_properties import OwnProperties
from indexer.parsers import protocol, reading
from indexer.records import Line

served = 0  # documents of this process


POLICY = reading.POLICY


def parse(data: bytes, source: str, on_claim: Callable[[str], None] = lambda label: None) -> Opened:
    """The document that the real parsers give, unless it holds an order."""
    global served
    served += 1
    if not data.startswith(b'{"do"'):
        return open_document(data, source, on_claim)
    order = json.loads(data)
    label = order.pop("extractor", "text/1")
    on_claim(label)
    own = OwnProperties("", order.pop("author", ""), order.pop("date", ""))
    return Opened(label, order.pop("title", ""), _lines(order), own=own)


class Jobs(reading.Jobs):
    parse = staticmethod(parse)


def _lines(order: dict[str, Any]) -> Iterator[Line]:
    action = ACTIONS[order.pop("do")]
    try:
        found = action(**order)
    except OSError as error:
        found = [errno.errorcode[error.errno]]
    return (Line(str(line)) for line in found)


def do(action: str, **values: Any) -> bytes:
    """The document that gives an order."""
    return json.dumps({"do": action, **values}).encode()


def _say(words: str) -> Iterable[str]:
    return [words]


def _open(path: str) -> Iterable[str]:
    return [f"read {len(Path(path).read_bytes())} bytes"]


def _write(path: str) -> Iterable[str]:
    Path(path).write_text("x")
    return ["written"]


def _make_socket(family: int) -> Iterable[str]:
    socket.socket(family, socket.SOCK_STREAM).close()
    return ["made"]


def _execute() -> Iterable[str]:
    pid = os.posix_spawn(sys.executable, [sys.executable, "-c", ""], {})
    os.waitpid(pid, 0)
    return ["executed"]


def _signal_parent() -> Iterable[str]:
    os.kill(os.getppid(), 0)
    return ["signalled"]


def _crash(number: int = signal.SIGSEGV, unless_fresh: bool = False) -> Iterable[str]:
    if not unless_fresh or served > 1:
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        time.sleep(60)
    return ["alive"]


def _fail(words: str) -> Iterable[str]:
    raise LookupError(words)


def _spin() -> Iterable[str]:
    while True:
        pass


def _wait() -> Iterable[str]:
    time.sleep(3_600)
    return []


def _take_memory(mib: int) -> Iterable[str]:
    return [f"{len(bytearray(mib * 2**20)) // 2**20} MiB"]


def _take_memory_natively(mib: int) -> Iterable[str]:
    """As a parser in another language does, which ends itself where it gets no more."""
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    libc.malloc.argtypes = [ctypes.c_size_t]
    for _ in range(mib):
        if not (place := libc.malloc(2**20)):
            libc.abort()
        ctypes.memset(place, 1, 2**20)
    return [f"{mib} MiB"]


def _lines_without_end(words: str) -> Iterable[str]:
    return itertools.repeat(words)


def _send(frame: str) -> Iterable[str]:
    """Bytes of its own on the channel, in the place of an answer."""
    channel = _only_socket()
    channel.sendall(bytes.fromhex(frame))
    time.sleep(3_600)
    return []


def _claim_without_end() -> Iterable[str]:
    """A parser that always says something, and never what was asked."""
    channel = _only_socket()
    while True:
        protocol.send(channel, {"claimed": "text/1"})


def _only_socket() -> socket.socket:
    for descriptor in range(64):
        try:
            found = socket.socket(fileno=os.dup(descriptor))
        except OSError:
            continue
        return found
    raise AssertionError("no channel")


ACTIONS = {
    "say": _say,
    "modules": lambda: sorted(sys.modules),
    "environment": lambda: [f"{name}={value}" for name, value in sorted(os.environ.items())],
    "process": lambda: [os.getpid()],
    "open": _open,
    "write": _write,
    "socket": _make_socket,
    "execute": _execute,
    "signal_parent": _signal_parent,
    "crash": _crash,
    "fail": _fail,
    "spin": _spin,
    "wait": _wait,
    "memory": _take_memory,
    "native_memory": _take_memory_natively,
    "endless": _lines_without_end,
    "send": _send,
    "claim": _claim_without_end,
}
