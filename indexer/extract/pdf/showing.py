"""Pages of a PDF as pictures of bounded size, and the places of a quotation on them, as boxes.

Nothing that the file names elsewhere is loaded, and no script runs.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from indexer.errors import UnreadableDocument
from indexer.extract.pdf import layout
from indexer.extract.pdf.calls import Box
from indexer.extract.pdf.lines import HYPHENS, PlacedLine, Places
from indexer.extract.pdf.unseen import seen_text
from indexer.records import COLOUR_BYTES, GREY_BYTES, MAX_POINTS, Points
from indexer.words import Letters, folded, letters_of, runs_of, whole

if TYPE_CHECKING:
    import pypdfium2

Fractions = tuple[float, float, float, float]  # left, top, right, bottom, of the page as shown
PlacedChar = tuple[str, Fractions | None]  # None: of no known place
_BETWEEN: PlacedChar = (" ", None)


# --- Pages ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PageLetters:
    """What stands on a page: lines of characters in the order of the text."""

    lines: Sequence[Sequence[PlacedChar]]

    @cached_property
    def letters(self) -> Letters:
        """The letters as they were indexed."""
        return letters_of(char for char, _ in chain.from_iterable(self.lines))

    def boxes(self, wanted: set[int]) -> Iterator[Fractions]:
        """A box for each run of wanted characters beside each other, by their numbers.

        What is one line to pdfium may be a paragraph, and stand upright or not.
        """
        first = 0
        for line in self.lines:
            run: list[Fractions] = []
            for number, (char, box) in enumerate(line, start=first):
                if box is None or not folded(char):
                    continue
                if run and (number not in wanted or not _beside(run[-1], box)):
                    yield _around(run)
                    run = []
                if number in wanted:
                    run.append(box)
            first += len(line)
            if run:
                yield _around(run)


def _beside(one: Fractions, other: Fractions) -> bool:
    """Whether two characters share a part of their height or width: those of a row do."""
    return any(min(one[s + 2], other[s + 2]) > max(one[s], other[s]) for s in (0, 1))


def _around(boxes: Iterable[Fractions]) -> Fractions:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def letters_on(page: pypdfium2.PdfPage) -> PageLetters:
    """The letters of a page, read as for the index; what it does not show is taken from it."""
    read = layout.in_order(layout.read_page(page).lines)
    with seen_text(page) as seen:
        places = Places(seen.text_page, page)
        shown = [(places.char(n), _share(places, places.box(n))) for n in range(places.count)]
    lines = [list(_placed(line, shown)) for line in read]
    for note in filter(lambda note: note.text, layout.notes_of(page)):  # each has one place
        box = _share(places, note.box)
        lines.append([*((char, box) for char in note.text), _BETWEEN])
    return PageLetters(lines)


def letters_of_words(lines: Sequence[Sequence[tuple[str, Fractions]]]) -> PageLetters:
    """The letters of words whose boxes are known, line by line; a letter has that of its word."""
    placed = ([(char, box) for text, box in line for char in f"{text} "] for line in lines)
    return PageLetters(list(placed))


def _share(places: Places, box: Box) -> Fractions | None:
    """A box of a page's own space as shares of it as it is shown; None if it is not on it."""
    a, b, c, d, e, f = places.turn
    left, bottom, right, top = box
    xs = [(a * x + c * y + e) / places.width for x, y in ((left, bottom), (right, top))]
    ys = [1 - (b * x + d * y + f) / places.height for x, y in ((left, bottom), (right, top))]
    found = max(0.0, min(xs)), max(0.0, min(ys)), min(1.0, max(xs)), min(1.0, max(ys))
    return found if found[0] < found[2] and found[1] < found[3] else None


