"""Bytes in, text out, even if the parser dies: the only caller of parser processes.

Starts a process on first use, and a new one after it has died. Enforces the limits that cannot be
left to the process: time, and the amount of text.
"""

from __future__ import annotations

import json
import os
import re
import signal
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass, replace

from indexer.errors import UnreadableDocument
from indexer.extract import is_cut_at_limit
from indexer.extract.normalise import whole
from indexer.extract.own_properties import is_day
from indexer.parsers import protocol
from indexer.parsers.limits import DOCUMENTS_PER_PROCESS, DocumentLimits, limits_for
from indexer.parsers.process import EXIT_SECONDS, Process, RenewedProcess
from indexer.records import Line

CHILD = "indexer.parsers.child"

_LABEL = re.compile(r"[a-z][a-z0-9_-]{0,40}/\d[0-9a-z.]{0,40}(\+[a-z0-9_-]{1,40}){0,8}")
_REASON = re.compile(r"[a-z_]{1,40}")
_MAX_WORDS_CHARS = 1_000  # of a title, or of what a parser says about a document
_NEAR_LIMIT = 0.5  # of its memory: a parser that fails to get as much again has held this much


@dataclass(frozen=True, slots=True)
class Text:
    """Extracted text: `encoding` as in protocol.py, `lines` and `chars` its size.

    `complete` is set if it is the whole document; only then are `extractor`, a label, and `remark`,
    a message on unreadable parts, final. `author` and `date`, an ISO day, are what the file says of
    itself beside its text, "" where it says nothing.
    """

    extractor: str
    title: str
    encoding: bytes
    lines: int
    chars: int
    remark: str = ""
    complete: bool = True
    author: str = ""
    date: str = ""


@dataclass(frozen=True, slots=True)
class Batch:
    """The amount of text requested at a time."""

    max_lines: int
    max_chars: int


WHOLE = Batch(protocol.BATCH_LINES, protocol.BATCH_CHARS)
WINDOW = Batch(max_lines=2_000, max_chars=51_200)  # as much as one reading can show

Enough = Callable[[int, int], bool]


@dataclass(frozen=True, slots=True)
class Copy:
    """An immutable in-memory copy of a file: a descriptor, how many bytes, and their hash."""

    descriptor: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class DocumentRequest:
    """A request for one document: its bytes, name, and how much of it.

    The bytes are read from `descriptor`. Batches are requested until `enough`, called with the
    lines and characters so far, returns True.
    """

    descriptor: int
    source: str
    enough: Enough = lambda lines, chars: False
    batch: Batch = WHOLE


class Worker:
    """One parser process; for one thread at a time, and `stop` for any.

    The process ends with the thread that started it, so each thread needs its own worker.
    `module` is what the process runs, `limits` the bounds for a file of so many bytes.
    """

    def __init__(
        self,
        module: str = CHILD,
        limits: Callable[[int], DocumentLimits] = limits_for,
        documents_per_process: int = DOCUMENTS_PER_PROCESS,
    ) -> None:
        self._limits = limits
        self._documents_per_process = documents_per_process
        self._process = RenewedProcess(module)

    def read(self, request: DocumentRequest) -> Text:
        """The text of a document.

        Raises UnreadableDocument with the parser's reason, or "timeout", "memory", "output" or
        "crashed"; SealUnavailable where no process can be confined. Whatever is raised, the
        worker is ready for the next document.
        """
        limits = self._limits(os.fstat(request.descriptor).st_size)
        while True:
            if (self._process.documents or 0) >= self._documents_per_process:
                self._process.end()
            process = self._process.running()
            process.documents += 1
            reading = _DocumentReading(process, request, limits)
            try:
                return reading.text()
            except _Lost as lost:
                code, peak = self._process.end(0.0 if lost.error else EXIT_SECONDS)
                error = lost.error or _cause(code, peak, limits)
                # What it parsed before may have broken it: then another is given the document.
                if process.documents == 1 or error.reason == "timeout":
                    raise reading.labelled(error) from None

    def stop(self) -> None:
        """Kill the process, even during a document; no other is started afterwards."""
        self._process.stop()

    def close(self) -> None:
        """End the process and wait until it has ended."""
        self._process.stop()
        self._process.end()


class _Lost(Exception):
    """The process is unusable; `error` is the document's error, None if unknown."""

    def __init__(self, error: UnreadableDocument | None = None) -> None:
        super().__init__(str(error))
        self.error = error


