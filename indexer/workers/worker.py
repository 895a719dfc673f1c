"""Bytes in, text out, whatever becomes of the parser: the only caller of parser processes.

Starts a process when a document first needs one, and another one after it has died. Measures what
the process may not be trusted with: time, and the amount of text.
"""

from __future__ import annotations

import json
import os
import re
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

from indexer.errors import UnreadableDocument
from indexer.extract.normalise import whole
from indexer.workers import wire
from indexer.workers.limits import DOCUMENTS_PER_PROCESS, DocumentLimits, limits_for
from indexer.workers.process import EXIT_SECONDS, Process

CHILD = "indexer.workers.child"

_LABEL = re.compile(r"[a-z][a-z0-9_-]{0,40}/\d{1,6}(\+[a-z0-9_-]{1,40}){0,8}")
_REASON = re.compile(r"[a-z_]{1,40}")
_MAX_WORDS_CHARS = 1_000  # of a title, or of what a parser says about a document
_NEAR_LIMIT = 0.5  # of its memory: a parser that fails to get as much again has held this much


@dataclass(frozen=True, slots=True)
class Text:
    """Extracted text as it came: `encoding` is wire's, `lines` and `chars` its size.

    `complete` says that it is all of the document; `extractor` is the label of what gave it.
    """

    extractor: str
    title: str
    encoding: bytes
    lines: int
    chars: int
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Batch:
    """How much text is asked for at a time."""

    max_lines: int
    max_chars: int


WHOLE = Batch(wire.BATCH_LINES, wire.BATCH_CHARS)

Enough = Callable[[int, int], bool]


@dataclass(frozen=True, slots=True)
class Asked:
    """One document to read: its bytes, what it is called, and how much of it is wanted.

    The bytes are a file's, open in `descriptor`. `label` is that of the extractor that claims them.
    Batches are asked for until `enough`, told the lines and characters so far, says so.
    """

    descriptor: int
    source: str
    label: str
    enough: Enough = lambda lines, chars: False
    batch: Batch = WHOLE


class Worker:
    """One parser process; for one thread at a time, and `stop` for any.

    The process ends with the thread that started it, so each thread keeps a worker of its own.
    `module` is what the process runs, `limits` the bounds for a file of so many bytes.
    """

    def __init__(
        self,
        module: str = CHILD,
        limits: Callable[[int], DocumentLimits] = limits_for,
        documents_per_process: int = DOCUMENTS_PER_PROCESS,
    ) -> None:
        self._module = module
        self._limits = limits
        self._documents_per_process = documents_per_process
        self._lock = threading.Lock()
        self._process: Process | None = None
        self._stopped = False

    def read(self, asked: Asked) -> Text:
        """The text of a document.

        Raises UnreadableDocument with the parser's reason, or "timeout", "memory", "output" or
        "crashed"; SealUnavailable where no process can be confined. Whatever is raised, the
        worker is ready for the next document.
        """
        limits = self._limits(os.fstat(asked.descriptor).st_size)
        while True:
            process = self._running()
            process.documents += 1
            try:
                return _read(process, asked, limits)
            except _Lost as lost:
                code, peak = self._end(0.0 if lost.error else EXIT_SECONDS)
                error = lost.error or _cause(code, peak, limits, asked.label)
                # What it parsed before may have broken it: then the document is asked of another.
                if process.documents == 1 or error.reason == "timeout":
                    raise error from None

    def stop(self) -> None:
        """Kill the process, also amid a document; none is started from now on."""
        with self._lock:
            self._stopped = True
            if self._process:
                self._process.kill()

    def close(self) -> None:
        """End the process and wait until it has ended."""
        self.stop()
        self._end()

    def _running(self) -> Process:
        if self._process and self._process.documents >= self._documents_per_process:
            self._end()
        with self._lock:
            if self._stopped:
                raise UnreadableDocument("interrupted")
            if self._process is None:
                self._process = Process(self._module)
            return self._process

    def _end(self, patience: float = 0.0) -> tuple[int | None, int]:
        with self._lock:
            process, self._process = self._process, None
        return process.end(patience) if process else (None, 0)


