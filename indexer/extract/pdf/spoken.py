"""ActualText: what a file says that its letters read. Believed where nothing else says it.

pdfium reads it in place of the letters, so that a page could show one sum and be read as another.
It may name glyphs that the file gives no letters for, and order those of scripts that join them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import regex

from indexer.extract.pdf import calls

if TYPE_CHECKING:
    import pypdfium2

ACTUAL_TEXT = b"ActualText"
MAX_LETTERS = 8  # of glyphs that the file gives no letters for: the longest ligatures but one
_SEEN = regex.compile(r"[\p{L}\p{M}\p{N}\p{P}\p{S}]")
# Scripts in which a letter's form, order and number of glyphs hang on those beside it.
_JOINED = regex.compile(
    r"[\u0590-\u109f\u1780-\u18af\u1900-\u1aaf\u1b00-\u1bff\ua800-\uabff\p{M}]+"
)

Spoken = tuple[int, Sequence[int], bytes]  # a mark, the texts in it, what it says as in the file


def taken(texts: Sequence[int]) -> list[Spoken]:
    """What the texts of a page are said to read, taken off their marks in memory."""
    found: list[Spoken] = []
    for mark, (data, objects) in calls.marks_with(ACTUAL_TEXT, texts).items():
        calls.without_bytes(objects[0], mark, ACTUAL_TEXT)
        if _SEEN.search(_decoded(data)):  # most pages are read once
            found.append((mark, objects, data))
    return found


def put_back(
    page: pypdfium2.PdfPage, spoken: Sequence[Spoken], text_page: pypdfium2.PdfTextPage
) -> None:
    """Put back in memory what is believed; `text_page` is read without any of it."""
    for mark, texts, data in spoken:
        shown = "".join(calls.text_of(drawn, text_page) for drawn in texts)
        if is_believed(shown, _decoded(data)):
            calls.with_bytes(page, texts[0], mark, ACTUAL_TEXT, data)


def _decoded(data: bytes) -> str:
    """A text as it stands in a file (PDF 32000, 7.9.2.2)."""
    if data.startswith(b"\xfe\xff"):
        return data[2:].decode("utf-16-be", "replace")
    return data.decode("utf-8-sig" if data.startswith(b"\xef\xbb\xbf") else "latin-1", "replace")


def is_believed(shown: str, said: str) -> bool:
    """Whether a text is read in place of glyphs that the file reads as `shown`."""
    letters, spoken = ("".join(_SEEN.findall(text)) for text in (shown, said))
    if any(map(str.isdigit, letters + spoken)) or not spoken:
        return False
    if not letters:
        return len(spoken) <= MAX_LETTERS and shown.strip() != ""
    return bool(_JOINED.fullmatch(letters + spoken)) and not Counter(letters) - Counter(spoken)
