"""Recognised pieces of text -> lines in the order in which a person reads them. Pure.

A detector frames pieces: a line of running text, a cell of a table, the amount on the right of a
receipt. Pieces at one height are one line, unless they stand in columns of running text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import fmean, median
from typing import NamedTuple
from unicodedata import east_asian_width

import regex

from indexer.extract.normalise import lines_of, whole

UNREADABLE = "(unreadable line)"
MIN_CONFIDENCE = 0.80  # of a piece

# Letters that the model does not know it leaves out, and is certain of what is left. So a piece
# must hold as many as its width has room for: in units of its height, wide letters count twice.
# Of 15 rendered pages the lowest of 12 languages that the model knows was 1.3.
MIN_DENSITY = 1.15
_WIDE = 3.0  # heights; in a shorter piece one letter decides
# On a page in another script some words look right all the same. Then only figures are kept.
FOREIGN_SHARE = 0.15  # of the wide pieces
SUSPECT_SHARE = 0.03  # of the wide pieces: worth asking an engine that knows more scripts
SUSPECT_CONFIDENCE = 0.88  # of a page, as the mean of its pieces
_GREEK_SHARE = 0.2  # of the letters: the model knows them without their accents

# Columns of running text: at least so many pieces a side, so wide for their height, and a gap
# between them as wide as a line is high.
MIN_COLUMN_PIECES = 6
MIN_COLUMN_RATIO = 6.0
MIN_GUTTER_HEIGHTS = 0.6
# Tesseract takes each letter of Thai, Lao, Burmese and Khmer for a word. In rendered Thai, letters
# stand up to .25 of the line's height apart, words from .33 on.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]{2}")
MIN_SPACE_HEIGHTS = 0.3
_SAME_LINE = 0.5  # of the lower piece's height: centres that are nearer are at one height


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of recognised text, and where it stands in a page, in points."""

    left: float
    top: float
    right: float
    bottom: float
    text: str
    confidence: float

    @property
    def height(self) -> float:
        """From its top to its bottom."""
        return self.bottom - self.top

    @property
    def is_sparse(self) -> bool:
        """Whether it is wide and holds fewer letters than fit: some were left out."""
        room = (self.right - self.left) / max(1.0, self.height)
        letters = "".join(self.text.split())
        weight = len(letters) + sum(east_asian_width(letter) in "WF" for letter in letters)
        return room > _WIDE and weight / room < MIN_DENSITY

    @property
    def middle(self) -> float:
        """The height at which it stands."""
        return (self.top + self.bottom) / 2


def _sparse_share(pieces: Sequence[Piece]) -> float:
    """The share of a page's wide pieces from which letters were left out."""
    wide = [piece for piece in pieces if piece.right - piece.left > _WIDE * piece.height]
    return sum(piece.is_sparse for piece in wide) / len(wide) if wide else 0.0


def is_foreign(pieces: Sequence[Piece]) -> bool:
    """Whether a page is in a script that the model does not know, or knows in part."""
    letters = [char for piece in pieces for char in piece.text if char.isalpha()]
    greek = sum("\u0370" <= char <= "\u03ff" for char in letters)
    return _sparse_share(pieces) >= FOREIGN_SHARE or greek > _GREEK_SHARE * max(1, len(letters))


def is_suspect(pieces: Sequence[Piece]) -> bool:
    """Whether a page may be in such a script: another engine is worth its time."""
    mean = sum(piece.confidence for piece in pieces) / max(1, len(pieces))
    sparse = _sparse_share(pieces) >= SUSPECT_SHARE
    return bool(pieces) and (is_foreign(pieces) or sparse or mean < SUSPECT_CONFIDENCE)


