"""The parent's end of the librarian's process: starts it, sends questions, distrusts replies.

One thread starts the process, reads from it and waits for its end; another writes. The kernel
kills the process when the first of them ends, and so when the parent does. Replies are parsed into
an `Answer` field by field; anything else ends the process.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import struct
import subprocess
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, cast

from corpus_agent.answering.records import Answer  # the replies are parsed by these types
from corpus_agent.seal.enforce import SealState
from corpus_agent.settings import PREFIX
from corpus_agent.text.sanitize import one_line
from indexer import CorpusError, UsageError, error_said
from indexer.confine import starting

if TYPE_CHECKING:
    from pydantic import TypeAdapter

STOP_SECONDS = 10.0  # for a cancelled question to end by itself
CLOSE_SECONDS = 2.0  # for a process to end by itself after close

COMMAND = starting.python_module("corpus_agent.librarian.child")  # the parent's number follows


MAX_REQUEST_BYTES = 64 * 1024
MAX_REPLY_BYTES = 1024 * 1024
_LENGTH = struct.Struct(">I")


class LibrarianFailed(CorpusError):
    """The process ended or violated the protocol; the next question starts another."""


class LibrarianTimeout(LibrarianFailed, TimeoutError):
    """The question was not answered in time, and was cancelled."""


@dataclass(frozen=True, slots=True)
class RemoteError:
    """An error of the other process; `kind` is the name of its class."""

    kind: str
    message: str
    hint: str

    def to_raise(self) -> CorpusError:
        """The same error, of this process."""
        return error_said(self.kind, one_line(self.message), one_line(self.hint))


@dataclass(frozen=True, slots=True)
class LibrarianReply:
    """The permitted content of a frame from the process; other keys are dropped."""

    id: int | None = None
    ready: str | None = None
    answer: Answer | None = None
    error: RemoteError | None = None
    stopped: bool = False


class Child:
    """One process of the librarian, from its start to its end; thread-safe."""

    def __init__(
        self,
        flags: Mapping[str, str | bool],
        several: Sequence[tuple[str, str]] = (),
        *,
        unsealed: bool = False,
        stderr: int | IO[str] = subprocess.DEVNULL,
        command: Sequence[str] = COMMAND,
    ) -> None:
        """`several` are the stores to read by their names, where it is more than one."""
        self.ready: Future[SealState] = Future()
        self._command = (*command, str(os.getpid()))
        self._unsealed = unsealed
        self._stderr = stderr
        self._requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        stores = {"flags": dict(flags), "several": list(several)}
        opening = {**stores, "unsealed": unsealed, "here": _here()}
        self._requests.put(packed(opening))
        self._lock = threading.Lock()
        self._pending: dict[int, Future[Answer]] = {}
        self._questions = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False
        self._refusal: CorpusError | None = None
        self._thread = threading.Thread(target=self._run, name="librarian", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether it accepts questions."""
        return self._thread.is_alive() and not self._closed

    @property
    def pid(self) -> int | None:
        """The process id, None before it has started."""
        return self._process.pid if self._process else None

    def submit(self, task: str, *, quotes_only: bool = False) -> Future[Answer] | None:
        """A future answer; cancelling it stops the question. None if the process has ended.

        Raises UsageError for a question that is too long.
        """
        future: Future[Answer] = Future()
        with self._lock:
            if not self.alive:
                return None
            self._questions += 1
            number = self._questions
            frame = packed({"id": number, "task": task, "quotes_only": quotes_only})
            if len(frame) > MAX_REQUEST_BYTES:
                raise UsageError(
                    f"The question is too long: {len(frame):,} bytes of {MAX_REQUEST_BYTES:,}."
                )
            self._pending[number] = future
            self._requests.put(frame)
        future.add_done_callback(lambda done: self._give_up(number) if done.cancelled() else None)
        return future

    def _give_up(self, number: int) -> None:
        """Request the process to stop, and end it if it does not."""
        self._requests.put(packed({"id": number}))
        timer = threading.Timer(STOP_SECONDS, self._insist, args=(number,))
        timer.daemon = True
        timer.start()

    def _insist(self, number: int) -> None:
        if number in self._pending:
            self.kill()

    def kill(self) -> None:
        """End the process at once."""
        with self._lock:
            self._closed = True
            if self._process is not None:
                self._process.kill()

    def let_go(self) -> None:
        """Let the process end by itself, without waiting for it."""
        self._closed = True
        self._requests.put(None)

    def close(self) -> None:
        """End the process and wait for it; open questions fail."""
        self.let_go()
        self._thread.join(CLOSE_SECONDS)
        self.kill()
        self._thread.join()

    # -- the thread that owns the process

    def _run(self) -> None:
        reason = "did not start"
        try:
            reason = self._attend()
        except OSError as error:
            reason = f"did not start ({error.strerror})"
        finally:
            self._closed = True
            failed = self._refusal or LibrarianFailed(
                f"The librarian {reason} before it answered.",
                "Ask again: it is started anew. With stderr=sys.stderr it says what it met.",
            )
            with self._lock:
                left: list[Future[Any]] = [self.ready, *self._pending.values()]
                self._pending.clear()
            for future in left:
                _complete(future, failed)

    def _attend(self) -> str:
        """Start the process and read its frames; returns how it ended, as a message."""
        with self._lock:
            if self._closed:
                return "was closed"
            process = self._process = _started(self._command, self._stderr)
        writer = threading.Thread(target=self._write, args=(process.stdin,), daemon=True)
        writer.start()
        fault = ""
        try:
            self._read_frames(cast(BinaryIO, process.stdout))
        except BadMessage as bad:
            fault = f"said what it must not ({bad}) and was ended"
        finally:
            process.kill()
            self._requests.put(None)
            writer.join()
            process.wait()
            assert process.stdout is not None
            process.stdout.close()
        return fault or f"ended with {_ending(process.returncode)}"

    def _write(self, stream: BinaryIO) -> None:
        """Write queued frames until there are no more or the pipe is closed."""
        with contextlib.suppress(BrokenPipeError), stream:
            while (frame := self._requests.get()) is not None:
                write_all(stream, frame)

    def _read_frames(self, stream: BinaryIO) -> None:
        while (body := read_frame(stream, MAX_REPLY_BYTES)) is not None:
            reply = parsed(body)
            if self.ready.done():
                self._take(reply)
            else:
                self._begin(reply)

    def _begin(self, reply: LibrarianReply) -> None:
        """Handle the first frame: ready with the state of the seal, or an error."""
        if reply.error is not None:
            self._refusal, self._closed = reply.error.to_raise(), True
            return _complete(self.ready, self._refusal)
        if reply.ready not in ("enforced", "off"):
            raise BadMessage("no word of the seal")
        if reply.ready == "off" and not self._unsealed:
            raise BadMessage("it is not sealed")
        self.ready.set_result(cast("SealState", reply.ready))
        return None

    def _take(self, reply: LibrarianReply) -> None:
        """Handle the reply to a question; a cancelled question gets one too."""
        number = reply.id or 0
        future = self._pending.get(number)
        if future is None:
            raise BadMessage("a reply to no question")
        outcome = reply.answer or (reply.error and reply.error.to_raise())
        if outcome is None and not (reply.stopped and future.cancelled()):
            raise BadMessage("a reply without an answer")
        with self._lock:
            del self._pending[number]
        if outcome is not None:
            _complete(future, outcome)


