"""What another user of the machine does: runs a model server, or is stopped by permissions."""

import json
import multiprocessing
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from typing import Any

import pytest

from indexer.errors import CorpusError
from tests.support.fakes import ScriptedModelServer, raw


@dataclass
class OtherServer:
    """Where it listens; `heard` is filled when it has ended."""

    port: int
    heard: list[str] = field(default_factory=list)


def as_user(user: int, work: Callable[..., object], *arguments: object) -> BaseProcess:
    """A process of another user that does some work until it is ended."""

    def run() -> None:
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
        work(*arguments)

    process = multiprocessing.get_context("fork").Process(target=run, daemon=True)
    process.start()
    return process


@contextmanager
def serving_as(uid: int, port: int = 0) -> Iterator[OtherServer]:
    """A server of the user `uid`; skips where this process cannot become another user."""
    if os.getuid() != 0:
        pytest.skip("only root can become another user")
    ours, theirs = multiprocessing.Pipe()

    def serve() -> None:
        with ScriptedModelServer([raw(b"{}")] * 9, models=["m"], at=port) as server:
            theirs.send(server.port)
            theirs.recv()
            theirs.send(server.paths)

    process = as_user(uid, serve)
    other = OtherServer(ours.recv())
    try:
        yield other
    finally:
        ours.send("that is all")
        other.heard += ours.recv()
        process.join()


def as_nobody(work: Callable[[], Any]) -> Any:
    """What `work` returns, as JSON gives it back, run by a user whom permissions stop.

    The superuser is stopped by none, so the work is done in a child that has become nobody.
    """
    if os.getuid() != 0:
        return work()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            outcome = work()
        except OSError as error:
            outcome = {"cannot": str(error)}
        except CorpusError as error:
            outcome = {"error": type(error).__name__, "message": str(error)}
        os.write(writer, json.dumps(outcome).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        outcome = json.load(pipe)
    os.waitpid(child, 0)
    if isinstance(outcome, dict) and "cannot" in outcome:
        pytest.skip(f"this process cannot become another user: {outcome['cannot']}")
    return outcome


@contextmanager
def being_nobody() -> Iterator[None]:
    """This process as a user whom permissions stop, until the block ends; root alone can be."""
    if os.getuid() != 0:
        yield
        return
    try:
        os.setresgid(65534, 65534, 0)
        os.setresuid(65534, 65534, 0)
    except PermissionError:
        pytest.skip("this process cannot become another user")
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)
        os.setresgid(0, 0, 0)
