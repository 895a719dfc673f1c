"""The program of every process that reads documents: does the jobs of one module on request.

Confines itself before it receives the first byte, and has access to that one document only. Never
imports LanceDB, a model or the agent. Started by `process`, which enforces time and the size of
answers from outside and does not trust them.
"""

from __future__ import annotations

import contextlib
import gc
import math
import os
import resource
import socket
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import TracebackType
from typing import Any

from indexer.confine import confine, die_with_parent
from indexer.errors import SealUnavailable, UnreadableDocument
from indexer.parsers import protocol

MAX_DETAIL_CHARS = 300

Answer = tuple[Mapping[str, Any], bytes]  # the values and the body of a message
Tell = Callable[[str], None]  # tells the parent which extractor begins


def main(program: str, parent: int, *, confined: bool) -> None:
    """Do the jobs of the module `program` until the parent ends; standard input leads to it.

    The methods of the module's `Jobs` are its jobs, its `POLICY` is what the process may do; not
    `confined`, it is limited in memory and time alone.
    """
    module = import_module(program)
    gc.set_threshold(100_000)  # readers make many small objects, and hardly a cycle
    channel = _channel()
    sys.excepthook = _report_crash(channel)
    # After the exec, and in a domain below the parent's: so the parent's end reaches this process.
    die_with_parent(parent)
    try:
        if confined:
            confine(module.POLICY())
    except SealUnavailable as error:
        protocol.send(channel, {"unsealed": error.message, "hint": error.hint})
        return
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    protocol.send(channel, {"peak_kib": peak})
    with contextlib.suppress(EOFError, ConnectionError):
        jobs = module.Jobs(lambda label: protocol.send(channel, {"claimed": label}))
        while True:
            _serve(channel, jobs)


def contents(descriptor: int) -> bytes:
    """The bytes of the document that came with a job."""
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        return file.readall()


def _serve(channel: socket.socket, jobs: object) -> None:
    """Do one job."""
    values, descriptor = protocol.receive_job(channel)
    job: Callable[..., Answer] = getattr(jobs, values.pop("job"))
    try:
        if limits := values.pop("limits", None):
            _allow(*limits)
        if descriptor >= 0:
            values["descriptor"] = descriptor
        protocol.send(channel, *job(**values))
    except UnreadableDocument as error:
        _unreadable(channel, error.reason, error.detail, error.waiting)
    except MemoryError:
        _unreadable(channel, "memory", "")


def _allow(memory_bytes: int, cpu_seconds: int) -> None:
    """Let this process have so much memory, as its policy allows, and time from now on."""
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    memory = memory_bytes if most == resource.RLIM_INFINITY else min(memory_bytes, most)
    resource.setrlimit(resource.RLIMIT_AS, (memory, most))
    used = resource.getrusage(resource.RUSAGE_SELF)
    until = math.ceil(used.ru_utime + used.ru_stime) + cpu_seconds
    resource.setrlimit(resource.RLIMIT_CPU, (until, resource.RLIM_INFINITY))


def _channel() -> socket.socket:
    """The channel, moved away from the standard streams, which parsers may use; all else closed."""
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    channel = socket.socket(fileno=os.dup(0))
    os.dup2(1, 0)  # where nothing can be read, as nothing is seen that is printed
    return channel


def _unreadable(channel: socket.socket, reason: str, detail: str, waiting: int = 0) -> None:
    said = {"unreadable": reason, "detail": detail[:MAX_DETAIL_CHARS], "waiting": waiting}
    protocol.send(channel, said)


def _report_crash(
    channel: socket.socket,
) -> Callable[[type[BaseException], BaseException, TracebackType | None], None]:
    """An excepthook that reports an unexpected exception to the parent before the process ends."""

    def report(kind: type[BaseException], error: BaseException, _: TracebackType | None) -> None:
        with contextlib.suppress(OSError):
            _unreadable(channel, "crashed", f"{kind.__name__}: {error}")

    return report
