"""The look of the sheets of an XLSX: number formats, formulas, merged cells, bold, what is hidden.

python-calamine and xlrd give values alone. Source: ECMA-376-1, 18.3.1.4 (cells), 18.3.1.13
(columns), 18.3.1.73 (rows), 18.8 (styles), 18.8.30 (formats of numbers).
"""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

from indexer.errors import UnreadableDocument
from indexer.extract.container import Element, ZipParts, attribute, child, inside, is_on, number_of
from indexer.extract.hidden import PAPER, UNKNOWN, Look
from indexer.extract.tables.named_rows import MAX_COLUMNS, UNFORMATTED, Place, SheetLook

MAX_STYLES = 65_490  # Excel's own limit
_REFERENCE = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})")
_LOWEST_POINTS, _NARROWEST = 1.0, 0.1  # nothing is read in a lower row, a narrower column
_BOLD_ROWS = 100  # of a sheet, in which headers are looked for
_NOTHING = ";;;"  # the format that shows no value of any kind
_COVERING = re.compile(rb"<(?:\w+:)?(?:conditionalFormatting|tablePart)\b")


@dataclass(frozen=True, slots=True)
class CellStyle:
    """A number format that shows more than the number, and how the text of a cell looks.

    `pale` is in the colour of an empty sheet: it hides where no table or condition gives a fill.
    """

    code: str = ""
    bold: bool = False
    unseen: bool = False
    pale: bool = False
    struck: bool = False


_PLAIN = CellStyle()


def read_styles(parts: ZipParts, name: str) -> dict[int, CellStyle]:
    """The styles of a workbook by their numbers, plain ones left out."""
    root = parts.xml(name) if name else None
    own = {
        number_of(each, "numFmtId"): attribute(each, "formatCode") or ""
        for each in inside(root, "numFmts")[:MAX_STYLES]
    }
    fonts = dict(enumerate(inside(root, "fonts")[:MAX_STYLES]))
    looks = {number: _letters(each) for number, each in fonts.items()}
    fills = dict(enumerate(map(_fill, inside(root, "fills")[:MAX_STYLES])))
    found = {}
    for index, style in enumerate(inside(root, "cellXfs")[:MAX_STYLES]):
        number, font = number_of(style, "numFmtId"), number_of(style, "fontId")
        code = own.get(number, BUILT_IN.get(number, ""))
        ground, look = fills.get(number_of(style, "fillId"), ""), looks.get(font, Look())
        unseen = code.startswith(_NOTHING) or replace(look, ground=ground or UNKNOWN).hides
        found[index] = CellStyle(
            code if is_applied(code) else "",
            child(fonts.get(font), "b") is not None,
            unseen,
            look.hides and not ground,
            look.struck,
        )
    return {index: style for index, style in found.items() if style != _PLAIN}


def _letters(font: Element) -> Look:
    given = _share(attribute(child(font, "sz"), "val"))
    points = 10.0 if given is None else given
    return Look(_colour(child(font, "color")), points=points, struck=is_on(child(font, "strike")))


def _fill(fill: Element) -> str:
    """The one colour of a fill; "" for none."""
    pattern = child(fill, "patternFill")
    kind = attribute(pattern, "patternType") or ("none" if pattern is not None else "")
    if kind == "none":
        return ""
    return (_colour(child(pattern, "fgColor")) if kind == "solid" else "") or UNKNOWN


def _colour(element: Element | None) -> str:
    """A colour as rrggbb; "" for those of a theme, but for the first, an empty sheet's own."""
    given = attribute(element, "rgb") or ""
    first = attribute(element, "theme") == "0" and attribute(element, "tint") is None
    return given[-6:] if given else (PAPER if first else "")


def _share(value: str | None) -> float | None:
    try:
        return float(value) if value else None
    except ValueError:
        return None


def read_look(parts: ZipParts, name: str, styles: Mapping[int, CellStyle]) -> SheetLook:
    """The look of the sheet in the part `name`; of a damaged one what comes before the damage.

    Its values may be readable all the same, since calamine passes over what they do not need.
    """
    from lxml import etree

    try:
        data = parts.read(name) or b"<none/>"
    except UnreadableDocument as error:
        if error.reason != "too_large_unpacked":
            raise
        return SheetLook(remarks=[f"{UNFORMATTED}: the sheet is too large"])
    elements = etree.iterparse(
        io.BytesIO(data),
        tag=("{*}col", "{*}c", "{*}row", "{*}mergeCell"),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        recover=True,
    )
    reader = _LookReader(styles)
    look, damaged = reader.look, False
    try:
        for _, element in elements:
            reader.take(element)
    except etree.LxmlError:
        damaged = True
    if damaged or elements.error_log.filter_from_fatals():
        look.remarks.append(f"{UNFORMATTED}: the sheet is damaged")
    look.columns = {column for column, is_hidden in enumerate(reader.columns) if is_hidden}
    if not _COVERING.search(data):
        look.cells |= reader.pale
    return look


