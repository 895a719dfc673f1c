"""Opens a document in a program of the user's: by a process that was started before the seal.

That process has read no document. It is told a source, opens it beneath the folder as a parser's
bytes are (no link, no hidden file), asks whether it may, and starts a viewer, or an editor at a
line. What the sealed process may have it do is to show a document of the corpus, if it is let. A
viewer may go by what a file begins with, so that is told where it is not what its name says.
"""

from __future__ import annotations

import json
import os
import select
import shlex
import signal
import subprocess
import termios
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from io import FileIO
from pathlib import Path
from typing import NoReturn

from corpus_agent.service.beginnings import SAMPLE_BYTES, differing
from corpus_agent.service.places import sources_of
from corpus_agent.text.naming import MAX_PATH, quoted, spellings
from corpus_agent.text.sanitize import one_line
from indexer import CorpusError, Refused, open_beneath, paths
from indexer.confine import starting

# Shown by viewers of their own. All else is text for an editor, web pages too: a browser would run
# them, and load what they name.
_OF_VIEWERS = """
    .pdf .epub .png .jpg .jpeg .tif .tiff .webp .bmp .gif .docx .xlsx .pptx .odt .ods .odp .doc .xls
    .ppt .rtf
"""
VIEWED = frozenset(_OF_VIEWERS.split())
# Text that a viewer may show where no editor is named.
_OF_TEXT = """
    .md .markdown .txt .csv .tsv .tex .org .rst .log
"""
PLAIN = frozenset(_OF_TEXT.split())
_GOTO = frozenset({"code", "codium", "code-oss", "cursor", "windsurf"})  # take -g FILE:LINE
_TERMINAL = ("TERM", "COLORTERM", "TERMINFO", "SHELL", "USER", "LOGNAME")
MAX_REQUEST_BYTES = 64_000
MAX_LINE = 10**9
LEAST_SECONDS = 2.0  # in which a viewer says that it cannot

# Whether this source may be opened with that program; what it is by its bytes, "" if as named.
Agree = Callable[[str, str, str], bool]
# What xdg-open means by its exit code.
_XDG = {2: "does not find the file", 3: "finds no program for {kind}", 4: "could not start one"}


class Opener:
    """The process that opens documents; ends with this object or this process."""

    def __init__(self, requests: int, replies: int, pid: int) -> None:
        """Use `start`."""
        self._requests = os.fdopen(requests, "wb", buffering=0)
        self._replies = os.fdopen(replies, "rb")
        self._pid = pid
        self._unread = 0  # replies: of a request that was stopped one is still to come

    @classmethod
    def start(cls, roots: Mapping[str, Path], agree: Agree | None = None) -> Opener:
        """An opener of documents below `roots`; call it before the seal and before any thread.

        `roots` are by what the sources of each begin with, "" of one alone. Without `agree` the
        user is asked at the terminal.
        """
        requests, to_opener = os.pipe()
        answers, from_opener = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(to_opener)
            os.close(answers)
            _serve(requests, from_opener, roots, agree)
        os.close(requests)
        os.close(from_opener)
        return cls(to_opener, answers, pid)

    def open(self, source: str, line: int) -> str:
        """What was started; raises CorpusError with the reason why nothing was.

        Interrupted, it withdraws the question that the user may be asked.
        """
        request = json.dumps({"source": source, "line": line}).encode("ascii") + b"\n"
        try:
            self._requests.write(request)
        except BrokenPipeError:
            raise CorpusError("The process that opens documents has ended.") from None
        self._unread += 1
        try:
            while self._unread:
                replied = self._replies.readline()
                self._unread -= 1
        except KeyboardInterrupt:
            with suppress(BrokenPipeError):
                self._requests.write(b"\n")  # the next request, which names nothing
                self._unread += 1
            raise
        reply = json.loads(replied or b'{"problem": "It ended.", "hint": ""}')
        if "problem" in reply:
            raise CorpusError(reply["problem"], reply["hint"])
        return str(reply["started"])

    def close(self) -> None:
        """End the process and wait for it."""
        self._requests.close()
        self._replies.close()
        with suppress(ChildProcessError):
            os.waitpid(self._pid, 0)


