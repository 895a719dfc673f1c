"""One document as text with places, in which its values are proposed and looked up. Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from operator import itemgetter

import regex

from corpus_agent.answering.claims import periods
from corpus_agent.answering.records import Citation
from corpus_agent.fields import lexicon
from corpus_agent.fields.amounts import find_durations, unit_of
from corpus_agent.text.dates import MONTH_WORDS, Reading, find_dates, habit
from corpus_agent.text.sentences import Unit, front_matter, is_title, units
from corpus_agent.text.tables import TextTable, named_cells, tables_of
from indexer import MAX_WINDOW_LINES, Line, Window

_LONGEST = 1_200  # characters of a sentence that is quoted whole
_LINES_ABOVE = 40  # before a place in which its heading is looked for
HEADING = regex.compile(r"[ ]{0,3}#{1,6}[ ]")
_DAY_OF_MONTH = regex.compile(
    rf"(?i)(?<![\p{{L}}\p{{N}}.,/:-])(?:[0-3]?\d(?:st|nd|rd|th|er|[.º])?(?:\s(?:of|de))?"
    rf"\s(?!(?-i:may))(?:{MONTH_WORDS})|(?=(?-i:\p{{Lu}}))(?:{MONTH_WORDS})\.?\s[0-3]?\d(?:st|nd|rd|th)?)"
    r"(?![\p{L}\p{N}]|[.,:]\d)"
)
# A dash alone is a column without a figure.
FIGURE = regex.compile(
    r"(?:\p{Sc}[ ]?)?[(−-]{0,2}(?<![\d.,\p{L}])\d[\d.,'’]*(?!\p{L})|(?<=[ ])[−–—-](?![^\s])"
)
_YEAR = regex.compile(r"(?:(?<![\d.,])(?:19|20)|(?<=FY|CY))\d\d(?![\d.%]|,\d)")
_NOTE = regex.compile(r"\d{1,2}")  # of a statement, between the name of a row and its figures
_HEADS = 4  # lines in which stand the years of a table and the spans that they end
_UNIT_LINE = 60  # characters of a line above a table that names its unit
NOT_OUTRIGHT = "not stated outright"  # why a value is doubtful that its clause does not assert
_BLANKS = dict.fromkeys(map(ord, "\u00a0\u2007\u202f\t\u3000"), " ")
# Rules, and what is struck out, over the end of a line too.
_NOTHING = regex.compile(
    r"(?m)^[ ]*[-_=*~][-_=*~ ]{2,}$"
    r"|~~(?!\s)(?:(?!\n\s*\n)[^~]){1,1000}~~|(?i)<(del|s|strike)>(?:(?!\n\s*\n)[^<]){1,1000}</\1>"
)


@dataclass(frozen=True, slots=True)
class FieldValue:
    """A value, the span that it rests on and others, why it is doubtful; `row`: of a column.

    Its citations are whole sentences or rows, once it was looked up.
    """

    readings: tuple[Reading, ...]
    start: int
    end: int
    score: float
    also: tuple[tuple[int, int], ...] = ()
    computed: bool = False
    notes: tuple[str, ...] = ()
    doubt: str = ""
    row: bool = False
    citations: tuple[Citation, ...] = ()

    @property
    def normal(self) -> str:
        """The values in their normal form, joined."""
        return "; ".join(reading.normal for reading in self.readings)

    @property
    def text(self) -> str:
        """The values as they are written, joined."""
        return "; ".join(dict.fromkeys(reading.text for reading in self.readings))

    @property
    def shown(self) -> str:
        """The value as the document writes it, with what qualifies it."""
        written = f"until {self.normal} (computed)" if self.computed else self.text
        if any(self.notes):
            named = zip(self.text.split("; "), self.notes, strict=False)
            written = "; ".join(f"{one} ({note})" if note else one for one, note in named)
        return written + (f" (doubtful: {self.doubt})" if self.doubt else "")


class DocumentText:
    """The lines of one document, and their text without the marks of pages."""

    def __init__(self, source: str, lines: Sequence[Line], *, stale: bool = False) -> None:
        self.source = source
        self.lines = lines
        self.stale = stale
        shown = ["" if line.is_mark else line.text for line in lines]
        self.written = "\n".join(shown)
        # As many characters, so that places are the same: blanks for their like, for rules, and for
        # what a reader of the document does not see or sees struck out.
        seen = (
            " " * len(one) if line.hidden else one for line, one in zip(lines, shown, strict=True)
        )
        self.text = _NOTHING.sub(
            lambda found: regex.sub(r"[^\n]", " ", found[0]), "\n".join(seen).translate(_BLANKS)
        )
        # Its quotations as they were looked up, with the line: once, and not once a value.
        self.quoted: dict[str, tuple[int, Citation]] = {}
        self._starts = [*accumulate((len(line) + 1 for line in shown), initial=0)][:-1]

    def read(self, source: str, offset: int = 1, limit: int = MAX_WINDOW_LINES) -> Window:
        """A window of this document; `source` is its name."""
        assert source == self.source
        lines = tuple(self.lines[offset - 1 : offset - 1 + limit])
        after = offset + len(lines)
        more = after if after <= len(self.lines) else None
        return Window(source, offset, lines, len(self.lines), more, self.stale)

    def line_at(self, at: int) -> int:
        """The 1-based number of the line in which a character stands."""
        return max(1, bisect_right(self._starts, at))

    def line_start(self, number: int) -> int:
        """The character at which a 1-based line begins."""
        return self._starts[number - 1]

    def line_span(self, at: int) -> tuple[int, int]:
        """Start and end of the line in which a character stands."""
        start = self._starts[self.line_at(at) - 1]
        end = self.text.find("\n", start)
        return start, end if end >= 0 else len(self.text)

    def lines_around(self, start: int, end: int, beside: int) -> tuple[int, int]:
        """Start and end of the lines that hold a span, and of as many beside them."""
        first = max(1, self.line_at(start) - beside)
        last = min(len(self._starts), self.line_at(end - 1) + beside)
        return self._starts[first - 1], self.line_span(self._starts[last - 1])[1]

    @cached_property
    def matter(self) -> tuple[list[tuple[int, int]], int]:
        """The properties in the front matter, and its end: said of a document, and no event."""
        return front_matter(self.written)

    def sentence(self, start: int, end: int) -> tuple[int, int]:
        """Start and end of the sentences that hold a span; of its lines where they are too long."""
        held = [each for each in self.matter[0] if each[0] < end and start < each[1]]
        if held:
            return min(held[0][0], start), max(held[-1][1], end)
        begin = bisect_right(self._sentences, start, key=lambda unit: unit.end)
        until = bisect_left(self._sentences, end, key=lambda unit: unit.start)
        if touched := self._sentences[begin:until]:
            found = touched[0].start, touched[-1].end
            if found[1] - found[0] <= max(_LONGEST, end - start):
                return min(found[0], start), max(found[1], end)
        return self.lines_around(start, end, 0)

    @cached_property
    def _sentences(self) -> list[Unit]:
        return units(self.text)

    def heading_above(self, at: int) -> str:
        """The heading of the part in which a place stands; "" where none is near."""
        above = (self.text[first:last].strip() for first, last in self._lines_above(at))
        titles = (text for text in above if text and (HEADING.match(text) or is_title(text)))
        return next(titles, "")

    def before(self, at: int, reach: int) -> str:
        """The text before a place within its paragraph, on one line."""
        piece = self.text[max(0, at - reach) : at]
        return " ".join(piece.rpartition("\n\n")[2].split()) + (" " if piece[-1:].isspace() else "")

    def after(self, at: int, reach: int) -> str:
        """The text behind a place within its paragraph, on one line."""
        return " ".join(self.text[at : at + reach].partition("\n\n")[0].split())

    @cached_property
    def tables(self) -> list[TextTable]:
        """The tables of the document that have a header, in order: of `text`, with its blanks."""
        return list(tables_of(self.text.split("\n")))

    @cached_property
    def _rows(self) -> dict[int, TextTable]:
        return {row: table for table in self.tables for row in table.rows}

    def column_at(self, at: int) -> str:
        """The name of the column in whose cell a place stands; "" where it is in none."""
        cells, (start, _) = self.cells_at(at), self.line_span(at)
        number = bisect_left(cells, at - start, key=itemgetter(2))
        return cells[number][0] if number < len(cells) else ""

    def cells_at(self, at: int) -> list[tuple[str, int, int]]:
        """The cells of the row in which a place stands, counted from its beginning."""
        table = self._rows.get(self.line_at(at))
        return named_cells(table.names, self.text[slice(*self.line_span(at))]) if table else []

    def row_at(self, at: int) -> str:
        """The row of a table in which a place stands; "" where it is in none."""
        return self.text[slice(*self.line_span(at))] if self.line_at(at) in self._rows else ""

    def period_at(self, at: int) -> str:
        """The year or span that an amount is of: by its column, its row, or its sentence."""
        row = self.row_at(at)
        if row:
            named = (self.column_at(at), row.strip(" |").split("|")[0].strip())
            return next((name for name in named if periods(name) or _YEAR.search(name)), "")
        if columns := self.periods_of(at):
            behind = len(FIGURE.findall(self.text[at : self.line_span(at)[1]]))
            return columns[len(columns) - behind] if behind else ""
        sentence = self.text[slice(*self.sentence(at, at + 1))]
        said = {" ".join(one[0].split()) for one in lexicon.document("period").finditer(sentence)}
        return said.pop() if len(said) == 1 else ""

    def periods_of(self, at: int) -> Sequence[str]:
        """The years of the columns of a row of figures, each with the span above it, if any.

        The number of a note before them has none.
        """
        start, end = self.line_span(at)
        count = len(found := FIGURE.findall(self.text[start:end]))
        counts = {count, count - bool(_NOTE.fullmatch(found[0]))} - {1} if found else ()
        lines = [self.text[slice(*line)] for line in self._lines_above(at)] if count > 1 else []
        for number, line in enumerate(lines):
            if (count := len(years := _YEAR.findall(line))) in counts:
                heads = (
                    lexicon.document("span").finditer(head) for head in lines[number:][:_HEADS]
                )
                named = [[" ".join(one[0].split()) for one in each] for each in heads]
                spans = next((one for one in named if one and count % len(one) == 0), [""])
                each = count // len(spans)
                return [f"{spans[n // each]} {year}".strip() for n, year in enumerate(years)]
        return ()

    def _lines_above(self, at: int) -> Iterator[tuple[int, int]]:
        """The lines above a place, the nearest first."""
        number = self.line_at(at)
        for above in range(number - 1, max(0, number - _LINES_ABOVE), -1):
            yield self.line_span(self.line_start(above))

    def unit_at(self, at: int) -> tuple[str, tuple[int, int]]:
        """What a table says that its figures are in, "in millions", and the line that says so."""
        table = self._rows.get(self.line_at(at))
        if table is not None:
            names = [(self.column_at(at), 0), (table.names[0], 0)]
            for name, above in [*names, (self.lines[max(0, table.header - 2)].text, 1)]:
                if len(name) <= _UNIT_LINE and (unit := unit_of(name)):
                    return unit["written"], self.line_span(self.line_start(table.header - above))
        elif self.periods_of(at):
            for first, last in self._lines_above(at):
                if said := lexicon.document("unit_line").search(self.text[first:last]):
                    return unit_of(said[0]).get("written", ""), (first, last)
        return "", (at, at)

    @cached_property
    def headers(self) -> dict[int, TextTable]:
        """The tables by the line (1-based) that names their columns."""
        return {table.header: table for table in self.tables}

    @cached_property
    def day_first(self) -> bool | None:
        """Whether its dates of figures have the day first; None if nothing in it says."""
        return habit(self.text)

    @cached_property
    def dates(self) -> list[Reading]:
        """All dates of the text, in order."""
        return find_dates(self.text, day_first=self.day_first)

    def dates_of(self, made: Reading | None) -> Iterator[tuple[Reading, str]]:
        """The days without a year, in that of the heading above or else of `made`, and whose."""
        taken = {at for one in self.dates for at in range(one.start, one.end)}
        above, said = (made.normal[:4], made.text) if made else ("", "")
        for number, line in enumerate(self.text.split("\n"), start=1):
            years = regex.findall(r"(?<!\d)(?:19|20)\d\d(?!\d)", line)
            own = number > 1 or years[:1] >= [f"{int(above or 1) - 1}"]  # "Rowers 1924: minutes"
            if years and own and HEADING.match(line):
                above, said = (years[0] if len(set(years)) == 1 else ""), line.strip("#*_: ")
            for day in _DAY_OF_MONTH.finditer(line) if above else ():
                start, end = (self.line_start(number) + at for at in day.span())
                if start not in taken and (read := find_dates(f"{day[0]} {above}")):
                    yield Reading(start, end, day[0], read[0].normal), said

    @cached_property
    def durations(self) -> list[Reading]:
        """The spans of days and longer of the text, in order."""
        return [one for one in find_durations(self.text) if "T" not in one.normal]