class _Lost(Exception):
    """The process is of no more use; `error` is what became of the document, None if unknown."""

    def __init__(self, error: UnreadableDocument | None = None) -> None:
        super().__init__(str(error))
        self.error = error


def _read(process: Process, asked: Asked, limits: DocumentLimits) -> Text:
    deadline = time.monotonic() + limits.wall_seconds
    try:
        return _text(process, asked, limits, deadline)
    except TimeoutError:
        detail = f"no end after {limits.wall_seconds:.0f} s"
        raise _Lost(UnreadableDocument("timeout", detail, asked.label)) from None
    except wire.Malformed as error:
        raise _Lost(UnreadableDocument("crashed", f"sent {error}", asked.label)) from None
    except (EOFError, ConnectionError):
        raise _Lost from None


def _text(process: Process, asked: Asked, limits: DocumentLimits, deadline: float) -> Text:
    os.lseek(asked.descriptor, 0, os.SEEK_SET)  # the process shares the position
    opened = process.ask(
        wire.DOCUMENT,
        deadline,
        asked.descriptor,
        source=asked.source,
        memory_bytes=limits.memory_bytes,
        cpu_seconds=limits.cpu_seconds,
    )
    title = _words(_answer(opened, wire.OPENED, asked).get("title"))
    parts: list[bytes] = []
    lines = chars = 0
    while not (parts and asked.enough(lines, chars)):
        answer = process.ask(wire.MORE, deadline, **asdict(asked.batch))
        if answer[0] != wire.LINES:
            label = _label(_answer(answer, wire.END, asked).get("extractor"), asked.label)
            return Text(label, title, b"".join(parts), lines, chars)
        more_lines, more_chars = wire.checked(answer[1])
        lines, chars = lines + more_lines, chars + more_chars
        _check_amount(lines, chars, limits, asked.label)
        parts.append(answer[1])
    return Text(asked.label, title, b"".join(parts), lines, chars, complete=False)


def _check_amount(lines: int, chars: int, limits: DocumentLimits, label: str) -> None:
    for amount, most, unit in (
        (lines, limits.text_lines, "lines"),
        (chars, limits.text_chars, "characters"),
    ):
        if amount > most:
            raise UnreadableDocument("output", f"more than {most:,} {unit} of text", label)


def _answer(answer: tuple[bytes, bytes], expected: bytes, asked: Asked) -> dict[str, object]:
    """The values in an answer of the expected kind; raises what any other kind says."""
    kind, payload = answer
    try:
        values = json.loads(payload) if kind in (expected, wire.UNREADABLE) else None
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise wire.Malformed(f"an answer of kind {kind!r}")
    if kind == expected:
        return values
    reason = values.get("reason")
    if not isinstance(reason, str) or not _REASON.fullmatch(reason):
        raise wire.Malformed("no reason")
    label = _label(values.get("extractor"), asked.label)
    error = UnreadableDocument(reason, _words(values.get("detail")), label)
    raise _Lost(error) if reason in ("crashed", "memory") else error


def _words(value: object) -> str:
    """A text of one line that can be stored; raises Malformed for what is none."""
    if not isinstance(value, str) or len(value) > _MAX_WORDS_CHARS:
        raise wire.Malformed("no text where there should be some")
    return " ".join(whole(value).replace("\0", "").split())


def _label(value: object, otherwise: str) -> str:
    return value if isinstance(value, str) and _LABEL.fullmatch(value) else otherwise


def _cause(code: int | None, peak: int, limits: DocumentLimits, label: str) -> UnreadableDocument:
    """What ended a process that was not killed from here."""
    if code == -signal.SIGXCPU:
        detail = f"{limits.cpu_seconds} s of processor time"
        return UnreadableDocument("timeout", detail, label)
    # Parsers in other languages end themselves where an allocation fails; the kernel's own
    # way to end what holds too much is SIGKILL.
    if code == -signal.SIGKILL or peak > _NEAR_LIMIT * limits.memory_bytes:
        detail = f"{limits.memory_bytes // 2**20:,} MiB were not enough"
        return UnreadableDocument("memory", detail, label)
    detail = signal.Signals(-code).name if code and code < 0 else f"exit code {code}"
    return UnreadableDocument("crashed", detail, label)
