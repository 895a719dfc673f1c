"""A child process that confines itself to reading one folder and becomes another program.

For programs that open files by path: a folder that is swapped for a link while they work would lead
them elsewhere, and the kernel judges the file, not the path. A process of its own, since a policy
cannot be applied between fork and exec of a parent that has threads. Called by
corpus_agent.workspace.ripgrep and indexer.parsers.tesseract, which run `command` and pass both
descriptors on.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from indexer.confine import starting
from indexer.confine.kernel import confine, die_with_parent
from indexer.confine.policy import FileRule, Limits, Policy, program_calls, system_files
from indexer.errors import SealUnavailable

# sysexits.h, EX_SOFTWARE and EX_OSERR: the program was not started, and why.
EXIT_UNCONFINED, EXIT_NOT_STARTED = 70, 71
MAX_ADDRESS_BYTES = 4 * 2**30

# The only variable: Tesseract would wait actively on as many threads as there are cores.
_ENVIRONMENT = {"OMP_THREAD_LIMIT": "1"}

# Neither the environment nor a current folder says what is imported, and no error of ours has the
# exit status of an error of the program's. Arguments are PARENT FOLDER ROOT PROGRAM NUMBER FILES…
# ARGUMENTS…
_BOOT = """
import os, sys
def not_started(*error):
    sys.__excepthook__(*error)
    os._exit({code})
sys.excepthook = not_started
sys.path.insert(0, {source!r})
from indexer.confine.program import main
main()
"""


def command(
    folder: int,
    root: int,
    program: Path,
    arguments: Sequence[str],
    files: Sequence[Path] = (),
) -> starting.Command:
    """The command that runs `program` in the open `folder`, reading below the open `root` alone.

    `files` are read besides, those that are there and to which no link leads. It ends as the
    program does, or with one of the two codes above; and with the thread that starts it.
    """
    boot = _BOOT.format(source=starting.packages(), code=EXIT_NOT_STARTED)
    numbers = (str(os.getpid()), str(folder), str(root))
    given = (*numbers, str(program), str(len(files)), *map(str, files), *arguments)
    return starting.Command(starting.python(boot, *given, installed=False))


def reading_policy(root: int, program: str, besides: Sequence[str] = ()) -> Policy:
    """What the program may do: read below the open `root`, `besides`, its libraries and itself."""
    files = (
        *(FileRule(Path(path), no_links=True, reason="ignore rules") for path in besides),
        FileRule(Path(f"/proc/self/fd/{root}"), required=True, reason="the folder"),
        FileRule(Path(program), "execute", required=True, reason="the program"),
        *system_files(),
    )
    return Policy(
        calls=program_calls(os.getpid()),
        files=files,
        limits=Limits(address_space_bytes=MAX_ADDRESS_BYTES),
        whole_disk=os.path.samestat(os.fstat(root), os.stat("/")),  # noqa: PTH116
    )


def main() -> None:
    """Confine this process and become the program; ends where that fails."""
    parent, folder, root, program, number, *rest = sys.argv[1:]
    files, arguments = rest[: int(number)], rest[int(number) :]
    try:
        die_with_parent(int(parent))
        os.fchdir(int(folder))
        confine(reading_policy(int(root), program, files))
        for descriptor in {int(folder), int(root)}:
            os.set_inheritable(descriptor, False)
        starting.become(starting.Command((program, *arguments), _ENVIRONMENT))
    except SealUnavailable as error:
        print(error.message, file=sys.stderr)  # noqa: T201 - the parent reads it
        os._exit(EXIT_UNCONFINED)
    except OSError as error:
        print(f"{program}: {error.strerror}", file=sys.stderr)  # noqa: T201
        os._exit(EXIT_NOT_STARTED)
