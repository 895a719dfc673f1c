"""What a file is by its bytes: a format that is read, or a kind that is skipped, and why.

One table of first bytes and of suffixes, kinds.txt; of the two containers, ZIP and OLE2, what is
in them decides. Formats of text are told by their names and beginnings.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path, PurePosixPath

from indexer.errors import UnreadableDocument
from indexer.extract.container import Compound
from indexer.extract.extraction import Begins, Extraction, table, words
from indexer.extract.text import is_text


@dataclass(frozen=True, slots=True)
class Known:
    """What a file is, in a person's words, and what would make it readable, "" if nothing would.

    `reader` is the format as that it is read, "" if it is not.
    """

    what: str
    advice: str = ""
    reason: str = "unsupported"
    reader: str = ""

    def refusal(self) -> UnreadableDocument:
        """The error for such a file."""
        detail = f"{self.what}; {self.advice}" if self.advice else self.what
        return UnreadableDocument(self.reason, detail)


_NOT_TEXT = Known("not text", "", "binary")


@cache
def _table() -> tuple[re.Pattern[bytes], list[tuple[Known, bool]], dict[str, Known]]:
    """First bytes as one pattern; what each of them is, if a text could begin so; kinds by suffix.

    In first bytes "?" stands for any, and an offset stands before "@". Made when asked.
    """
    patterns: list[bytes] = []
    signs: list[tuple[Known, bool]] = []
    by_suffix: dict[str, Known] = {}
    advices = table("kinds", "advice")
    for row in Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines():
        if row.startswith("#"):
            continue
        what, says, begins, suffixes = (cell.strip() for cell in row.split("|"))
        program, _, form = says.partition(":")
        exported = f"unsupported export as {form or 'PDF'} from {program}"
        reason, _, advice = advices.get(says, exported).partition(" ")
        known = Known(what, advice, reason, form if program == "read" else "")
        for offset, _, letters in (each.rpartition("@") for each in begins.split()):
            data = letters.encode("ascii").decode("unicode_escape").encode("latin-1")
            escaped = re.escape(data).replace(rb"\?", b".")
            patterns.append(b"(.{%d}%s)" % (int(offset or 0), escaped))
            signs.append((known, all(0x20 <= byte < 0x7F for byte in data)))
        by_suffix |= dict.fromkeys(suffixes.split(), known)
    return re.compile(b"|".join(patterns), re.DOTALL), signs, by_suffix


def known_by_bytes(sample: bytes) -> Known | None:
    """What a file that begins so is, None where the bytes say nothing."""
    pattern, signs, _ = _table()
    found = pattern.match(sample)
    if found is None or found.lastindex is None:
        return None
    known, of_letters = signs[found.lastindex - 1]
    return None if of_letters and is_text(sample) else known


def known_by_name(path: str, otherwise: Known = _NOT_TEXT) -> Known:
    """What a file is by its name, where its bytes do not say."""
    return _table()[2].get(_suffix(path), otherwise)


def _suffix(path: str) -> str:
    return PurePosixPath(path).suffix.lower()


# "From " with a year, and a header in the line after it.
MBOX = re.compile(rb"^From [^\n]{0,200}\d{4}\r?\n(?:>?[A-Za-z-]+:)", re.MULTILINE)
_PDF = re.compile(rb"(?:\xef\xbb\xbf)?\s*%PDF-")
_PDF_PARTS = re.compile(rb"\d obj\b|\bxref\b|\btrailer\b|\bendobj\b")
_LATE_PDF = re.compile(rb"%PDF-\d\.\d\s")  # readers accept it within the first 1,024 bytes
_RTF = re.compile(rb"\{\\rtf\d*\s*(?:[\\{}]|\Z)")
_POSTSCRIPT = re.compile(rb"%!PS-Adobe-.{0,8000}\n%%", re.DOTALL)


def kind_of(sample: bytes, path: str) -> str | None:
    """The format of a file by its first bytes (or all), as in "docx"; None if unknown.

    The name decides if a container's directory is damaged or beyond the sample. Raises
    UnreadableDocument for formats that are recognised but not supported.
    """
    if is_tar(sample):
        return "tar"
    if known := known_by_bytes(sample):
        if not known.reader:
            raise known.refusal()
        inside = {"zip": _zip_kind, "ole": _ole_kind}.get(known.reader)
        return inside(sample, path) if inside else known.reader
    if MBOX.match(sample[:4096]):
        return "mbox"
    if _POSTSCRIPT.match(sample):
        raise Known("PostScript document", "export as PDF from ps2pdf").refusal()
    if _is_pdf(sample, path):
        return "pdf"
    return "rtf" if _RTF.match(sample) else None


def _is_pdf(sample: bytes, path: str) -> bool:
    """Whether a file is a PDF, or the remains of one: text may begin with its first word."""
    if _PDF.match(sample):
        parts = _PDF_PARTS.search(sample) is not None
        return _suffix(path) == ".pdf" or parts or not is_text(sample)
    return _LATE_PDF.search(sample[:1024]) is not None and b" obj" in sample


def is_tar(head: bytes) -> bool:
    """Whether these first bytes are a member's header."""
    return head[257:262] == b"ustar" and b"\0" in head[:257]


