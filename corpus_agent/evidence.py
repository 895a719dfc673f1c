"""Quotations against documents: is this text really there, and where?

Compares what is meant by a quotation, not its bytes: white space, line ends, hyphenation at line
ends, ligatures, quotation marks, dashes and Unicode forms are normalised on both sides. A changed
word, number or name is a changed quotation. The span reported is the source's own text.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate, islice, pairwise

import regex

from corpus_agent.answer import Citation, Verdict
from corpus_agent.clean import visible
from corpus_agent.corpus import Corpus
from indexer.errors import Refused
from indexer.extract import is_mark
from indexer.records import Line

NEAR_LINES = 30  # a quotation found this far from the claimed line is where it was claimed
ALTERED_SHARE = 0.6  # of the words in common, in order: then it is a version of a real passage
_BEST_RUNS = 8  # places that a quotation may be a version of, which are then compared
_MOST_PLACES = 200  # of one pair of words in one document

_SAME = str.maketrans(
    {"‘": "'", "’": "'", "‚": "'", "‛": "'", "“": '"', "”": '"', "„": '"', "‟": '"'}
    | {"«": '"', "»": '"', "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "−": "-"}
    | {"\u00ad": "", "\u200b": "", "\u200c": "", "\u200d": "", "\ufeff": "", "…": "..."}
)
_WORD = re.compile(r"[^\W_]+")
_HYPHEN = regex.compile(r"(?<=\p{L})[-‐‑–—](?=\s*\p{L})")
_ENDING_HYPHEN = regex.compile(r"(?<=\p{L})[-‐‑–—]\s*$")
_GAP = regex.compile(r"(?<=\p{N})\s+(?=\p{N})")
_GAP_MARK, _HYPHEN_MARK = "\x1f", "\x1e"
# What makes the figures beside it part of a longer number: a point, a sign, the dash of a range.
_BEFORE_FIGURE = re.compile(r"(?:\d[.,:'’/⁄–−-]|(?:^|[\s(\[])[+±–−-])$")
_AFTER_FIGURE = re.compile(r"[.,:'’/⁄–−-]\d")


class _Normalised(dict[int, str]):
    """For `str.translate`: each character without its typographic variant.

    "" for white space and for characters that act or hide, which a model never saw; "fi" for its
    ligature. Compatibility forms are resolved for ligatures and full-width letters only: in
    general they would make a power of ten (10²) equal to another number (102).
    """

    def __missing__(self, code: int) -> str:
        char = chr(code).translate(_SAME)
        if "\ufb00" <= char <= "\ufb06" or "\uff01" <= char <= "\uffee":
            char = unicodedata.normalize("NFKC", char)
        found = self[code] = "" if char.isspace() else visible(char)
        return found


_NORMALISED = _Normalised({ord(_GAP_MARK): " ", ord(_HYPHEN_MARK): ""})


def _flat(text: str) -> str:
    """One line as it is compared: normalised, without white space but that between two figures.

    A hyphen at the end of letters is left out where letters follow, since it may be one of the
    page and not of the text; the space in "1 20" stays, or it would be the number 120.
    """
    text = _HYPHEN.sub(_HYPHEN_MARK, text)
    return _GAP.sub(_GAP_MARK, text).translate(_NORMALISED)


def _columns(text: str) -> list[int]:
    """For each character of `_flat(text)` the character of `text` that it came from."""
    text = _HYPHEN.sub(_HYPHEN_MARK, text)
    gaps = {match.start() for match in _GAP.finditer(text)}
    columns: list[int] = []
    for column, char in enumerate(text):
        pieces = " " if column in gaps else _NORMALISED[ord(char)]
        columns += [column] * len(pieces)
    return columns


@dataclass(frozen=True, slots=True)
class Comparable:
    """A document as one string in which quotations are looked up.

    `text` joins the flat lines; `starts` says where each of them begins in it, `numbers` which
    lines they are (1-based), and `leads` how many characters were put in front of them.
    """

    text: str
    starts: Sequence[int]
    numbers: Sequence[int]
    leads: Sequence[int]
    lines: Sequence[Line]

    def line(self, at: int) -> int:
        """The 1-based number of the line that a character came from."""
        return self.numbers[bisect_right(self.starts, at) - 1]

    def column(self, at: int) -> int:
        """The character of its line that a character came from."""
        index = bisect_right(self.starts, at) - 1
        columns = _columns(self.lines[self.numbers[index] - 1].text)
        return columns[max(0, min(at - self.starts[index] - self.leads[index], len(columns) - 1))]


def comparable(lines: Sequence[Line]) -> Comparable:
    """The lines, page marks left out, in the form that quotations are compared in."""
    pieces: list[str] = []
    numbers: list[int] = []
    leads: list[int] = []
    for number, line in enumerate(lines, start=1):
        flat = "" if is_mark(line) else _flat(line.text)
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
    return Comparable("".join(pieces), starts, numbers, leads, lines)


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
        # Twice as far down: a quotation may begin near and end further on.
        offset = max(1, near_line - NEAR_LINES)
        near = corpus.read(source, offset, near_line - offset + 2 * NEAR_LINES)
        found = _exactly(near.lines, quote, near_line - offset + 1)
        if found is not None and abs(found[0] + offset - 1 - near_line) <= NEAR_LINES:
            first, last, text = found
            shift = offset - 1
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
    needle = _needle(quote)
    if not any(char.isalnum() for char in needle):
        return None
    haystack = comparable(lines)
    starts = list(_occurrences(haystack.text, needle))
    for start in sorted(starts, key=lambda at: abs(haystack.line(at) - near_line)):
        if _whole(haystack, start, start + len(needle)):
            return _span(haystack, start, start + len(needle))
    return None


def _occurrences(text: str, needle: str) -> Iterator[int]:
    start = text.find(needle)
    while start >= 0:
        yield start
        start = text.find(needle, start + 1)


def _whole(haystack: Comparable, start: int, end: int) -> bool:
    """Whether the match neither begins nor ends inside a number or word of its line.

    White space is gone from the comparison, so "12" must not be found in "112" nor in "1 2"; and
    "5 mm" not in "0.5 mm", "130" not in "1,130", "18 °C" not in "-18 °C".
    """
    if _joined(haystack, start - 1, start) or _joined(haystack, end - 1, end):
        return False
    if haystack.text[start].isdigit():
        line = haystack.lines[haystack.line(start) - 1].text
        if _BEFORE_FIGURE.search(line[: haystack.column(start)]):
            return False
    if haystack.text[end - 1].isdigit():
        line = haystack.lines[haystack.line(end - 1) - 1].text
        if _AFTER_FIGURE.match(line[haystack.column(end - 1) + 1 :]):
            return False
    return True


def _joined(haystack: Comparable, left: int, right: int) -> bool:
    """Whether two neighbouring characters are of one word: adjacent in a line, alphanumeric."""
    if left < 0 or right >= len(haystack.text):
        return False
    pair = haystack.text[left], haystack.text[right]
    if not all(char.isalnum() for char in pair):
        return False
    # Scripts written without spaces have no word ends to respect.
    if any(unicodedata.east_asian_width(char) in "WF" for char in pair):
        return False
    same_line = haystack.line(left) == haystack.line(right)
    return same_line and haystack.column(right) - haystack.column(left) <= 1


def _span(haystack: Comparable, start: int, end: int) -> tuple[int, int, str]:
    """Lines and text of the source between two positions of the comparable text."""
    lines = haystack.lines
    first, last = haystack.line(start), haystack.line(end - 1)
    left, right = haystack.column(start), haystack.column(end - 1) + 1
    if first == last:
        return first, last, lines[first - 1].text[left:right]
    middle = [line.text for line in lines[first : last - 1] if not is_mark(line)]
    parts = [lines[first - 1].text[left:], *middle, lines[last - 1].text[:right]]
    return first, last, "\n".join(parts)


def _resembling(lines: Sequence[Line], quote: str) -> tuple[int, int, str, Verdict] | None:
    """The lines of the words most like the quotation, where they are enough like it."""
    wanted = _words(quote)
    own = [(w, n) for n, line in enumerate(lines) if not is_mark(line) for w in _words(line.text)]
    if not wanted or not own:
        return None
    words = [word for word, _ in own]
    best, best_share = None, ALTERED_SHARE
    slack = 1 + len(wanted) // 5
    for begin in _likely(words, wanted):
        start, end = max(0, begin - slack), begin + len(wanted) + slack
        matcher = SequenceMatcher(None, words[start:end], wanted, autojunk=False)
        blocks = [block for block in matcher.get_matching_blocks() if block.size]
        share = sum(block.size for block in blocks) / len(wanted)
        if share >= best_share and blocks:
            first = own[start + blocks[0].a][1]
            last = own[start + blocks[-1].a + blocks[-1].size - 1][1]
            best, best_share = (first, last), share
    if best is None:
        return None
    first, last = best
    text = "\n".join(line.text for line in lines[first : last + 1] if not is_mark(line))
    return first + 1, last + 1, text, "altered"


def _words(text: str) -> list[str]:
    return _WORD.findall(text.translate(_SAME).casefold())


def _likely(words: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Where a run of words may begin that `wanted` is a version of, the likeliest first.

    Every pair of neighbouring words that both have votes for the place that it would put the
    beginning at; a run that shares most words in order shares pairs.
    """
    text = f" {' '.join(words)} "
    starts = list(accumulate((len(word) + 1 for word in words), initial=0))
    votes: Counter[int] = Counter()
    for number, (one, other) in enumerate(pairwise(wanted)):
        for at in islice(_occurrences(text, f" {one} {other} "), _MOST_PLACES):
            votes[max(0, bisect_left(starts, at) - number)] += 1
    return [begin for begin, _ in votes.most_common(_BEST_RUNS)]
