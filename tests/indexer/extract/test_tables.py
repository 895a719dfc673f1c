"""Each value of a table stands under its own column, in every format that has tables."""

from __future__ import annotations

import re
from email.message import EmailMessage

import pytest

from indexer.extract import open_document
from tests.support import made_files as made
from tests.support import span_tables

TABLES = span_tables.tables()
TRUTH = span_tables.truth()


def text_of(data: bytes, name: str) -> str:
    return "\n".join(line.text for line in open_document(data, name).lines)


def as_html(page: str) -> bytes:
    return page.encode()


def as_mail(page: str) -> bytes:
    message = EmailMessage()
    message["Subject"], message["From"] = "Rents", "Ana <ana@example.org>"
    message.set_content(page, subtype="html", cte="quoted-printable")
    return message.as_bytes()


def as_book(page: str) -> bytes:
    package = (
        "<package><metadata/><manifest><item id='a' href='a.xhtml' "
        "media-type='application/xhtml+xml'/></manifest><spine><itemref idref='a'/></spine>"
        "</package>"
    )
    container = "<container><rootfiles><rootfile full-path='a.opf'/></rootfiles></container>"
    members = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": container,
        "a.opf": package,
        "a.xhtml": page,
    }
    return made.zipped(members, stored_first=True)


def as_saved_page(page: str) -> bytes:
    message = EmailMessage()
    message["From"], message["Subject"] = "<Saved by a browser>", "Rents"
    message.make_related()
    part = EmailMessage()
    part.set_content(page, subtype="html", cte="base64")
    message.attach(part)
    return message.as_bytes()


WRAPPED = {"a.html": as_html, "a.eml": as_mail, "a.epub": as_book, "a.mht": as_saved_page}


class Grid:
    """What the browser shows of one table."""

    def __init__(self, cells):
        self.cells = [cell for cell in cells if cell[4]]
        self.rows = sorted({cell[0] for cell in self.cells})
        self.width = max(cell[2] for cell in self.cells)
        self.heads = []
        for row in self.rows:
            if not all(cell[5] for cell in self.cells if cell[0] == row):
                break
            self.heads.append(row)

    def names(self, first, last):
        """The names above columns, once each."""
        found = []
        for column in range(first, last):
            above = [c for c in self.cells if c[0] in self.heads and c[1] <= column < c[2]]
            path = " ".join(cell[4] for cell in sorted(above))
            if path and path not in found:
                found.append(path)
        return found or [""]

    def body(self):
        """For each row below the header what must be read in it."""
        for row in self.rows[len(self.heads) :]:
            cells = [cell for cell in self.cells if cell[0] <= row < cell[0] + cell[3]]
            across = len(cells) == 1 and cells[0][2] - cells[0][1] == self.width
            yield [
                f"{name}: {cell[4]}" if name and not across else cell[4]
                for cell in cells
                for name in ([""] if across else self.names(cell[1], cell[2]))
            ]


def entries_of(line):
    return [entry for entry in line.strip("|").strip().split(" | ") if entry.strip()]


def is_read(entry, wanted):
    """Whether an entry is the wanted one, perhaps with a table of its own behind it."""
    return entry == wanted or entry.startswith(f"{wanted} ")


@pytest.mark.parametrize("name", WRAPPED)
def test_every_cell_of_merged_tables_stands_under_the_column_where_a_browser_shows_it(name):
    checked = 0
    for number, (table, grids) in enumerate(zip(TABLES, TRUTH, strict=True)):
        text = text_of(WRAPPED[name](span_tables.page(table)), name)
        for inner in grids[1:]:
            for wanted in (entry for row in Grid(inner).body() for entry in row):
                assert re.search(rf"{wanted}(?=[,;\n ]|$)", text), (number, wanted, text)
                checked += 1
        outer = Grid(grids[0])
        if not outer.heads:
            for wanted in (entry for row in outer.body() for entry in row):
                assert wanted in text, (number, wanted, text)
            continue
        lines = [line for line in text.split("\n") if line.startswith("|")]
        start = max(i for i, line in enumerate(lines) if line.startswith("| ---"))
        rows = list(outer.body())
        assert len(lines) - start - 1 == len(rows), (number, text)
        for line, wanted in zip(lines[start + 1 :], rows, strict=True):
            found = entries_of(line)
            assert len(found) == len(wanted), (number, line, wanted)
            for entry in wanted:
                assert any(is_read(each, entry) for each in found), (number, line, wanted)
                checked += 1
    assert checked > 500


def test_the_kept_grids_differ_from_the_cells_as_they_are_written():
    """The control: counting cells from the left is wrong for many of these tables."""
    shifted = 0
    for grids in TRUTH:
        grid = Grid(grids[0])
        for row in grid.rows:
            own = sorted(cell for cell in grid.cells if cell[0] == row)
            shifted += any(cell[1] != place for place, cell in enumerate(own))
    assert shifted > 50
