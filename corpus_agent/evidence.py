"""Quotations against documents: is this text really there, and where?

Compares what is meant by a quotation, not its bytes: white space, line ends, hyphenation at line
ends, ligatures, quotation marks, dashes and Unicode forms are normalised on both sides. A changed
word, number or name is a changed quotation. The span reported is the source's own text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache

import regex

from corpus_agent.answer import Citation, Verdict
from corpus_agent.clean import visible
from corpus_agent.corpus import Corpus
from indexer.errors import Refused
from indexer.extract import is_mark
from indexer.records import Line

NEAR_LINES = 30  # a quotation found this far from the claimed line is where it was claimed
ALTERED_SHARE = 0.6  # of the words in common, in order: then it is a version of a real passage

_SAME = str.maketrans(
    {"‘": "'", "’": "'", "‚": "'", "‛": "'", "“": '"', "”": '"', "„": '"', "‟": '"'}
    | {"«": '"', "»": '"', "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "−": "-"}
    | {"\u00ad": "", "\u200b": "", "\u200c": "", "\u200d": "", "\ufeff": "", "…": "..."}
)
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+|[^\s\p{L}\p{M}\p{N}]")
_LETTER = regex.compile(r"\p{L}")


@dataclass(frozen=True, slots=True)
class Comparable:
    """A document as one string in which quotations are looked up.

    `text` is normalised and without white space; `line` gives for each of its characters the
    1-based line it came from, `column` the character of that line.
    """

    text: str
    line: Sequence[int]
    column: Sequence[int]


def comparable(lines: Sequence[Line]) -> Comparable:
    """The lines, page marks left out, in the form that quotations are compared in.

    A hyphen between letters is left out, since it may be one of the page and not of the text.
    """
    chars: list[str] = []
    places: list[tuple[int, int]] = []
    for number, line in enumerate(lines, start=1):
        if is_mark(line):
            continue
        for column, char in enumerate(line.text):
            for piece in _normalised(char):
                if _LETTER.match(piece) and _ends_in_hyphen(chars):
                    chars.pop()
                    places.pop()
                chars.append(piece)
                places.append((number, column))
    return Comparable("".join(chars), [p[0] for p in places], [p[1] for p in places])


def _ends_in_hyphen(chars: Sequence[str]) -> bool:
    return len(chars) > 1 and chars[-1] == "-" and bool(_LETTER.match(chars[-2]))


@cache
def _normalised(char: str) -> str:
    """One character without its typographic variant: "" for white space, "fi" for its ligature.

    Characters that act or hide are nothing here: a model never saw them.

    Compatibility forms are resolved for ligatures and full-width letters only: in general they
    would make a power of ten (10²) equal to another number (102).
    """
    char = char.translate(_SAME)
    if "\ufb00" <= char <= "\ufb06" or "\uff01" <= char <= "\uffee":
        char = unicodedata.normalize("NFKC", char)
    return "" if char.isspace() else visible(char)


def _needle(quote: str) -> str:
    """A quotation in the form of `Comparable.text`; it may end at a hyphen of the page."""
    lines = [Line(part) for part in unicodedata.normalize("NFC", quote).split("\n")]
    return re.sub(r"(?<=\w)-$", "", comparable(lines).text)


def check_quotation(
    corpus: Corpus, n: int, source: str, quote: str, near_line: int = 1
) -> Citation:
    """The citation numbered `n` for a quotation claimed to stand near a line of `source`.

    `verified` at the claimed place, `moved` elsewhere in the source: both carry the source's own
    text and lines. `altered` resembles a passage, whose text and place are given; `not_found`
    keeps the claim.
    """
    try:
        near = corpus.read(source, max(1, near_line - NEAR_LINES), 2 * NEAR_LINES)
        found = _exactly(near.lines, quote, near_line - near.offset + 1)
        if found is not None:
            first, last, text = found
            shift = near.offset - 1
            page = near.lines[first - 1].page
            return Citation(n, source, page, first + shift, last + shift, text, "verified")
    except Refused:
        pass  # the claimed line may lie beyond the end: then the whole document decides
    try:
        lines = read_all(corpus, source)
    except Refused:
        return Citation(n, source, None, near_line, near_line, quote, "not_found")
    whole = locate(lines, quote, near_line)
    if whole is None:
        return Citation(n, source, None, near_line, near_line, quote, "not_found")
    start, end, text, verdict = whole
    return Citation(n, source, lines[start - 1].page, start, end, text, verdict)


def read_all(corpus: Corpus, source: str) -> list[Line]:
    """All lines of a document, window by window; raises Refused as `Corpus.read` does."""
    lines: list[Line] = []
    offset: int | None = 1
    while offset is not None:
        window = corpus.read(source, offset)
        lines += window.lines
        offset = window.next_offset
    return lines


def locate(
    lines: Sequence[Line], quote: str, near_line: int = 1
) -> tuple[int, int, str, Verdict] | None:
    """First line, last line, the source's own text and the verdict; None where it is nowhere."""
    found = _exactly(lines, quote, near_line)
    if found is None:
        return _resembling(lines, quote)
    near = found[0] - NEAR_LINES <= near_line <= found[1] + NEAR_LINES
    return (*found, "verified" if near else "moved")


