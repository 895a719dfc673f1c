"""Sheets as a person sees them: values as their cells show them, each table under its own names."""

from __future__ import annotations

import datetime as dt
import re

import openpyxl

from indexer.extract import open_document
from indexer.extract.office.sheet_look import shown
from indexer.extract.tables.named_rows import sheet_lines
from tests.support import made_files as made


def lines_of(data, name):
    return [line.text for line in open_document(data, name).lines]


FORMATS = (
    (0.125, "0.0%", "12.5%"),
    (0.07, "#%", "7%"),
    (0.105, "0%", "11%"),  # half away from zero, as sheets round
    (1234.5, '#,##0.00 "€"', "1,234.50 €"),
    (1234.5, "#,##0.00\\ [$€-407]", "1,234.50 €"),
    (-1234.5, "[$$-409]#,##0.00;[Red]([$$-409]#,##0.00)", "($1,234.50)"),
    (-3, '"$"#,##0', "-$3"),
    (0, '_("$"* #,##0_);_("$"* \\(#,##0\\);_("$"* "-"??_);_(@_)', "$-"),
    (5, '0.0 "kg"', "5.0 kg"),
    (2_500_000, '0.0,,"M"', "2.5M"),
    # Those that add nothing leave the number as it is kept.
    *((1234.567, code, None) for code in ("General", "#,##0", "# ?/?", "0.00E+00", "@", "")),
    *((value, "0%", None) for value in (dt.date(2024, 5, 3), True, "text", 1e300)),
    *((7.5, code, None) for code in ("yyyy-mm-dd h:mm", "[h]:mm")),
)


def test_a_number_is_shown_as_its_cell_shows_it():
    assert [(value, code, shown(value, code)) for value, code, _ in FORMATS] == [*FORMATS]


FORMATTED = (
    ("Port", "Fare", "Share", "When", "At"),
    ("Vigo", 1234.5, 0.125, dt.date(2024, 5, 3), dt.time(14, 30)),
)
CODES = ("General", '#,##0.00 "€"', "0.0%", "dd.mm.yyyy", "hh:mm")
RESULTS = "1 formula has no kept result"
SHOWN = "| Port: Vigo | Fare: 1,234.50 € | Share: 12.5% | When: 2024-05-03 | At: 14:30:00 |"


def test_an_xlsx_shows_percent_currency_date_and_time_and_counts_formulas_without_a_result():
    book = openpyxl.Workbook()
    for row in FORMATTED:
        book.active.append(row)
    for column, code in enumerate(CODES, start=1):
        book.active.cell(2, column).number_format = code
    book.active["B3"], book.active["B4"] = "=B2*2", "=B3"
    lines = lines_of(_with_result(made._saved(book), "B3", "2469"), "a.xlsx")
    assert lines == [
        f"--- Sheet Sheet --- ({RESULTS})",
        "| Port | Fare | Share | When | At |",
        SHOWN,
        "| Fare: 2469 |",
    ]


def _with_result(workbook, cell, value):
    """The workbook with a result kept for a formula, which the library does not write."""
    members = made.members(workbook)
    name = "xl/worksheets/sheet1.xml"
    before, after = rf'(?s)(r="{cell}".*?</f>)<v\s*(?:/>|></v>)'.encode(), value.encode()
    members[name] = re.sub(before, rb"\g<1><v>" + after + b"</v>", members[name], count=1)
    return made.zipped(members)


def test_an_ods_shows_its_cells_as_they_are_written_with_boxes_and_comments_behind():
    def row(*cells: str) -> str:
        inner = (f"<table:table-cell>{each}</table:table-cell>" for each in cells)
        return f"<table:table-row>{''.join(inner)}</table:table-row>"

    def p(*texts: str) -> list[str]:
        return [f"<text:p>{text}</text:p>" for text in texts]

    note = "<office:annotation><dc:creator>Ana</dc:creator><text:p>since May</text:p>"
    vigo, *rest = p("Vigo", "1,234.50 €", "12.5%")
    table = (
        "<table:table table:name='Costs'><table:shapes><draw:custom-shape><text:p>Prices as of May"
        f"</text:p></draw:custom-shape></table:shapes>{row(*p('Port', 'Fare', 'Share'))}"
        f"{row(f'{note}</office:annotation>{vigo}', *rest)}</table:table>"
    )
    data = made._odf("spreadsheet", f"<office:spreadsheet>{table}</office:spreadsheet>")
    assert lines_of(data, "a.ods") == [
        "--- Sheet Costs ---",
        "| Port | Fare | Share |",
        "| Port: Vigo | Fare: 1,234.50 € | Share: 12.5% |",
        "Prices as of May",
        "Comment (Ana): since May",
    ]


