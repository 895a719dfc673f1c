"""Kinds of files that are recognised to say what they are, and what would be read instead.

One table of first bytes and of suffixes, known_kinds.txt. Called by `magic`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path, PurePosixPath

from indexer.errors import UnreadableDocument
from indexer.extract.text.plain import is_text


@dataclass(frozen=True, slots=True)
class Known:
    """What a file is, in a person's words, and what would make it readable, "" if nothing would."""

    what: str
    advice: str = ""
    reason: str = "unsupported"

    def refusal(self) -> UnreadableDocument:
        """The error for such a file."""
        detail = f"{self.what}; {self.advice}" if self.advice else self.what
        return UnreadableDocument(self.reason, detail)


# Pictures that can be decoded, so that their words may be recognised.
RECOGNISABLE = frozenset(
    {"picture (PNG)", "photo (JPEG)", "picture (TIFF)", "picture (WebP)", "photo (HEIC)"}
)
# What would be read of a kind: a word of the table, the reason, and the advice. Any other word is
# the program that exports it, with the form behind a colon.
_ADVICE = {
    "words": ("binary", "its words are read from a searchable PDF of it"),
    "heard": ("binary", "a transcript beside it is read"),
    "seen": ("binary", "its subtitles as .srt or .vtt are read"),
    "tables": ("binary", "export its tables as CSV"),
    "unpack": ("unsupported", "unpack it beside it"),
    "decrypt": ("encrypted", "decrypt it"),
    "mail": ("unsupported", "save it as .eml from your mail program"),
    "google": ("unsupported", "download it as DOCX"),
    "-": ("binary", ""),
}
_NOT_TEXT = Known("not text", "", "binary")


@dataclass(frozen=True, slots=True)
class _Mark:
    """Bytes at an offset, where "?" stands for any; `of_letters` if they could begin a text."""

    offset: int
    sign: bytes
    of_letters: bool
    known: Known

    def begins(self, sample: bytes) -> bool:
        found = sample[self.offset : self.offset + len(self.sign)]
        pairs = zip(found, self.sign, strict=False)
        return len(found) == len(self.sign) and all(a == b or b == _ANY for a, b in pairs)


_ANY = ord("?")


@cache
def _table() -> tuple[dict[int, list[_Mark]], list[_Mark], dict[str, Known]]:
    """Marks by their first byte, marks further on, kinds by suffix; made when a file asks."""
    first: dict[int, list[_Mark]] = {}
    later: list[_Mark] = []
    by_suffix: dict[str, Known] = {}
    table = Path(__file__).with_suffix(".txt").read_text("utf-8")
    for row in (line for line in table.splitlines() if not line.startswith("#")):
        what, advice, signs, suffixes = (cell.strip() for cell in row.split("|"))
        program, _, form = advice.partition(":")
        exported = ("unsupported", f"export as {form or 'PDF'} from {program}")
        reason, says = _ADVICE.get(advice, exported)
        known = Known(what, says, reason)
        for mark in (_mark(sign, known) for sign in signs.split()):
            (later if mark.offset else first.setdefault(mark.sign[0], [])).append(mark)
        by_suffix |= dict.fromkeys(suffixes.split(), known)
    return first, later, by_suffix


def _mark(sign: str, known: Known) -> _Mark:
    offset, _, letters = sign.rpartition("@")
    data = letters.encode("ascii").decode("unicode_escape").encode("latin-1")
    return _Mark(int(offset or 0), data, all(0x20 <= byte < 0x7F for byte in data), known)


def known_by_bytes(sample: bytes) -> Known | None:
    """What a file that begins so is, None where the bytes say nothing."""
    first, later, _ = _table()
    marks = (*first.get(sample[0], ()), *later) if sample else ()
    found = next((mark for mark in marks if mark.begins(sample)), None)
    if found is not None:
        return None if found.of_letters and is_text(sample) else found.known
    if sample.startswith(b"%!PS-Adobe-") and b"\n%%" in sample[:8000]:
        return Known("PostScript document", "export as PDF from ps2pdf")
    return None


def known_by_name(path: str, otherwise: Known = _NOT_TEXT) -> Known:
    """What a file is by its name, where its bytes do not say."""
    return _table()[2].get(PurePosixPath(path).suffix.lower(), otherwise)


def known_container(path: str, otherwise: Known) -> Known:
    """What a container is that no reader knows; what is in it may be words, so it is no binary."""
    return replace(known_by_name(path, otherwise), reason="unsupported")
