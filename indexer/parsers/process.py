"""The parent's handle on one parser process: start, request, kill, wait.

Independent of documents. Replies are not trusted: they have deadlines, and callers check the values
in them.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from functools import cache

from indexer.confine import check_kernel, starting
from indexer.errors import CorpusError, SealUnavailable, UnreadableDocument
from indexer.extract import extensions
from indexer.parsers import protocol

START_SECONDS = 120.0  # takes a tenth of a second where the machine has nothing else to do
EXIT_SECONDS = 5.0  # from the end of its channel to the end of a process that is ending


_BOOT = """\
import sys
packages, module, parent, confined = sys.argv[1:]
if packages not in sys.path:
    sys.path.insert(0, packages)
from importlib import import_module
import_module(module).main(int(parent), confined=bool(int(confined)))
"""
# One thread each: several workers share the machine with the embedding model.
_ENVIRONMENT = {"MALLOC_ARENA_MAX": "2", "OMP_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1"}


class Process:
    """A running parser, confined and ready; the thread that makes it must outlive it.

    Raises CorpusError if it cannot be started, SealUnavailable if it cannot be confined.
    """

    def __init__(self, module: str, environment: Mapping[str, str] | None = None) -> None:
        """`environment` are variables beside those of every parser."""
        self.documents = 0
        self._first_peak_kib = sys.maxsize
        self._channel, theirs = socket.socketpair()
        with theirs:
            self._process = _start(module, theirs.fileno(), environment or {})
            self.pid = self._process.pid
        try:
            kind, payload = protocol.receive(self._channel, time.monotonic() + START_SECONDS)
            report = json.loads(payload)
        except (EOFError, OSError, ValueError) as error:
            code, _ = self.end(EXIT_SECONDS)
            raise CorpusError(
                f"A process that reads documents ended before it began (exit code {code}).",
                "Does this Python start? Try: python -I -c 'import indexer'",
            ) from error
        if kind != protocol.READY:
            self.end()
            raise SealUnavailable(report["message"], report["hint"])
        self._first_peak_kib = report["peak_kib"]

    def ask(
        self, kind: bytes, deadline: float, descriptor: int = -1, **values: object
    ) -> tuple[bytes, bytes]:
        """The kind and payload of the answer; raises EOFError, OSError, TimeoutError, Malformed."""
        self._channel.settimeout(protocol.seconds_until(deadline))
        protocol.send(self._channel, kind, json.dumps(values).encode(), descriptor)
        return self.receive(deadline)

    def receive(self, deadline: float) -> tuple[bytes, bytes]:
        """The next reply of the process; raises as `ask` does."""
        return protocol.receive(self._channel, deadline)

    def kill(self) -> None:
        """Kill the process; may be called by any thread."""
        os.kill(self.pid, signal.SIGKILL)

    def end(self, patience: float = 0.0) -> tuple[int | None, int]:
        """The exit code (a signal: negative) and the bytes of memory that it held at most.

        A process still running after `patience` seconds is killed; then there is no code. The bytes
        are 0 if it never used more than its parent did at the start, where the kernel's count
        begins.
        """
        self._channel.close()
        killed = not _ends(self.pid, patience)
        if killed:
            self.kill()
        _, status, usage = os.wait4(self.pid, 0)
        code = self._process.returncode = os.waitstatus_to_exitcode(status)  # it was waited for
        peak = usage.ru_maxrss * 1024 if usage.ru_maxrss > self._first_peak_kib else 0
        return None if killed else code, peak


class RenewedProcess:
    """A process that is started on first use, and anew after it has ended.

    For one thread at a time, and `stop` for any.
    """

    def __init__(self, module: str, environment: Mapping[str, str] | None = None) -> None:
        """What the process runs, and its environment, are those of `Process`."""
        self._module, self._environment = module, environment
        self._lock = threading.Lock()
        self._process: Process | None = None
        self.stopped = False

    @property
    def documents(self) -> int | None:
        """The number of documents that the running process was given; None where none runs."""
        return self._process.documents if self._process else None

    def running(self) -> Process:
        """The process; raises UnreadableDocument("interrupted") once it was stopped."""
        with self._lock:
            if self.stopped:
                raise UnreadableDocument("interrupted")
            if self._process is None:
                self._process = Process(self._module, self._environment)
            return self._process

    def end(self, patience: float = 0.0) -> tuple[int | None, int]:
        """End the process; what `Process.end` returns, (None, 0) where none runs."""
        with self._lock:
            process, self._process = self._process, None
        return process.end(patience) if process else (None, 0)

    def stop(self) -> None:
        """Kill the process at once; no other is started afterwards."""
        with self._lock:
            self.stopped = True
            if self._process:
                self._process.kill()


def _ends(pid: int, seconds: float) -> bool:
    """Whether a child ends within that time."""
    descriptor = os.pidfd_open(pid)
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(seconds * 1000))
    finally:
        os.close(descriptor)


def _start(module: str, channel: int, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """A new interpreter that runs `module`, with `channel` as standard input.

    By exec, not by fork alone, since this process has threads. In a session of its own, so that
    Ctrl-C reaches only the parent, which ends the child.
    """
    arguments = (starting.packages(), module, str(os.getpid()), str(int(can_confine())))
    kept = starting.variables(*starting.LANGUAGE, starting.LIBRARIES)
    given = {**kept, **_ENVIRONMENT, **extensions.variable(), **environment}
    command = starting.Command(starting.python(_BOOT, *arguments), given)
    nowhere = subprocess.DEVNULL
    try:
        return starting.popen(
            command, stdin=channel, stdout=nowhere, stderr=nowhere, own_session=True
        )
    except OSError as error:
        raise CorpusError(
            f"A process that reads documents cannot be started: {error.strerror}.",
            "Free some memory, or end other programs.",
        ) from error


@cache
def can_confine() -> bool:
    """Whether this system supports confinement.

    If not, this process runs unsealed by the user's choice, which its answers state, and parsers
    are limited in memory and time only.
    """
    try:
        check_kernel()
    except SealUnavailable:
        return False
    return True
