"""The lines of one document whose bytes are at hand, parsed in a process of its own."""

from __future__ import annotations

import os
from contextlib import closing

from indexer.parsers.protocol import decoded
from indexer.parsers.worker import WINDOW, Asked, Enough, Worker
from indexer.records import Line


def parsed_lines(data: bytes, name: str, enough: Enough) -> tuple[list[Line], bool]:
    """The lines of a document as the index has them, and whether these are all.

    No more are parsed than `enough` asks for; see fills_window. Raises UnreadableDocument.
    """
    descriptor = os.memfd_create("document", os.MFD_CLOEXEC)
    try:
        with os.fdopen(descriptor, "wb", closefd=False) as file:
            file.write(data)
        with closing(Worker()) as worker:
            text = worker.read(Asked(descriptor, name, enough, WINDOW))
    finally:
        os.close(descriptor)
    return list(decoded(text.encoding)), text.complete
