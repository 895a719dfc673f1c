"""A worker whose parser does what its document says, as one would that a document has taken over.

The document is JSON: {"do": ACTION, ...}. What the action returns becomes the lines of the
document; an OSError becomes the name of its number. Started as a real process by the tests of the
workers, and called in the test's own process as the control.
"""

import errno
import itertools
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from indexer.extract import open_document
from indexer.extract.extraction import Extraction, OwnProperties
from indexer.parsers import child
from indexer.records import Line

POLICY = child.POLICY
served = 0  # documents of this process


def parse(data: bytes, source: str) -> Extraction:
    """The document that the real parsers give, unless it holds an order."""
    global served
    served += 1
    if not data.startswith(b'{"do"'):
        return open_document(data, source)
    order = json.loads(data)
    label = order.pop("extractor", "text/1")
    own = OwnProperties("", order.pop("author", ""), order.pop("date", ""))
    return Extraction(order.pop("title", ""), _lines(order), own=own, extractor=label)


class Jobs(child.Jobs):
    parse = staticmethod(parse)


def _lines(order: dict[str, Any]) -> Iterator[Line]:
    return (Line(str(line)) for line in done(order.pop("do"), **order))


def done(action: str, **values: Any) -> Any:
    try:
        found = ACTIONS[action](**values)
    except OSError as error:
        return [errno.errorcode[error.errno or 0]]
    return ["done"] if found is None else found


def do(action: str, **values: Any) -> bytes:
    return json.dumps({"do": action, **values}).encode()


def attempts(folder: Path = Path("/tmp")) -> dict[str, str]:
    """What each attempt of an attacker meets: the name of the errno, or "done"."""
    return {
        "socket": done("socket", family=socket.AF_INET)[0],
        "write": done("write", path=folder / "corpus-agent-attempt")[0],
        "read": done("open", path="/etc/passwd")[0].partition(" ")[0],
        "program": done("execute")[0],
    }


def channel() -> socket.socket:
    for descriptor in range(64):
        try:
            return socket.socket(fileno=os.dup(descriptor))
        except OSError:
            continue
    raise AssertionError("no channel")


def _write(path: str | Path) -> None:
    Path(path).write_text("x")


def _execute() -> None:
    os.waitpid(os.posix_spawn(sys.executable, [sys.executable, "-c", ""], {}), 0)


def _crash(number: int = signal.SIGSEGV, unless_fresh: bool = False) -> None:
    if not unless_fresh or served > 1:
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        time.sleep(60)


def _fail(words: str) -> None:
    raise LookupError(words)


def _spin() -> None:
    while True:
        pass


def _send(frame: str) -> None:
    """Bytes of its own on the channel, in the place of an answer."""
    channel().sendall(bytes.fromhex(frame))
    time.sleep(3_600)


ACTIONS: dict[str, Callable[..., Any]] = {
    "say": lambda words: [words],
    "modules": lambda: sorted(sys.modules),
    "environment": lambda: [f"{name}={value}" for name, value in sorted(os.environ.items())],
    "process": lambda: [os.getpid()],
    "open": lambda path: [f"read {len(Path(path).read_bytes())} bytes"],
    "list": lambda path: [entry.name for entry in os.scandir(path)],
    "write": _write,
    "socket": lambda family: socket.socket(family, socket.SOCK_STREAM).close(),
    "execute": _execute,
    "crash": _crash,
    "fail": _fail,
    "spin": _spin,
    "wait": lambda: time.sleep(3_600),
    "memory": lambda mib: [f"{len(bytearray(mib * 2**20)) // 2**20} MiB"],
    "endless": lambda words: itertools.repeat(words),
    "send": _send,
}
