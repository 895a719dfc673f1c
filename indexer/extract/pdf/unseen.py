"""Text of a PDF page that is drawn and not seen: taken off the page before its text is laid out.

Told by its mode, its place or its size, or by painting the page. Text over a picture that fills the
page, or under it, is what the picture shows: a scan's own words, set by the program that recognised
them. Where a part of a text is unseen, blanks stand for it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING

from indexer.extract.pdf import calls, painting, spoken
from indexer.extract.pdf.calls import IMAGE, PATH
from indexer.extract.pdf.characters import Chars
from indexer.extract.pdf.drawing import Box, Drawing, drawing_of, touching
from indexer.extract.pdf.painting import Letter
from indexer.extract.pdf.suspects import FILLED, INVISIBLE, OUTLINE_OF_ALL, Suspects, suspects_of

if TYPE_CHECKING:
    import pypdfium2

MIN_PICTURE_SHARE = 0.4  # of a page that its pictures cover, before it is a scan
MIN_SCAN_SHARE = 0.8  # the same where they lie on the text
MIN_DRAWN_PER_WORD = 1.0  # paths: letters that are drawn as outlines, with invisible text for them
MIN_GAP_SHARE = 0.25  # of a line's height, between two words
LAYER = "OC"  # a mark: optional content


@dataclass(frozen=True, slots=True)
class UnseenText:
    """The lines of text that a page does not show, and the letters that are blanks on it.

    A letter is told by the text that draws it and its number among the letters of that.
    """

    lines: tuple[str, ...] = ()
    letters: frozenset[tuple[int, int]] = frozenset()


@dataclass(frozen=True, slots=True)
class UnseenPiece:
    """Words that are not seen, their box, and whether the same are seen at their place."""

    text: str
    box: Box
    is_seen_too: bool


def take_unseen(page: pypdfium2.PdfPage) -> UnseenText:
    """What the page does not show, removed from it in memory where all of a text is unseen."""
    objects = calls.objects_of(page)
    if not objects:
        return UnseenText()
    drawing = drawing_of(objects)
    if not drawing.texts:
        return UnseenText()
    marks = calls.marks(drawing.texts)
    said = spoken.take_unshown(page, drawing.texts, marks)
    suspects = suspects_of(drawing, page.get_bbox(), calls.above(page), _layered(drawing, marks))
    if not suspects:
        return UnseenText(tuple(said))
    with closing(page.get_textpage()) as text_page:
        whole, parts = _unseen(page, text_page, drawing, suspects, objects)
        pieces = list(_pieces(drawing, whole, text_page))
        found = tuple(_lines(pieces))
        said += (_read(text_page, run) for run in parts)
        numbers = _numbers(text_page, parts)
    if any(piece.text.strip() for piece in pieces):
        for index in whole:
            calls.remove(page, drawing.texts[index], drawing.form_of(index))
    return UnseenText((*found, *said), numbers)


def _read(text_page: pypdfium2.PdfTextPage, run: Sequence[Letter]) -> str:
    """Letters that follow each other, with the blanks between them."""
    chars = Chars(text_page)
    codes = (chars.code(index) for index in range(run[0].index, run[-1].index + 1))
    return " ".join("".join(chr(code) for code in codes if code).split())


def _numbers(
    text_page: pypdfium2.PdfTextPage, parts: Sequence[Sequence[Letter]]
) -> frozenset[tuple[int, int]]:
    unseen = {each.index for run in parts for each in run}
    letters = painting.letters_of(text_page, {run[0].text for run in parts})
    return frozenset(
        (text, number)
        for text, own in _by_text(letters)
        for number, each in enumerate(own)
        if each.index in unseen
    )


def chars_of(text_page: pypdfium2.PdfTextPage, letters: frozenset[tuple[int, int]]) -> set[int]:
    """The numbers in pdfium's list of letters that blanks stand for."""
    by_text = _by_text(painting.letters_of(text_page, {text for text, _ in letters}))
    return {own[number].index for text, own in by_text for at, number in letters if at == text}


def _layered(drawing: Drawing, marks: dict[int, list[int]]) -> Iterator[int]:
    """The texts that may be in a layer that is off, or in a form that is seen through."""
    inside = {
        text for mark, around in marks.items() if calls.mark_name(mark) == LAYER for text in around
    }
    if inside:
        yield from (index for index, text in enumerate(drawing.texts) if text in inside)
    layers = LAYER in map(calls.mark_name, calls.marks(drawing.forms))
    if layers or any(calls.transparent(drawing.forms)):
        for part in drawing.inner:
            yield from range(part.start, part.end)


def _unseen(
    page: pypdfium2.PdfPage,
    text_page: pypdfium2.PdfTextPage,
    drawing: Drawing,
    suspects: Suspects,
    objects: Sequence[int],
) -> tuple[set[int], list[list[Letter]]]:
    """The texts of which nothing is seen, by number, and of others the runs that are not."""
    left, bottom, right, top = page.get_bbox()
    area = (right - left) * (top - bottom)
    pictured = _is_pictured(drawing, area)
    whole = suspects.off | suspects.tiny
    for index in suspects.unpainted:
        through = drawing.modes[index] == OUTLINE_OF_ALL and _painted_through(
            page, text_page, drawing, index
        )
        if not (through or pictured):
            whole.add(index)
    if pictured and suspects.look == suspects.by_colour and _stands_out(page, drawing, suspects):
        return whole, []
    numbers = {drawing.texts[index]: index for index in suspects.look}
    letters = painting.letters_of(text_page, numbers)
    if not letters:
        return whole, []
    everything = [*drawing.texts, *(each.drawn for each in drawing.painted)]
    cut = {drawing.texts[index] for index in suspects.cut}
    seen = painting.seen(page, letters, everything, cut)
    scans = [
        each.place
        for each in drawing.painted
        if each.kind == IMAGE and each.area >= MIN_SCAN_SHARE * area
    ]
    parts: list[list[Letter]] = []
    for text, own in _by_text(letters):
        index = numbers[text]
        if scans and drawing.places[index] < scans[-1]:
            continue
        unseen = _in_words(own, {e.index for e in own if _is_unseen(seen[e.index], e, pictured)})
        if len(unseen) == len(own):
            whole.add(index)
        elif unseen:
            runs = groupby(own, key=lambda each: each.index in unseen)
            parts += [run for is_unseen, each in runs if is_unseen and _says(run := list(each))]
    return whole, parts


