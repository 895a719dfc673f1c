"""A recognising process whose engine does what an attacker would who took it over.

rapidocr is loaded and has read a page before. Each attempt becomes a line: the name of the errno,
or "done". Called in the test's own process as the control.
"""

from __future__ import annotations

import errno
import os
import signal
import socket
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from indexer.extract.ocr.engine import RapidEngine, Recognition
from indexer.extract.ocr.pictures import Picture
from indexer.extract.ocr.reading_order import Piece
from indexer.parsers import recognising

HANG, DIE, ATTACK = 101, 102, 103  # the height of a page says what is done


POLICY = recognising.POLICY


class Obeying(RapidEngine):
    def read(self, picture: Picture) -> tuple[Recognition, Picture]:
        height = picture.shape[0]
        if height == HANG:
            time.sleep(1_000)
        if height == DIE:
            os.kill(os.getpid(), signal.SIGABRT)
        if height != ATTACK:
            return super().read(picture)
        super().read(np.full((64, 64, 3), 255, np.uint8))  # everything is loaded
        pieces = [
            Piece(0, 40.0 * n, 400, 40.0 * n + 30, f"{name} {outcome} and so on and on", 1.0)
            for n, (name, outcome) in enumerate(attempts())
        ]
        return Recognition(tuple(pieces), 0, 0.0), picture


class Jobs(recognising.Jobs):
    engine = Obeying


def attempts(folder: Path = Path("/tmp")) -> list[tuple[str, str]]:
    """What each attempt meets."""
    tries: Sequence[tuple[str, Callable[[], object]]] = (
        ("socket", lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()),
        ("write", lambda: (folder / "corpus-agent-attempt").write_text("x")),
        ("read", lambda: Path("/etc/passwd").read_bytes()),
        ("program", _start),
    )
    return [(name, _outcome(attempt)) for name, attempt in tries]


def _start() -> None:
    os.waitpid(os.posix_spawn("/bin/true", ["/bin/true"], {}), 0)


def _outcome(attempt: Callable[[], object]) -> str:
    try:
        attempt()
    except OSError as error:
        return errno.errorcode[error.errno or 0]
    return "done"
