"""The program of every process that reads documents: does the jobs of one module on request.

Confines itself before it receives the first byte, and has access to that one document only. Never
imports LanceDB, a model or the agent. Its parent, `process`, enforces time and the size of answers
and does not trust them. The jobs here are the lines of a document, and its pages as pictures.
"""

from __future__ import annotations

import contextlib
import gc
import math
import os
import resource
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

from indexer.confine import confine, die_with_parent
from indexer.errors import SealUnavailable, UnreadableDocument
from indexer.extract import open_document
from indexer.extract.extraction import Extraction
from indexer.parsers import protocol
from indexer.parsers.limits import policy

MAX_DETAIL_CHARS = 300
MAX_TITLE_CHARS = 500
POLICY = policy

Answer = tuple[Mapping[str, Any], bytes]  # the values and the body of a message


def main(program: str, parent: int, *, confined: bool) -> None:
    """Do the jobs of the module `program` until the parent ends; standard input leads to it.

    The methods of the module's `Jobs` are its jobs, its `POLICY` is what the process may do; not
    `confined`, it is limited in memory and time alone.
    """
    module = import_module(program)
    gc.set_threshold(100_000)  # readers make many small objects, and hardly a cycle
    channel = _channel()
    sys.excepthook = lambda _, error, __: _crashed(channel, error)
    # After the exec, and in a domain below the parent's: so the parent's end reaches this process.
    die_with_parent(parent)
    try:
        if confined:
            confine(module.POLICY())
    except SealUnavailable as error:
        protocol.send(channel, {"unsealed": error.message, "hint": error.hint})
        return
    protocol.send(channel, {})  # ready
    with contextlib.suppress(EOFError, ConnectionError):
        jobs = module.Jobs()
        while True:
            _serve(channel, jobs)


def contents(descriptor: int) -> bytes:
    """The bytes of the document that came with a job."""
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        return file.readall()


def _serve(channel: socket.socket, jobs: object) -> None:
    """Do one job."""
    values, descriptor = protocol.receive_job(channel)
    job: Callable[..., Answer] = getattr(jobs, values.pop("job"))
    try:
        if limits := values.pop("limits", None):
            _allow(*limits)
        if descriptor >= 0:
            values["descriptor"] = descriptor
        protocol.send(channel, *job(**values))
    except UnreadableDocument as error:
        _unreadable(channel, error)
    except MemoryError:
        _unreadable(channel, UnreadableDocument("memory"))


def _allow(memory_bytes: int, cpu_seconds: int) -> None:
    """Let this process have so much memory, as its policy allows, and time from now on."""
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    memory = memory_bytes if most == resource.RLIM_INFINITY else min(memory_bytes, most)
    resource.setrlimit(resource.RLIMIT_AS, (memory, most))
    used = resource.getrusage(resource.RUSAGE_SELF)
    until = math.ceil(used.ru_utime + used.ru_stime) + cpu_seconds
    resource.setrlimit(resource.RLIMIT_CPU, (until, resource.RLIM_INFINITY))


def _channel() -> socket.socket:
    """The channel, moved away from the standard streams, which parsers may use; all else closed."""
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    channel = socket.socket(fileno=os.dup(0))
    os.dup2(1, 0)  # where nothing can be read, as nothing is seen that is printed
    return channel


def _unreadable(channel: socket.socket, error: UnreadableDocument) -> None:
    said = {"unreadable": error.reason, "detail": error.detail[:MAX_DETAIL_CHARS]}
    protocol.send(channel, {**said, "extractor": error.extractor, "waiting": error.waiting})


def _crashed(channel: socket.socket, error: BaseException) -> None:
    """Tell the parent of an unexpected exception, before the process ends."""
    with contextlib.suppress(OSError):
        _unreadable(channel, UnreadableDocument("crashed", f"{type(error).__name__}: {error}"))


# ---- The jobs of a process that reads

# Loaded for pages alone: a process that reads lines has no use for them, nor for numpy.
_SHOWING, _PICTURES = "indexer.extract.pdf.showing", "indexer.extract.ocr.pictures"


class Jobs:
    """Those of lines, and those of pages, which are numbered from 1."""

    parse: Callable[[bytes, str], Extraction] = staticmethod(open_document)
    show: Callable[[bytes], Any] = staticmethod(lambda data: import_module(_PICTURES).opened(data))

    def __init__(self) -> None:
        self._opened: Any = None

    def open(self, descriptor: int, source: str) -> Answer:
        """Take a document, and say what reads it; some extractors do all their work here."""
        self._opened = None  # the one before makes room first
        self._opened = self.parse(contents(descriptor), source)
        return {"extractor": self._opened.extractor}, b""

    def lines(self, max_lines: int, max_chars: int) -> Answer:
        """The next lines, and after the last one what is said of the whole document."""
        opened, batch, chars = self._opened, [], 0
        for line in islice(opened.lines, max_lines):
            batch.append(line)
            chars += len(line.text) + 1
            if chars >= max_chars:
                break
        body = protocol.encoded(batch) if batch else b""
        if len(batch) == max_lines or chars >= max_chars:
            return {}, body
        title, remark = (opened.title or "")[:MAX_TITLE_CHARS], opened.remark[:MAX_DETAIL_CHARS]
        of_all = {"extractor": opened.extractor, "title": title, "remark": remark}
        return {**of_all, "author": opened.own.author, "date": opened.own.date}, body

    def pages(self, descriptor: int) -> Answer:
        """How many pages a document has."""
        self._opened = None
        self._opened = self.show(contents(descriptor))
        return {"pages": self._opened.count}, b""

    def points(self, number: int, width: int) -> Answer:
        """A page as a picture."""
        return protocol.answer_of(self._opened.points(number, width))

    def outline(
        self, number: int, quotation: str, near: float | None, words: Sequence[Sequence[Any]]
    ) -> Answer:
        """The places of a quotation, each with its page; `words` are those recognised on it."""
        if words:
            showing = import_module(_SHOWING)
            lines = (line for _, line in groupby(words, key=itemgetter(0)))
            letters = showing.letters_of_words([[(w[5], tuple(w[1:5])) for w in x] for x in lines])
            found = [(number, box) for box in showing.outlined(quotation, letters, near)]
        else:
            found = self._opened.outline(number, quotation, near)
        boxes = [[page, *(round(share, 5) for share in box)] for page, box in found]
        return {"boxes": boxes[: protocol.MAX_BOXES]}, b""
