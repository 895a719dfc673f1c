"""Tesseract, where it is installed: a picture in, words out, for scripts that rapidocr lacks.

It is confined as ripgrep is: it sees its language data and the picture on its standard input, has
no socket, and writes to its standard output alone.
"""

from __future__ import annotations

import os
import subprocess
import threading
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from indexer.confine import starting, tesseract_files
from indexer.confine.program import EXIT_UNCONFINED, command
from indexer.errors import SealUnavailable, UnreadableDocument
from indexer.records import Points

SECONDS = 120.0  # wall clock, for one page
MAX_OUTPUT_BYTES = 8 * 2**20
MAX_LANGUAGES = 3  # tried together; each takes as long as the first
# The scripts that rapidocr's model lacks, with their languages; a file of a whole script is better.
SCRIPTS: dict[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
# Beside each: without it figures become letters. Of 1,178 1,081 are right with it, else 1,000.
_BESIDE = "eng"


@dataclass(frozen=True, slots=True)
class Tesseract:
    """The program, its folder of language data, and by script the names of the files for it."""

    program: Path
    data: Path
    languages: Mapping[str, tuple[str, ...]]

    def table(self, grey: Points, script: str, *, trial: bool = False) -> str:
        """The words that it prints for a page, or of a `trial` for lines of it; "" for none.

        One language of each script is tried: Tesseract's own guess at scripts takes Hebrew and
        Hindi with figures between them for Latin. Raises UnreadableDocument.
        """
        languages, layout = self.languages[script], "4"
        if trial:
            languages, layout = languages[:1], "6"
        folder = os.open(self.data, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        given = os.memfd_create("page", os.MFD_CLOEXEC)
        try:
            with os.fdopen(given, "wb", closefd=False) as file:
                file.write(b"P5 %d %d 255\n" % (grey.width, grey.height) + grey.data)  # a PGM
            os.lseek(given, 0, os.SEEK_SET)
            fixed = ("stdin", "stdout", "--tessdata-dir", ".", "--dpi", "200")
            chosen = ("-l", "+".join(languages), "--psm", layout, "tsv")
            child = command(folder, folder, self.program, (*fixed, *chosen))
            code, output = finished(child, given, folder)
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


def finished(child: starting.Command, stdin: int, folder: int) -> tuple[int, bytes]:
    """Exit code and output of the program, which is killed when its time is over or by Ctrl-C."""
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    with starting.popen(
        child, stdin=stdin, stdout=pipe, stderr=nowhere, pass_fds=(folder,)
    ) as process:
        timer = threading.Timer(SECONDS, process.kill)
        try:
            timer.start()
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
    files, ending = [rule.path for rule in tesseract_files()], ".traineddata"
    for place in files[1:]:
        for folder in sorted((place, *place.glob("*/tessdata")), reverse=True):
            paths = (*folder.glob(f"*{ending}"), *folder.glob(f"script/*{ending}"))
            if names := {str(path.relative_to(folder)).removesuffix(ending) for path in paths}:
                found = {script: languages_of(script, names) for script in SCRIPTS}
                return Tesseract(files[0], folder, {name: of for name, of in found.items() if of})
    return None


def tesseract_scripts() -> tuple[str, ...]:
    """Those that Tesseract has languages for, among the ones that rapidocr lacks."""
    found = find_tesseract()
    return tuple(found.languages) if found else ()


def languages_of(script: str, names: set[str]) -> tuple[str, ...]:
    """The installed language files for a script, best first."""
    if f"script/{script}" in names:
        known = [f"script/{script}"]
    else:
        known = [name for name in SCRIPTS[script].split() if name in names][:MAX_LANGUAGES]
    return (*known, *([_BESIDE] if known and _BESIDE in names else []))