@dataclass(slots=True)
class _LookReader:
    """Takes in each column, cell, row and merged cell as it ends; of most nothing is kept."""

    styles: Mapping[int, CellStyle]
    look: SheetLook = field(default_factory=SheetLook)
    # Whether each is hidden: many elements may each name all.
    columns: bytearray = field(default_factory=lambda: bytearray(MAX_COLUMNS))
    pale: set[Place] = field(default_factory=set)
    number: int = 0  # of rows so far
    column: int = 0  # of cells so far in this one

    def take(self, element: Element) -> None:
        """An element at its end; the end of its name tells which it is."""
        tag = element.tag
        if tag[-1] == "c":
            self._take_cell(element)
            self.column += 1
        elif tag[-1] == "w":
            self.number, self.column = _count(element.get("r"), self.number + 1), 0
            if _is_hidden(element, "ht", _LOWEST_POINTS):
                places = (_place(cell.get("r") or "") for cell in element)
                self.look.rows.update((self.number - 1, *(place[0] for place in places if place)))
            element.clear()
        elif tag.endswith("col"):
            first = max(_count(element.get("min"), 1) - 1, 0)
            width = min(_count(element.get("max"), 1), MAX_COLUMNS) - first
            if width > 0 and _is_hidden(element, "width", _NARROWEST):
                self.columns[first : first + width] = b"\1" * width
        else:
            begin, _, end = map(_place, element.get("ref", "").partition(":"))
            if begin and end:
                self.look.merged.append((*begin, *end))

    def _take_cell(self, cell: Element) -> None:
        style, look = self.styles.get(_count(cell.get("s"), 0), _PLAIN), self.look
        computed = len(cell) > 0 and str(cell[0].tag)[-1] == "f"
        if style is _PLAIN and not computed:
            return
        place = _place(cell.get("r", "")) or (self._row_of(cell), self.column)
        if style.code:
            look.formats[place] = style.code
        if computed:
            look.formulas.append(place)
        for is_so, places in (
            (style.bold and place[0] < _BOLD_ROWS, look.bold),
            (style.unseen, look.cells),
            (style.pale, self.pale),
            (style.struck, look.struck),
        ):
            if is_so:
                places.add(place)

    def _row_of(self, cell: Element) -> int:
        """The row, from 0, of a cell that does not name it; below those above if it names none."""
        row = cell.getparent()
        return _count(row.get("r") if row is not None else None, self.number + 1) - 1


def _is_hidden(element: Element, size: str, least: float) -> bool:
    """Whether rows or columns are hidden, by name or by their size."""
    if element.get("hidden", "").strip() in ("1", "true"):
        return True
    given = _share(element.get(size))
    return given is not None and given < least


def _count(value: str | None, usual: int) -> int:
    return int(value[:9]) if value and value.isdecimal() else usual


def _place(reference: str) -> Place | None:
    """Row and column of "B7", both from 0; None where it is no reference."""
    found = _REFERENCE.fullmatch(reference)
    if found is None:
        return None
    column = 0
    for letter in found[1]:
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(found[2]) - 1, column - 1


# --- Formats of numbers ---------------------------------------------------------------------------
#
# Only those that add something to a number are applied: percent, currency, units. Others round it
# or group its digits, and it stays as it is kept. Dates are shown as ISO 8601 has them.

MAX_CODE = 255  # characters of a format, as Excel's own limit is
BUILT_IN = {9: "0%", 10: "0.00%"}
# What is shown as it stands: in quotation marks, behind a stroke, a currency; a gap, a colour.
_LITERAL = re.compile(r'"([^"]*)"|\\(.)|\[\$([^\]-]*)[^\]]*\]|[_*].|\[[^\]]*\]', re.DOTALL)
_DIGITS = re.compile(r"[0#?][0#?,]*(?:\.[0#?]*)?,*|\.[0#?]+")
_OTHER = re.compile(r"(?i)[ymdhs/@]|General|E[+-]")  # dates, fractions, exponents, text


@lru_cache(maxsize=512)
def _sections(code: str) -> tuple[tuple[str, str, str] | None, ...]:
    """What stands before the digits, their code, and what stands behind: for each kind of number.

    Positive ones, negative ones, zero, text; None where nothing but the number is shown.
    """
    code = code[:MAX_CODE]
    masked = _LITERAL.sub(lambda found: "\0" * len(found[0]), code)
    found: list[tuple[str, str, str] | None] = []
    start = 0
    for part in masked.split(";"):
        whole, start = code[start : start + len(part)], start + len(part) + 1
        digits = list(_DIGITS.finditer(part))
        other = _OTHER.search(part) or re.search(r"(?i)\[[hms]+\]", whole)
        if len(digits) != 1 or other:
            found.append(None)
            continue
        first, last = digits[0].span()
        before, behind = (
            _LITERAL.sub(lambda found: next(filter(None, found.groups()), ""), text)
            for text in (whole[:first], whole[last:])
        )
        told = any(
            c in "%" or c.isalpha() or unicodedata.category(c) == "Sc" for c in before + behind
        )
        found.append((before, digits[0][0], behind) if told else None)
    return tuple(found)


def is_applied(code: str) -> bool:
    """Whether a format shows more than the number itself."""
    return any(_sections(code))


def shown(value: object, code: str) -> str | None:
    """A number as a cell with this format shows it; None where the format adds nothing."""
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e15:
        return None
    sections = _sections(code)
    place = 1 if value < 0 and len(sections) > 1 else 2 if value == 0 and len(sections) > 2 else 0
    if (section := sections[place]) is None:
        return None
    before, digits, behind = section
    number = abs(Decimal(repr(value))) * (100 if "%" in before + behind else 1)
    sign = "-" if value < 0 and place == 0 else ""
    return " ".join(f"{sign}{before}{_rounded(number, digits)}{behind}".split())


def _rounded(number: Decimal, code: str) -> str:
    """A positive number by a code such as `#,##0.00`, or `0.0,` for thousands."""
    scaled = code.rstrip(",")
    whole, _, decimals = scaled.partition(".")
    number = number.scaleb(-3 * (len(code) - len(scaled)))
    rounded = number.quantize(Decimal(1).scaleb(-len(decimals)), ROUND_HALF_UP)
    if not rounded and "0" not in code:
        return ""
    text = f"{rounded:,f}" if "," in whole else f"{rounded:f}"
    return text.rstrip("0").rstrip(".") if decimals and "0" not in decimals else text
