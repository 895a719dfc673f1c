"""The librarian's process: seals itself, then answers questions until its parent ends.

Started by `process.Child` as a new interpreter. Requests arrive on standard input, replies go to
standard output, both as frames and nothing else. Each question gets exactly one reply: an answer,
an error, or, immediately on cancellation, that it was stopped.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from corpus_agent.librarian.process import MAX_REQUEST_BYTES, packed, read_frame, write_all
from corpus_agent.render.for_parent import handed_over
from corpus_agent.service.cancel import Cancel, Cancelled
from corpus_agent.service.stdio import take_standard_streams
from corpus_agent.settings import NamedStore, Settings, absolute, load
from corpus_agent.startup import Launch, for_reading
from indexer import CorpusError
from indexer.confine import die_with_parent, starting

if TYPE_CHECKING:
    from corpus_agent.service.service import Service

MAX_AT_ONCE = 4  # questions; more wait
FAILED = 70  # exit code of an internal error, EX_SOFTWARE in sysexits.h


def main() -> None:
    """Seal, report it, and serve until standard input ends; never returns."""
    die_with_parent(int(sys.argv[1]))
    threading.excepthook = _end
    requests, replies = take_standard_streams()
    desk = _Desk(replies)
    opening = read_frame(requests, MAX_REQUEST_BYTES)
    if opening is not None:
        try:
            launch = _launched(json.loads(opening))
        except CorpusError as error:
            desk.send(error=_problem(error))
        else:
            desk.send(ready=launch.seal.state)
            desk.serve(requests, launch)
    # The open questions have no client any more: do not wait for their threads.
    os._exit(0)


def _launched(opening: dict[str, Any]) -> Launch:
    settings = _settings(opening["flags"], opening["here"])
    several = tuple(NamedStore(name, Path(store)) for name, store in opening["several"])
    settings = replace(settings, store=None, several=several) if several else settings
    return for_reading(settings, seal_off=opening["unsealed"], asking=True)


def _settings(flags: dict[str, str], here: str) -> Settings:
    """The settings resolved in the parent's working folder `here`, with absolute paths."""
    try:
        os.chdir(here)
        return absolute(load(flags, None, os.environ))
    except OSError as error:
        raise CorpusError(f"The folder {here!r} cannot be entered: {error.strerror}.") from None
    finally:
        os.chdir(starting.FOLDER)


class _Desk:
    """Receives questions and sends replies."""

    def __init__(self, replies: BinaryIO) -> None:
        self._replies = replies
        self._lock = threading.Lock()
        self._turns = threading.Semaphore(MAX_AT_ONCE)
        self._cancels: dict[int, Cancel] = {}

    def send(self, **content: object) -> None:
        """Send one frame; thread-safe."""
        with self._lock:
            write_all(self._replies, packed(content))

    def serve(self, requests: BinaryIO, launch: Launch) -> None:
        """Answer until the pipe is closed."""
        from corpus_agent.service.service import Service  # numpy: not before the seal

        service = Service(launch)
        threading.Thread(target=_warm, args=(service,), daemon=True).start()
        while (body := read_frame(requests, MAX_REQUEST_BYTES)) is not None:
            request: Mapping[str, Any] = json.loads(body)
            number = request["id"]
            if "task" in request:
                cancel = self._cancels[number] = Cancel()
                given = (service, number, request["task"], request["quotes_only"], cancel)
                threading.Thread(target=self._answer, args=given, daemon=True).start()
            elif (running := self._cancels.get(number)) is not None:
                running.set()
                self._reply(number, stopped=True)

    def _answer(
        self, service: Service, number: int, task: str, quotes_only: bool, cancel: Cancel
    ) -> None:
        try:
            with self._turns:
                answer, _ = service.ask(task, cancel=cancel, quotes_only=quotes_only)
        except Cancelled:
            return  # its reply was sent already
        except CorpusError as error:
            self._reply(number, error=_problem(error))
        else:
            self._reply(number, answer=asdict(handed_over(answer)))

    def _reply(self, number: int, **content: object) -> None:
        """Reply to a question unless its reply was already sent."""
        with self._lock:
            if self._cancels.pop(number, None) is not None:
                write_all(self._replies, packed({"id": number, **content}))


def _warm(service: Service) -> None:
    # Errors of the index are reported in the replies.
    with contextlib.suppress(CorpusError):
        service.warm()


def _end(unforeseen: threading.ExceptHookArgs) -> None:
    """End the process at an unexpected error, which the parent then notices at once."""
    threading.__excepthook__(unforeseen)
    os._exit(FAILED)


def _problem(error: CorpusError) -> dict[str, str]:
    return {"kind": type(error).__name__, "message": error.message, "hint": error.hint}


if __name__ == "__main__":
    main()