# --- Formats of text, by how they begin, where a suffix does not say ------------------------------

# Names of text that may begin with a tag or header and is meant to be read as it stands.
_SOURCES = words("kinds", "sources")
_BOM = rb"(?:\xef\xbb\xbf)?\s*"
_HTML = re.compile(
    _BOM + rb"(?:<\?xml[^>]*>\s*)?(?><!--.*?-->\s*)*+(?:<!doctype\s+html|<html[\s>])",
    re.DOTALL | re.IGNORECASE,
)
_HEADER = re.compile(rb"(?i)^(from|to|subject|date|received|message-id|mime-version|return-path):")
MIN_HEADERS = 3  # of the known ones, in the first lines of a file that is not called .eml
# One of these at least: people put the others above their own notes.
_OF_PROGRAMS = frozenset({b"received", b"message-id", b"mime-version", b"return-path"})


def _of(word: bytes) -> Begins:
    """Whether a file begins with this word, in any case."""
    pattern = re.compile(_BOM + word + rb"\s", re.IGNORECASE)
    return lambda sample, suffix: pattern.match(sample[:100]) is not None


def _of_mail(sample: bytes, suffix: str) -> bool:
    """Whether a file begins with several headers of a message."""
    lines = sample[:4096].split(b"\n\n", 1)[0].splitlines()[:40]
    if suffix in _SOURCES or not lines or not re.match(rb"[A-Za-z-]+:", lines[0]):
        return False
    found = {m[1].lower() for m in map(_HEADER.match, lines) if m}
    return len(found) >= MIN_HEADERS and not found.isdisjoint(_OF_PROGRAMS)


# By the `begins` of formats.toml.
BEGINS: dict[str, Begins | None] = {
    "": None,
    "any": lambda sample, suffix: True,
    "dated": _of(b"BEGIN:(?:VCARD|VCALENDAR)"),
    "xml": _of(rb"<\?xml"),
    "html": lambda sample, suffix: suffix not in _SOURCES and bool(_HTML.match(sample[:8192])),
    "mail": _of_mail,
}


# --- Containers ----------------------------------------------------------------------------------


def _first(name: str, fits: Callable[[str], bool]) -> str:
    """The format of the first entry of a table that fits; "" for none."""
    return next((kind for key, kind in table("kinds", name).items() if fits(key)), "")


def _zip_kind(sample: bytes, path: str) -> str:
    """The format of a ZIP file; "zip" for a plain archive named .zip, else UnreadableDocument.

    Many programs and documents are ZIP files too, as their names show.
    """
    suffix = _suffix(path)
    names: list[str] | None = None
    with suppress(zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        names = zipfile.ZipFile(io.BytesIO(sample)).namelist()
    stored = sample[38:200] if sample[30:38] == b"mimetype" else b""
    kind = _first("mimetypes", lambda each: stored.startswith(each.encode()))
    # In an archive a folder may be called "word" for other reasons.
    if not kind and names and (suffix != ".zip" or "[Content_Types].xml" in names):
        kind = _first("members", lambda begin: any(n.startswith(begin) for n in names))
    if not kind and suffix == ".zip":
        kind = "zip"
    if not kind and names is None:
        kind = _first("zipped", suffix.__eq__)
    return kind or _unknown(path, Known("ZIP archive", "call it .zip to have its files read"))


def _ole_kind(sample: bytes, path: str) -> str:
    """The format of a compound file (legacy Office), by the names of its streams.

    In a truncated file the directory may be missing; then any stream name in it or the file name
    decides.
    """
    try:
        found = {name.partition("/")[0] for name in Compound(sample).names()}
        kind = _first("streams", found.__contains__)
    except UnreadableDocument:
        kind = _first("streams", lambda name: name.encode("utf-16-le") in sample)
    if kind == "encrypted":
        raise UnreadableDocument("encrypted")
    office = Known("legacy Office document", "open and save it as DOCX or PDF")
    return kind or _first("compound", _suffix(path).__eq__) or _unknown(path, office)


def _unknown(path: str, usual: Known) -> str:
    """Raise for a container that no reader knows; what is in it may be words: it is no binary."""
    raise replace(known_by_name(path, usual), reason="unsupported").refusal()


def read_image(data: bytes) -> Extraction:
    """Raises UnreadableDocument("binary"), always: a picture has no text, one page of it waits.

    With the extra `[ocr]` its words are recognised afterwards, in another process.
    """
    known = known_by_bytes(data)
    assert known is not None
    raise UnreadableDocument(known.reason, f"{known.what}; {known.advice}", waiting=1)