def _serve(requests: int, replies: int, roots: Mapping[str, Path], agree: Agree | None) -> NoReturn:
    """Open what is asked for until the other end is closed."""
    # Ctrl-C is for what it has started, and for whoever waits for that, who withdraws a question.
    signal.signal(signal.SIGINT, lambda *_: None)
    agree = agree or partial(asked_at_terminal, requests)
    status = 1
    try:
        # Nothing is read ahead: that the next request has come is seen while a question is open.
        with (
            os.fdopen(requests, "rb", buffering=0) as asked,
            os.fdopen(replies, "wb", buffering=0) as answers,
        ):
            for request in _lines(asked):
                answers.write(json.dumps(_answer(roots, request, agree)).encode("ascii") + b"\n")
        status = 0
    finally:
        os._exit(status)  # what the parent has to tidy up is not this process's


def _lines(asked: FileIO) -> Iterator[bytes]:
    """What is asked for, a line each; nothing of one that is too long."""
    while line := asked.readline(MAX_REQUEST_BYTES):
        whole = line.endswith(b"\n")
        while not line.endswith(b"\n") and (line := asked.readline(MAX_REQUEST_BYTES)):
            pass
        yield line if whole else b""


def _answer(roots: Mapping[str, Path], request: bytes, agree: Agree) -> dict[str, str]:
    """What came of a request, which nobody trusts."""
    try:
        asked = json.loads(request)
        source, line = asked["source"], asked["line"]
        if not (isinstance(source, str) and type(line) is int and 1 <= line <= MAX_LINE):
            raise ValueError("no source and line")
        if not paths.may_be_named(source):
            raise ValueError("no name of a file")
    except (ValueError, KeyError, TypeError, RecursionError):
        return {"problem": "That names no document.", "hint": ""}
    try:
        return {"started": opened(roots, source, line, agree)}
    except CorpusError as error:
        return {"problem": error.message, "hint": error.hint}
    except OSError as error:
        return {"problem": f"{quoted(source)} cannot be opened: {error.strerror}.", "hint": ""}


def opened(roots: Mapping[str, Path], source: str, line: int, agree: Agree) -> str:
    """The name of the program that was started; raises CorpusError, OSError."""
    prefix = max((each for each in roots if source.startswith(each)), key=len, default=None)
    if prefix is None:
        raise Refused(f"{quoted(source)} is of no index that is read.", code="bad_argument")
    descriptor = open_beneath(roots[prefix], source.removeprefix(prefix))
    try:
        path = Path(f"/proc/self/fd/{descriptor}").readlink()  # as it is called on the disk
        sample = os.pread(descriptor, SAMPLE_BYTES, 0)
    finally:
        os.close(descriptor)
    suffix = path.suffix.lower()
    has_editor = bool(os.environ.get("VISUAL") or os.environ.get("EDITOR"))
    views = suffix in VIEWED or (suffix in PLAIN and not has_editor)
    words = _viewer(path) if views else _editor(path, line, os.environ)
    differs = differing(suffix, sample) if views else ""
    if not agree(source, Path(words[0]).name, differs):
        why = f": its bytes are {differs}, which its name does not say" if differs else ""
        where = f"It is {_shown(path)}."
        raise Refused(f"{quoted(source)} was not opened{why}.", where, code="bad_argument")
    _run(words, path, waits=not views)
    return one_line(Path(words[0]).name)


def _shown(path: Path) -> str:
    """The path of a document, whole, for whoever opens it by hand."""
    return quoted(str(path), MAX_PATH)


def _viewer(path: Path) -> list[str]:
    program = starting.find_program("xdg-open")
    if program is None:
        raise CorpusError(
            f"There is no xdg-open, which finds a program for {_kind(path)}.",
            f"It is {_shown(path)}.",
        )
    return [str(program), str(path)]


