"""What is installed to recognise text: the extra `[ocr]`, and Tesseract with its languages.

Tesseract is confined as ripgrep is: it sees its language data and the picture on its standard
input, has no socket, and writes to its standard output alone. Nothing of extraction is imported
here, so that `status` starts at once.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from indexer.confine import starting
from indexer.confine.program import EXIT_UNCONFINED, command
from indexer.confine.system import TESSERACT_DATA
from indexer.errors import SealUnavailable, UnreadableDocument

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
    """Exit code and output of the program, which is killed when its time is over or by Ctrl-C."""
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    with starting.popen(
        child, stdin=stdin, stdout=pipe, stderr=nowhere, pass_fds=(folder,)
    ) as process:
        timer = threading.Timer(SECONDS, process.kill)
        timer.start()
        try:
            assert process.stdout is not None
            read = process.stdout.read(MAX_OUTPUT_BYTES + 1)
            if len(read) <= MAX_OUTPUT_BYTES:
                process.wait()
        finally:
            timer.cancel()
            process.kill()  # nothing, where it has ended
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
