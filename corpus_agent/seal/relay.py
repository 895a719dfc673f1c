"""The relay process: receives listed requests, sends them to the server, returns the replies.

The most confined process of the program: stream sockets of one family and one port, no file, no
program, no process. The sender of requests may have been taken over by a document: an invalid frame
ends the relay, and a request that is not listed is refused without a byte to the server.
"""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

from corpus_agent.seal.address import Gate, TcpAddress, UnixAddress
from corpus_agent.seal.frames import (
    BadFrame,
    Cause,
    Failure,
    Head,
    Reply,
    ReplyKind,
    Request,
    Verb,
    packed_failure,
    packed_head,
    packed_reply,
    read_request,
    reader_of,
    write_all,
)
from corpus_agent.seal.owner import SocketLookup
from corpus_agent.seal.routes import ROUTES, NotListed, Route, body_to_send
from corpus_agent.seal.upstream import Failed, Line, replies
from indexer import CorpusError
from indexer.confine import Limits, Policy, confine, die_with_parent, one_peer

MAX_AT_ONCE = 64  # requests; one more is refused
READY = b"ready"
MAX_ERROR_BYTES = 4096
_OPEN_FILES = MAX_AT_ONCE + 16
_STACK_BYTES = 512 * 1024


def run(requests: int, answers: int, gate: Gate, parent: int) -> None:
    """Serve as the relay of `gate` until the pipe `requests` ends; never returns.

    Called right after a fork. The first bytes on `answers` are READY, or the reason why it failed.
    """
    status = 1
    try:
        # A session of its own: Ctrl-C at the terminal goes to the parent, which ends this one.
        os.setsid()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        die_with_parent(parent)
        leave_everything_but(requests, answers)
        try:
            lookup = _prepared(gate)
            confine(policy(gate))
        except (CorpusError, OSError) as error:
            write_all(answers, str(error).encode()[:MAX_ERROR_BYTES])
            return
        write_all(answers, READY)
        threading.stack_size(_STACK_BYTES)
        _Relay(answers, gate, lookup).serve(requests)
        status = 0
    except (BadFrame, BrokenPipeError):
        pass
    finally:
        os._exit(status)


def leave_everything_but(*kept: int) -> None:
    """Close all inherited descriptors but `kept`; the standard streams become /dev/null."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)
    first = 3
    for descriptor in sorted(kept):
        os.closerange(first, descriptor)
        first = descriptor + 1
    os.closerange(first, os.sysconf("SC_OPEN_MAX"))


def policy(gate: Gate) -> Policy:
    """The kernel policy of a relay."""
    address = gate.address
    ports = (address.port,) if isinstance(address, TcpAddress) else ()
    limits = Limits(file_bytes=0, open_files=_OPEN_FILES)
    return Policy(calls=one_peer(address.family), connect_ports=ports, limits=limits)


def _prepared(gate: Gate) -> SocketLookup | None:
    """The look-up for checking owners, opened while sockets of its kind can still be."""
    if isinstance(gate.address, UnixAddress):
        # Its folder is held open from here on, wherever its path leads later.
        folder = os.open(
            gate.address.folder, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        )
        os.fchdir(folder)
        os.close(folder)
        return None
    os.chdir(Path("/"))
    return SocketLookup.open() if gate.owners is not None else None


class _Relay:
    """The requests under way and the pipe that their replies go to."""

    def __init__(self, answers: int, gate: Gate, lookup: SocketLookup | None) -> None:
        self._answers = answers
        self._gate = gate
        self._lookup = lookup
        self._writing = threading.Lock()
        self._lines: dict[int, Line] = {}

    def serve(self, requests: int) -> None:
        """Answer until the pipe ends. Raises BadFrame, and BrokenPipeError."""
        read = reader_of(requests)
        while (request := read_request(read)) is not None:
            line = self._lines.get(request.number)
            if request.verb is Verb.ASK:
                if line is not None:
                    raise BadFrame("the number of a request that is under way")
                self._ask(request)
            elif line is not None:
                line.cut()

    def _ask(self, request: Request) -> None:
        """Check a request and have it answered by a separate thread."""
        route = ROUTES[request.route]
        if len(self._lines) >= MAX_AT_ONCE:
            return self._fail(request.number, Failure(Cause.BUSY))
        try:
            body = body_to_send(route, request.body, self._gate.models)
        except NotListed:
            return self._fail(request.number, Failure(Cause.REFUSED))
        line = self._lines[request.number] = Line()
        threading.Thread(
            target=self._answer, args=(request.number, route, body, line), daemon=True
        ).start()
        return None

    def _answer(self, number: int, route: Route, body: bytes, line: Line) -> None:
        last = _failed(number, Failure(Cause.GONE))  # the sender always gets a last frame
        try:
            for part in replies(self._gate, self._lookup, route, body, line):
                if isinstance(part, Head):
                    self._send(Reply(number, ReplyKind.HEAD, packed_head(part)))
                else:
                    self._send(Reply(number, ReplyKind.DATA, part))
            last = Reply(number, ReplyKind.END)
        except Failed as error:
            last = _failed(number, error.failure)
        except BrokenPipeError:
            os._exit(0)  # the reader has closed the pipe
        finally:
            line.close()
            self._lines.pop(number, None)
            self._send(last)

    def _fail(self, number: int, failure: Failure) -> None:
        self._send(_failed(number, failure))

    def _send(self, reply: Reply) -> None:
        with self._writing:
            write_all(self._answers, packed_reply(reply))


def _failed(number: int, failure: Failure) -> Reply:
    return Reply(number, ReplyKind.FAILED, packed_failure(failure))
