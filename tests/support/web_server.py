"""The real `corpus-agent web` in a process of its own, and a client that sends what it is told."""

import http.client
import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Self
from urllib.parse import urlencode

from tests.support.places import REPOSITORY
from tests.support.processes import until

SECONDS = 120.0
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


@dataclass(frozen=True)
class Reply:
    """An answer of the server: "" and 0 where it closed the connection without one."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def words(self) -> str:
        """What a person reads of a page: no mark-up, single blanks, none at a mark in a line."""
        within = r"(?s)<(script|style)\b.*?</\1>|</?(?:a|b|em|strong|span)\b[^>]*>"
        return " ".join(unescape(re.sub("<[^>]*>", " ", re.sub(within, "", self.text))).split())


class WebServer:
    """One server over a store; a context manager. `enter` uses the token up, as a browser does."""

    def __init__(self, store: Path, *arguments: object, env: dict[str, str] | None = None) -> None:
        command = [sys.executable, "-m", "corpus_agent", "--store", store, "web", *arguments]
        self._command = list(map(str, command))
        self._env = {**os.environ, "PYTHONPATH": str(REPOSITORY), **(env or {})}
        self.cookie = self.base = ""

    def __enter__(self) -> Self:
        self.process = subprocess.Popen(
            self._command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self._env,
            cwd=REPOSITORY,
        )
        self.url = self.process.stdout.readline().strip()
        assert "?token=" in self.url, self.process.stderr.read()
        sealed = "Seccomp:\t2\n" in Path(f"/proc/{self.process.pid}/status").read_text()
        assert sealed is not ("--unsealed" in self._command)
        self.origin, _, self.token = self.url.partition("/?token=")
        self.host = self.origin.removeprefix("http://")
        return self

    def __exit__(self, *exception: object) -> None:
        self.end()

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """The exit code after a signal, and all that it said on stderr."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            _, errors = self.process.communicate(timeout=20)
        finally:
            self.process.kill()
        return self.process.returncode, errors or ""

    def connect(self) -> socket.socket:
        name, port = self.host.split(":")
        return socket.create_connection((name, int(port)), SECONDS)

    def raw(self, data: bytes, seconds: float = SECONDS, *, last: bool = False) -> bytes:
        """All that comes back for these bytes, until the server closes or says nothing more.

        With `last` the server sees that nothing else comes.
        """
        with self.connect() as sock:
            sock.settimeout(seconds)
            found = b""
            try:
                sock.sendall(data)
                if last:
                    sock.shutdown(socket.SHUT_WR)
                while piece := sock.recv(65536):
                    found += piece
            except (TimeoutError, ConnectionError):
                pass
            return found

    def request(
        self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> Reply:
        given = {"Host": self.host, "Connection": "close", **(headers or {})}
        if body:
            given.setdefault("Content-Length", str(len(body)))
        lines = [f"{method} {path} HTTP/1.1", *(f"{n}: {v}" for n, v in given.items()), "", ""]
        return parsed(self.raw("\r\n".join(lines).encode("latin-1") + body))

    def enter(self) -> None:
        reply = self.request("GET", f"/?token={self.token}")
        assert reply.status == 200, reply
        found = re.fullmatch(
            r"corpus-agent=([\w-]+); Path=(/\w+)/; HttpOnly; SameSite=Strict",
            reply.headers["set-cookie"],
        )
        assert found, reply.headers
        self.cookie, self.base = found[1], found[2]

    @property
    def key(self) -> dict[str, str]:
        return {"Cookie": f"corpus-agent={self.cookie}"}

    def get(self, path: str, /, **query: object) -> Reply:
        given = f"?{urlencode(query)}" if query else ""
        return self.request("GET", f"{self.base}{path}{given}", headers=self.key)

    def post(self, path: str, /, **form: object) -> Reply:
        form_type = {"Content-Type": "application/x-www-form-urlencoded"}
        headers = {**self.key, **form_type, "Origin": self.origin, "Content-Length": "0"}
        body = urlencode(form).encode()
        headers["Content-Length"] = str(len(body))
        return self.request("POST", f"{self.base}{path}", body, headers)

    def followed(self, reply: Reply, seconds: float = SECONDS) -> Reply:
        """The page that a form led to, once nothing goes on there any more."""
        path = reply.headers["location"].removeprefix(self.base).partition("#")[0]
        until(lambda: not json.loads(self.get(f"{path}/progress").text)["open"], seconds)
        return self.get(path)


class _Received:
    def __init__(self, data: bytes) -> None:
        self.makefile = lambda _: io.BytesIO(data)


def parsed(data: bytes) -> Reply:
    if not data.startswith(b"HTTP/1.1 "):
        return Reply(0, {}, data)
    response = http.client.HTTPResponse(_Received(data))
    response.begin()
    headers = {name.lower(): value for name, value in response.getheaders()}
    try:
        body = response.read()
    except http.client.IncompleteRead as cut:  # to HEAD there is none
        body = cut.partial
    return Reply(response.status, headers, body)
