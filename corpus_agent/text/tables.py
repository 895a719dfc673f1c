"""Tables in the lines of a document: with bars between their cells, or figures alone. Pure.

Markdown as a person wrote it, rows that name their columns ("| Payee: Ash | Sum: 3 |"), and what
the text of a PDF has: "Berth rent 18,400 17,900" under "2023 2022".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import regex

from corpus_agent.text.number_words import MONTHS, listed
from corpus_agent.text.tokens import lazy

_RULE = lazy(r"\|(?:\s*:?-+:?\s*\|)+")
_BARS = lazy(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table with a header: the line of its names and those of all rows below it, 1-based."""

    header: int
    names: tuple[str, ...]
    rows: tuple[int, ...]


def is_row(text: str) -> bool:
    """Whether a line is a row of a table."""
    bare = text.strip()
    return len(bare) > 2 and bare.startswith("|") and bare.endswith("|")


def tables_of(texts: Sequence[str]) -> Iterator[TextTable]:
    """All tables of a document's lines that have a header, in order."""
    rows = [text.strip() if is_row(text) else "" for text in [*texts, ""]]
    header, below = 0, list[int]()
    for number, (row, after) in enumerate(zip(rows, [*rows[1:], ""], strict=True), start=1):
        heads = is_header(row, after)
        if header and (heads or not row):
            yield TextTable(header, tuple(_cells(rows[header - 1])), tuple(below))
        if heads or not row:
            header, below = number if heads else 0, []
        elif not _RULE.fullmatch(row):
            below.append(number)


@lru_cache(4)  # a row is asked of each of its cells
def named_cells(names: tuple[str, ...], row: str) -> list[tuple[str, int, int]]:
    """The column of each cell of a row, "" for none, and where its own text begins and ends.

    A cell may name its column itself, with any name where none is known.
    """
    spans, found = cell_spans(row), list[tuple[str, int, int]]()
    others = names if len(names) == len(spans) else ("",) * len(spans)
    for (start, end), other in zip(spans, others, strict=True):
        label, _, rest = row[start:end].partition(": ")
        named = rest and label and (label in names or not names)
        found.append((label, end - len(rest), end) if named else (other, start, end))
    return found


def cell_spans(row: str) -> list[tuple[int, int]]:
    """Where the cells of a row's line begin and end, without the blanks around them."""
    first, last = len(row) - len(row.lstrip()) + 1, len(row.rstrip()) - 1
    bars = [match.start() for match in _BARS.finditer(row, first, last)]
    spans = []
    for start, end in zip([first, *(bar + 1 for bar in bars)], [*bars, last], strict=True):
        cell = row[start:end]
        begins = start + len(cell) - len(cell.lstrip())
        spans.append((begins, begins + len(cell.strip())))
    return spans


def _cells(text: str) -> list[str]:
    return [text[start:end] for start, end in cell_spans(text)]


def is_header(row: str, below: str) -> bool:
    """Whether a row is a header: a rule follows it, or a row that repeats its names in order."""
    row, below = row.strip(), below.strip()
    if not (row and below) or _RULE.fullmatch(row):
        return False
    if _RULE.fullmatch(below):
        return True
    heads, cells = _cells(row), _cells(below)
    if len(heads) == len(cells):  # what stands below no name repeats none
        cells = [cell for head, cell in zip(heads, cells, strict=True) if head]
    names = [name for name in heads if name]
    left, marked = iter(names), False
    for cell in cells:
        name = next((name for name in left if cell == name or cell.startswith(f"{name}: ")), None)
        if name is None:
            return False
        marked |= cell != name
    return len(names) > 1 and marked


