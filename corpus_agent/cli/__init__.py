"""The command line: parse, build, call one function, print. The only package that knows click.

`group` calls commands and turns errors into exit codes, `common` has their options, settings and
launch, `printing` their output; each other module has the commands of one kind.
"""

import atexit
import contextlib
import os
import sys
import threading

from corpus_agent.cli import asking, care, indexing, serving, tabling  # noqa: F401 - the commands
from corpus_agent.cli.common import main

__all__ = ["main", "run"]


def run() -> None:
    """The installed command: `main`, and an end that does not take every module apart first.

    That takes a tenth of a second after a search. What is registered for the end runs, and what
    was printed is written; where a thread still works or the output is closed, it ends as ever.
    """
    try:
        main(prog_name="corpus-agent")
    except SystemExit as ended:
        if isinstance(ended.code, int) and not any(map(_is_waited_for, threading.enumerate())):
            atexit._run_exitfuncs()
            with contextlib.suppress(OSError):  # which the interpreter will meet again, and say
                for stream in filter(None, (sys.stdout, sys.stderr)):  # none where it was closed
                    stream.flush()
                os._exit(ended.code)
        raise


def _is_waited_for(thread: threading.Thread) -> bool:
    return not thread.daemon and thread is not threading.main_thread()
