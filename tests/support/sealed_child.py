"""Runs a piece of Python in a fresh process, sealed or not: what the tests of the seal stand on."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

# Each snippet finds `outcome` (a dict that the test gets back), and errno names are easier to
# read in a failing test than numbers.
PROLOGUE = """
import ctypes, errno, json, os, socket, struct, subprocess, sys, threading
from pathlib import Path
outcome = {}
def attempt(name, action, *arguments):
    try:
        outcome[name] = action(*arguments)
    except OSError as error:
        outcome[name] = errno.errorcode.get(error.errno, str(error))
"""
_SEAL = """
from corpus_agent.seal import Gate, policy, seal, start_broker, TcpAddress, UnixAddress
root, store = Path(sys.argv[1]), Path(sys.argv[2])
"""
_EPILOGUE = """
print("\\n" + json.dumps(outcome))
"""


def python(
    code: str,
    *arguments: object,
    pass_fds: Sequence[int] = (),
    environment: dict[str, str] | None = None,
    ends: int = 0,
    seconds: float = 120,
) -> dict[str, Any]:
    """`outcome` as the code leaves it. The process must exit with `ends` (a signal: negative)."""
    script = PROLOGUE + textwrap.dedent(code) + (_EPILOGUE if ends == 0 else "")
    done = run(script, *arguments, pass_fds=pass_fds, environment=environment, seconds=seconds)
    assert done.returncode == ends, done.stdout + done.stderr
    outcome: dict[str, Any] = json.loads(done.stdout.splitlines()[-1]) if ends == 0 else {}
    return outcome


def run(
    script: str,
    *arguments: object,
    pass_fds: Sequence[int] = (),
    environment: dict[str, str] | None = None,
    seconds: float = 120,
    cwd: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """The finished process of `script`."""
    return subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **(environment or {})},
        cwd=cwd,
        pass_fds=pass_fds,
        timeout=seconds,
        check=False,
    )


def sealed(before: str, after: str, root: Path, store: Path, **options: Any) -> dict[str, Any]:
    """The outcome of running `before`, sealing on `root` and `store`, and running `after`."""
    parts = [_SEAL, textwrap.dedent(before)]
    parts += ["seal(policy(root, store))\n", textwrap.dedent(after)]
    return python("\n".join(parts), root, store, **options)


def unsealed(before: str, after: str, root: Path, store: Path, **options: Any) -> dict[str, Any]:
    parts = [_SEAL, textwrap.dedent(before), textwrap.dedent(after)]
    return python("\n".join(parts), root, store, **options)


KILLED = -signal.SIGSYS
