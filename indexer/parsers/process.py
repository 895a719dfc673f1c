"""The parent's handle on a process that reads documents: starts it, asks, and ends it.

Replies are not trusted: they have deadlines, and callers check the values in them. Whatever goes
wrong with the process is an UnreadableDocument with a reason.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

from indexer.confine import check_kernel, starting
from indexer.errors import CorpusError, SealUnavailable, UnreadableDocument
from indexer.extract.normalise import whole
from indexer.parsers import protocol
from indexer.parsers.limits import DOCUMENTS_PER_PROCESS, DocumentLimits

START_SECONDS = 120.0  # takes a tenth of a second where the machine has nothing else to do
EXIT_SECONDS = 5.0  # from the end of its channel to the end of a process that is ending

_BOOT = """\
import sys
packages, program, parent, confined = sys.argv[1:]
if packages not in sys.path:
    sys.path.insert(0, packages)
from indexer.parsers.child import main
main(program, int(parent), confined=bool(int(confined)))
"""
# One thread each: several workers share the machine with the embedding model.
_ENVIRONMENT = {"MALLOC_ARENA_MAX": "2", "OMP_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1"}
_LABEL = re.compile(r"[a-z][a-z0-9_-]{0,40}/\d[0-9a-z.]{0,40}(\+[a-z0-9_-]{1,40}){0,8}")
_REASON = re.compile(r"[a-z_]{1,40}")
_MAX_WORDS_CHARS = 1_000  # of a title, or of what a parser says about a document

_T = TypeVar("_T")
_Process = tuple[subprocess.Popen[bytes], socket.socket]  # and the channel to it


class Child:
    """A sealed process that does the jobs of `program`, a module.

    Started on first use, and anew after it has ended. For one thread at a time, with whose end the
    process ends too, and `stop` for any.
    """

    def __init__(self, program: str, environment: Mapping[str, str] | None = None) -> None:
        """`environment` are variables beside those of every such process."""
        self._program, self._environment = program, environment or {}
        self._lock = threading.Lock()
        self._process: _Process | None = None
        self._limits = DocumentLimits()
        self._deadline = 0.0
        self._stopped = False
        self.tasks = 0  # that the running process was given

    @property
    def runs(self) -> bool:
        """Whether a process is there."""
        return self._process is not None

    def new_task(self) -> bool:
        """Count a task, of which one process does so many; whether it is a process's first."""
        if self.tasks >= DOCUMENTS_PER_PROCESS:
            self.end()
        self.tasks += 1
        return self.tasks == 1

    def ask(
        self,
        check: Callable[[dict[str, Any], bytes], _T],
        job: str,
        limits: DocumentLimits | None = None,
        descriptor: int = -1,
        **values: Any,  # noqa: ANN401 - what a job takes
    ) -> _T:
        """What `check` makes of the answer; it raises Malformed for none that is right.

        `limits` are those from now on; without them the last ones go on. Raises UnreadableDocument
        with the reason; where no process `runs` after that, it ended.
        """
        channel, asked = self._running(), {"job": job, **values}
        if limits is not None:
            self._limits = limits
            self._deadline = time.monotonic() + limits.wall_seconds
            asked["limits"] = limits.memory_bytes, limits.cpu_seconds
        try:
            if descriptor >= 0:
                os.lseek(descriptor, 0, os.SEEK_SET)  # the process shares the position
            channel.settimeout(protocol.seconds_until(self._deadline))
            protocol.send(channel, asked, b"", descriptor)
            said, body = protocol.receive(channel, self._deadline)
            if "unreadable" not in said:
                return check(said, body)
            error = _reported(said)
        except TimeoutError:
            detail = f"no end after {self._limits.wall_seconds:.0f} s"
            error = UnreadableDocument("timeout", detail)
        except (EOFError, ConnectionError):
            raise self._cause() from None
        except protocol.Malformed as malformed:
            error = UnreadableDocument("crashed", f"sent {malformed}")
        if error.reason in ("crashed", "memory", "timeout"):
            self.end()
        raise error

    def end(self, patience: float = 0.0) -> int | None:
        """End the process and wait for it; see `_ended`, None without one."""
        with self._lock:
            process, self._process, self.tasks = self._process, None, 0
        return _ended(process, patience) if process else None

    def stop(self) -> None:
        """Kill the process at once, even during a job; no other is started afterwards."""
        with self._lock:
            self._stopped = True
            if self._process:
                self._process[0].kill()

    def close(self) -> None:
        """End the process for good and wait until it has ended."""
        self.stop()
        self.end()

    def _running(self) -> socket.socket:
        """The channel to the process, which is started if there is none."""
        with self._lock:
            if self._stopped:
                raise UnreadableDocument("interrupted")
            if self._process is None:
                self._process = _start(self._program, self._environment)
            return self._process[1]

    def _cause(self) -> UnreadableDocument:
        """Why the process ended by itself."""
        if self._stopped:
            return UnreadableDocument("interrupted")
        limits, code = self._limits, self.end(EXIT_SECONDS)
        if code == -signal.SIGXCPU:
            return UnreadableDocument("timeout", f"{limits.cpu_seconds} s of processor time")
        if code == -signal.SIGKILL:  # the kernel's way to end what holds too much
            mib = limits.memory_bytes // 2**20
            return UnreadableDocument("memory", f"{mib:,} MiB were not enough")
        detail = signal.strsignal(-code) if code and code < 0 else f"exit code {code}"
        return UnreadableDocument("crashed", detail or f"signal {code}")


