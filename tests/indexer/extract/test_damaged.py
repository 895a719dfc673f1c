"""What is damaged, or beyond a limit, is read as far as it goes; what is lost is said."""

import openpyxl

from indexer.extract import open_document
from indexer.extract.tables.named_rows import UNFORMATTED
from tests.support import made_files as made

CUT = "what a table repeats more than 64 times stands 64 times"


def sheet(damage: bytes) -> bytes:
    book = openpyxl.Workbook()
    for row in (("Port", "Fare"), ("Vigo", 7.5), ("Cangas", 9)):
        book.active.append(row)
    book.active["B2"].number_format = '0.00 "€"'
    members = made.members(made._saved(book))
    name = "xl/worksheets/sheet1.xml"
    members[name] = members[name].replace(b'<c r="A3"', b'<c %sr="A3"' % damage)
    return made.zipped(members)


def repeated(kind: str, rows: int, columns: int) -> bytes:
    table = (
        "<table:table table:name='Tides'><table:table-row>"
        "<table:table-cell><text:p>Port</text:p></table:table-cell></table:table-row>"
        f"<table:table-row table:number-rows-repeated='{rows}'>"
        f"<table:table-cell table:number-columns-repeated='{columns}'><text:p>noon</text:p>"
        "</table:table-cell><table:table-cell table:number-columns-repeated='16000'/>"
        "</table:table-row></table:table>"
    )
    return made._odf(kind, f"<office:{kind}>{table}</office:{kind}>")


# The bytes, what stands in the text and how often, and what is said of it: the first row of each
# is the control.
CASES = {
    "a.xlsx": [
        (sheet(b""), {"7.50 €": 1, "Cangas": 1}, ""),
        (sheet(b'zz:k="1" '), {"7.50 €": 1, "Cangas": 1}, ""),  # a prefix that nothing defines
        (sheet(b'k="&nothing;" '), {"7.50 €": 1, "Cangas": 1}, f"{UNFORMATTED}: the sheet is"),
    ],
    "a.ppt": [
        (made.ppt(), {"Timetable": 1}, ""),
        (made.ppt(lost=2), {"Timetable": 1}, "slide 1, but for its title (malformed)"),
    ],
    **{
        f"a.{name}": [
            (repeated(kind, *times), {"noon": 64}, CUT if 65 in times else "")
            for times in ((64, 1), (1, 64), (65, 1), (1, 65))
        ]
        for name, kind in (("odt", "text"), ("ods", "spreadsheet"))
    },
}
SAID = (CUT, UNFORMATTED, "not readable")


def test_what_is_damaged_or_too_much_is_read_as_far_as_it_goes():
    for name, cases in CASES.items():
        for data, counts, said in cases:
            read = open_document(data, name)
            text = "\n".join(line.text for line in read.lines) + (read.remark or "")
            assert {word: text.count(word) for word in counts} == counts, name
            assert said in text and (said or not any(one in text for one in SAID)), name
