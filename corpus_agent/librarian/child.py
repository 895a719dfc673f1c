"""The librarian's process: seals itself, then answers questions until its parent ends."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from dataclasses import asdict, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpus_agent import service
from corpus_agent.librarian.process import MAX_REQUEST_BYTES, packed
from corpus_agent.render.for_parent import handed_over
from corpus_agent.service.process import take_standard_streams
from corpus_agent.settings import NamedStore, Settings, absolute, load
from corpus_agent.startup import Launch, for_reading
from indexer import CorpusError
from indexer.confine import die_with_parent, starting

if TYPE_CHECKING:
    from corpus_agent.service.service import Service


def main() -> None:
    """Seal, report it, and serve until standard input ends; never returns."""
    die_with_parent(int(sys.argv[1]))
    requests, replies = (stream.fileno() for stream in take_standard_streams())
    try:
        _serve(Connection(requests, writable=False), Connection(replies, readable=False))
    except EOFError:
        os._exit(0)  # the thread that warms is not waited for


def _serve(requests: Connection, replies: Connection) -> None:
    opening = json.loads(requests.recv_bytes(MAX_REQUEST_BYTES))
    try:
        launch = _launched(opening)
    except CorpusError as error:
        return replies.send_bytes(packed({"error": _problem(error)}))
    replies.send_bytes(packed({"ready": launch.seal.state}))
    serving = service.service.Service(launch)  # numpy: not before the seal
    threading.Thread(target=_warm, args=(serving,), daemon=True).start()
    while True:
        request = json.loads(requests.recv_bytes(MAX_REQUEST_BYTES))
        reply: dict[str, Any] = {"id": request["id"]}
        try:
            answer, _ = serving.ask(request["task"], quotes_only=request["quotes_only"])
            reply["answer"] = asdict(handed_over(answer))
        except CorpusError as error:
            reply["error"] = _problem(error)
        replies.send_bytes(packed(reply))


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


def _warm(serving: Service) -> None:
    # Errors of the index are reported in the replies.
    with contextlib.suppress(CorpusError):
        serving.warm()


def _problem(error: CorpusError) -> dict[str, str]:
    return {"kind": type(error).__name__, "message": error.message, "hint": error.hint}


if __name__ == "__main__":
    main()
