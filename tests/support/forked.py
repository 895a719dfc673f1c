"""The real command in a process of its own that begins with the imports done.

To start Python and to import what a search needs takes half a second of a processor, which most of
the commands that tests run only repeat. A server imports that once and forks for each command; what
the child does, alone, without a thread, is all that `python -m corpus_agent` does: it reads its
arguments and its environment, seals itself, loads LanceDB and the model, and ends as that ends.
What is about the start itself, about import, about terminals or signals runs the program anew.
"""

import contextlib
import gc
import importlib
import json
import os
import resource
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from tests.support import cost

# What these say is decided when Python or a library starts.
AT_THE_START = ("PYTHON", "LC_", "LANG", "LD_", "OMP_", "OPENBLAS_", "MALLOC_")

_SERVER = """
import sys
from tests.support.forked import serve
serve(int(sys.argv[1]))
"""

# What commands import and that starts no thread which would be missed: not LanceDB itself, nor
# ONNX Runtime, whose threads a seal would find, but all they stand on.
LIBRARIES = (
    *("asyncio", "pyarrow.compute", "pyarrow.dataset", "pydantic.json_schema"),
    *("safetensors", "tokenizers", "tqdm"),
)
_LANGUAGES = "indexer.embed.languages"
MODULES = ("corpus_agent.cli", "corpus_agent.service.session", _LANGUAGES)


@dataclass(frozen=True, slots=True)
class Ended:
    """A command that has ended, and what it wrote; without a code it was ended."""

    code: int | None
    out: bytes
    err: bytes


class Server:
    """The process that forks; started on first use, with `environment`, ended with the block."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._channel: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def run(
        self,
        arguments: Sequence[str],
        cwd: Path,
        environment: Mapping[str, str],
        given: bytes = b"",
        *,
        seconds: float | None = None,
        memory: int | None = None,
        code: str | None = None,
    ) -> Ended:
        """The command with these arguments, run to its end or for so long, with so many bytes.

        With `seconds` it has a session of its own, in which nothing is left behind. With `code`
        that is run in its place, as by `python -c`.
        """
        with (
            tempfile.TemporaryFile() as typed,
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
        ):
            typed.write(given)
            typed.seek(0)
            request = {"arguments": arguments, "cwd": str(cwd), "environment": dict(environment)}
            request |= {"seconds": seconds, "memory": memory, "code": code}
            code, used = self._ask(request, [typed.fileno(), out.fileno(), err.fileno()])
            cost.count_elsewhere(used)
            for file in (out, err):
                file.seek(0)
            return Ended(code, out.read(), err.read())

    def _ask(self, request: Mapping[str, object], files: Sequence[int]) -> tuple[int | None, float]:
        if self._channel is None:
            self._start()
        assert self._channel is not None
        with tempfile.TemporaryFile() as asked:  # of any length
            asked.write(json.dumps(request).encode())
            asked.seek(0)
            socket.send_fds(self._channel, [b"?"], [asked.fileno(), *files])
            answer = self._channel.recv(4_096)
        code, seconds = json.loads(answer)
        return code, seconds

    def _start(self) -> None:
        start = [sys.executable, "-P", "-c", _SERVER]
        self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [*start, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env={**self._environment, "OPENBLAS_NUM_THREADS": "1"},
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._channel is not None and self._process is not None:
            self._channel.close()
            self._process.wait()


def as_at_the_start(environment: Mapping[str, str]) -> bool:
    """Whether a program with this environment starts as the server did."""
    here = {name: os.environ.get(name) for name in {*os.environ, *environment} if _early(name)}
    return all(environment.get(name) == value for name, value in here.items())


def _early(name: str) -> bool:
    return name.startswith(AT_THE_START)


def serve(number: int) -> None:
    """Fork for each request until the channel ends; a child returns from here as the command."""
    _import()
    channel = socket.socket(fileno=number)
    while True:
        _, files, _, _ = socket.recv_fds(channel, 1, 4)
        if not files:
            return
        asked, *standard = files
        with os.fdopen(asked, "rb") as file:
            request = json.loads(file.read())
        pid = os.fork()
        if not pid:
            channel.detach()
            _become_the_command(request, standard)
            return
        for descriptor in standard:
            os.close(descriptor)
        channel.send(json.dumps(_waited_for(pid, request["seconds"])).encode())


def _waited_for(pid: int, seconds: float | None) -> tuple[int | None, float]:
    """The exit code of a command and the processor seconds it took; no code where it was ended."""
    ended = True
    if seconds is not None:
        process = os.pidfd_open(pid)
        ended = bool(select.select([process], [], [], seconds)[0])
        os.close(process)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)  # also what a command has left behind
    _, status, used = os.wait4(pid, 0)
    code = os.waitstatus_to_exitcode(status) if ended else None
    return code, used.ru_utime + used.ru_stime


def _import() -> None:
    for name in (*MODULES, *LIBRARIES):
        importlib.import_module(name)
    from pydantic import BaseModel

    type("Model", (BaseModel,), {})  # for which pydantic looks for its plugins in every package
    # Its model is unpacked for the first text that is not English.
    sys.modules[_LANGUAGES].language_of("Wer nicht fragt, der bleibt ein Leben lang dumm.")
    gc.collect()
    gc.freeze()  # a collection in a child would write to, and so copy, all of this


def _become_the_command(request: Mapping[str, Any], standard: Sequence[int]) -> None:
    for number, descriptor in enumerate(standard):
        os.dup2(descriptor, number)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    if request["seconds"] is not None:
        os.setsid()
    if (most := request["memory"]) is not None:
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["environment"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if (code := request["code"]) is not None:
        sys.argv = ["-c", *request["arguments"]]
        exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
    else:
        sys.argv = ["corpus-agent", *request["arguments"]]
        runpy.run_module("corpus_agent", run_name="__main__")