def _editor(path: Path, line: int, environ: Mapping[str, str]) -> list[str]:
    """The command of the user's editor at a line."""
    try:
        given = shlex.split(environ.get("VISUAL") or environ.get("EDITOR") or "")
    except ValueError as error:
        raise CorpusError(f"VISUAL or EDITOR is no command ({error}).", "Mend it.") from None
    if not given:
        raise CorpusError(
            f"{_kind(path)} is for an editor, and VISUAL or EDITOR names none.",
            f"It is {_shown(path)}, line {line}.",
        )
    program = given[0] if given[0].startswith("/") else starting.find_program(given[0])
    if program is None:
        raise CorpusError(
            f"There is no editor {quoted(given[0])}, which VISUAL or EDITOR names.",
            f"It is {_shown(path)}, line {line}.",
        )
    place = ["-g", f"{path}:{line}"] if Path(program).name in _GOTO else [f"+{line}", str(path)]
    return [str(program), *given[1:], *place]


def _kind(path: Path) -> str:
    return f"a {one_line(path.suffix)} file" if path.suffix else "a file without an ending"


def _run(words: list[str], path: Path, *, waits: bool) -> None:
    """Run an editor until it ends; start a viewer and look whether it fails at once."""
    wanted = starting.variables(*starting.DESKTOP, *_TERMINAL)
    command = starting.Command(tuple(words), {**starting.common_variables(), **wanted})
    stream = None if waits else subprocess.DEVNULL
    process = starting.popen(
        command, stdin=stream, stdout=stream, stderr=stream, own_session=not waits
    )
    try:
        code = process.wait(None if waits else LEAST_SECONDS)
    except subprocess.TimeoutExpired:
        return
    if code:
        name, known = quoted(Path(words[0]).name), "" if waits else _XDG.get(code, "")
        means = f"{known.format(kind=_kind(path))} (exit code {code})" if known else ""
        text = (
            ""
            if waits or path.suffix.lower() in VIEWED
            else " Text is opened in an editor where EDITOR names one."
        )
        means = means or f"ended with exit code {code}"
        raise CorpusError(f"{name} {means}.", f"It is {_shown(path)}.{text}")


def named_by(typed: str, roots: Mapping[str, Path]) -> Agree:
    """Agrees to the document whose name was typed, if its bytes are what that says."""
    place, names = typed, {typed}
    while (parts := place.rpartition(":"))[1] and parts[2].isdecimal():  # a line, and a count
        place = parts[0]
        names.add(place)
    meant = {source for name in names for source in sources_of(name, roots)}

    def agrees(source: str, _: str, differs: str) -> bool:
        named = source in meant or not names.isdisjoint(spellings(source))
        return named and not differs

    return agrees


def asked_at_terminal(requests: int, source: str, program: str, differs: str) -> bool:
    """Whether the user says yes at the terminal; no without one.

    Enter alone is yes, unless the bytes are another kind than the name. It is no, and nothing is
    read, as soon as there is another request or nobody left who asks.
    """
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return False
    either = select.poll()
    either.register(requests, select.POLLIN)
    try:
        if either.poll(0):
            return False
        but = f", whose bytes are {differs}," if differs else ""
        choice = "[y/N]" if differs else "[Y/n]"
        asked = f"Open {quoted(source)}{but} with {one_line(program)}? {choice} "
        # What was typed before agrees to nothing, and neither does the end of what is typed.
        termios.tcflush(terminal, termios.TCIFLUSH)
        os.write(terminal, asked.encode("utf-8", "replace"))
        either.register(terminal, select.POLLIN)
        if requests in dict(either.poll()):
            return False
        yes = (b"y\n", b"yes\n") if differs else (b"\n", b"y\n", b"yes\n")
        return os.read(terminal, 100).strip(b" \t\r").lower() in yes
    except termios.error:
        return False
    finally:
        os.close(terminal)
