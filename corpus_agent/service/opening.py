"""Opens a document in a program of the user's, found below its folder as a parser's bytes are.

No index and no parser takes part: the name that the user typed, beneath the folder of a trusted
store (no link, no hidden file), and what the file begins with. A viewer may go by that and not by
the name, so what is of another kind than its name says is not opened.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path

from corpus_agent.service.places import readings, sources_of
from corpus_agent.text.naming import PATH, called, quoted, typed
from corpus_agent.text.sanitize import one_line
from indexer import CorpusError, Refused, open_beneath
from indexer.confine import starting

_ZIP, _OLE = rb"PK\x03\x04", rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# How files begin that viewers of their own show. All else is text for an editor, web pages too: a
# browser would run them, and load what they name.
_BEGINNINGS = {
    ".pdf": rb"(?:\xef\xbb\xbf)?\s*%PDF-",
    ".png": rb"\x89PNG\r\n\x1a\n",
    ".jpg": rb"\xff\xd8\xff",
    ".jpeg": rb"\xff\xd8\xff",
    ".tif": rb"II[*+]\0|MM\0[*+]",
    ".tiff": rb"II[*+]\0|MM\0[*+]",
    ".webp": rb"(?s:RIFF.{4}WEBP)",
    ".gif": rb"GIF8[79]a",
    ".bmp": rb"(?s:BM.{4}\0\0\0\0)",
    ".rtf": rb"\{\\rtf",
    **dict.fromkeys((".doc", ".xls", ".ppt"), _OLE),
    **dict.fromkeys((".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".epub"), _ZIP),
}
# Text that a viewer may show where no editor is named, unless a program would run it.
_PLAIN = frozenset((".md", ".markdown", ".txt", ".csv", ".tsv", ".tex", ".org", ".rst", ".log"))
_RUN = re.compile(
    rb"\x7fELF|MZ[^\n]{0,60}\0|#!|%PDF-|PK\x03\x04|(?:\xef\xbb\xbf)?\s*<[!?a-zA-Z]"
    rb"|\s*(?:#[^\n]*\n\s*){0,20}\[(?:Desktop Entry|InternetShortcut)\]"
)
SAMPLE_BYTES = 1_024
_GOTO = frozenset({"code", "codium", "code-oss", "cursor", "windsurf"})  # take -g FILE:LINE
_TERMINAL = ("TERM", "COLORTERM", "TERMINFO", "SHELL", "USER", "LOGNAME")
LEAST_SECONDS = 2.0  # in which a viewer says that it cannot
# What xdg-open means by its exit code.
_NO_VIEWER = "no program for it is set up here"
_XDG = {2: "the file was not found", 3: _NO_VIEWER, 4: "no program for it could be started"}


def open_document(place: str, roots: Mapping[str, Path]) -> tuple[str, str]:
    """The source of the document at SOURCE[:LINE], and the program that shows it."""
    refused: CorpusError | None = None
    for name, line, _ in readings(place):
        for source in sources_of(name, roots):
            try:
                path, sample = _beneath(source, roots)
            except Refused as error:
                refused = refused or error
                continue
            return source, _shown_by(path, sample, max(1, line), source)
    hint = "List them: corpus-agent files"
    raise refused or Refused(f"No document is at {quoted(place)}.", hint, code="not_indexed")


def _beneath(source: str, roots: Mapping[str, Path]) -> tuple[Path, bytes]:
    """A document as it is called on the disk, and how it begins."""
    prefix = max((each for each in roots if source.startswith(each)), key=len, default=None)
    if prefix is None:
        raise Refused(f"{quoted(source)} is of no index that is read.", code="bad_argument")
    try:
        descriptor = open_beneath(roots[prefix], source.removeprefix(prefix))
    except OSError:
        hint = "List them: corpus-agent files"
        message = f"{quoted(source)} is not there, or may not be read."
        raise Refused(message, hint, code="not_indexed") from None
    try:
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        return path, os.pread(descriptor, SAMPLE_BYTES, 0)
    finally:
        os.close(descriptor)


def _shown_by(path: Path, sample: bytes, line: int, source: str) -> str:
    """The name of the program that was started."""
    suffix, where = path.suffix.lower(), f"It is {called(str(path), kind=PATH)}."
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    views = suffix in _BEGINNINGS or (suffix in _PLAIN and not editor)
    if views:
        begins = _BEGINNINGS.get(suffix)
        fits = re.match(begins, sample) if begins else not _RUN.match(sample)
        if not fits:
            message = f"{quoted(path.name)} was not opened: it is not what its name says."
            raise Refused(message, where, code="bad_argument")
    words = ["xdg-open", str(path)] if views else _editor(editor, path, line, where)
    program = starting.find_program(words[0])
    if program is None and not views:
        raise CorpusError(f"There is no program {quoted(words[0])} here.", where)
    failed = _NO_VIEWER if program is None else _run([str(program), *words[1:]], waits=not views)
    if program is None or failed:
        read = f"Try: corpus-agent read {typed(source)}{f':{line}' if line > 1 else ''}"
        raise CorpusError(f"{called(source)} was not opened: {failed}.", read)
    return one_line(program.name)


def _editor(editor: str, path: Path, line: int, where: str) -> list[str]:
    """The command of the user's editor at a line."""
    try:
        given = shlex.split(editor)
    except ValueError:
        given = []
    if not given:
        message = "VISUAL and EDITOR name no editor."
        raise CorpusError(message, f"{where} Set EDITOR, as in EDITOR=nano.")
    at = ["-g", f"{path}:{line}"] if Path(given[0]).name in _GOTO else [f"+{line}", str(path)]
    return [*given, *at]


def _run(words: list[str], *, waits: bool) -> str:
    """Run an editor until it ends; start a viewer and look whether it fails at once; why it did."""
    wanted = starting.variables(*starting.DESKTOP, *_TERMINAL)
    command = starting.Command(tuple(words), {**starting.common_variables(), **wanted})
    stream = None if waits else subprocess.DEVNULL
    process = starting.popen(
        command, stdin=stream, stdout=stream, stderr=stream, own_session=not waits
    )
    try:
        code = process.wait(None if waits else LEAST_SECONDS)
    except subprocess.TimeoutExpired:
        return ""
    ended = f"{quoted(Path(words[0]).name)} ended with exit code {code}" if code else ""
    return ("" if waits else _XDG.get(code, "")) or ended
