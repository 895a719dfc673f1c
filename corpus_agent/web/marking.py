"""What is shown of texts: pieces that are marked, and lines as headings and text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from corpus_agent.text.sanitize import visible
from indexer import Line

Piece = tuple[str, bool]
_HEADING = re.compile(r"(#{1,6})\s+\S")
_NUMBER = re.compile(r"\[(\d{1,4})\]")


def citation_pieces(text: str, numbers: Collection[int]) -> Iterator[tuple[str, int | None]]:
    """The pieces of an answer; a number in brackets that is a citation's stands by itself."""
    end = 0
    for found in _NUMBER.finditer(text):
        if int(found[1]) in numbers:
            yield text[end : found.start()], None
            yield found[1], int(found[1])
            end = found.end()
    yield text[end:], None


def quotation_marked(
    lines: Sequence[Line], quote: str, start: int, end: int
) -> dict[int, list[Piece]]:
    """The pieces of the lines that hold a quotation; lines that differ are marked whole."""
    chosen = [
        (number, line.text)
        for number, line in enumerate(lines, 1)
        if start <= number <= max(start, end)
    ]
    found = _spans(chosen, quote) if quote.strip() else {}
    if found:
        return {n: _marked(text, *found[n]) for n, text in chosen if n in found}
    return {number: [(text, True)] for number, text in chosen if text.strip()}


def _spans(lines: Sequence[tuple[int, str]], quote: str) -> dict[int, tuple[int, int]]:
    """The half-open range of each line that belongs to the quotation; none if it is not there."""
    whole = "\n".join(text for _, text in lines)
    pattern = r"\s+".join(map(re.escape, quote.split()))
    found = re.search(pattern, whole)
    if found is None:
        return {}
    spans = {}
    at = 0
    for number, text in lines:
        begin, stop = max(found.start(), at), min(found.end(), at + len(text))
        if begin < stop:
            spans[number] = (begin - at, stop - at)
        at += len(text) + 1
    return spans


def _marked(text: str, start: int, stop: int) -> list[Piece]:
    parts = (text[:start], False), (text[start:stop], True), (text[stop:], False)
    return [part for part in parts if part[0]]


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line with its number and its pieces; `level` is that of a heading, 0 of any other."""

    number: int
    pieces: tuple[Piece, ...]
    level: int = 0
    is_page: bool = False
    hidden: bool = False
    confidence: float | None = None


def shown_lines(
    lines: Sequence[Line], start: int, end: int, marks: Mapping[int, Sequence[Piece]]
) -> Iterator[ShownLine]:
    """Lines `start` to `end`, counted from 1, of all `lines` of a document."""
    for number, line in enumerate(lines[start - 1 : end], start):
        pieces = marks.get(number, [(line.text, False)])
        heading = None if line.is_mark else _HEADING.match(line.text)
        yield ShownLine(
            number,
            tuple((visible(text), marked) for text, marked in pieces),
            min(6, len(heading[1]) + 1) if heading else 0,
            line.is_mark,
            line.hidden,
            line.confidence,
        )