def _placed(line: PlacedLine, shown: Sequence[PlacedChar]) -> Iterator[PlacedChar]:
    """The characters of a line's text with their places; a hyphen that divides a word is none.

    Each takes the next place of its kind: a line may be read from the right.
    """
    first, last = sorted((line.start, line.end))
    of_kind: defaultdict[str, deque[Fractions | None]] = defaultdict(deque)
    for char, box in shown[first : last + 1] if first >= 0 else ():
        for letter in folded(char):
            of_kind[letter].append(box)
    for char in line.text:
        place = None
        for letter in folded(char):
            place = of_kind[letter].popleft() if of_kind[letter] else place
        yield "" if char in HYPHENS else char, place
    if not line.text.rstrip().endswith((*HYPHENS, "-", "\u00ad", "\u2010")):
        yield _BETWEEN


def outlined(quotation: str, page: PageLetters | None, near: float | None) -> list[Fractions]:
    """The boxes of a quotation on a page, as far as it stands there; none if it does not.

    `near` is the share of the page's letters before the quotation, None if not known.
    """
    quote = letters_of(quotation)
    if not quote.text or page is None:
        return []
    found = whole(page.letters, quote, near) or runs_of(page.letters, quote)
    return list(page.boxes({page.letters.numbers[at] for at in found}))


class ShownPdf:
    """An opened PDF; raises UnreadableDocument if no engine can draw it."""

    def __init__(self, data: bytes) -> None:
        import pypdfium2

        try:
            self._document = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            raise UnreadableDocument("malformed", f"no page can be drawn: {error}") from None
        self.count = len(self._document)

    @contextmanager
    def page(self, number: int) -> Iterator[pypdfium2.PdfPage]:
        """A page, numbered from 1, while it is drawn; raises UnreadableDocument if it cannot be."""
        import pypdfium2

        try:
            with closing(self._document[number - 1]) as page:
                yield page
        except pypdfium2.PdfiumError as error:
            raise UnreadableDocument("malformed", f"page {number}: {error}") from None

    def points(self, number: int, width: int) -> Points:
        """A page, so many points wide or as many as the bound allows. Raises UnreadableDocument."""
        import pypdfium2
        import pypdfium2.raw as pdfium

        with self.page(number) as page:
            across, down = size_within(page.get_width(), page.get_height(), width)
            bitmap = pypdfium2.PdfBitmap.new_native(across, down, pdfium.FPDFBitmap_BGR)
            with closing(bitmap):
                bitmap.fill_rect((255, 255, 255, 255), 0, 0, across, down)
                flags = pdfium.FPDF_ANNOT | pdfium.FPDF_REVERSE_BYTE_ORDER
                pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, across, down, 0, flags)
                return points_of(bytes(bitmap.buffer), across, down, bitmap.stride)

    def outline(
        self, number: int, quotation: str, near: float | None
    ) -> list[tuple[int, Fractions]]:
        """The boxes of a quotation, each with its page; see `outlined`."""
        page = None
        if 1 <= number <= self.count:
            with suppress(UnreadableDocument), self.page(number) as shown:
                page = letters_on(shown)
        return [(number, box) for box in outlined(quotation, page, near)]


def size_within(width: float, height: float, wanted: int) -> tuple[int, int]:
    """The size of a picture `wanted` points wide of a page in these proportions.

    Smaller where it would have more points than the bound; at least one point each way.
    """
    ratio = max(height, 1e-6) / max(width, 1e-6)
    across = min(float(wanted), (MAX_POINTS / ratio) ** 0.5)
    wide = max(1, int(across))
    return wide, max(1, min(int(across * ratio), MAX_POINTS // wide))


def points_of(data: bytes, width: int, height: int, stride: int) -> Points:
    """Rows of red, green and blue that begin every `stride` bytes, without what lies between."""
    row = COLOUR_BYTES * width
    if stride != row:
        data = b"".join(data[at : at + row] for at in range(0, height * stride, stride))
    grey = data[0::COLOUR_BYTES]
    if grey == data[1::COLOUR_BYTES] == data[2::COLOUR_BYTES]:
        return Points(width, height, GREY_BYTES, grey)
    return Points(width, height, COLOUR_BYTES, data)
