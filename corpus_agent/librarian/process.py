"""The parent's end of the librarian's process: starts it, asks it, distrusts its replies.

Messages over two pipes, each a length and one JSON object, as multiprocessing's connections frame
them. A reply is parsed into an `Answer` field by field; anything else ends the process.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from multiprocessing.connection import Pipe
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from corpus_agent.answering.records import Answer  # the replies are parsed by these types
from corpus_agent.seal.enforce import SealState
from corpus_agent.settings import PREFIX
from corpus_agent.text.sanitize import one_line
from indexer import CorpusError, UsageError, error_said
from indexer.confine import starting

if TYPE_CHECKING:
    from pydantic import TypeAdapter

COMMAND = starting.python_module("corpus_agent.librarian.child")  # the parent's number follows
MAX_REQUEST_BYTES = 64 * 1024
MAX_REPLY_BYTES = 1024 * 1024


class LibrarianFailed(CorpusError):
    """The process ended or violated the protocol; the next question starts another."""


class LibrarianTimeout(LibrarianFailed, TimeoutError):
    """The question was not answered in time, and was stopped."""


class BadMessage(Exception):
    """The bytes violate the protocol; nothing more may be read from the other side."""


@dataclass(frozen=True, slots=True)
class RemoteError:
    """An error of the other process; `kind` is the name of its class."""

    kind: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class LibrarianReply:
    """The permitted content of a message from the process; other keys are dropped."""

    id: int = 0
    ready: str | None = None
    answer: Answer | None = None
    error: RemoteError | None = None


class LibrarianProcess:
    """One process of the librarian, asked one question at a time; `kill` is for any thread.

    The kernel ends it when the thread that made it ends, and so when the parent does.
    """

    def __init__(
        self,
        opening: Mapping[str, Any],
        *,
        stderr: int | IO[str] = subprocess.DEVNULL,
        command: Sequence[str] = COMMAND,
    ) -> None:
        """`opening` tells the process what to read, see child.py."""
        self._unsealed = bool(opening.get("unsealed"))
        self._asked = 0
        self._opening = {**opening, "here": _here()}
        stdin, self._requests = Pipe(duplex=False)
        self._replies, stdout = Pipe(duplex=False)
        with stdin, stdout:
            streams = stdin.fileno(), stdout.fileno(), stderr
            try:
                self._process = _started((*command, str(os.getpid())), *streams)
            except OSError as error:
                raise _failed(f"did not start ({error.strerror})") from None

    def begin(self) -> SealState:
        """The state of its seal, once it has one; raises what keeps it from starting."""
        reply = self._exchange(self._opening)
        if reply.ready not in ("enforced", "off"):
            raise self._ended("no word of the seal")
        if reply.ready == "off" and not self._unsealed:
            raise self._ended("it is not sealed")
        return cast("SealState", reply.ready)

    def ask(self, task: object, *, quotes_only: bool = False) -> Answer:
        """The answer to a question; raises UsageError for one that is no text, or too long."""
        if not isinstance(task, str):
            raise UsageError(f"A question is text, not of type {type(task).__name__}.")
        self._asked += 1
        reply = self._exchange({"id": self._asked, "task": task, "quotes_only": quotes_only})
        if reply.answer is None or reply.id != self._asked:
            raise self._ended("a reply without an answer")
        return reply.answer

    def _exchange(self, request: Mapping[str, Any]) -> LibrarianReply:
        """Its reply to a request; raises the error that it replied, or that it has ended."""
        body = packed(request)
        if len(body) > MAX_REQUEST_BYTES:
            said = f"The request is too long: {len(body):,} bytes of {MAX_REQUEST_BYTES:,}."
            raise UsageError(said)
        try:
            self._requests.send_bytes(body)
            reply = parsed(self._replies.recv_bytes(MAX_REPLY_BYTES))
        except BadMessage as bad:
            raise self._ended(str(bad)) from None
        except EOFError:
            raise self._ended() from None
        except OSError:  # a frame that is cut off, or larger than it may be
            raise self._ended("no message") from None
        if (error := reply.error) is not None:
            raise error_said(error.kind, one_line(error.message), one_line(error.hint))
        return reply

    def _ended(self, fault: str = "") -> LibrarianFailed:
        """Ends the process; what to raise for a message that it must not send, or for its end."""
        self.close()
        code = self._process.returncode
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        said = f"said what it must not ({fault}) and was ended" if fault else f"ended with {how}"
        return _failed(said)

    @property
    def pid(self) -> int | None:
        """The process id, None once it has ended."""
        return self._process.pid if self._process.poll() is None else None

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()

    def close(self) -> None:
        """End the process and wait for it."""
        self._process.kill()
        self._process.wait()
        self._requests.close()
        self._replies.close()


def _failed(reason: str) -> LibrarianFailed:
    return LibrarianFailed(
        f"The librarian {reason} before it answered.",
        "Ask again: it is started anew. With stderr=sys.stderr it says what it met.",
    )


def _started(
    command: Sequence[str], stdin: int, stdout: int, stderr: int | IO[str]
) -> subprocess.Popen[bytes]:
    """The new process, without the parent's secrets, terminal and working folder."""
    variables = starting.common_variables() | starting.variables(prefix=PREFIX)
    started = starting.Command(tuple(command), variables)
    return starting.popen(started, stdin=stdin, stdout=stdout, stderr=stderr, own_session=True)


def _here() -> str:
    """The base of relative paths in settings; not the working folder of the process."""
    try:
        return str(Path.cwd())
    except FileNotFoundError:  # the folder was removed
        return starting.FOLDER


def packed(content: Mapping[str, Any]) -> bytes:
    """The body of a message; a lone surrogate, which cannot be encoded, becomes "?"."""
    return json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")


def parsed(body: bytes) -> LibrarianReply:
    """The reply that a message holds, every field of its own type; raises BadMessage."""
    from pydantic import ValidationError

    try:
        return _adapter().validate_json(body, strict=True)
    except ValidationError as error:
        raise BadMessage(f"{error.error_count()} fields of another kind") from None


@cache
def _adapter() -> TypeAdapter[LibrarianReply]:
    from pydantic import TypeAdapter

    return TypeAdapter(LibrarianReply)
