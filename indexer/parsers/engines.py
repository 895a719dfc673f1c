"""What this installation can recognise text with, Tesseract run on a picture, and what it prints.

rapidocr is found on the disk and imported in its own process alone. Tesseract, for the scripts that
rapidocr has no letters for, is a program confined as ripgrep is: it sees its language data and the
picture on its standard input, has no socket, and writes to its standard output alone. The table
that it prints becomes lines in the sealed process that drew the picture.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from pathlib import Path
from statistics import fmean
from types import MappingProxyType

import regex

from indexer.confine import starting
from indexer.confine.program import EXIT_UNCONFINED, command
from indexer.confine.system import TESSERACT_DATA
from indexer.errors import SealUnavailable, UnreadableDocument
from indexer.extract.normalise import lines_of, whole
from indexer.extract.ocr.figures import FIGURE
from indexer.extract.ocr.reading_order import UNREADABLE, Piece

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
    from importlib.metadata import version  # email and more

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
    nowhere = subprocess.DEVNULL
    process = starting.popen(
        child, stdin=stdin, stdout=subprocess.PIPE, stderr=nowhere, pass_fds=(folder,)
    )
    timer = threading.Timer(SECONDS, process.kill)
    timer.start()
    try:
        assert process.stdout is not None
        with process.stdout as output:
            read = output.read(MAX_OUTPUT_BYTES + 1)
    finally:
        timer.cancel()
        if process.poll() is None and len(read) > MAX_OUTPUT_BYTES:
            process.kill()
        code = process.wait()
    return code, read


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


# ---- The table that Tesseract prints

# Of a line, as the mean of its words: Tesseract's numbers run lower than rapidocr's.
MIN_LINE_CONFIDENCE = 0.60
# Of a trial, as the mean of the words in the script that is tried.
MIN_TRIAL_CONFIDENCE = 0.80
MIN_TRIAL_LETTERS = 0.5  # of all letters that it reads: in the script that is tried

# Tesseract takes each letter of these for a word. In rendered Thai, letters stand up to .25 of the
# line's height apart, words from .33 on.
_UNSPACED = regex.compile(r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
MIN_SPACE_HEIGHTS = 0.3
_WORD = "5"  # the level of a row of its table


def lines_of_table(table: str) -> list[list[Piece]]:
    """The words of Tesseract's table, line by line."""
    lines = groupby(words_of_table(table), key=lambda cells: cells[1:5])
    return [_certain([_placed(cells) for cells in line]) for _, line in lines]


def trial_confidence(table: str, script: str) -> float:
    """How surely words of a script were read; 0 if most letters are of another."""
    words = words_of_table(table)
    letters = [char for cells in words for char in cells[11] if char.isalpha()]
    ours = regex.compile(rf"\p{{{script}}}")
    if sum(bool(ours.match(char)) for char in letters) < MIN_TRIAL_LETTERS * max(1, len(letters)):
        return 0.0
    sure = [_share(cells[10]) for cells in words if ours.search(cells[11])]
    return sum(sure) / len(sure) if sure else 0.0


def words_of_table(table: str) -> list[list[str]]:
    """The rows of the table that are words."""
    rows = (row.split("\t") for row in table.splitlines())
    return [cells for cells in rows if len(cells) == 12 and cells[0] == _WORD and cells[11].strip()]


def _placed(cells: Sequence[str]) -> Piece:
    left, top, width, height = (float(cell) for cell in cells[6:10])
    text = " ".join(whole(cells[11]).split())
    return Piece(left, top, left + width, top + height, text, _share(cells[10]))


def _certain(line: list[Piece]) -> list[Piece]:
    """The line, or its places alone if neither all nor its words without figures are certain."""
    letters = [word for word in line if not FIGURE.search(word.text)] or line
    if any(fmean(w.confidence for w in part) >= MIN_LINE_CONFIDENCE for part in (line, letters)):
        return line
    return [replace(word, text=UNREADABLE, confidence=0.0) for word in line]


def shown(words: Sequence[Piece]) -> Iterator[tuple[str, float]]:
    """The lines that a person is shown of one, each with the mean confidence of what is read."""
    read = [word.confidence for word in words if word.text != UNREADABLE]
    mean = round(fmean(read), 3) if read else 0.0
    for part in lines_of(_joined(words)):
        yield part, mean


def _joined(words: Sequence[Piece]) -> str:
    """The words with spaces between; of a script that is written without, where there is room."""
    text, before = "", None
    height = max((word.height for word in words), default=0.0)
    for word in words:
        if before is not None:
            if word.text == before.text == UNREADABLE:
                continue
            close = word.left - before.right < MIN_SPACE_HEIGHTS * height
            unspaced = _UNSPACED.match(before.text[-1]) and _UNSPACED.match(word.text[0])
            text += "" if close and unspaced else " "
        text += word.text
        before = word
    return text.replace("\u0e4d\u0e32", "\u0e33")  # one vowel of Thai, seen as its two parts


def _share(percent: str) -> float:
    try:
        return min(1.0, max(0.0, float(percent) / 100))
    except ValueError:
        return 0.0
