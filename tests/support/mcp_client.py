"""An MCP client of a few lines that sees every byte the server writes, as no SDK's does."""

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

SECONDS = 120.0  # loading a model on a busy machine


class RawClient:
    """One session over pipes; a context manager. Each line that comes must be JSON-RPC."""

    def __init__(
        self,
        *arguments: object,
        command: Sequence[str] = (sys.executable, "-m", "corpus_agent"),
        version: str = "2025-11-25",
        cwd: Path | None = None,
        env: dict[str, str] | None = None,
    ) -> None:
        self._command = [*command, *map(str, arguments)]
        self._version = version
        self._options = {"cwd": cwd, "env": {**os.environ, **(env or {})}}
        self._lines: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self.received: list[dict[str, Any]] = []
        self._sent = 0

    def __enter__(self) -> Self:
        self.process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **self._options,
        )
        self.errors: list[str] = []
        self._threads = [threading.Thread(target=t) for t in (self._read, self._read_errors)]
        for thread in self._threads:
            thread.start()
        client = {"name": "raw", "version": "1"}
        about = {"protocolVersion": self._version, "capabilities": {}, "clientInfo": client}
        self.about = self.result(self.request("initialize", about))
        self.notify("notifications/initialized")
        return self

    def __exit__(self, *exception: object) -> None:
        self.process.stdin.close()
        try:
            self.process.wait(10)
        finally:
            self.process.kill()
            self.process.wait()
            for thread in self._threads:
                thread.join()
            self.process.stdout.close()
            self.process.stderr.close()

    def send(self, line: str) -> None:
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def notify(self, method: str, params: dict[str, Any] | None = None) -> None:
        self.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params or {}}))

    def request(self, method: str, params: dict[str, Any] | None = None) -> int:
        self._sent += 1
        message = {"jsonrpc": "2.0", "id": self._sent, "method": method, "params": params or {}}
        self.send(json.dumps(message))
        return self._sent

    def result(self, number: int) -> dict[str, Any]:
        """The result of a request, or its error; what comes in between is kept in `received`."""
        while True:
            for message in self.received:
                if message.get("id") == number:
                    return message.get("result", message)
            message = self._lines.get(timeout=SECONDS)
            assert message is not None, "".join(self.errors)
            self.received.append(message)

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        return self.result(self.request("tools/call", {"name": tool, "arguments": arguments}))

    def text(self, tool: str, *, is_error: bool = False, **arguments: object) -> str:
        result = self.call(tool, **arguments)
        assert result["isError"] is is_error, result
        return "".join(part["text"] for part in result["content"])

    def error(self, tool: str, **arguments: object) -> str:
        return self.text(tool, is_error=True, **arguments)

    def _read(self) -> None:
        try:
            for line in self.process.stdout:
                message = json.loads(line)
                assert message["jsonrpc"] == "2.0"
                self._lines.put(message)
        finally:
            self._lines.put(None)

    def _read_errors(self) -> None:
        self.errors.extend(self.process.stderr)
