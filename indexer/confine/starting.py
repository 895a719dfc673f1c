"""Starts all programs: by absolute path, with listed variables, in a safe working folder.

The user's working folder may contain untrusted modules, programs and libraries. So no process runs
in it, imports from it, or gets a variable that points to it. The only module that starts programs
(a test searches for others); forks of this process are not meant. Imports `subprocess` on first
use: sealing comes first.
"""

from __future__ import annotations

import os
import site
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, NoReturn

from indexer.errors import CorpusError

if TYPE_CHECKING:
    from subprocess import CompletedProcess, Popen

FOLDER = "/"  # working folder of our processes: only root can write there

# The variables that a program inherits, besides those that its caller sets: words, numbers, and
# places. All others are dropped: keys, PYTHONPATH, PYTHONSTARTUP, LD_PRELOAD, OMP_TOOL_LIBRARIES
# and all that another library might take for the name of something to load.
LANGUAGE = ("LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_COLLATE", "LC_NUMERIC", "LC_TIME", "TZ")
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS")
DEVICES = ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "HIP_VISIBLE_DEVICES", "NO_COLOR")
FOLDERS = (
    *("HOME", "TMPDIR", "VIRTUAL_ENV", "XDG_CACHE_HOME"),
    *("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"),
)
DESKTOP = (  # for a program with a window
    *("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS"),
    *("XDG_CURRENT_DESKTOP", "XDG_SESSION_TYPE", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS"),
)
LIBRARIES = "LD_LIBRARY_PATH"  # some interpreters do not start without it
_LISTS = ("PATH", LIBRARIES)

# -I: neither the environment nor a folder that one stands in names modules, and no site of the
# user's is run; -B: nothing is written beside the program.
_ISOLATED = ("-I", "-B")
# Where packages were installed with `pip install --user`: found as here, before those of all.
_USER_SITE = """\
import site, sys
site.USER_SITE = {folder!r}
_installed = [n for n, path in enumerate(sys.path) if path.endswith("-packages")]
sys.path.insert(min(_installed, default=len(sys.path)), site.USER_SITE)
"""
_RUN_MODULE = """\
import sys
folder, module = sys.argv[1:3]
del sys.argv[1:3]
if folder not in sys.path:
    sys.path.insert(0, folder)
import runpy
runpy.run_module(module, run_name="__main__", alter_sys=True)
"""


@dataclass(frozen=True, slots=True)
class Command:
    """A program by absolute path, with its arguments and all its environment variables."""

    arguments: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a program that is not an absolute path."""
        if not Path(self.arguments[0]).is_absolute():
            raise CorpusError(
                f"{self.arguments[0]!r} is not the absolute path of a program.",
                "Start this Python by its full path.",
            )


# ---- Which program


def packages() -> str:
    """The folder that holds this program's packages."""
    return str(Path(__file__).resolve().parents[2])


def user_site() -> str | None:
    """The folder of `pip install --user` if this process imports from it; else None."""
    folder = site.getusersitepackages()
    return folder if folder in sys.path else None


def with_user_site(code: str) -> str:
    """The code that imports packages of the user's site, too, if this process does; runs none."""
    folder = user_site()
    return code if folder is None else _USER_SITE.format(folder=folder) + code


def python(code: str, *arguments: str, installed: bool = True) -> tuple[str, ...]:
    """The command that runs `code` in a fresh interpreter that imports only installed modules."""
    if installed:
        return (sys.executable, *_ISOLATED, "-c", with_user_site(code), *arguments)
    return (sys.executable, *_ISOLATED, "-S", "-c", code, *arguments)


def python_module(module: str, *arguments: str) -> tuple[str, ...]:
    """The command that runs one of our modules, like `python -m`, from this program's own code."""
    return python(_RUN_MODULE, packages(), module, *arguments)


def find_program(name: str) -> Path | None:
    """The absolute path of the program of that name on PATH; None if there is none."""
    from shutil import which

    found = which(name, path=_trusted_list(os.environ.get("PATH", os.defpath)))
    return Path(found) if found else None


# ---- With which variables


def variables(*names: str, prefix: str | None = None) -> dict[str, str]:
    """The variables of this process with these names or this `prefix`, absolute paths alone."""
    found = {}
    for name, value in os.environ.items():
        if name in names or (prefix is not None and name.startswith(prefix)):
            clean = _cleaned(name, value)
            if clean:
                found[name] = clean
    return found


def common_variables() -> dict[str, str]:
    """The variables for a program that needs settings, folders and devices."""
    return variables(*LANGUAGE, *THREADS, *DEVICES, *FOLDERS, *_LISTS)


def _cleaned(name: str, value: str) -> str:
    if name in _LISTS:
        return _trusted_list(value)
    if name in FOLDERS:
        return value if Path(value).is_absolute() else ""
    return value


def _trusted_list(value: str) -> str:
    """A list of folders without entries that depend on the working folder."""
    try:
        here = Path.cwd().resolve()
    except OSError:  # it is gone
        here = None
    entries = value.split(os.pathsep)
    absolute = (entry for entry in entries if Path(entry).is_absolute())
    return os.pathsep.join(entry for entry in absolute if Path(entry).resolve() != here)


# ---- Starting it


def popen(
    command: Command,
    *,
    stdin: int | IO[bytes] | None,
    stdout: int | IO[bytes] | None,
    stderr: int | IO[bytes] | IO[str] | None,
    pass_fds: Sequence[int] = (),
    own_session: bool = False,
) -> Popen[bytes]:
    """The running process, with pipes as in subprocess; raises OSError."""
    from subprocess import Popen

    return Popen(
        command.arguments,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        pass_fds=pass_fds,
        start_new_session=own_session,
        cwd=FOLDER,
        env=dict(command.environment),
    )


def run(
    command: Command, *, given: str | None = None, seconds: float | None = None
) -> CompletedProcess[str]:
    """The finished process with what it printed, in UTF-8; raises OSError, TimeoutExpired."""
    import subprocess

    return subprocess.run(
        command.arguments,
        input=given or "",
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=seconds,
        cwd=FOLDER,
        env=dict(command.environment),
        check=False,
    )


def become(command: Command) -> NoReturn:
    """Replace this process by the program, in the current working folder; raises OSError."""
    program = command.arguments[0]
    os.execve(program, command.arguments, dict(command.environment))  # noqa: S606 - no shell
