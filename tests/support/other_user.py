"""A model server on loopback that another user of the machine runs."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from indexer.errors import CorpusError

# All imports come before the user changes, who may not read where Python lies.
SERVER = """
import http.server, json, os, sys, threading
uid, port = int(sys.argv[1]), int(sys.argv[2])
heard = []
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        heard.append(f"{self.command} {self.path}")
        self.send(b'{"data": [{"id": "m"}]}')
    def do_POST(self):
        heard.append(f"{self.command} {self.path}")
        self.send(b"{}")
    def send(self, body):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
"".encode("idna")
os.setgroups([]); os.setgid(uid); os.setuid(uid)
server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
print(json.dumps(heard), flush=True)
os._exit(0)
"""


@dataclass
class OtherServer:
    """Where it listens; `heard` is filled when it has ended."""

    port: int
    heard: list[str] = field(default_factory=list)


@contextmanager
def serving_as(uid: int, port: int = 0) -> Iterator[OtherServer]:
    """A server of the user `uid`; skips where this process cannot become another user."""
    if os.getuid() != 0 and uid != os.getuid():
        pytest.skip("only root can become another user")
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", SERVER, str(uid), str(port)]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        server = OtherServer(int(process.stdout.readline()))
        try:
            yield server
        finally:
            process.stdin.close()
            server.heard += json.loads(process.stdout.readline() or "[]")


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