def certain_rows(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """The pieces of a page line by line; those that are not certain are UNREADABLE."""
    foreign = is_foreign(pieces)
    return [[_certain(piece, foreign) for piece in row] for row in _ordered(pieces)]


def _certain(piece: Piece, foreign: bool) -> Piece:
    words = foreign and any(map(str.isalpha, piece.text))
    if piece.confidence < MIN_CONFIDENCE or piece.is_sparse or words:
        return replace(piece, text=UNREADABLE, confidence=0.0)
    return replace(piece, text=piece.text.replace(UNREADABLE, "[unreadable line]"))


def lines_of_rows(
    rows: Iterable[Sequence[Piece]], sure: Callable[[Sequence[float]], float] = min
) -> list[tuple[str, float]]:
    """The lines that a person is shown, each `sure` by the confidences of what is read in it.

    Neighbouring lines of which nothing is read are one.
    """
    lines: list[tuple[str, float]] = []
    for row in rows:
        read = [piece.confidence for piece in row if piece.text != UNREADABLE]
        confidence = round(sure(read), 3) if read else 0.0
        for part in lines_of(_joined(row)):
            if not lines or not part == lines[-1][0] == UNREADABLE:
                lines.append((part, confidence))
    return lines


def _joined(row: Sequence[Piece]) -> str:
    """The pieces with spaces between; of a script that is written without, where there is room."""
    text, before = "", None
    height = max((piece.height for piece in row), default=0.0)
    for piece in row:
        if before is not None:
            if piece.text == before.text == UNREADABLE:
                continue
            close = piece.left - before.right < MIN_SPACE_HEIGHTS * height
            text += "" if close and _UNSPACED.match(before.text[-1] + piece.text[0]) else " "
        text += piece.text
        before = piece
    return text.replace("\u0e4d\u0e32", "\u0e33")  # one vowel of Thai, seen as its two parts


def turned(
    corners: Sequence[tuple[float, float]], angle: float
) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a frame when the page is turned back by `angle` radians."""
    cos, sin = math.cos(-angle), math.sin(-angle)
    places = [(x * cos - y * sin, x * sin + y * cos) for x, y in corners]
    # The middle of each side, so that what is left of the slant does not make the frame higher.
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = places
    return (ax + dx) / 2, (ay + by) / 2, (bx + cx) / 2, (cy + dy) / 2


def skew(frames: Sequence[Sequence[tuple[float, float]]]) -> float:
    """The slant of the page's lines in radians: the median of the long frames, 0 without any."""
    slants = []
    for (ax, ay), (bx, by), _, (dx, dy) in frames:
        width, height = math.hypot(bx - ax, by - ay), math.hypot(dx - ax, dy - ay)
        if width > 4 * height:
            slants.append(math.atan2(by - ay, bx - ax))
    return median(slants) if len(slants) >= 3 else 0.0


def _ordered(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """The pieces line by line, column by column where the page has columns."""
    gutters = _gutters(pieces)
    if not gutters:
        return _rows(pieces)
    lines: list[list[Piece]] = []
    band: list[Piece] = []
    for piece in sorted(pieces, key=lambda piece: piece.middle):
        if any(piece.left < x < piece.right for x in gutters):
            # A heading over all columns: what stands above it is read before it.
            lines += _by_column(band, gutters)
            band = []
            lines.append([piece])
        else:
            band.append(piece)
    return lines + _by_column(band, gutters)


def _by_column(band: Sequence[Piece], gutters: Sequence[float]) -> list[list[Piece]]:
    columns: list[list[Piece]] = [[] for _ in range(len(gutters) + 1)]
    for piece in band:
        columns[sum(piece.left >= x for x in gutters)].append(piece)
    return [row for column in columns for row in _rows(column)]


def _rows(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Pieces at one height as one line, from left to right."""
    rows: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda piece: piece.middle):
        if rows:
            last = rows[-1][-1]
            near = _SAME_LINE * min(piece.height, last.height)
            if piece.middle - last.middle < near and not _overlaps(piece, rows[-1]):
                rows[-1].append(piece)
                continue
        rows.append([piece])
    return [sorted(row, key=lambda piece: piece.left) for row in rows]


def _overlaps(piece: Piece, row: Sequence[Piece]) -> bool:
    """Whether the piece stands over or under one of the row: then it is another line."""
    return any(
        min(piece.right, other.right) - max(piece.left, other.left)
        > max(0, 0.5 * min(piece.right - piece.left, other.right - other.left))
        for other in row
    )


def _gutters(pieces: Sequence[Piece]) -> list[float]:
    """Where columns of running text are apart, from left to right; none on most pages."""
    if len(pieces) < 2 * MIN_COLUMN_PIECES:
        return []
    height = median(piece.height for piece in pieces)
    left, right = min(p.left for p in pieces), max(p.right for p in pieces)
    narrow = [p for p in pieces if p.right - p.left < 0.55 * (right - left)]
    found: list[float] = []
    for start, end in _gaps(narrow):
        if end - start < MIN_GUTTER_HEIGHTS * height:
            continue
        x = (start + end) / 2
        crossing = sum(p.left < x < p.right for p in pieces)
        begin = (found[-1] if found else left) - 1  # of the column before it
        before = [p for p in narrow if p.left >= begin and p.right <= x]
        behind = [p for p in narrow if p.left >= x]
        if crossing <= 0.2 * len(pieces) and all(map(_is_running_text, (before, behind))):
            found.append(x)
    return found


def _gaps(pieces: Sequence[Piece]) -> list[tuple[float, float]]:
    """The stretches from left to right over which no piece stands; a few strays are allowed."""
    allowed = len(pieces) // 25
    edges = sorted([(p.left, 1) for p in pieces] + [(p.right, -1) for p in pieces])
    gaps = []
    depth, open_at = 0, None
    for x, step in edges:
        before, depth = depth, depth + step
        if before > allowed >= depth:
            open_at = x
        elif before <= allowed < depth and open_at is not None:
            gaps.append((open_at, x))
            open_at = None
    return gaps


def _is_running_text(pieces: Sequence[Piece]) -> bool:
    """Whether a side holds lines of text rather than the cells of a table."""
    if len(pieces) < MIN_COLUMN_PIECES:
        return False
    return median((p.right - p.left) / max(1.0, p.height) for p in pieces) >= MIN_COLUMN_RATIO


# --- What Tesseract printed for a page ------------------------------------------------------------

# Of a line, as the mean of its words: Tesseract's numbers run lower than rapidocr's.
MIN_LINE_CONFIDENCE = 0.60
MIN_TRIAL_LETTERS = 0.5  # of all letters that it reads: in the script that is tried
_LEVEL = "5"  # of a row of its table that is a word
_MU = re.compile("\u00b5(?=[\u0370-\u03ff])|(?<=[\u0370-\u03ff])\u00b5")  # read as the micro sign


def lines_of_table(table: str) -> list[list[Piece]]:
    """The words of Tesseract's table, line by line."""
    lines = groupby(_printed(table), key=lambda word: word[0])
    return [_read([piece for _, piece in line]) for _, line in lines]


def trial_confidence(table: str, script: str) -> float:
    """How surely words of a script were read; 0 if most letters are of another."""
    words = [piece for _, piece in _printed(table)]
    letters = [char for word in words for char in word.text if char.isalpha()]
    ours = regex.compile(rf"\p{{{script}}}")
    if sum(bool(ours.match(char)) for char in letters) < MIN_TRIAL_LETTERS * max(1, len(letters)):
        return 0.0
    sure = [word.confidence for word in words if ours.search(word.text)]
    return sum(sure) / len(sure) if sure else 0.0


def _printed(table: str) -> Iterator[tuple[list[str], Piece]]:
    """The rows of the table that are words, each with the cells that number its line."""
    for cells in (row.split("\t") for row in table.splitlines()):
        if len(cells) == 12 and cells[0] == _LEVEL and cells[11].strip():
            left, top, width, height, percent = (float(cell) for cell in cells[6:11])
            text = _MU.sub("\u03bc", " ".join(whole(cells[11]).split()))
            sure = min(1.0, max(0.0, percent / 100))
            yield cells[1:5], Piece(left, top, left + width, top + height, text, sure)


def _read(line: list[Piece]) -> list[Piece]:
    """The line, or its places alone if it is not certain."""
    if fmean(word.confidence for word in line) >= MIN_LINE_CONFIDENCE:
        return line
    return [replace(word, text=UNREADABLE, confidence=0.0) for word in line]


# --- Where recognised words stand on the page as it is shown --------------------------------------
#
# A page is turned and put straight before it is read; what is outlined is the page as it was.

DIGITS = 5  # of a share: a tenth of a point of the largest picture
_WORD = re.compile(r"\S+")


class PlacedText(NamedTuple):
    """A word, the number of its line among those of its page, and its box in shares of the page."""

    line: int
    left: float
    top: float
    right: float
    bottom: float
    text: str


@dataclass(frozen=True, slots=True)
class TurnedPage:
    """An upright picture of a page: its size, and how it was turned to be read.

    `turned_degrees` is a multiple of 90, against the clock; `skew` is the slant in radians of what
    was put straight after that.
    """

    width: int
    height: int
    turned_degrees: int = 0
    skew: float = 0.0

    def placed(
        self, line: int, box: tuple[float, float, float, float], text: str
    ) -> PlacedText | None:
        """A word whose box is in points of this picture; None where none of it is on the page."""
        corners = [self._shown(x, y) for x in box[::2] for y in box[1::2]]
        xs, ys = zip(*corners, strict=True)
        found = PlacedText(line, min(xs), min(ys), max(xs), max(ys), text)
        return found if found.left < found.right and found.top < found.bottom else None

    def _shown(self, x: float, y: float) -> tuple[float, float]:
        """A place of the picture as shares of the page, at its edge where it is beyond."""
        cos, sin = math.cos(self.skew), math.sin(self.skew)
        across, down = (x * cos - y * sin) / self.width, (x * sin + y * cos) / self.height
        x, y = {
            0: (across, down),
            90: (1 - down, across),
            180: (1 - across, 1 - down),
            270: (down, 1 - across),
        }[self.turned_degrees]
        return round(min(1.0, max(0.0, x)), DIGITS), round(min(1.0, max(0.0, y)), DIGITS)


def words_of_pieces(rows: Sequence[Sequence[Piece]], page: TurnedPage) -> list[PlacedText]:
    """The words of a page's lines, in their order."""
    placed = (
        page.placed(number, (left, piece.top, right, piece.bottom), text)
        for number, row in enumerate(rows)
        for piece in row
        if piece.text != UNREADABLE
        for left, right, text in _words(piece)
    )
    return [word for word in placed if word is not None]


def _words(piece: Piece) -> Iterator[tuple[float, float, str]]:
    """Left, right and text of each word, as if all letters were as wide as each other."""
    step = (piece.right - piece.left) / len(piece.text)
    for word in _WORD.finditer(piece.text):
        yield piece.left + word.start() * step, piece.left + word.end() * step, word[0]
