"""What this installation can recognise text with. Finds names on the disk and imports none of it.

Apart from the recogniser, since every `status` says it. Called by it, by Tesseract and by sync.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from indexer.confine import starting
from indexer.confine.system import TESSERACT_DATA

INSTALL = "pip install 'corpus-agent[ocr]'"
# The extra: what is imported in the process, and its distribution.
_NEEDED = ("rapidocr", "cv2", "PIL", "pillow_heif")

PROGRAM = "tesseract"
MAX_LANGUAGES = 3  # tried together; each takes as long as the first
# The scripts that rapidocr's model lacks, by the name that Tesseract gives them: the languages
# that are written in them, the most common first. A file of the whole script is better than these.
SCRIPTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Cyrillic": ("rus", "ukr", "bul", "srp", "bel", "mkd", "kaz", "mon"),
        "Greek": ("ell", "grc"),
        "Arabic": ("ara", "fas", "urd", "pus"),
        "Hebrew": ("heb", "yid"),
        "Devanagari": ("hin", "mar", "nep", "san"),
        "Thai": ("tha",),
        "Hangul": ("kor",),
        "Bengali": ("ben", "asm"),
        "Tamil": ("tam",),
        "Telugu": ("tel",),
        "Georgian": ("kat",),
        "Armenian": ("hye",),
    }
)


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
    readable = tuple(script for script in SCRIPTS if found and languages_for(script, found[2]))
    return RecognitionState(version("rapidocr") if is_installed() else None, INSTALL, readable)


@cache
def is_installed() -> bool:
    """Whether the extra `[ocr]` is there; imports none of it."""
    return all(importlib.util.find_spec(name) is not None for name in _NEEDED)


@cache
def find_tesseract() -> tuple[Path, Path, frozenset[str]] | None:
    """Tesseract's program, the folder of its language data and their names; None without any."""
    program = starting.find_program(PROGRAM)
    if program is None:
        return None
    for place in TESSERACT_DATA:
        for folder in sorted((Path(place), *Path(place).glob("*/tessdata")), reverse=True):
            names = frozenset(_languages(folder))
            if names:
                return program.resolve(), folder, names
    return None


def languages_for(script: str, installed: Collection[str]) -> tuple[str, ...]:
    """The installed language files for a script, best first."""
    if f"script/{script}" in installed:
        return (f"script/{script}",)
    known = SCRIPTS.get(script, ())
    return tuple(name for name in known if name in installed)[:MAX_LANGUAGES]


def _languages(folder: Path) -> Iterator[str]:
    ending = ".traineddata"
    for path in sorted((*folder.glob(f"*{ending}"), *folder.glob(f"script/*{ending}"))):
        yield str(path.relative_to(folder)).removesuffix(ending)
