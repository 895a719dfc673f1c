"""ActualText: what a file says that its letters read. Believed where they do, else hidden text.

pdfium reads it in place of the letters, so that a page could show one sum and be read as another.
It may take apart what one glyph shows, and name glyphs that the file gives no letters for.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import regex

from indexer.extract.pdf import calls
from indexer.extract.pdf.characters import Chars

if TYPE_CHECKING:
    import pypdfium2

ACTUAL_TEXT = b"ActualText"
MAX_LETTERS = 8  # of one glyph that the file gives no letters for: the longest ligatures but one
SOFT_HYPHEN = "\u00ad"
# Glyphs of several letters, of which a font may name the first or last.
_LIGATURE = regex.compile("f{1,2}[bhijklt]?|t{1,2}i?|[cst]t|sp|th|ch|ck|ij|[ao]e|qu")
_SIGNS = str.maketrans(
    dict.fromkeys("\u00ad\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | dict.fromkeys("‘’‚‛`´", "'")
    | dict.fromkeys("“”„‟«»", '"')
    | {chr(0xF000 + code): chr(code) for code in range(0x20, 0x100)}  # fonts of symbols
)
# Scripts in which a letter's form, order and number of glyphs hang on those beside it.
_JOINED = regex.compile(r"[\u0590-\u109f\u1780-\u18af\u1900-\u1aaf\u1b00-\u1bff\ua800-\uabff\p{M}]")
_RADICAL, _HAN = regex.compile(r"[\u2e80-\u2fdf]"), regex.compile(r"\p{Han}")
_UNREADABLE = ("Cc", "Cn", "Co", "Cs")


@dataclass(frozen=True, slots=True)
class Spoken:
    """A mark with ActualText, what it says, and the texts that it stands around."""

    mark: int
    data: bytes
    objects: tuple[int, ...]

    @property
    def text(self) -> str:
        """What it says (PDF 32000, 7.9.2.2)."""
        if self.data.startswith(b"\xfe\xff"):
            return self.data[2:].decode("utf-16-be", "replace")
        if self.data.startswith(b"\xef\xbb\xbf"):
            return self.data[3:].decode("utf-8", "replace")
        return self.data.decode("latin-1")


def take_unshown(
    page: pypdfium2.PdfPage, texts: Sequence[int], marks: Mapping[int, Sequence[int]]
) -> list[str]:
    """What the page is said to read and does not show, taken off it in memory.

    `marks` are all marks around the texts.
    """
    all_spoken = [
        Spoken(mark, data, tuple(marks[mark]))
        for mark, data in calls.marks_with(list(marks), ACTUAL_TEXT).items()
    ]
    if not all_spoken:
        return []
    for each in all_spoken:
        calls.without_bytes(each.objects[0], each.mark, ACTUAL_TEXT)
    all_spoken = [each for each in all_spoken if _plain(each.text)]
    if not all_spoken:
        return []  # what is said to be blank is read as it is shown
    wanted = {drawn for each in all_spoken for drawn in each.objects}
    following = {before: after for before, after in pairwise(texts) if before in wanted}
    with closing(page.get_textpage()) as text_page:
        read = {
            drawn: calls.text_of(drawn, text_page) for drawn in wanted | set(following.values())
        }
        unnamed = _unnamed(text_page, all_spoken, read)
    found = []
    for each in all_spoken:
        shown = "".join(read[drawn] for drawn in each.objects if drawn not in unnamed)
        glyphs = sum(unnamed.get(drawn, 0) for drawn in each.objects)
        after = read.get(following.get(each.objects[-1], 0), "")
        if agrees(shown, each.text, after, glyphs):
            calls.with_bytes(page, each.objects[0], each.mark, ACTUAL_TEXT, each.data)
        elif any(map(str.isalnum, each.text)):
            found.append(" ".join(each.text.split()))
    return found


def agrees(shown: str, spoken: str, after: str = "", unnamed: int = 0) -> bool:
    """Whether a text says what glyphs show that the file reads as `shown`.

    `after` is what follows on the page; `unnamed` counts glyphs that the file gives no letters for.
    """
    seen, said = _plain(shown), _plain(spoken)
    if seen == said:
        # A soft hyphen is left out of what is read: in front of a figure it may be a minus.
        return not (SOFT_HYPHEN in spoken and after[:1].isdigit())
    if _RADICAL.search(seen) and len(seen) == len(said):
        # Fonts name a letter after the radical that it is, which has no other form in Unicode.
        pairs = zip(seen, said, strict=True)
        return all(one == two or (_RADICAL.match(one) and _HAN.match(two)) for one, two in pairs)
    if unnamed and not seen:
        return len(said) <= (unnamed if any(map(str.isdigit, said)) else MAX_LETTERS * unnamed)
    if len(seen) == 1 and _LIGATURE.fullmatch(said):
        return said.startswith(seen) or said.endswith(seen)
    if any(map(str.isdigit, seen + said)) or not said:
        return False
    if all(map(_JOINED.match, seen + said)):
        missing = Counter(seen) - Counter(said)
        return not missing and (len(seen) == len(said) or len(shown.strip()) <= 2)
    return False


def _plain(text: str) -> str:
    """The letters, figures and signs that one sees, without their forms."""
    text = unicodedata.normalize("NFKC", text.translate(_SIGNS)).translate(_SIGNS).casefold()
    return "".join(
        char
        for char in text
        if not char.isspace() and unicodedata.category(char) not in ("Cf", *_UNREADABLE)
    )


def _unnamed(
    text_page: pypdfium2.PdfTextPage, all_spoken: Iterable[Spoken], read: dict[int, str]
) -> dict[int, int]:
    """How many glyphs those texts have for which the file names no letters, where no other is."""
    doubtful = {
        drawn
        for each in all_spoken
        if not agrees("".join(map(read.__getitem__, each.objects)), each.text)
        for drawn in each.objects
    }
    if not doubtful:
        return {}
    found: dict[int, int] = {}
    named: set[int] = set()
    chars = Chars(text_page)
    for index, drawn in enumerate(chars.texts()):
        if drawn not in doubtful:
            continue
        if chars.is_guessed(index) or unicodedata.category(chr(chars.code(index))) in _UNREADABLE:
            found[drawn] = found.get(drawn, 0) + 1
        else:
            named.add(drawn)
    return {drawn: number for drawn, number in found.items() if drawn not in named}
