"""Puts footnotes after the paragraph that refers to them, where both are certain. Pure.

A note begins with a mark, in smaller type, and only such type stands below it in its column; the
paragraph has the same mark, raised, once on the page. Everything else is left as it is. Called by
layout.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import regex

from indexer.extract.pdf.lines import HYPHENS, PlacedLine
from indexer.extract.pdf.right_to_left import is_base

SMALL = 0.94  # of the body's size: the type of notes
MARK = regex.compile(r"(\d{1,3}|[*†‡§¶‖]{1,3}|[a-z](?=[\s.)]))(?=[\s.)]{0,2}[^\W_]|\s?[\"“«(‘'])")
MAX_NOTE_LINES = 25
NEW_PARAGRAPH = 1.25  # times the pitch of the column's lines
INDENT = 0.7  # font sizes
SHORT_LINE = 2.0  # font sizes that the last line of a paragraph leaves free


def marks(lines: Sequence[PlacedLine], size: float) -> set[str]:
    """The marks that notes on a page may begin with; `size` is the body's."""
    starts = (MARK.match(line.text.lstrip()) for line in lines if 0 < line.size <= SMALL * size)
    return {start[1] for start in starts if start}


def in_place(lines: Sequence[PlacedLine], size: float) -> list[PlacedLine]:
    """The lines with each note after its paragraph; `size` is the body's."""
    notes = _notes(lines, size)
    if not notes:
        return list(lines)
    of_notes = {index for _, note in notes for index in note}
    body = [index for index in range(len(lines)) if index not in of_notes]
    shown = _as_from_the_left(lines)
    after: dict[int, list[int]] = {}
    moved: set[int] = set()
    for mark, note in notes:
        end = _end_of_paragraph(mark, shown, [i for i in body if lines[i].size], size)
        if end is not None and end < note[0]:
            after.setdefault(end, []).extend(note)
            moved.update(note)
    order: list[int] = []
    for index in range(len(lines)):
        if index not in moved:
            order.append(index)
        order.extend(after.get(index, ()))
    return [lines[index] for index in order]


def _as_from_the_left(lines: Sequence[PlacedLine]) -> Sequence[PlacedLine]:
    """The lines, in a mirror where they are read from the right."""
    if not is_base("".join(line.text for line in lines)):
        return lines
    return [replace(line, left=-line.right, right=-line.left) for line in lines]


def _notes(lines: Sequence[PlacedLine], size: float) -> list[tuple[str, list[int]]]:
    """The marks of the page's notes and their lines."""
    notes: list[tuple[str, list[int]]] = []
    open_note: list[int] | None = None
    for index, line in enumerate(lines):
        small = 0 < line.size <= SMALL * size
        follows = open_note is not None and _follows(lines[open_note[-1]], line)
        mark = MARK.match(line.text.lstrip()) if small else None
        if mark and (follows or _is_last(index, lines, size)):
            open_note = [index]
            notes.append((mark[1], open_note))
        elif small and open_note is not None and follows and len(open_note) < MAX_NOTE_LINES:
            open_note.append(index)
        else:
            open_note = None
    return notes if _count_up([mark for mark, _ in notes]) else []


def _follows(line: PlacedLine, below: PlacedLine) -> bool:
    return (
        line.over(below)
        and 0 < line.base - below.base < 2 * line.size
        and abs(line.size - below.size) <= 0.1 * line.size
    )


def _is_last(index: int, lines: Sequence[PlacedLine], size: float) -> bool:
    """Whether there is smaller type alone below a line, in its column."""
    line = lines[index]
    return not any(
        other.size > SMALL * size and other.base < line.base and other.over(line) for other in lines
    )


def _count_up(marks: Sequence[str]) -> bool:
    """Whether no mark comes twice, and numbers in their order."""
    numbers = [int(mark) for mark in marks if mark.isdigit()]
    return len(set(marks)) == len(marks) and numbers == sorted(numbers)


def _end_of_paragraph(
    mark: str, lines: Sequence[PlacedLine], body: Sequence[int], size: float
) -> int | None:
    """The last line of the paragraph with the mark; None if that is not certain."""
    with_mark = [p for p, index in enumerate(body) for m in lines[index].raised if m == mark]
    if len(with_mark) != 1:
        return None
    place = with_mark[0]
    while place + 1 < len(body):
        line, following = lines[body[place]], lines[body[place + 1]]
        if _ends(line, following, [lines[index] for index in body], size):
            return body[place]
        place += 1
    return None


def _ends(line: PlacedLine, following: PlacedLine, body: Sequence[PlacedLine], size: float) -> bool:
    """Whether a paragraph ends with a line."""
    if line.text.endswith(HYPHENS):
        return False
    column = [each for each in body if each.over(line) and _wide(each, line)]
    if abs(line.size - following.size) > 0.08 * line.size:
        return True
    if _closes(line.text) and line.right < max(e.right for e in column) - SHORT_LINE * size:
        return True
    beside = following.base >= line.base
    of_next = [each for each in body if each.over(following) and _wide(each, following)]
    indented = following.left > min(e.left for e in of_next) + INDENT * size
    if beside:
        return indented and _closes(line.text)
    gap = line.base - following.base
    return gap > NEW_PARAGRAPH * _pitch(column) or (indented and _closes(line.text))


def _wide(line: PlacedLine, other: PlacedLine) -> bool:
    """Whether two lines are of one column: nearly as wide as each other, or begin alike."""
    return abs(line.left - other.left) < 3 * other.size


def _pitch(column: Sequence[PlacedLine]) -> float:
    """The usual distance of the lines of a column."""
    bases = sorted((line.base for line in column), reverse=True)
    steps = sorted(above - below for above, below in pairwise(bases))
    return steps[len(steps) // 2] if steps else 0.0


def _closes(text: str) -> bool:
    """Whether a sentence ends with the text; its mark may follow."""
    return regex.search(r"[.!?:。！？؟۔…][\"”»)’]?(?:\d{1,3}|[*†‡§¶‖]{1,3})?\s*$", text) is not None
