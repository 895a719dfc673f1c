"""Documents and quotations in the form in which they are compared, with the way back. Pure.

White space, line ends, hyphenation at line ends, ligatures, quotation marks, dashes, Unicode forms
and mark-up without meaning are normalised.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import regex

from corpus_agent.text.sanitize import visible
from indexer import Line

SAME = str.maketrans(
    {"‘": "'", "’": "'", "‚": "'", "‛": "'", "“": '"', "”": '"', "„": '"', "‟": '"'}
    | {"«": '"', "»": '"'}
    | dict.fromkeys("‐‑‒–—―−﹘﹣－⁃", "-")
    | {"\u00ad": "", "\u200b": "", "\u200c": "", "\u200d": "", "\ufeff": "", "…": "..."}
)
LETTER = r"[\p{L}--\p{Han}]"  # of the scripts that have hyphens
_HYPHEN = regex.compile(rf"(?<={LETTER})[-‐‑–—](?=\s*{LETTER})", regex.VERSION1)
_ENDING_HYPHEN = regex.compile(rf"(?<={LETTER})[-‐‑–—]\s*$", regex.VERSION1)
# Behind a figure or a currency it is no hyphen, but a minus.
_BROKEN_OFF = re.compile(r"(?<=[^\W\d_])(?<![A-Z]{3})-$")
_GAP_MARK, _HYPHEN_MARK = "\x1f", "\x1e"
_GAP = regex.compile(rf"(?<=\p{{N}}{_HYPHEN_MARK}*)\s+(?={_HYPHEN_MARK}*\p{{N}})")

# Mark-up without meaning: emphasis in pairs, tags within a line, the sign of
# a quoted mail. Not strikethrough (~~), and no "*" or "_" next to a figure or letter.
_OPENED, _CLOSED = r"(?<![[\p{L}\p{N}*_\\]--\p{Han}])", r"(?![[\p{L}\p{N}*_]--\p{Han}])"
_MARKUP = regex.compile(
    rf"(?P<a>{_OPENED}(?:\*\*\*|\*\*|\*|___|__|_|`))(?=[^\s*_`])(?:(?!\s{{2}}).)*?(?<=[^\s*_`\\])"
    rf"(?P<b>(?P=a){_CLOSED})"
    r"|(?P<a></?(?:b|i|u|em|strong|span|a|code|mark|font)(?:\s[^<>]{0,80})?>)"
    r"|(?P<a>^(?:[^\S\n]*>)+[^\S\n]+)(?![^\S\n]*[\p{N}\p{Sc}.\p{Pd}−])",
    regex.VERSION1,
)
# Link targets and note marks are ignored for a quotation that has none.
LINKS = regex.compile(
    r"(?<!\\)(?P<a>!?\[\[(?:[^\[\]|\n]{1,300}\|)?)(?=[\p{L}\p{N}])[^\[\]|\n]{1,300}(?P<b>\]\])"
    r"|(?P<a>(?<=\S)[ ]\^(?=[\w-]*[A-Za-z])[A-Za-z0-9-]{3,40}$)|"
    r"(?<!\\)(?P<a>!?\[)(?![\s^])[^\[\]\n]{1,200}(?P<b>\](?:\([^()\s]{1,300}\)|\[[^\[\]\n]{0,40}\]))"
    r"|(?<=[\p{L}\p{P}])(?P<a>\[\^?\p{N}{1,3}\])(?![\p{N}(\[])"
)
_BLANKS = regex.compile(r"(?i)<br\s?/?>|&(?:nbsp|ensp|emsp|thinsp|#160|#xa0|#8239|#x202f);")


class _Normalised(dict[int, str]):
    """A table for `str.translate` that maps each character to its plain form.

    "" for white space and for control and invisible characters, which a model never saw; "fi" for
    its ligature. Compatibility forms are resolved for ligatures and full-width letters only: in
    general they would make a power of ten (10²) equal to another number (102).
    """

    def __missing__(self, code: int) -> str:
        char = chr(code).translate(SAME)
        if "\ufb00" <= char <= "\ufb06" or "\uff01" <= char <= "\uffee":
            char = unicodedata.normalize("NFKC", char)
        found = self[code] = "" if char.isspace() else visible(char)
        return found


_NORMALISED = _Normalised({ord(_GAP_MARK): " ", ord(_HYPHEN_MARK): ""})


def _flat(text: str, linked: bool = False) -> str:
    """One line in comparable form: normalised, without white space except between two digits.

    A hyphen between letters is left out, since it may come from the line break; the space in
    "1 20" stays, otherwise it would be the number 120.
    """
    text = _HYPHEN.sub(_HYPHEN_MARK, without_markup(text, linked))
    return _GAP.sub(_GAP_MARK, text).translate(_NORMALISED)


@lru_cache(maxsize=4096)
def without_markup(text: str, linked: bool) -> str:
    """A line of the same length in which mark-up is replaced by characters that `_flat` drops.

    Mark-up for a blank or a line end becomes as many blanks; with `linked`, links and note marks
    stay as they are.
    """
    text = _BLANKS.sub(lambda blank: " " * len(blank[0]), text)
    for pattern in (_MARKUP, _MARKUP, *(() if linked else (LINKS,))):  # bold in italics
        for match in pattern.finditer(text):
            for start, end in (*match.spans("a"), *match.spans("b")):
                text = text[:start] + _HYPHEN_MARK * (end - start) + text[end:]
    return text


@lru_cache(maxsize=4096)
def _columns(text: str, linked: bool = False) -> list[int]:
    """For each character of `_flat(text)` the index in `text` that it came from."""
    text = _HYPHEN.sub(_HYPHEN_MARK, without_markup(text, linked))
    gaps = {match.start() for match in _GAP.finditer(text)}
    columns: list[int] = []
    for column, char in enumerate(text):
        pieces = " " if column in gaps else _NORMALISED[ord(char)]
        columns += [column] * len(pieces)
    return columns


@dataclass(frozen=True, slots=True)
class Comparable:
    """A document as one string in which quotations are looked up.

    `text` joins the flat lines; `starts` are their offsets in it, `numbers` their line numbers
    (1-based), and `leads` the number of characters inserted before each. `linked` is whether links
    and note marks are included.
    """

    text: str
    starts: Sequence[int]
    numbers: Sequence[int]
    leads: Sequence[int]
    lines: Sequence[Line]
    linked: bool = False

    def line(self, at: int) -> int:
        """The 1-based number of the line that a character came from."""
        return self.numbers[bisect_right(self.starts, at) - 1]

    def column(self, at: int) -> int:
        """The column in its line that a character came from."""
        index = bisect_right(self.starts, at) - 1
        columns = _columns(self.lines[self.numbers[index] - 1].text, self.linked)
        return columns[max(0, min(at - self.starts[index] - self.leads[index], len(columns) - 1))]


def comparable(lines: Sequence[Line], linked: bool = False) -> Comparable:
    """The lines in the form in which quotations are compared, without page marks."""
    pieces: list[str] = []
    numbers: list[int] = []
    leads: list[int] = []
    for number, line in enumerate(lines, start=1):
        flat = "" if line.is_mark else _flat(line.text, linked)
        if not flat:
            continue
        before = pieces[-1] if pieces else ""
        if flat[0].isalpha() and numbers and _ENDING_HYPHEN.search(lines[numbers[-1] - 1].text):
            pieces[-1] = before[:-1]
        gap = " " if before[-1:].isdigit() and flat[0].isdigit() else ""
        pieces.append(gap + flat)
        numbers.append(number)
        leads.append(len(gap))
    starts, size = [], 0
    for piece in pieces:
        starts.append(size)
        size += len(piece)
    return Comparable("".join(pieces), starts, numbers, leads, lines, linked)


def comparable_quote(quote: str, linked: bool) -> Comparable:
    """A quotation in comparable form; it may end at a hyphen of a line break."""
    lines = [Line(part) for part in unicodedata.normalize("NFC", quote).split("\n")]
    found = comparable(lines, linked)
    return replace(found, text=_BROKEN_OFF.sub("", found.text))
