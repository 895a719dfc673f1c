"""What is shown of texts: pieces that are marked, and lines as headings, tables and text.

Pure. A piece is text and whether it is marked; a template writes both, escaped.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from corpus_agent.text.sanitize import visible
from corpus_agent.text.table_rows import TextTable, is_row, table_at
from corpus_agent.text.tokens import STOP_WORDS, terms
from indexer import Line

Piece = tuple[str, bool]
BlockKind = Literal["page", "heading", "table", "text"]
_HEADING = re.compile(r"(#{1,6})\s+\S")
MOST_COLUMNS = 60  # of a table that is shown as one; a wider one as its lines
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
    """The pieces of the lines that hold a quotation, by line number.

    The quotation should stand in lines `start` to `end`, counted from 1. White space is of no
    account. Where its words are not there as they were quoted, these lines are marked whole.
    """
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
    """A line with its number and its pieces; `cells` are those of a table's row, by column."""

    number: int
    pieces: tuple[Piece, ...]
    cells: tuple[str, ...] = ()
    hidden: bool = False
    confidence: float | None = None

    @property
    def is_marked(self) -> bool:
        """Whether a part of it is marked."""
        return any(marked for _, marked in self.pieces)


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that are shown alike; `names` are the columns of a table, `level` that of a heading."""

    kind: BlockKind
    lines: tuple[ShownLine, ...]
    names: tuple[str, ...] = ()
    level: int = 0


def blocks(
    lines: Sequence[Line], start: int, end: int, marks: Mapping[int, Sequence[Piece]]
) -> Iterator[Block]:
    """The blocks of lines `start` to `end`, of all `lines` of a document; numbers are 1-based.

    `marks` are the pieces of the lines in which something is marked.
    """
    number = start
    while number <= end:
        table = _table(lines, number)
        if table is not None:
            last = _last_row(lines, number, end, table)
            yield _table_block(lines, number, last, table, marks)
            number = last + 1
            continue
        line = lines[number - 1]
        shown = _shown(line, number, marks)
        heading = _HEADING.match(line.text)
        if line.is_mark:
            yield Block("page", (shown,))
        elif heading:
            yield Block("heading", (shown,), level=min(6, len(heading[1]) + 1))
        else:
            yield Block("text", (shown,))
        number += 1


def _table(lines: Sequence[Line], number: int) -> TextTable | None:
    table = table_at(lines, number) if is_row(lines[number - 1].text) else None
    if table is None or not 0 < len(table.names) <= MOST_COLUMNS:
        return None
    return None if any(row.irregular for row in table.rows) else table


def _last_row(lines: Sequence[Line], number: int, end: int, table: TextTable) -> int:
    """The last line of the view that belongs to the table; the next table begins at its header."""
    last = max((row.line for row in table.rows), default=table.header)
    return max(number, min(end, last, len(lines)))


def _table_block(
    lines: Sequence[Line],
    first: int,
    last: int,
    table: TextTable,
    marks: Mapping[int, Sequence[Piece]],
) -> Block:
    rows = []
    for row in (row for row in table.rows if first <= row.line <= last):
        shown = _shown(lines[row.line - 1], row.line, marks)
        cells = tuple(visible(row.cells.get(name, "")) for name in table.names)
        rows.append(replace(shown, cells=cells))
    return Block("table", tuple(rows), tuple(map(visible, table.names)))


def _shown(line: Line, number: int, marks: Mapping[int, Sequence[Piece]]) -> ShownLine:
    pieces = marks.get(number, [(line.text, False)])
    cleaned = tuple((visible(text), marked) for text, marked in pieces)
    return ShownLine(number, cleaned, hidden=line.hidden, confidence=line.confidence)
