"""Names of columns, title and unit beside a quoted row of figures, as a quotation of their own.

The text of a PDF has no cells: a row says "Berth rent 18,400 17,900", and a line far above it which
year is which. Called by extractive.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import TYPE_CHECKING

from corpus_agent.answering.quotations import check_quotation
from corpus_agent.answering.records import Citation
from corpus_agent.text.column_names import (
    MAX_LINES_ABOVE,
    ends_with_figures,
    names_of_columns,
    unit_above,
)
from indexer import Refused

if TYPE_CHECKING:
    from corpus_agent.tools.corpus import CorpusView

Quoted = tuple[str, Citation]
"""A text, and where it stands."""


def with_columns(corpus: CorpusView, quoted: Iterable[Quoted]) -> Iterator[Quoted]:
    """The quotations, a row of figures behind the line that names its columns, each once."""
    shown: set[tuple[str, int]] = set()
    for text, row in quoted:
        named = _named(corpus, text, row)
        if named is not None and (row.source, named[1].line_start) not in shown:
            shown.add((row.source, named[1].line_start))
            yield named
        yield text, row


def _named(corpus: CorpusView, text: str, row: Citation) -> Quoted | None:
    if not ends_with_figures(text.rpartition("\n")[2]):
        return None
    first = max(1, row.line_start - MAX_LINES_ABOVE)
    try:
        window = corpus.read(row.source, first, row.line_start - first + 1)
    except Refused:  # removed since it was quoted
        return None
    of_page = takewhile(lambda line: not line.is_mark, reversed(window.lines[:-1]))
    above = [line.text for line in of_page][::-1]
    index = names_of_columns([*above, text.rpartition("\n")[2]])
    if index is None:
        return None
    line = row.line_start - len(above) + index
    unit = unit_above(above[: index + 1])
    # Two years alone say too little to be quoted: then with the row below them.
    for first, last in ((unit, index + 1), (index, index + 1), (index, index + 2)):
        names = "\n".join(above[first:last])
        found = check_quotation(corpus, 0, row.source, names.strip(), line - index + first)
        if found.stands and found.hidden == row.hidden:
            return names, found
    return None
