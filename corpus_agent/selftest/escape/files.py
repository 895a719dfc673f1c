"""Attempts to reach files: outside of the corpus, through links, by their attributes, to write.

A failed attempt raises OSError. probes.py lists them; nothing else calls them.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from corpus_agent.selftest.escape.attempt import MESSAGE, Surroundings, by_number

_ATTRIBUTE, _IN_OPEN = "user.corpus-agent", 0x20


def read_outside(around: Surroundings, _: object) -> None:
    """Read the secret."""
    around.secret.read_bytes()


def through_a_link(around: Surroundings, _: object) -> None:
    """Read the secret through a link inside the corpus."""
    (Path(around.root) / "link.txt").read_bytes()


def set_attribute(around: Surroundings) -> None:
    """Set an attribute of the secret, as a browser records the origin of a file."""
    with contextlib.suppress(
        OSError
    ):  # a file system without attributes: the control then reports it
        os.setxattr(around.secret, _ATTRIBUTE, MESSAGE)


def read_attribute(around: Surroundings, _: object) -> None:
    """Read an attribute of the secret, by its path."""
    os.getxattr(around.secret, _ATTRIBUTE)


def list_attributes(around: Surroundings, _: object) -> None:
    """List the attributes of the secret, by its path."""
    os.listxattr(around.secret)


def watch_outside(around: Surroundings, _: object) -> None:
    """Have the kernel name the file that is opened in a folder that may not be listed."""
    descriptor = by_number("inotify_init1", os.O_NONBLOCK)
    by_number("inotify_add_watch", descriptor, os.fsencode(around.outside), _IN_OPEN)
    around.secret.read_bytes()
    os.read(descriptor, 4096)
    os.close(descriptor)


def write_outside(around: Surroundings, _: object) -> None:
    """Write a file where other programs may find it."""
    (Path(around.outside) / "new.txt").write_bytes(MESSAGE)


def write_root(around: Surroundings, _: object) -> None:
    """Write a file among the documents."""
    (Path(around.root) / "new.txt").write_bytes(MESSAGE)


def read_document(around: Surroundings, _: object) -> None:
    """Read a document of the corpus by its path."""
    (Path(around.root) / "document.txt").read_bytes()


def write_store(around: Surroundings, _: object) -> None:
    """Write a file in the store."""
    (Path(around.store) / "new.txt").write_bytes(MESSAGE)


def truncate(around: Surroundings, _: object) -> None:
    """Destroy the secret."""
    os.truncate(around.secret, 0)
