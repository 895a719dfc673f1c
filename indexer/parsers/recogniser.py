"""Pages in, recognised text out, even if a process dies; what is installed to recognise it.

The only caller of the jobs of `recognising`, where rapidocr is imported; what comes back is checked
field by field. Tesseract, for the scripts that rapidocr has no letters for, is a program confined
as ripgrep is: it sees its language data and the picture on its standard input, has no socket, and
writes to its standard output alone.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from indexer.confine import starting
from indexer.confine.program import EXIT_UNCONFINED, command
from indexer.confine.system import TESSERACT_DATA
from indexer.errors import SealUnavailable, UnreadableDocument
from indexer.extract.ocr import UNREADABLE, PlacedText
from indexer.parsers import limits, protocol
from indexer.parsers.limits import DocumentLimits
from indexer.parsers.process import Child

RECOGNISING = "indexer.parsers.recognising"
VERSION = 2  # of what is written for a page; a change has every page read again
LABEL = f"ocr-{VERSION}"  # in the label of an extractor
MAX_PAGE_LINES = 20_000
MAX_PAGE_WORDS = 20_000
OCR_LIMITS = DocumentLimits(
    limits.OCR_MEMORY_BYTES, limits.OCR_CPU_SECONDS, limits.OCR_WALL_SECONDS
)
# Memory of a page goes back to the system after it: else that of several adds up to over 1 GB.
_ENVIRONMENT = {"MALLOC_MMAP_THRESHOLD_": "4194304", "MALLOC_TRIM_THRESHOLD_": "67108864"}

_T = TypeVar("_T")


@cache
def engine_version() -> str:
    """The engine whose results a cached page holds, as in "rapidocr-3.10.0/1"."""
    from importlib.metadata import version  # email and more

    return f"rapidocr-{version('rapidocr')}/{VERSION}"


@dataclass(frozen=True, slots=True)
class RecognisedPage:
    """The text of a page: each line with its confidence, 0 to 1.

    `engine` names what read it, "" for a blank page and for a picture that shows no text;
    `problem` is the reason for which it could not be read, "" if it could. `words` are those of the
    lines with their places, in their order; none on a page of which they were not kept.
    """

    lines: tuple[tuple[str, float], ...] = ()
    engine: str = ""
    problem: str = ""
    words: tuple[PlacedText, ...] = ()

    @property
    def has_text(self) -> bool:
        """Whether anything on it could be read."""
        return any(text != UNREADABLE for text, _ in self.lines)


class Recogniser:
    """The process that recognises text; for one thread, and `stop` for any."""

    def __init__(self, program: str = RECOGNISING, limits: DocumentLimits = OCR_LIMITS) -> None:
        """`program` is what the process does, `limits` are those of a page."""
        self._child = Child(program, _ENVIRONMENT)
        self._limits = limits
        self._document, self._is_open = -1, False  # a descriptor
        self.stop, self.close = self._child.stop, self._child.close

    def hold(self, descriptor: int) -> None:
        """Take the document that the next pages are of."""
        self._document, self._is_open = descriptor, False

    def count(self) -> int:
        """Give the process the document; how many pages it has. Raises UnreadableDocument."""
        self._child.new_task()
        pages = self._child.pages(self._document, self._limits)
        self._is_open = True
        return pages

    def read(self, number: int, *, look: bool = False) -> RecognisedPage | None:
        """The text of a page; with `look`, None where a first look finds no lines on it.

        Where the script is one that rapidocr has no letters for, Tesseract reads it, if it is here.
        Raises UnreadableDocument with the reason.
        """
        if not (self._is_open and self._child.runs):  # the one before may have died of a page
            self.count()
        self._child.tasks += 1
        seen, page = self._asked(_seen, "read", number=number, look=look)
        if seen == "suspect" and (read := self._by_tesseract()):
            return read
        if seen == "no text":
            return None
        return page if seen == "blank" else replace(page, engine="rapidocr")

    def _by_tesseract(self) -> RecognisedPage | None:
        """The page that was read last, by Tesseract; None where it reads none of it well."""
        if (found := find_tesseract()) is None:
            return None
        strip = self._asked(lambda _, body: body, "strip")
        tables = {script: found.trial(strip, script) for script in found.languages}
        script, picture = self._asked(_judged, "judge", tables=tables)
        if script not in found.languages:
            return None
        read = self._asked(_page, "merge", table=found.table(picture, script))
        return replace(read, engine="tesseract")

    def _asked(
        self, check: Callable[[dict[str, Any], bytes], _T], job: str, **values: object
    ) -> _T:
        return self._child.ask(check, job, values, self._limits)


def _seen(said: dict[str, Any], body: bytes) -> tuple[str, RecognisedPage]:
    seen = str(said.get("seen"))
    return seen, RecognisedPage() if seen in ("blank", "no text") else _page(said, body)


def _judged(said: dict[str, Any], body: bytes) -> tuple[str, bytes]:
    return str(said.get("script")), body


def _page(_: dict[str, Any], body: bytes) -> RecognisedPage:
    return page_of(protocol.parsed(body))


def page_of(content: Any) -> RecognisedPage:  # noqa: ANN401 - as JSON has it
    """A page that an engine or an entry says was read; raises Malformed for none."""
    content = content if isinstance(content, dict) else {}
    lines, words = content.get("lines"), content.get("words")
    if (
        not isinstance(lines, list)
        or len(lines) > MAX_PAGE_LINES
        or not all(map(protocol.is_line, lines))
    ):
        raise protocol.Malformed("lines that are none")
    if not isinstance(words, list) or not all(map(_is_placed, words)):
        raise protocol.Malformed("words that are none")
    placed = tuple(PlacedText(*entry) for entry in words[:MAX_PAGE_WORDS])
    by, problem = (str(content.get(name, "")) for name in ("engine", "problem"))
    return RecognisedPage(tuple((text, float(sure)) for text, sure in lines), by, problem, placed)


def _is_placed(entry: object) -> bool:
    """Whether a value is a word with its place, as a correct engine returns it."""
    match entry:
        case [line, *area, text]:
            known = type(line) is int and 0 <= line <= MAX_PAGE_LINES
            return known and protocol.is_line([text, 1]) and protocol.is_area(area)
    return False


# ---- What is installed

INSTALL = "pip install 'corpus-agent[ocr]'"
_NEEDED = ("rapidocr", "cv2", "PIL", "pillow_heif")  # the extra: what its process imports

SECONDS = 120.0  # wall clock, for one page
MAX_OUTPUT_BYTES = 8 * 2**20
MAX_LANGUAGES = 3  # tried together; each takes as long as the first
# The scripts that rapidocr's model lacks, by the name that Tesseract gives them: the languages
# that are written in them, the most common first. A file of the whole script is better than these.
SCRIPTS: Mapping[str, str] = MappingProxyType(
    {
        "Cyrillic": "rus ukr bul srp bel mkd kaz mon",
        "Greek": "ell grc",
        "Arabic": "ara fas urd pus",
        "Hebrew": "heb yid",
        "Devanagari": "hin mar nep san",
        "Thai": "tha",
        "Hangul": "kor",
        "Bengali": "ben asm",
        "Tamil": "tam",
        "Telugu": "tel",
        "Georgian": "kat",
        "Armenian": "hye",
    }
)
# Most Greek capitals look like Latin ones: a Latin word, or a sign beside an amount, becomes Greek.
_BESIDE = MappingProxyType({"Greek": "eng"})


@dataclass(frozen=True, slots=True)
class RecognitionState:
    """What this installation can recognise text with.

    `engine` is rapidocr's version, None without the extra, which `install` installs; `tesseract`
    the scripts that Tesseract has languages for, empty without it.
    """

    engine: str | None
    install: str
    tesseract: tuple[str, ...]


def recognition_state() -> RecognitionState:
    """What is installed; imports nothing of it."""
    from importlib.metadata import version

    found = find_tesseract()
    scripts = tuple(found.languages) if found else ()
    return RecognitionState(version("rapidocr") if is_installed() else None, INSTALL, scripts)


@cache
def is_installed() -> bool:
    """Whether the extra `[ocr]` is there; imports none of it."""
    return all(importlib.util.find_spec(name) is not None for name in _NEEDED)


@dataclass(frozen=True, slots=True)
class Tesseract:
    """The program, its folder of language data, and by script the names of the files for it."""

    program: Path
    data: Path
    languages: Mapping[str, tuple[str, ...]]

    def trial(self, strip: bytes, script: str) -> str:
        """The table that it prints for a strip of lines of this script.

        One of each script is tried: Tesseract's own guess at scripts takes Hebrew and Hindi with
        figures between them for Latin.
        """
        return self._run(strip, "-l", self.languages[script][0], "--psm", "6", "tsv")

    def table(self, picture: bytes, script: str) -> str:
        """The table of a whole page. Raises UnreadableDocument."""
        return self._run(picture, "-l", "+".join(self.languages[script]), "--psm", "4", "tsv")

    def _run(self, picture: bytes, *arguments: str) -> str:
        """What the program prints for a picture; "" if it sees nothing on it."""
        folder = os.open(self.data, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        given = os.memfd_create("page", os.MFD_CLOEXEC)
        try:
            with os.fdopen(given, "wb", closefd=False) as file:
                file.write(picture)
            os.lseek(given, 0, os.SEEK_SET)
            fixed = ("stdin", "stdout", "--tessdata-dir", ".", "--dpi", "200")
            child = command(folder, folder, self.program, [*fixed, *arguments])
            code, output = _finished(child, given, folder)
        finally:
            os.close(given)
            os.close(folder)
        if code == EXIT_UNCONFINED:
            raise SealUnavailable(
                "Tesseract cannot be confined.", "It needs Linux 5.13 or later with Landlock."
            )
        if code < 0 or len(output) > MAX_OUTPUT_BYTES:
            raise UnreadableDocument("timeout", f"Tesseract: no end after {SECONDS:.0f} s")
        return output.decode("utf-8", "replace") if code == 0 else ""


def _finished(child: starting.Command, stdin: int, folder: int) -> tuple[int, bytes]:
    """Exit code and output of the program, which is killed when its time is over."""
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    with starting.popen(
        child, stdin=stdin, stdout=pipe, stderr=nowhere, pass_fds=(folder,)
    ) as process:
        timer = threading.Timer(SECONDS, process.kill)
        timer.start()
        try:
            assert process.stdout is not None
            read = process.stdout.read(MAX_OUTPUT_BYTES + 1)
            if len(read) > MAX_OUTPUT_BYTES:
                process.kill()
            return process.wait(), read
        finally:
            timer.cancel()


@cache
def find_tesseract() -> Tesseract | None:
    """Tesseract with the languages that are installed; None without any."""
    program = starting.find_program("tesseract")
    folders = [
        folder
        for place in TESSERACT_DATA
        for folder in sorted((Path(place), *Path(place).glob("*/tessdata")), reverse=True)
    ]
    for folder in folders if program else ():
        assert program is not None
        ending = ".traineddata"
        paths = (*folder.glob(f"*{ending}"), *folder.glob(f"script/*{ending}"))
        if names := {str(path.relative_to(folder)).removesuffix(ending) for path in paths}:
            found = ((script, _languages(script, names)) for script in SCRIPTS)
            languages = {script: files for script, files in found if files}
            return Tesseract(program.resolve(), folder, MappingProxyType(languages))
    return None


def _languages(script: str, names: set[str]) -> tuple[str, ...]:
    """The installed language files for a script, best first."""
    if f"script/{script}" in names:
        known = [f"script/{script}"]
    else:
        known = [name for name in SCRIPTS[script].split() if name in names][:MAX_LANGUAGES]
    beside = _BESIDE.get(script)
    return (*known, *([beside] if known and beside in names else []))
