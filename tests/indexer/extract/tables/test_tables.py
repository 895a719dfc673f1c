"""Each value of a table stands under its own column, in every format that has tables."""

from __future__ import annotations

import time

import pytest

from indexer.extract import open_document
from indexer.extract.html import MAX_NESTED, html_text
from indexer.extract.tables import MAX_CARRIED, simple, table_text
from tests.support import made_files as made


def text_of(data: bytes, name: str) -> str:
    return "\n".join(line.text for line in open_document(data, name).lines)


# --- The same table in each format ---------------------------------------------------------------

# A cell is (text, columns, rows); None is covered by one on its left or above.
GRID = (
    (("Region", 1, 2), ("City", 1, 2), ("2023", 2, 1), None, ("2024", 2, 1), None),
    (None, None, *((name, 1, 1) for name in ("Rent", "Fee", "Rent", "Fee"))),
    (("North", 1, 2), *((text, 1, 1) for text in ("York", "9", "10", "950", "12"))),
    (None, ("Hull", 1, 1), ("800", 1, 1), ("9", 1, 1), ("-", 2, 1), None),
    (("South", 1, 1), *((text, 1, 1) for text in ("Bath", "1100", "13", "1", "14"))),
)
WANTED = [
    "| Region: North | City: York | 2023 Rent: 9 | 2023 Fee: 10 | 2024 Rent: 950 | 2024 Fee: 12 |",
    "| Region: North | City: Hull | 2023 Rent: 800 | 2023 Fee: 9 | 2024 Rent: - | 2024 Fee: - |",
    "| Region: South | City: Bath | 2023 Rent: 1100 | 2023 Fee: 13 | 2024 Rent: 1 | 2024 Fee: 14 |",
]


def placed():
    """(row, column, text, columns, rows) of each cell."""
    for y, row in enumerate(GRID):
        for x, cell in enumerate(row):
            if cell is not None:
                yield y, x, *cell


def html_table():
    rows = (
        "".join(f"<td colspan={c[1]} rowspan={c[2]}>{c[0]}" for c in row if c is not None)
        for row in GRID
    )
    return f"<p>Rents<table>{''.join(f'<tr>{row}' for row in rows)}</table>".encode()


def docx_table():
    import docx

    document = docx.Document()
    table = document.add_table(len(GRID), len(GRID[0]))
    for y, x, text, columns, rows in placed():
        cell = table.cell(y, x)
        cell.merge(table.cell(y + rows - 1, x + columns - 1)).text = text
    return made._saved(document)


def pptx_table():
    import pptx

    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    table = slide.shapes.add_table(len(GRID), len(GRID[0]), 0, 0, 6_000_000, 2_000_000).table
    for y, x, text, columns, rows in placed():
        table.cell(y, x).text = text
        if columns > 1 or rows > 1:
            table.cell(y, x).merge(table.cell(y + rows - 1, x + columns - 1))
    return made._saved(deck)


def odt_table():
    covered = "<table:covered-table-cell/>"
    rows = (
        "".join(
            covered
            if cell is None
            else f'<table:table-cell table:number-columns-spanned="{cell[1]}" '
            f'table:number-rows-spanned="{cell[2]}"><text:p>{cell[0]}</text:p></table:table-cell>'
            for cell in row
        )
        for row in GRID
    )
    body = "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
    return made._odf("text", f"<office:text><table:table>{body}</table:table></office:text>")


def xlsx_table():
    import openpyxl

    book = openpyxl.Workbook()
    for y, x, text, columns, rows in placed():
        book.active.cell(y + 1, x + 1, text)
        if columns > 1 or rows > 1:
            book.active.merge_cells(None, y + 1, x + 1, y + rows, x + columns)
    return made._saved(book)


FORMATS = {
    "a.html": html_table,
    "a.docx": docx_table,
    "a.pptx": pptx_table,
    "a.odt": odt_table,
    "a.xlsx": xlsx_table,
}


def test_merged_cells_and_a_header_of_two_lines_are_read_alike_in_every_format():
    for name, make in FORMATS.items():
        lines = [line for line in text_of(make(), name).split("\n") if line.startswith("| Reg")]
        head = "| Region | City | 2023 Rent | 2023 Fee | 2024 Rent | 2024 Fee |"
        assert lines == [head, *WANTED], name