MAX_LINES_ABOVE = 60  # of a table, between its header and a row
_PROSE_WORDS = 12
_END = 400  # characters of a line that are looked at
_MONTH = rf"(?:{'|'.join(sorted(listed(MONTHS), key=len, reverse=True))})\.?"
_YEAR = r"(?:FY|CY)?'?(?:19|20)\d\d(?:\s?[/–-]\s?(?:(?:19|20)?\d\d))?[AEBF]?"
_PERIOD = (
    rf"(?:{_MONTH}\s\d{{1,2}},\s?{_YEAR}|\d{{1,2}}\.?\s{_MONTH}\s{_YEAR}|{_MONTH}\s{_YEAR}"
    rf"|(?:Q[1-4]|[1-4]Q|H[12]|[12]H)(?:\s?{_YEAR})?|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}"
    rf"|\d{{4}}-\d\d-\d\d|{_YEAR}|(?:FY|CY)\d\d[AEBF]?)(?:\s?\(\d\)(?=\s|$))?"
)
# One of several lines that name a column each: "July 2," above "2023".
_PART_OF_PERIOD = lazy(rf"(?i)(?:(?:{_PERIOD}|{_MONTH}\s\d{{1,2}},)(?:\s++|$))++")
_LAST = r"(?:full\syear|total|%?\s?change|\(?(?:increase|decrease)\)?(?:/\(decrease\))?)"  # columns
_PERIODS = lazy(
    rf"(?i)(?:^|(?<=\s))(?:(?:fiscal\s)?{_PERIOD}(?:\s++|$)){{2,}}+(?:{_LAST}(?:\s++|$))*+$"
)
_ONE_PERIOD = lazy(rf"(?i){_PERIOD}")
_SIGNS = r"[-+–−($€£¥]{0,3}\s?"
_FIGURE = (
    rf"(?:{_SIGNS}[-+–−(]?\d++(?:[,.'\u00a0]\d++)*+(?:\s?%)?\s?\)?(?:\s?%)?|[—–-](?:\s?%)?|n/?[am])"
)
_FIGURES = lazy(rf"(?:^|(?<=\s))(?:{_FIGURE}(?:\s++|$)){{2,}}+$")
_ENDS_IN_FIGURES = lazy(rf"(?:(?<=\s){_FIGURE}(?:\s?[€$£¥]|\s\p{{Lu}}{{3}})?\s*+)++$")
_UNIT_ABOVE, _TITLE = 5, 100  # lines, characters
_UNIT = lazy(
    r"(?i)\b(?:in|of|en)\s(?:\p{L}+\s){0,2}(?:thousands|millions|billions|tausend|millionen|milliers)\b"
    r"|\((?:thousands|millions|billions)\b|[$€£¥]\s?(?:in\s)?(?:thousands?|millions?|billions?|000s?|m|bn)\b|\b(?:TEUR|T€|Mio)\b"
)
_GAP = lazy(r"\s{2,}|\t")
_ONE_FIGURE = lazy(rf"{_FIGURE}(?=\s|$)")


def ends_with_figures(line: str) -> int:
    """How many figures a line ends with, if there are several."""
    return _count(line.strip(), _FIGURES, _ONE_FIGURE)


def label_of(row: str) -> str:
    """What a row is called: what stands before its figures, or its first cell with letters."""
    if is_row(row):
        cells = (cell.rpartition(": ")[2] for cell in _cells(row))
        return next((cell for cell in cells if any(map(str.isalpha, cell))), "")
    end = _ENDS_IN_FIGURES.search(row if len(row) <= _END else "")
    return row[: end.start()] if end else ""


def is_brief(line: str) -> bool:
    """Whether a line may name columns: a few words, and no sentence."""
    return 0 < len(line.split()) <= _PROSE_WORDS and not line.rstrip().endswith((".", ":", ";"))


def is_row_of_names(line: str) -> bool:
    """Whether a line only says which years, quarters or dates are below: a header, no answer."""
    return len(line.split()) <= _PROSE_WORDS and bool(_count(line.strip(), _PERIODS, _ONE_PERIOD))


def names_segments(line: str, row: str, least: int = 3) -> bool:
    """Whether a line has a word for each figure of a row, behind a year: "2023 Nuts Oils Group".

    Two such words may be a title: "2023 Annual Report".
    """
    if (period := _ONE_PERIOD.match(line)) is None:
        return False  # "Current Assets" may be a title
    words = line[period.end() :].split()
    named = [word for word in words if word.isalpha() and word[0].isupper()]
    return len(named) == len(words) == ends_with_figures(row) >= least


