"""What is shown of texts: pieces that are marked, and lines as headings and text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from corpus_agent.text.sanitize import visible
from corpus_agent.text.tokens import STOP_WORDS, terms
from indexer import Line

Piece = tuple[str, bool]
_HEADING = re.compile(r"(#{1,6})\s+\S")
_WORDS = re.compile(r"\w+")
_NUMBER = re.compile(r"\[(\d{1,4})\]")
_LEAST_STEM = 4  # letters that two words have in common
_ENDING = 2  # letters that the word of a query may have more than that of a text


def words_marked(text: str, query: str) -> list[Piece]:
    """The pieces of a text; marked are the words of the query, and words that begin like them."""
    wanted = [word for word in terms(query) if word not in STOP_WORDS] or terms(query)
    spans = [
        found.span()
        for found in _WORDS.finditer(text)
        if any(_alike(word, each) for word in terms(found[0]) for each in wanted)
    ]
    return _pieces(text, spans)


def _alike(word: str, wanted: str) -> bool:
    """Whether one word is the other, or begins it but for an ending of two letters."""
    shorter, longer = sorted((word, wanted), key=len)
    if len(shorter) < _LEAST_STEM or not longer.startswith(shorter):
        return word == wanted
    return shorter == wanted or len(longer) - len(shorter) <= _ENDING


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
        return {
            number: _pieces(text, [found[number]]) for number, text in chosen if number in found
        }
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


def text_marked(text: str, wanted: str) -> list[Piece]:
    """The pieces of a line; marked is each place of `wanted`, whatever its case."""
    pattern = r"\s+".join(map(re.escape, wanted.split()))
    if not pattern:
        return [(text, False)]
    return _pieces(text, [found.span() for found in re.finditer(pattern, text, re.IGNORECASE)])


def _pieces(text: str, spans: Sequence[tuple[int, int]]) -> list[Piece]:
    pieces: list[Piece] = []
    end = 0
    for start, stop in spans:
        if start > end:
            pieces.append((text[end:start], False))
        pieces.append((text[start:stop], True))
        end = stop
    if end < len(text) or not pieces:
        pieces.append((text[end:], False))
    return pieces


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
