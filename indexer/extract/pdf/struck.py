"""What a line is drawn through on a PDF page: a rule of the page, or a comment that strikes out."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from indexer.extract.hidden import struck
from indexer.extract.pdf.calls import Box
from indexer.extract.pdf.lines import HYPHENS, PlacedLine, Places

MIN_LETTERS, MIN_SHARE = 2, 0.8  # of those that a rule lies on, which it goes through
WITHIN = (0.1, 0.6)  # font sizes above the baseline
EDGE = 0.15  # of a letter's height, at its foot and its head


def struck_out(
    lines: Sequence[PlacedLine], rules: Sequence[Box], places: Places
) -> Iterator[PlacedLine]:
    """The lines of a page, with the signs of Markdown around what rules go through."""
    ordered = sorted(((low + high) / 2, left, right) for left, low, right, high in rules)
    for line in lines:
        low, high = (line.base - places.turn[5] + share * line.size for share in WITHIN)
        near = ordered[bisect_left(ordered, (low,)) : bisect_left(ordered, (high,))]
        if line.start < 0 or not (line.size and near and places.turn[3] == 1.0):  # it is upright
            yield line
            continue
        signs = [n for n in range(line.start, line.end + 1) if places.char(n).strip()]
        boxes = {n: places.box(n) for n in signs if places.char(n).isalnum()}
        gone = set[int]()
        for rule in near:
            gone.update(_struck_by(rule, boxes))
        yield line._replace(text=_marked(line.text, [n in gone for n in signs])) if gone else line


def _struck_by(rule: tuple[float, float, float], boxes: Mapping[int, Box]) -> Sequence[int]:
    """The letters that a rule, by its height and its ends, lies on, if it goes through them."""
    height, left, right = rule
    on = {n: box for n, box in boxes.items() if left <= (box[0] + box[2]) / 2 <= right}
    shares = [(height - low) / max(1e-6, high - low) for _, low, _, high in on.values()]
    through = sum(EDGE < share < 1 - EDGE for share in shares)
    return [*on] if through >= max(MIN_LETTERS, MIN_SHARE * len(on)) else ()


def _marked(text: str, gone: Sequence[bool]) -> str:
    """A line with marks; as a whole where its signs are not those of the page in order."""
    body = text.rstrip("".join(HYPHENS))
    signs = [at for at, char in enumerate(body) if char.strip()]
    if len(signs) != len(gone):
        return struck(body) + text[len(body) :] if 2 * sum(gone) > len(gone) else text
    state, is_gone = False, dict(zip(signs, gone, strict=True))
    pieces: list[tuple[bool, str]] = []
    for at, char in enumerate(body):  # what is no letter goes with the one before it
        state = is_gone[at] if char.isalnum() else state
        pieces.append((state, char))
    runs = groupby(pieces, key=lambda piece: piece[0])
    texts = ((on, "".join(char for _, char in run)) for on, run in runs)
    return "".join(struck(run) if on else run for on, run in texts) + text[len(body) :]