def _stands_out(page: pypdfium2.PdfPage, drawing: Drawing, suspects: Suspects) -> bool:
    """Whether texts that no other text touches are far darker than what lies under them.

    So it is where a program has put one picture of bare paper behind each page.
    """
    texts = {drawing.texts[index]: drawing.box(index) for index in suspects.look}
    if not texts or any(drawing.modes[index] != FILLED for index in suspects.look):
        return False
    greens = []
    for text in texts:
        colour = calls.fill(text)
        if colour is None or colour[3] < 255 or not calls.has_font_file(text):
            return False
        greens.append(colour[1])
    return not touching(drawing) and painting.on_lighter(page, texts, max(greens))


def _is_unseen(seen: bool | None, letter: Letter, pictured: bool) -> bool:
    """Whether a letter is not seen; fonts that are not in the file lack letters here alone."""
    if seen is None:
        clear = (calls.fill(letter.text) or (0, 0, 0, 255))[3] == 0
        return clear or (not pictured and (letter.char.isascii() or calls.is_embedded(letter.text)))
    return not seen


def _in_words(letters: Sequence[Letter], unseen: set[int]) -> set[int]:
    """The letters that are unseen, of words all or none; of figures each by itself."""
    if not unseen or len(unseen) == len(letters):
        return unseen
    found: set[int] = set()
    word: list[Letter] = []
    for each, following in zip_longest(letters, letters[1:]):
        word.append(each)
        if following is None or following.index != each.index + 1:
            own = {letter.index for letter in word}
            if any(letter.char.isdigit() for letter in word):
                found |= own & unseen
            elif 2 * len(own & unseen) >= len(own):
                found |= own
            word = []
    return found


def _says(letters: Iterable[Letter]) -> bool:
    """Whether they are a word, a figure or a sign of one."""
    return any(
        each.char.isalnum() or unicodedata.category(each.char) in ("Sc", "Sm", "Pd")
        for each in letters
    )


def _by_text(letters: Iterable[Letter]) -> list[tuple[int, list[Letter]]]:
    """The letters of each text."""
    found: dict[int, list[Letter]] = {}
    for each in letters:
        found.setdefault(each.text, []).append(each)
    return list(found.items())


def _painted_through(
    page: pypdfium2.PdfPage, text_page: pypdfium2.PdfTextPage, drawing: Drawing, index: int
) -> bool:
    """Whether something painted later is seen in the shape of a text."""
    letters = painting.letters_of(text_page, [drawing.texts[index]])
    later = [each.drawn for each in drawing.painted if each.place > drawing.places[index]]
    return bool(letters and later) and painting.in_their_shape(page, letters, later)


def _is_pictured(drawing: Drawing, area: float) -> bool:
    """Whether invisible text stands for what the page shows otherwise: a scan, drawn letters."""
    if sum(each.area for each in drawing.painted if each.kind == IMAGE) >= MIN_PICTURE_SHARE * area:
        return True
    drawn = sum(each.kind == PATH for each in drawing.painted)
    visible = any(mode != INVISIBLE for mode in drawing.modes)
    return not visible and drawn >= max(10, MIN_DRAWN_PER_WORD * len(drawing.texts))


def _pieces(
    drawing: Drawing, whole: set[int], text_page: pypdfium2.PdfTextPage
) -> Iterator[UnseenPiece]:
    """What the unseen texts read."""
    seen: dict[tuple[int, int], list[int]] = {}
    for number, text in enumerate(drawing.texts):
        if number not in whole:
            left, bottom, *_ = drawing.box(number)
            seen.setdefault((round(left), round(bottom)), []).append(text)
    for number in sorted(whole):
        read, box = calls.text_of(drawing.texts[number], text_page), drawing.box(number)
        near = seen.get((round(box[0]), round(box[1])), ())
        yield UnseenPiece(
            read, box, any(calls.text_of(text, text_page).strip() == read.strip() for text in near)
        )


def _lines(pieces: Iterable[UnseenPiece]) -> Iterator[str]:
    """The words as lines: those side by side, in the order in which they are drawn.

    Without those that are drawn once more, at the same place, where they are seen.
    """
    line: list[UnseenPiece] = []
    for piece in pieces:
        if not piece.text.strip():
            continue
        if line and not (min(line[-1].box[3], piece.box[3]) > max(line[-1].box[1], piece.box[1])):
            yield from _line(line)
            line = []
        line.append(piece)
    yield from _line(line)


def _line(pieces: Sequence[UnseenPiece]) -> Iterator[str]:
    if all(piece.is_seen_too for piece in pieces):
        return
    text, height = "", 0.0  # of the line's tallest letter
    for before, piece in zip([None, *pieces], pieces, strict=False):
        height = max(height, piece.box[3] - piece.box[1])
        gap = before is not None and piece.box[0] - before.box[2] > MIN_GAP_SHARE * height
        text += " " if gap and not text.endswith(" ") else ""
        text += " ".join(piece.text.split())
    yield text