def _ended(running: _Process, patience: float) -> int | None:
    """The exit code (a signal: negative) of a process that ends in time; else it is killed."""
    process, channel = running
    channel.close()
    try:
        return process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return None


def _start(program: str, environment: Mapping[str, str]) -> _Process:
    """A new interpreter, confined and ready for the jobs of `program`, and the channel to it.

    In a session of its own, so that Ctrl-C reaches only the parent, which ends the child.
    """
    arguments = (starting.packages(), program, str(os.getpid()), str(int(_can_confine())))
    kept = starting.variables(*starting.LANGUAGE, starting.LIBRARIES)
    given = {**kept, **_ENVIRONMENT, **environment}
    command = starting.Command(starting.python(_BOOT, *arguments), given)
    nowhere = subprocess.DEVNULL
    channel, theirs = socket.socketpair()
    try:
        with theirs:
            process = starting.popen(
                command, stdin=theirs.fileno(), stdout=nowhere, stderr=nowhere, own_session=True
            )
    except OSError as error:
        raise CorpusError(
            f"A process that reads documents cannot be started: {error.strerror}.",
            "Free some memory, or end other programs.",
        ) from error
    try:
        said, _ = protocol.receive(channel, time.monotonic() + START_SECONDS)
    except (EOFError, OSError, protocol.Malformed) as error:
        code = _ended((process, channel), EXIT_SECONDS)
        raise CorpusError(
            f"A process that reads documents ended before it began (exit code {code}).",
            "Does this Python start? Try: python -I -c 'import indexer'",
        ) from error
    if "unsealed" in said:
        _ended((process, channel), 0)
        raise SealUnavailable(said["unsealed"], said["hint"])
    return process, channel


@cache
def _can_confine() -> bool:
    """Whether parsers can be confined; else this process runs unsealed, by the user's choice."""
    try:
        check_kernel()
    except SealUnavailable:
        return False
    return True


def words_of(value: object) -> str:
    """A single-line text that can be stored; raises Malformed for other values."""
    if not isinstance(value, str) or len(value) > _MAX_WORDS_CHARS:
        raise protocol.Malformed("no text where there should be some")
    return " ".join(whole(value).replace("\0", "").split())


def label_of(value: object) -> str:
    """The label of an extractor; raises Malformed for other values."""
    if not isinstance(value, str) or not _LABEL.fullmatch(value):
        raise protocol.Malformed("no label")
    return value


def _reported(said: Mapping[str, object]) -> UnreadableDocument:
    """The error that a process reports; raises Malformed."""
    reason, waiting, label = said["unreadable"], said.get("waiting"), said.get("extractor")
    if not isinstance(reason, str) or not _REASON.fullmatch(reason):
        raise protocol.Malformed("no reason")
    if type(waiting) is not int or not 0 <= waiting <= protocol.MAX_PAGE:
        raise protocol.Malformed("no number of pages")
    extractor = None if label is None else label_of(label)
    return UnreadableDocument(reason, words_of(said.get("detail")), extractor, waiting)