# --- What has a header, and what is no table ------------------------------------------------------


def lines_of(*rows):
    return table_text(simple(rows)).split("\n")


def test_a_form_of_two_columns_and_a_table_without_names_stay_as_they_are():
    form = (("Customer", "Anna"), ("Total", "4711"), ("City", "York"))
    assert lines_of(*form) == ["| Customer | Anna |", "| Total | 4711 |", "| City | York |"]
    data = (("Anna", "12", "York"), ("Bea", "14", "Hull"))
    assert lines_of(*data) == ["| Anna | 12 | York |", "| Bea | 14 | Hull |"]
    labels = (("Name:", "Anna", "Date:"), ("City:", "York", "3 May"), ("Tel:", "1", "none"))
    assert lines_of(*labels)[0] == "| Name: | Anna | Date: |"


def test_a_table_that_is_surely_one_has_its_names_in_each_row():
    fares = lines_of(("Port", "Fare"), ("Vigo", "7.50"), ("Cangas", "12.00"))
    assert fares[2:] == ["| Port: Vigo | Fare: 7.50 |", "| Port: Cangas | Fare: 12.00 |"]
    years = lines_of(("", "2023", "2022"), ("Sales", "1,200", "1,100"), ("Cost", "800", "(79)"))
    assert years[2:] == [
        "| Sales | 2023: 1,200 | 2022: 1,100 |",
        "| Cost | 2023: 800 | 2022: (79) |",
    ]


LAYOUTS = {
    "<table><tr><td><img src=x><td><p>Dear Ana,<p>it left today.<tr><td>Bye</table>": (
        "Dear Ana,\n\nit left today.\n\nBye"
    ),
    "<table><tr><td>one<tr><td>two</table>": "one\n\ntwo",
    "<table role=presentation><tr><th>one<th>two</table>": "one\n\ntwo",
    "<table><tr><td><table><tr><td>Hello</table><td><table><tr><td>Bye</table></table>": (
        "Hello\n\nBye"
    ),
    "<table><tr><td><h2>Fares</h2><td>menu</table>": "## Fares\n\nmenu",
}


def test_what_only_places_texts_on_a_page_stays_prose():
    assert {table: html_text(table)[1] for table in LAYOUTS} == LAYOUTS


def test_a_caption_a_section_totals_and_a_second_header_within_a_table():
    text = html_text(
        "<table><caption>Rents</caption><tr><th colspan=3>In pounds</th>"
        "<tr><th>City<th>Rent<th>Fee<tr><td colspan=3>North"
        "<tr><td>York<td>950<td>12<tr><th>Total<th>950<th>12"
        "<tr><th>City<th>Crew<th>Age<tr><td>York<td>Ana<td>41</table>"
    )[1]
    assert text.split("\n") == [
        *("Rents", "", "| In pounds |", "| City | Rent | Fee |", "| --- | --- | --- |"),
        *("| North |", "| City: York | Rent: 950 | Fee: 12 |"),
        *("| City: Total | Rent: 950 | Fee: 12 |", "| City | Crew | Age |"),
        *("| --- | --- | --- |", "| City: York | Crew: Ana | Age: 41 |"),
    ]


# --- Limits ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_spans_of_any_size_cost_little_and_no_text_is_lost():
    wide = "".join(f"<td rowspan=65534>c{n}" for n in range(100))
    rows = "".join(f"<tr><td>r{n}" for n in range(MAX_CARRIED // 100 + 2))
    started = time.process_time()
    text = html_text(f"<table><tr><th>City<th>Rent<tbody><tr>{wide}{rows}</table>")[1].split("\n")
    assert "City: c0" in text[-4] and text[-4].endswith(f"r{MAX_CARRIED // 100 - 2} |")
    assert text[-1].endswith(f"r{MAX_CARRIED // 100 + 1} |")
    assert time.process_time() - started < 10


def test_tables_within_tables_are_read_as_such_up_to_the_most():
    inner = "<table><tr><th>City<th>Rent<tr><td>York<td>950</table>"
    deepest = "<table><tr><td>" * (MAX_NESTED - 1) + inner
    assert html_text(deepest)[1].endswith("| City: York | Rent: 950 |")
    beyond = html_text(f"<table><tr><td>{deepest}")[1]
    assert beyond.split("\n\n") == ["City", "Rent", "York", "950"]
