"""The one socket of the server, made before the seal, and the browser, started before it."""

from __future__ import annotations

import errno
import os
import secrets
import socket
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

from indexer import CorpusError
from indexer.confine import starting

LOOPBACK = "127.0.0.1"
PORT = 8377
MOST_TRIED = 20  # ports after the first, where nobody named one
BACKLOG = 64
_BROWSERS = ("xdg-open", "sensible-browser")
_OPENED: list[subprocess.Popen[bytes]] = []  # browsers that nobody waits for yet
_HANDED_OVER = "corpus-agent-web.html"


@dataclass(frozen=True, slots=True)
class DoorKeys:
    """What opens the door: a token for one visit, the cookie that it becomes, the cookie's path.

    A browser sends a cookie to every port of this machine, but only below the cookie's path; nobody
    else serves a path that cannot be guessed.
    """

    token: str
    cookie: str
    base: str


@dataclass(frozen=True, slots=True)
class ServedSocket:
    """A socket that listens; a request must name its `host`, and a form come from its `origin`."""

    socket: socket.socket
    host: str
    origin: str

    def url(self, keys: DoorKeys) -> str:
        """The address to open in a browser."""
        return f"{self.origin}/?token={keys.token}"


def new_keys() -> DoorKeys:
    """Keys that nobody can guess."""
    return DoorKeys(
        secrets.token_urlsafe(32), secrets.token_urlsafe(32), f"/{secrets.token_hex(8)}"
    )


def listen(port: int | None) -> ServedSocket:
    """A socket at a port of this machine: that one, or the first free one from 8377 on."""
    wanted = range(PORT, PORT + MOST_TRIED) if port is None else (port,)
    for each in wanted:
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            # Not SO_REUSEPORT: another process could then take connections of this port.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind((LOOPBACK, each))
            sock.listen(BACKLOG)
        except OSError as error:
            sock.close()
            if error.errno == errno.EADDRINUSE:
                continue
            raise CorpusError(
                f"Port {each} may not be served.", "Name another: corpus-agent web --port N"
            ) from None
        host = f"{LOOPBACK}:{sock.getsockname()[1]}"
        return ServedSocket(sock, host, f"http://{host}")
    named = f"Port {port} is" if port is not None else f"Ports {PORT} to {wanted[-1]} are"
    raise CorpusError(f"{named} taken.", "Name another: corpus-agent web --port N")


def open_browser(url: str) -> str | None:
    """Start the user's browser at `url`, before the seal; why not, None if it was started.

    Other users see the arguments of programs, so that the browser is given a file in this user's
    runtime folder (XDG_RUNTIME_DIR) that leads there.
    """
    program = next(filter(None, map(starting.find_program, _BROWSERS)), None)
    if program is None:
        return f"No browser was found (none of {', '.join(_BROWSERS)})."
    folder = Path(os.environ.get("XDG_RUNTIME_DIR", ""))
    if not folder.is_absolute() or not _is_own(folder):
        return "There is no folder of your own (XDG_RUNTIME_DIR) to hand the address over in."
    page = folder / _HANDED_OVER
    try:
        page.unlink(missing_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(page, flags, 0o600), "w") as file:
            file.write(f'<!doctype html><meta http-equiv="refresh" content="0;url={url}">')
        variables = {**starting.common_variables(), **starting.variables(*starting.DESKTOP)}
        command = starting.Command((str(program), page.as_uri()), variables)
        null = subprocess.DEVNULL
        _OPENED.append(
            starting.popen(command, stdin=null, stdout=null, stderr=null, own_session=True)
        )
    except OSError:
        return "The browser could not be started."
    return None


def wait_for_browsers() -> None:
    """Have what was opened waited for, that none stays a zombie; after the seal: by threads."""
    while _OPENED:
        Thread(target=_OPENED.pop().wait, name="browser", daemon=True).start()


def _is_own(folder: Path) -> bool:
    """Whether a folder is this user's and closed to others."""
    try:
        info = folder.stat()
    except OSError:
        return False
    return info.st_uid == os.geteuid() and not stat.S_IMODE(info.st_mode) & 0o077
