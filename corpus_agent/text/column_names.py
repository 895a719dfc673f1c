"""The line that names the columns of a row of figures, where a table has lost its cells. Pure.

The text of a PDF has "Berth rent 18,400 17,900" under "2023 2022". A line counts if it ends with as
many years, quarters or dates as the row ends with figures, or has as many labels where gaps part
both; where that is doubtful there is none. Called by answering/ and render/.
"""

from __future__ import annotations

from collections.abc import Sequence

import regex

from corpus_agent.text.number_words import MONTHS, listed
from corpus_agent.text.patterns import lazy

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
_PERIODS = lazy(rf"(?i)(?:^|(?<=\s))(?:(?:fiscal\s)?{_PERIOD}(?:\s++|$)){{2,}}+$")
_ONE_PERIOD = lazy(rf"(?i){_PERIOD}")
_SIGNS = r"[-+–−($€£¥]{0,3}\s?"
_FIGURE = (
    rf"(?:{_SIGNS}[-+–−(]?\d++(?:[,.'\u00a0]\d++)*+(?:\s?%)?\s?\)?(?:\s?%)?|[—–-](?:\s?%)?|n/?[am])"
)
_FIGURES = lazy(rf"(?:^|(?<=\s))(?:{_FIGURE}(?:\s++|$)){{2,}}+$")
# Before the figures of a row: a mark of a note, "(2)", its number below "Note", the day of "May 1".
_NOTE_MARK = lazy(r"\(\d{1,2}\)")
_NOTE_NUMBER = lazy(r"\d{1,2}(?:[.]\d)?[a-z]?")
_NOTES = lazy(r"(?i)\bnotes?\b|\banhang\b")
_OF_MONTH = lazy(rf"(?i)\b{_MONTH}\s?$")
_UNIT_ABOVE, _TITLE = 5, 100  # lines, characters
_UNIT = lazy(
    r"(?i)\b(?:in|of|en)\s(?:\p{L}+\s){0,2}(?:thousands|millions|billions|tausend|millionen|milliers)\b"
    r"|[$€£¥]\s?(?:in\s)?(?:thousands?|millions?|billions?|000s?|m|bn)\b|\b(?:TEUR|T€|Mio)\b"
)
_GAP = lazy(r"\s{2,}|\t")
_ONE_FIGURE = lazy(rf"{_FIGURE}(?=\s|$)")


def ends_with_figures(line: str) -> int:
    """How many figures a line ends with, if there are several."""
    return _count(line.strip(), _FIGURES, _ONE_FIGURE)


def is_brief(line: str) -> bool:
    """Whether a line may name columns: a few words, and no sentence."""
    return 0 < len(line.split()) <= _PROSE_WORDS and not line.rstrip().endswith((".", ":", ";"))


def is_row_of_names(line: str) -> bool:
    """Whether a line only says which years, quarters or dates are below: a header, no answer."""
    return len(line.split()) <= _PROSE_WORDS and bool(_count(line.strip(), _PERIODS, _ONE_PERIOD))


def unit_above(lines: Sequence[str]) -> int:
    """The index of the line that says in which unit the table of the last line is, or of the last.

    The title right above that line belongs to it.
    """
    last = len(lines) - 1
    for index in range(last, max(-1, last - _UNIT_ABOVE), -1):
        if _UNIT.search(lines[index]) and len(lines[index].split()) <= _PROSE_WORDS:
            title = lines[index - 1].strip() if index else ""
            named = title[:1].isupper() and title[-1:].isalpha() and len(title) <= _TITLE
            return index - 1 if named else index
    return last


def names_of_columns(lines: Sequence[str]) -> int | None:
    """The index of the line that names the columns of the last line; None if there is none."""
    row = lines[-1].strip() if lines else ""
    count = ends_with_figures(row)
    if not count or _count(row, _PERIODS, _ONE_PERIOD):
        return None
    for index in range(len(lines) - 2, max(-1, len(lines) - 2 - MAX_LINES_ABOVE), -1):
        line = lines[index].strip()
        named = _count(line, _PERIODS, _ONE_PERIOD)
        if named:
            fits = named == count or (named == count - 1 and _begins_with_its_label(row, line))
            return index if fits else None
        if _are_labels(lines[index], lines[-1], count):
            return index
        if line.endswith(".") and len(line.split()) >= _PROSE_WORDS:
            return None
    return None


def _begins_with_its_label(row: str, names: str) -> bool:
    """Whether the first of a row's figures belongs to what the row is called, or to a note."""
    end = _FIGURES.search(row)
    if end is None or (first := _ONE_FIGURE.match(end[0])) is None:
        return False
    if _NOTE_MARK.fullmatch(first[0]):
        return True
    number = _NOTE_NUMBER.fullmatch(first[0]) is not None
    return number and bool(_NOTES.search(names) or _OF_MONTH.search(row[: end.start()]))


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