def _exactly(lines: Sequence[Line], quote: str, near_line: int) -> tuple[int, int, str] | None:
    """The occurrence nearest to a line: first and last line and the source's own text."""
    haystack = comparable(lines)
    needle = _needle(quote)
    if not any(char.isalnum() for char in needle):
        return None
    starts = [at for at in _occurrences(haystack.text, needle) if _whole(haystack, at, needle)]
    if not starts:
        return None
    best = min(starts, key=lambda start: abs(haystack.line[start] - near_line))
    return _span(lines, haystack, best, best + len(needle))


def _occurrences(text: str, needle: str) -> list[int]:
    starts, start = [], text.find(needle)
    while start >= 0:
        starts.append(start)
        start = text.find(needle, start + 1)
    return starts


def _whole(haystack: Comparable, start: int, needle: str) -> bool:
    """Whether the match neither begins nor ends inside a number or word of its line.

    White space is gone from the comparison, so "12" must not be found in "112" nor in "1 2".
    """
    end = start + len(needle)
    return not (_joined(haystack, start - 1, start) or _joined(haystack, end - 1, end))


def _joined(haystack: Comparable, left: int, right: int) -> bool:
    """Whether two neighbouring characters are of one word: adjacent in a line, alphanumeric."""
    if left < 0 or right >= len(haystack.text):
        return False
    same_line = haystack.line[left] == haystack.line[right]
    adjacent = same_line and haystack.column[right] - haystack.column[left] <= 1
    pair = haystack.text[left], haystack.text[right]
    if not adjacent or not all(char.isalnum() for char in pair):
        return False
    # Scripts written without spaces have no word ends to respect.
    return not any(unicodedata.east_asian_width(char) in "WF" for char in pair)


def _span(
    lines: Sequence[Line], haystack: Comparable, start: int, end: int
) -> tuple[int, int, str]:
    """Lines and text of the source between two positions of the comparable text."""
    first, last = haystack.line[start], haystack.line[end - 1]
    left, right = haystack.column[start], haystack.column[end - 1] + 1
    if first == last:
        return first, last, lines[first - 1].text[left:right]
    middle = [line.text for line in lines[first : last - 1] if not is_mark(line)]
    parts = [lines[first - 1].text[left:], *middle, lines[last - 1].text[:right]]
    return first, last, "\n".join(parts)


def _resembling(lines: Sequence[Line], quote: str) -> tuple[int, int, str, Verdict] | None:
    """The run of lines most like the quotation, where it is enough like it to be its origin."""
    words = _WORD.findall(quote.translate(_SAME).casefold())
    length = max(1, quote.count("\n") + 1)
    best, best_share = None, ALTERED_SHARE
    wanted = set(words)
    for start in range(len(lines)):
        end = min(len(lines), start + length)
        text = "\n".join(line.text for line in lines[start:end] if not is_mark(line))
        own = _WORD.findall(text.translate(_SAME).casefold())
        if len(wanted.intersection(own)) < ALTERED_SHARE * len(wanted):
            continue
        matched = sum(
            block.size for block in SequenceMatcher(None, own, words, False).get_matching_blocks()
        )
        if words and matched / len(words) > best_share:
            best, best_share = (start + 1, end, text), matched / len(words)
    return (*best, "altered") if best else None