class _DocumentReading:
    """One document in one process, from the order to its last line."""

    def __init__(self, process: Process, request: DocumentRequest, limits: DocumentLimits) -> None:
        self._process = process
        self._request = request
        self._limits = limits
        self._deadline = time.monotonic() + limits.wall_seconds
        self._label: str | None = None

    def labelled(self, error: UnreadableDocument) -> UnreadableDocument:
        """The error with the label of the current extractor."""
        return UnreadableDocument(error.reason, error.detail, self._label, error.waiting)

    def text(self) -> Text:
        """The text; raises UnreadableDocument, or _Lost if the process is lost too."""
        try:
            return self._text()
        except UnreadableDocument as error:
            raise self.labelled(error) from None
        except TimeoutError:
            detail = f"no end after {self._limits.wall_seconds:.0f} s"
            raise _Lost(UnreadableDocument("timeout", detail)) from None
        except protocol.Malformed as error:
            raise _Lost(UnreadableDocument("crashed", f"sent {error}")) from None
        except (EOFError, ConnectionError):
            raise _Lost from None

    def _text(self) -> Text:
        empty = self._open()
        parts: list[bytes] = []
        lines = chars = 0
        while not (parts and self._request.enough(lines, chars)):
            kind, payload = self._process.ask(
                protocol.MORE, self._deadline, **asdict(self._request.batch)
            )
            if kind != protocol.LINES:
                message = _message(kind, payload, protocol.END)
                self._label = _label(message)
                remark = _words(message.get("remark"))
                return self._made(empty, parts, (lines, chars), remark)
            more_lines, more_chars = protocol.checked(payload)
            excess = self._excess(lines + more_lines, chars + more_chars)
            if excess and not (parts and self._label and is_cut_at_limit(self._label)):
                raise UnreadableDocument("output", f"{excess} of text")
            if excess:
                remark = f"{excess}: the first {lines:,} lines are read"
                return self._made(empty, parts, (lines, chars), remark)
            lines, chars = lines + more_lines, chars + more_chars
            parts.append(payload)
        return replace(self._made(empty, parts, (lines, chars)), complete=False)

    def _made(
        self, empty: Text, parts: list[bytes], size: tuple[int, int], remark: str = ""
    ) -> Text:
        """The text of the parts."""
        assert self._label is not None
        lines, chars = size
        return replace(
            empty,
            extractor=self._label,
            encoding=b"".join(parts),
            lines=lines,
            chars=chars,
            remark=remark,
        )

    def _open(self) -> Text:
        """Send the document to the process; its text without a line yet."""
        os.lseek(self._request.descriptor, 0, os.SEEK_SET)  # the process shares the position
        kind, payload = self._process.ask(
            protocol.DOCUMENT,
            self._deadline,
            self._request.descriptor,
            source=self._request.source,
            memory_bytes=self._limits.memory_bytes,
            cpu_seconds=self._limits.cpu_seconds,
        )
        while kind == protocol.CLAIMED:
            self._label = _label(_message(kind, payload, protocol.CLAIMED))
            kind, payload = self._process.receive(self._deadline)
        message = _message(kind, payload, protocol.OPENED)
        title, author, day = (_words(message.get(name)) for name in ("title", "author", "date"))
        if self._label is None:
            raise protocol.Malformed("a document that no extractor claims")
        if day and not is_day(day):
            raise protocol.Malformed("a day that is none")
        return Text(self._label, title, b"", 0, 0, author=author, date=day)

    def _excess(self, lines: int, chars: int) -> str:
        """Which limit that amount is beyond, as in "more than 2,000,000 lines"; "" if none."""
        for amount, most, unit in (
            (lines, self._limits.text_lines, "lines"),
            (chars, self._limits.text_chars, "characters"),
        ):
            if amount > most:
                return f"more than {most:,} {unit}"
        return ""


def _message(kind: bytes, payload: bytes, expected: bytes) -> dict[str, object]:
    """The values of a frame of the expected kind; raises the error that another kind reports."""
    try:
        values = json.loads(payload) if kind in (expected, protocol.UNREADABLE) else None
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise protocol.Malformed(f"an answer of kind {kind!r}")
    if kind == expected:
        return values
    reason = values.get("reason")
    if not isinstance(reason, str) or not _REASON.fullmatch(reason):
        raise protocol.Malformed("no reason")
    waiting = values.get("waiting", 0)
    if type(waiting) is not int or not 0 <= waiting <= protocol.MAX_PAGE:
        raise protocol.Malformed("no number of pages")
    error = UnreadableDocument(reason, _words(values.get("detail")), waiting=waiting)
    raise _Lost(error) if reason in ("crashed", "memory") else error


def _words(value: object) -> str:
    """A single-line text that can be stored; raises Malformed for other values."""
    if not isinstance(value, str) or len(value) > _MAX_WORDS_CHARS:
        raise protocol.Malformed("no text where there should be some")
    return " ".join(whole(value).replace("\0", "").split())


def _label(message: dict[str, object]) -> str:
    label = message.get("extractor")
    if not isinstance(label, str) or not _LABEL.fullmatch(label):
        raise protocol.Malformed("no label")
    return label


def _cause(code: int | None, peak: int, limits: DocumentLimits) -> UnreadableDocument:
    """The reason why a process ended by itself."""
    if code == -signal.SIGXCPU:
        return UnreadableDocument("timeout", f"{limits.cpu_seconds} s of processor time")
    # Parsers in other languages end themselves where an allocation fails; the kernel's own
    # way to end what holds too much is SIGKILL.
    if code == -signal.SIGKILL or peak > _NEAR_LIMIT * limits.memory_bytes:
        return UnreadableDocument("memory", f"{limits.memory_bytes // 2**20:,} MiB were not enough")
    detail = signal.strsignal(-code) if code and code < 0 else f"exit code {code}"
    return UnreadableDocument("crashed", detail or f"signal {code}")


def parsed_lines(data: bytes, name: str, enough: Enough) -> tuple[list[Line], bool]:
    """The lines of a document, as they would be indexed, and whether they are complete.

    Parsing stops when `enough` is satisfied; see fills_window. Raises UnreadableDocument.
    """
    descriptor = os.memfd_create("document", os.MFD_CLOEXEC)
    try:
        with os.fdopen(descriptor, "wb", closefd=False) as file:
            file.write(data)
        with closing(Worker()) as worker:
            text = worker.read(DocumentRequest(descriptor, name, enough, WINDOW))
    finally:
        os.close(descriptor)
    return list(protocol.decoded(text.encoding)), text.complete
