"""A reader of .logbook files: entries that were written backwards, each on its line.

A line `title: Voyage` is the title. Try to reach the outside, too, and say how that went, so that a
test can see that the walls hold.
"""

import socket
from pathlib import Path

from indexer import Extraction, UnreadableDocument, part_lines


def read(data: bytes) -> Extraction:
    """The text of one file, which is all that the process was given."""
    if not data.startswith(b"LOGBOOK\n"):
        raise UnreadableDocument("malformed", "no log")
    entries = data.decode("utf-8").splitlines()[1:]
    title = next((line[7:] for line in entries if line.startswith("title: ")), None)
    turned = [line[::-1] for line in entries if not line.startswith("title: ")]
    # A list, which is nothing but slower for many lines.
    return Extraction(title, list(part_lines("Watch", "of the log", [*turned, _attempts()])))


def _attempts() -> str:
    done = []
    try:
        socket.create_connection(("127.0.0.1", 9), 1).close()
        done.append("connected")
    except PermissionError:
        done.append("no socket")
    except OSError as error:
        done.append(f"reached the network: {error.strerror}")
    for what, attempt in (
        ("read", lambda: Path("/etc/passwd").read_bytes()),
        ("wrote", lambda: Path("/tmp/example-logbook").write_bytes(b"x")),
    ):
        try:
            attempt()
            done.append(what)
        except OSError:
            done.append(f"not {what}")
    return f"attempts: {', '.join(done)}"