def _started(command: Sequence[str], stderr: int | IO[str]) -> subprocess.Popen[bytes]:
    """The new process, without the parent's secrets, terminal and working folder."""
    pipe = subprocess.PIPE
    variables = starting.common_variables() | starting.variables(prefix=PREFIX)
    started = starting.Command(tuple(command), variables)
    return starting.popen(started, stdin=pipe, stdout=pipe, stderr=stderr, own_session=True)


def _here() -> str:
    """The base of relative paths in settings; not the working folder of the process."""
    try:
        return str(Path.cwd())
    except FileNotFoundError:  # the folder was removed
        return starting.FOLDER


def parsed(body: bytes) -> LibrarianReply:
    """The reply that a frame holds, every field of its own type; raises BadMessage."""
    from pydantic import ValidationError

    try:
        return _adapter().validate_json(body, strict=True)
    except ValidationError as error:
        raise BadMessage(f"{error.error_count()} fields of another kind") from None


@cache
def _adapter() -> TypeAdapter[LibrarianReply]:
    from pydantic import TypeAdapter

    return TypeAdapter(LibrarianReply)


def _complete(future: Future[Any], outcome: object) -> None:
    """Set the result or error of a future, unless it was cancelled."""
    with contextlib.suppress(InvalidStateError):
        if isinstance(outcome, BaseException):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)


def _ending(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"


# -- frames over a pipe: four bytes of length, then at most that many bytes of one JSON object


class BadMessage(Exception):
    """The bytes violate the protocol; nothing more may be read from the other side."""


def packed(content: Mapping[str, Any]) -> bytes:
    """The frame of an object; a lone surrogate, which cannot be encoded, becomes "?"."""
    body = json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")
    return _LENGTH.pack(len(body)) + body


def read_frame(stream: BinaryIO, limit: int) -> bytes | None:
    """The body of the next frame; None if the pipe was closed between two frames.

    Raises BadMessage for anything else, without reading more than `limit` bytes.
    """
    head = stream.read(_LENGTH.size)
    if not head:
        return None
    if len(head) < _LENGTH.size:
        raise BadMessage("a frame that ends in its length")
    (length,) = _LENGTH.unpack(head)
    if length > limit:
        raise BadMessage(f"a frame of {length:,} bytes, more than {limit:,}")
    body = stream.read(length)
    if len(body) < length:
        raise BadMessage(f"{len(body):,} of {length:,} bytes")
    return body


def write_all(stream: BinaryIO, data: bytes) -> None:
    """Write every byte, also to an unbuffered stream, whose write() may be partial."""
    view = memoryview(data)
    while view:
        view = view[stream.write(view) :]
    stream.flush()
