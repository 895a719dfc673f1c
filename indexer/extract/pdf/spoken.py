"""ActualText: what a file says that its letters read. Believed where they do, else hidden text.

pdfium reads it in place of the letters, so that a page could show one sum and be read as another.
It may take apart what one glyph shows, and name glyphs that the file gives no letters for.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a mark says that some texts read, as it stands in the file and as a text."""

    mark: int
    texts: Sequence[int]
    data: bytes
    said: str


def taken(texts: Sequence[int]) -> list[Spoken]:
    """What the texts of a page are said to read, taken off their marks in memory.

    Of what is said to be blank nothing is kept: the page is read as it is shown.
    """
    found = []
    for mark, (data, objects) in calls.marks_with(ACTUAL_TEXT, texts).items():
        calls.without_bytes(objects[0], mark, ACTUAL_TEXT)
        if said := " ".join(_decoded(data).split()):
            found.append(Spoken(mark, objects, data, said))
    return found


def judged(
    page: pypdfium2.PdfPage, spoken: Sequence[Spoken], text_page: pypdfium2.PdfTextPage
) -> list[str]:
    """What the page is said to read and does not show; what is believed is put back in memory.

    `text_page` is read without it. What says the same letters as it shows says nothing more.
    """
    hidden = []
    words = f" {' '.join(text_page.get_text_range().split())} " if spoken else ""
    for each in spoken:
        shown = "".join(calls.text_of(drawn, text_page) for drawn in each.texts)
        if f" {each.said} " in words or _plain(shown) == _plain(each.said):
            continue
        if agrees(shown, each.said):
            calls.with_bytes(page, each.texts[0], each.mark, ACTUAL_TEXT, each.data)
        elif any(map(str.isalnum, each.said)):
            hidden.append(each.said)
    return hidden


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
