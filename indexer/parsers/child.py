"""The parser process: opens one document on request, then returns its lines in batches.

Confines itself before it receives the first byte, and has access to that one document only. Sends
only replies. Never imports LanceDB, a model or the agent. Started by `worker`, which enforces time
and output limits from outside and does not trust its replies.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import resource
import socket
import sys
from collections.abc import Callable
from itertools import islice
from types import TracebackType

from indexer.confine import Policy, confine, die_with_parent
from indexer.errors import SealUnavailable, UnreadableDocument
from indexer.extract import Opened, open_document
from indexer.parsers import protocol
from indexer.parsers.limits import worker_policy

MAX_TITLE_CHARS = 500
MAX_DETAIL_CHARS = 300

Parse = Callable[[bytes, str, Callable[[str], None]], Opened]


def main(parent: int, *, confined: bool, parse: Parse = open_document) -> None:
    """Serve until the parent ends; the channel to it is standard input."""
    begin(parent, worker_policy if confined else None, lambda channel: _serve(channel, parse))


def begin(
    parent: int, policy: Callable[[], Policy] | None, work: Callable[[socket.socket], None]
) -> None:
    """Confine this process, report that to the parent, and work until the parent ends.

    Called once in each of the processes that read documents; with no `policy` nothing is confined.
    """
    channel = _channel()
    sys.excepthook = _report_crash(channel)
    # After the exec, and in a domain below the parent's: so the parent's end reaches this process.
    die_with_parent(parent)
    try:
        if policy is not None:
            confine(policy())
    except SealUnavailable as error:
        send(channel, protocol.UNSEALED, message=error.message, hint=error.hint)
        return
    send(channel, protocol.READY, peak_kib=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    with contextlib.suppress(EOFError, ConnectionError):
        work(channel)


def allow_memory(wanted: int) -> None:
    """Let this process have so many bytes, or as many as its policy allows."""
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    memory = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
    resource.setrlimit(resource.RLIMIT_AS, (memory, most))


def allow_time(seconds: int) -> None:
    """Let this process have so many seconds of processor time from now on."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    until = math.ceil(used.ru_utime + used.ru_stime) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (until, resource.RLIM_INFINITY))


def _channel() -> socket.socket:
    """The channel, moved away from the standard streams, which parsers may use; all else closed."""
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    channel = socket.socket(fileno=os.dup(0))
    os.dup2(1, 0)  # where nothing can be read, as nothing is seen that is printed
    return channel


def _serve(channel: socket.socket, parse: Parse) -> None:
    opened: Opened | None = None
    while True:
        kind, payload, descriptor = protocol.receive_with_descriptor(channel)
        request = json.loads(payload)
        try:
            if kind == protocol.DOCUMENT:
                opened = None  # the one before makes room first
                opened = _open(channel, descriptor, parse, **request)
                own = {"author": opened.own.author, "date": opened.own.date}
                send(channel, protocol.OPENED, title=opened.title[:MAX_TITLE_CHARS], **own)
            else:
                assert opened is not None, "lines of no document"
                _send_lines(channel, opened, **request)
        except UnreadableDocument as error:
            detail = error.detail[:MAX_DETAIL_CHARS]
            failure = {"reason": error.reason, "detail": detail, "waiting": error.waiting}
            send(channel, protocol.UNREADABLE, **failure)
        except MemoryError:
            opened = None
            send(channel, protocol.UNREADABLE, reason="memory", detail="")


def _open(
    channel: socket.socket,
    descriptor: int,
    parse: Parse,
    *,
    source: str,
    memory_bytes: int,
    cpu_seconds: int,
) -> Opened:
    """The document in `descriptor`, opened within its limits, where some parsers do all work."""
    allow_memory(memory_bytes)
    allow_time(cpu_seconds)
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        data = file.readall()
    return parse(data, source, lambda label: send(channel, protocol.CLAIMED, extractor=label))


def _send_lines(channel: socket.socket, opened: Opened, max_lines: int, max_chars: int) -> None:
    batch = []
    chars = 0
    for line in islice(opened.lines, max_lines):
        batch.append(line)
        chars += len(line.text) + 1
        if chars >= max_chars:
            break
    if batch:
        protocol.send(channel, protocol.LINES, protocol.encoded(batch))
    else:
        remark = opened.remark[:MAX_DETAIL_CHARS]
        send(channel, protocol.END, extractor=opened.extractor, remark=remark)


def send(channel: socket.socket, kind: bytes, **values: object) -> None:
    """Send a message of this kind with these values."""
    protocol.send(channel, kind, json.dumps(values).encode())


def _report_crash(
    channel: socket.socket,
) -> Callable[[type[BaseException], BaseException, TracebackType | None], None]:
    """An excepthook that reports an unexpected exception to the parent before the process ends."""

    def report(kind: type[BaseException], error: BaseException, _: TracebackType | None) -> None:
        detail = f"{kind.__name__}: {error}"[:MAX_DETAIL_CHARS]
        with contextlib.suppress(OSError):
            send(channel, protocol.UNREADABLE, reason="crashed", detail=detail)

    return report
