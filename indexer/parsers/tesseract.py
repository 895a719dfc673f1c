"""Tesseract, where the system has it, for pages in scripts that rapidocr has no letters for.

A program of its own, confined as ripgrep is: it sees its language data and the picture on its
standard input, has no socket, and writes to its standard output alone. Called by `recogniser`.
"""

from __future__ import annotations

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
from indexer.errors import SealUnavailable, UnreadableDocument
from indexer.extract.normalise import lines_of, whole
from indexer.extract.ocr.figures import FIGURE, PlacedWord, with_figures
from indexer.extract.ocr.reading_order import UNREADABLE
from indexer.parsers.installed import SCRIPTS, find_tesseract, languages_for

SECONDS = 120.0  # wall clock, for one page
MAX_OUTPUT_BYTES = 8 * 2**20
# Of a line, as the mean of its words: Tesseract's numbers run lower than rapidocr's.
MIN_LINE_CONFIDENCE = 0.60
# Of a trial, as the mean of the words in the script that is tried.
MIN_TRIAL_CONFIDENCE = 0.80
MIN_TRIAL_LETTERS = 0.5  # of all letters that it reads: in the script that is tried

# Tesseract takes each letter of these for a word. In rendered Thai, letters stand up to .25 of the
# line's height apart, words from .33 on.
_UNSPACED = regex.compile(r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
MIN_SPACE_HEIGHTS = 0.3

# Most Greek capitals look like Latin ones: a Latin word, or a sign beside an amount, becomes Greek.
LANGUAGES_BESIDE: Mapping[str, frozenset[str]] = MappingProxyType({"Greek": frozenset({"eng"})})


@dataclass(frozen=True, slots=True)
class Tesseract:
    """The program and its language data; made by `find`."""

    program: Path
    data: Path
    languages: frozenset[str]

    def language_of(self, strip: bytes) -> str | None:
        """The language that reads a strip of lines well; None if none of SCRIPTS does.

        One of each script is tried: Tesseract's own guess at scripts takes Hebrew and Hindi with
        figures between them for Latin.
        """
        best, surest = None, MIN_TRIAL_CONFIDENCE
        for script in SCRIPTS:
            for languages in self.languages_for(script)[:1]:
                table = self._run(strip, "-l", languages, "--psm", "6", "tsv")
                sure = confidence_of_table(table, script)
                if sure > surest:
                    beside = LANGUAGES_BESIDE.get(script, frozenset()) & self.languages
                    names = (*self.languages_for(script), *sorted(beside))
                    best, surest = "+".join(names), sure
        return best

    def read(
        self, picture: bytes, language: str, figures: Sequence[PlacedWord]
    ) -> list[list[PlacedWord]]:
        """The words of a page, line by line; see `shown`. Raises UnreadableDocument.

        `figures` were read by an engine that knows them better, and are taken from there.
        """
        table = self._run(picture, "-l", language, "--psm", "4", "tsv")
        return with_figures(lines_of_table(table), figures)

    def languages_for(self, script: str) -> tuple[str, ...]:
        """The installed language files for a script, best first."""
        return languages_for(script, self.languages)

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
def find() -> Tesseract | None:
    """Tesseract with the languages that are installed; None if there is none."""
    found = find_tesseract()
    return Tesseract(*found) if found else None


_WORD = "5"  # the level of a row of its table


def lines_of_table(table: str) -> list[list[PlacedWord]]:
    """The words of Tesseract's table, line by line."""
    lines = groupby(_words(table), key=lambda cells: cells[1:5])
    return [_certain([_placed(cells) for cells in line]) for _, line in lines]


def confidence_of_table(table: str, script: str) -> float:
    """How surely words of a script were read; 0 if most letters are of another."""
    words = _words(table)
    letters = [char for cells in words for char in cells[11] if char.isalpha()]
    ours = regex.compile(rf"\p{{{script}}}")
    if sum(bool(ours.match(char)) for char in letters) < MIN_TRIAL_LETTERS * max(1, len(letters)):
        return 0.0
    sure = [_share(cells[10]) for cells in words if ours.search(cells[11])]
    return sum(sure) / len(sure) if sure else 0.0


def _words(table: str) -> list[list[str]]:
    """The rows of the table that are words."""
    rows = (row.split("\t") for row in table.splitlines())
    return [cells for cells in rows if len(cells) == 12 and cells[0] == _WORD and cells[11].strip()]


def _placed(cells: Sequence[str]) -> PlacedWord:
    left, top, width, height = (float(cell) for cell in cells[6:10])
    text = " ".join(whole(cells[11]).split())
    return PlacedWord(left, top, left + width, top + height, text, _share(cells[10]))


def _certain(line: list[PlacedWord]) -> list[PlacedWord]:
    """The line, or its places alone if neither all nor its words without figures are certain."""
    letters = [word for word in line if not FIGURE.search(word.text)] or line
    if any(fmean(w.confidence for w in part) >= MIN_LINE_CONFIDENCE for part in (line, letters)):
        return line
    return [replace(word, text=UNREADABLE, confidence=0.0) for word in line]


def shown(words: Sequence[PlacedWord]) -> Iterator[tuple[str, float]]:
    """The lines that a person is shown of one, each with the mean confidence of what is read."""
    read = [word.confidence for word in words if word.text != UNREADABLE]
    confidence = round(fmean(read), 3) if read else 0.0
    for part in lines_of(_joined(words)):
        yield part, confidence


def _joined(words: Sequence[PlacedWord]) -> str:
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