def names_cells(first: str, row: str) -> bool:
    """Whether the first row of a table may name the columns of another: it has no figures."""
    names = _cells(first)
    figures = (name for name in names if any(map(str.isdigit, name)) and not name[0].isalpha())
    return len(names) == len(_cells(row)) and all(map(_ONE_PERIOD.fullmatch, figures))


def names_above(lines: Sequence[str]) -> Sequence[str]:
    """The lines that say what the figures of the last line are: title, unit, names of columns.

    Names that stand below each other are put on one line; empty where none is found.
    """
    found = names_of_columns(lines)
    if found is None:
        return ()
    first, last = found
    named = [line.strip() for line in lines[first : last + 1]]
    if not _count(named[-1], _PERIODS, _ONE_PERIOD) and len(named) > 1:
        named = [" ".join(named)]
    if below := [line for line in lines[last + 1 : -1] if says_unit(line)]:
        return [*named, below[-1]]  # "(In thousands)" may stand there
    for index in range(first, max(-1, first - _UNIT_ABOVE), -1):
        if index < first and ends_with_figures(lines[index]):
            break  # of another table
        if says_unit(lines[index]):
            return [*lines[index - _has_title(lines, index) : first], *named]
    return named


def _has_title(lines: Sequence[str], index: int) -> bool:
    """Whether a title stands above a line."""
    title = lines[index - 1].strip() if index else ""
    return title[:1].isupper() and title[-1:].isalpha() and len(title) <= _TITLE


def says_unit(line: str) -> bool:
    """Whether a line says in which unit a table is, and little else but what it is of."""
    return bool(_UNIT.search(line)) and (
        len(line.split()) <= _PROSE_WORDS or (line.rstrip().endswith("):") and len(line) <= _END)
    )


def names_of_columns(lines: Sequence[str]) -> tuple[int, int] | None:
    """The first and last line that name the columns of the last line; None if there are none."""
    row = lines[-1].strip() if lines else ""
    count = ends_with_figures(row)
    if not count or _count(row, _PERIODS, _ONE_PERIOD):
        return None
    for index in range(len(lines) - 2, max(-1, len(lines) - 2 - MAX_LINES_ABOVE), -1):
        first, line = index, lines[index].strip()
        if _is_part(line):
            while first and _is_part(lines[first - 1]):
                first -= 1
        named = _count(" ".join(lines[first : index + 1]).strip(), _PERIODS, _ONE_PERIOD)
        if named:
            # One more is the number of a note, or a change; of twice as many each has its share.
            fits = count - named in (0, 1) or (count == 2 * named and row.count("%") == named)
            return (first, index) if fits else None
        others = _names_others(line) or names_segments(line, row, 2)
        if len(line.split()) <= _PROSE_WORDS and others and not names_segments(line, row):
            return None
        if says_unit(line) and line[0] != "(" and _has_title(lines, index):
            return None  # of a table that begins here
        titled = any(map(is_row_of_names, lines[max(0, index - 2) : index]))
        segments = names_segments(line, row) and not titled  # "2023 Annual Financial Report"
        if segments or _are_labels(lines[index], lines[-1], count):
            return index, index
        if line.endswith(".") and len(line.split()) >= _PROSE_WORDS:
            return None
    return None


def _names_others(line: str) -> bool:
    """Whether a line names columns otherwise: "Budget 2031 Budget 2030"."""
    rest, periods = _ONE_PERIOD.subn("", line)
    return periods > 1 and not any(map(str.isdigit, rest))


def _is_part(line: str) -> bool:
    return len(line) <= _TITLE and _PART_OF_PERIOD.fullmatch(line.strip()) is not None


def _are_labels(line: str, row: str, count: int) -> bool:
    """Whether a line has a label for each figure of a row, and one more at most for its name."""
    labels, cells = _GAP.split(line.strip()), _GAP.split(row.strip())
    named = all(any(map(str.isalpha, label)) for label in labels)
    named = named and not any(map(str.isdigit, line))
    return len(cells) == count + 1 and named and len(labels) in (count, count + 1)


def _count(line: str, several: regex.Pattern[str], one: regex.Pattern[str]) -> int:
    """How many of a kind a line ends with, if there are several."""
    end = several.search(line if len(line) <= _END else line[-_END:].partition(" ")[2])
    return len(one.findall(end[0])) if end else 0
