"""ActualText: what a file says that its letters read. Believed where they do, else hidden text.

pdfium reads it in place of the letters, so that a page could show one sum and be read as another.
It may take apart what one glyph shows, and name glyphs that the file gives no letters for.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING

import regex

from indexer.extract.pdf import calls

if TYPE_CHECKING:
    import pypdfium2

ACTUAL_TEXT = b"ActualText"
MAX_LETTERS = 8  # of glyphs that the file gives no letters for: the longest ligatures but one
SOFT_HYPHEN = "\u00ad"
_SIGNS = str.maketrans(
    dict.fromkeys("\u00ad\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | dict.fromkeys("‘’‚‛`´", "'")
    | dict.fromkeys("“”„‟«»", '"')
    | {chr(0xF000 + code): chr(code) for code in range(0x20, 0x100)}  # fonts of symbols
)
_UNSEEN = regex.compile(r"[\s\p{C}]+")
# Scripts in which a letter's form, order and number of glyphs hang on those beside it.
_JOINED = regex.compile(
    r"[\u0590-\u109f\u1780-\u18af\u1900-\u1aaf\u1b00-\u1bff\ua800-\uabff\p{M}]+"
)


def take_unshown(page: pypdfium2.PdfPage, texts: Sequence[int]) -> list[str]:
    """What the page is said to read and does not show, taken off it in memory."""
    spoken = calls.marks_with(ACTUAL_TEXT, texts)
    if not spoken:
        return []
    for mark, (_, objects) in spoken.items():
        calls.without_bytes(objects[0], mark, ACTUAL_TEXT)
    found = []
    with closing(page.get_textpage()) as text_page:
        words = f" {' '.join(text_page.get_text_range().split())} "
        for mark, (data, objects) in spoken.items():
            said = _decoded(data)
            if f" {said} " in words:
                continue
            shown = "".join(calls.text_of(drawn, text_page) for drawn in objects)
            if agrees(shown, said):
                calls.with_bytes(page, objects[0], mark, ACTUAL_TEXT, data)
            elif any(map(str.isalnum, said)):
                found.append(" ".join(said.split()))
    return found


def _decoded(data: bytes) -> str:
    """A text as it stands in a file (PDF 32000, 7.9.2.2)."""
    if data.startswith(b"\xfe\xff"):
        return data[2:].decode("utf-16-be", "replace")
    if data.startswith(b"\xef\xbb\xbf"):
        return data[3:].decode("utf-8", "replace")
    return data.decode("latin-1")


def agrees(shown: str, said: str) -> bool:
    """Whether a text says what glyphs show that the file reads as `shown`.

    A soft hyphen, which is left out of what is read, may be a minus.
    """
    letters, spoken = _plain(shown), _plain(said)
    if letters == spoken:
        return SOFT_HYPHEN not in said
    if any(map(str.isdigit, letters + spoken)) or not spoken:
        return False
    if not letters:
        return len(spoken) <= MAX_LETTERS and not shown.isspace() and shown != ""
    both_joined = _JOINED.fullmatch(letters) and _JOINED.fullmatch(spoken)
    return both_joined is not None and not Counter(letters) - Counter(spoken)


def _plain(text: str) -> str:
    """The letters, figures and signs that one sees, without their forms."""
    text = unicodedata.normalize("NFKC", text.translate(_SIGNS)).translate(_SIGNS)
    return _UNSEEN.sub("", text.casefold())