# --- Tables on a sheet ----------------------------------------------------------------------------


def test_a_letterhead_is_no_header_and_each_table_has_its_own():
    rows = [
        ["Harbour Ltd", "", "", "3 May"],
        ["12 Quay Street"],
        ["Port", "Fare", "Crew", "Tide"],
        ["Vigo", "7.50", "3", "high"],
        ["Cangas", "9.00", "4", "low"],
        [],
        ["Ship", "Length", "Owner"],
        ["Nina", "20", "Ana"],
        ["Pinta", "21", "Bea"],
    ]
    assert list(sheet_lines(rows)) == [
        "| Harbour Ltd |  |  | 3 May |",
        "| 12 Quay Street |",
        "| Port | Fare | Crew | Tide |",
        "| Port: Vigo | Fare: 7.50 | Crew: 3 | Tide: high |",
        "| Port: Cangas | Fare: 9.00 | Crew: 4 | Tide: low |",
        "| Ship | Length | Owner |",
        "| Ship: Nina | Length: 20 | Owner: Ana |",
        "| Ship: Pinta | Length: 21 | Owner: Bea |",
    ]


def test_an_empty_row_keeps_the_names_and_bold_ones_are_a_header_where_nothing_else_says_so():
    rows = [["Port", "Fare", "Crew"], ["Vigo", "7.50", "3"], [], ["Cangas", "9.00", "4"]]
    assert list(sheet_lines(rows))[2:] == ["| Port: Cangas | Fare: 9.00 | Crew: 4 |"]
    rows = [["Term", "Meaning"], ["port", "left"], ["starboard", "right"]]
    for bold, line in (
        ((), "| port | left |"),
        ({0}, "| Term: port | Meaning: left |"),
        ({0, 1, 2}, "| port | left |"),
    ):
        assert list(sheet_lines(rows, bold=bold))[1] == line


# --- What is hidden -------------------------------------------------------------------------------

HIDDEN = "(hidden in the document)"


def sheet_of(change):
    """A sheet of which row 3 and column C are to be hidden by `change` of its XML."""
    book = openpyxl.Workbook()
    for row in (("Port", "Cost", "Crew"), ("Vigo", 70, 3), ("Cangas", 80, 2), ("Moaña", 90, 4)):
        book.active.append(row)
    book.active.row_dimensions[3].hidden = True
    book.active.column_dimensions["C"].hidden = True
    members = made.members(made._saved(book))
    name = "xl/worksheets/sheet1.xml"
    before = members[name].decode()
    members[name] = change(before).encode()
    return made.zipped(members), before


def without_references(sheet):
    """Without the numbers of rows and cells, which may be left out."""
    return re.sub(r'(<row[^>]*) r="\d+"|(<c) r="\w+"', r"\1\2", sheet)


CHANGES = (
    str,  # the control
    without_references,
    lambda sheet: sheet.replace('hidden="1"', "hidden\n=' 1 '"),
    lambda sheet: sheet.replace('hidden="1"', 'hidden="&#49;"'),
    lambda sheet: sheet.replace("<row ", '<row xmlns:x="urn:x" x:r="9" x:hidden="0" '),
    lambda sheet: sheet.replace("<c ", "<!-- a comment --><c "),
)


def test_hidden_rows_and_columns_of_an_xlsx_are_marked_however_they_are_written():
    for change in CHANGES:
        data, before = sheet_of(change)
        assert before.count('hidden="1"') == 2
        assert lines_of(data, "a.xlsx") == [
            *("--- Sheet Sheet ---", "| Port | Cost | |", f"{HIDDEN} Crew"),
            *("| Port: Vigo | Cost: 70 | |", f"{HIDDEN} Crew: 3"),
            f"{HIDDEN} Port: Cangas | Cost: 80 | Crew: 2",
            *("| Port: Moaña | Cost: 90 | |", f"{HIDDEN} Crew: 4"),
        ]
