"""The tables among the passages of a question, what they come to, and the rows quoted as evidence.

Reads whole tables: one that may be cut, was recognised from a picture or holds hidden rows is not
computed with, nor where two tables answer. Called by extractive.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from corpus_agent.answering.citations import Numbers
from corpus_agent.answering.computation import computed, operation_of
from corpus_agent.answering.named_documents import file_stem
from corpus_agent.answering.own_words import with_plain_brackets
from corpus_agent.answering.pitfalls import scale_over
from corpus_agent.answering.quotations import check_quotation, read_all
from corpus_agent.answering.records import Citation, Computation, UsedCell
from corpus_agent.text.table_rows import TextTable, is_row, table_at
from indexer import Line, Refused

if TYPE_CHECKING:
    from corpus_agent.tools.corpus import CorpusView
    from indexer import Hit

MAX_CITED = 40  # rows that are quoted below an answer; more cells are not computed with
MAX_ROWS = 2_000  # of a table
_QUOTED_OF_EXTREMES = 2  # the winner, and the next row that it was compared with

_SIGNS = {"sum": " + ", "average": " + ", "difference": " and ", "count": ", "}


def computed_answer(
    question: str, hits: Sequence[Hit], corpus: CorpusView, numbers: Numbers
) -> tuple[str, Computation] | None:
    """The text of a computed answer with its citations' numbers, and the computation.

    None unless exactly one table among the hits answers, every row of which was read and quoted.
    """
    if operation_of(question) is None:
        return None
    tables = _tables(hits, corpus)
    found = [
        (table, replace(value, source=source, unit=_with_scale(value, about)))
        for source, table, about in tables
        if (value := computed(question, table, about)) is not None
    ]
    if len(found) != 1 or not _may_be_quoted(found[0][1]):
        return None
    value = found[0][1]
    alike = [table for _, table, _ in tables if value.column in table.names]
    if not value.where and len(alike) > 1:  # nothing tells which of them is asked about
        return None
    cells: list[UsedCell] = []
    cited = value.cells[:_QUOTED_OF_EXTREMES] if _is_extreme(value) else value.cells
    lines = {cell.line: text for cell, text in _rows_of(cited, value.source, corpus)}
    for cell in value.cells:
        if cell not in cited:
            cells.append(cell)
            continue
        citation = _cite(corpus, value.source, lines.get(cell.line, ""), cell.line, numbers)
        if citation is None:
            return None
        cells.append(replace(cell, n=numbers.of(citation)))
    value = replace(value, cells=tuple(cells))
    return _text(value), value


def _with_scale(value: Computation, about: str) -> str:
    """The unit of a figure, with the scale that the table stands under: "in thousands"."""
    scale = scale_over(about)
    if not scale or value.operation == "count" or not value.value[-1:].isdigit():
        return value.unit
    return f"{value.unit} ({scale})".strip()


def _is_extreme(value: Computation) -> bool:
    return value.operation in ("highest", "lowest")


def _may_be_quoted(value: Computation) -> bool:
    return _is_extreme(value) or len(value.cells) <= MAX_CITED


def _tables(hits: Sequence[Hit], corpus: CorpusView) -> list[tuple[str, TextTable, str]]:
    """Each table that a passage holds rows of, once, with its document and what it stands under."""
    found: dict[tuple[str, int], tuple[str, TextTable, str]] = {}
    read: dict[str, list[Line]] = {}
    for hit in hits:
        source, texts = hit.chunk.source, hit.chunk.text.split("\n")
        row = next((n for n, text in enumerate(texts) if is_row(text)), None)
        if row is None:
            continue
        try:
            lines = read[source] if source in read else read_all(corpus, source)
        except Refused:  # removed since it was found
            continue
        read[source] = lines
        number = hit.chunk.line_start + row
        if number < len(lines) and is_row(lines[number].text):
            number += 1  # a passage may begin within a row
        table = table_at(lines, number)
        if table is not None and not _is_doubtful(lines, table):
            above = next((line.text for line in lines[: table.header - 1][::-1] if line.text), "")
            stem = file_stem(source).replace("_", " ")
            found[source, table.header] = source, table, f"{stem} {hit.chunk.heading} {above}"
    return list(found.values())


def _is_doubtful(lines: Sequence[Line], table: TextTable) -> bool:
    """Whether a table may be cut at a page, was recognised from a picture, or has hidden rows."""
    last = max([table.header, *(row.line for row in table.rows)])
    own = lines[table.header - 1 : last]
    if len(own) > MAX_ROWS or any(line.hidden or line.confidence is not None for line in own):
        return True
    return _goes_on(lines[last:]) or _goes_on(lines[: table.header - 1][::-1])


def _goes_on(beside: Sequence[Line]) -> bool:
    """Whether rows stand next to a table with nothing but the mark of a page between."""
    marked = False
    for line in beside:
        if not (line.is_mark or not line.text.strip()):
            return marked and is_row(line.text)
        marked = marked or (line.is_mark and line.page is not None)
    return False


def _rows_of(
    cells: Sequence[UsedCell], source: str, corpus: CorpusView
) -> list[tuple[UsedCell, str]]:
    """Each cell with the text of its row."""
    return [(cell, corpus.read(source, cell.line, 1).lines[0].text.strip()) for cell in cells]


def _cite(
    corpus: CorpusView, source: str, row: str, line: int, numbers: Numbers
) -> Citation | None:
    """The verified quotation of a row at its line; None if it does not stand there."""
    found = check_quotation(corpus, numbers.next, source, row, line)
    return found if found.stands and found.line_start == line else None


def _text(value: Computation) -> str:
    """The computation in one sentence, each quoted cell behind its citation's number."""
    plain = with_plain_brackets
    where = "; ".join(f"{plain(c.column)}: {plain(c.text)}" for c in value.where)
    of = f"{value.operation} of {plain(value.column) or 'rows'}{f' ({where})' if where else ''}"
    shown = [f"{plain(cell.text)} [{cell.n}]" for cell in value.cells if cell.n is not None]
    result = plain(f"{value.value} {value.unit}".strip())
    return f"{result}: {of}, {_SIGNS.get(value.operation, ' before ').join(shown)}"


def remarks_on(value: Computation) -> tuple[str, ...]:
    """What a reader has to know about a computation: rows, and those that were left out."""
    used = len(value.cells)
    told = [f"Computed from {used} of the {value.rows} rows of the table, all of which were read."]
    if value.left_out:
        lines = ", ".join(map(str, value.left_out))
        told.append(f"Rows of totals were left out of the computation: line {lines}.")
    return tuple(told)
