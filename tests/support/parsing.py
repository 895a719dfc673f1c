"""A parser process that does what a document orders, and what it gives for one."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from indexer.errors import UnreadableDocument
from indexer.parsers import protocol
from indexer.parsers.worker import Text, Worker

OBEYING = "tests.attacks.obeying_worker"


@contextmanager
def file_of(data: bytes) -> Iterator[int]:
    descriptor = os.memfd_create("test")
    try:
        os.write(descriptor, data)
        yield descriptor
    finally:
        os.close(descriptor)


def read(worker: Worker, data: bytes, **asked: object) -> Text:
    with file_of(data) as descriptor:
        return worker.read(descriptor, "a.txt", **asked)


def lines(worker: Worker, data: bytes) -> list[str]:
    return [line.text for line in protocol.decoded(read(worker, data).encoding)]


def reason(worker: Worker, data: bytes) -> str:
    with pytest.raises(UnreadableDocument) as caught:
        read(worker, data)
    return caught.value.reason


# For code in a process of its own that reads documents.
READING = """
import os, shutil, sys
from contextlib import closing
from pathlib import Path
from indexer.files.walk import walk
from indexer.index import Index
from indexer.parsers.worker import Worker
from indexer.store.texts import TEXTS_FOLDER, Texts
from indexer.sync.read import copied, read_all
from indexer.window import cut_window
from tests.support.parsing import OBEYING
from tests.support.toy_index import CHUNKER, ENCODER, sync
"""
