"""Lines of a document given as bytes, parsed in a process of its own."""

from __future__ import annotations

import os
from contextlib import closing

from indexer.parsers.protocol import decoded
from indexer.parsers.worker import WINDOW, Asked, Enough, Worker
from indexer.records import Line


def parsed_lines(data: bytes, name: str, enough: Enough) -> tuple[list[Line], bool]:
    """The lines of a document, as they would be indexed, and whether they are complete.

    Parsing stops when `enough` is satisfied; see fills_window. Raises UnreadableDocument.
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
