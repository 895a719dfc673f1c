"""Pages, Numbers and Keynote of today: text out of records."""

import random
from collections import Counter

import pytest

from indexer.errors import UnreadableDocument
from indexer.extract.iwork.iwa import MAX_CHUNK_BYTES, unpacked, unsnappy
from tests.support import made_containers as made
from tests.support.documents import extract
from tests.support.pdfs import pdf_of


def lines_of(data: bytes, name: str) -> list[str]:
    return [line.text for line in extract(data, name).lines if line.text]


def test_slides_stand_in_the_order_of_the_show_with_their_notes():
    assert lines_of(made.keynote(), "a.key") == [
        "--- Slide 1 ---",
        "Opening",
        "welcome",
        "Notes: say Opening slowly",
        "--- Slide 2 ---",
        "Timetable",
        made.SENTENCE,
        "Notes: say Timetable slowly",
    ]


def test_a_body_keeps_what_is_anchored_in_it_in_its_place():
    assert lines_of(made.pages(), "a.pages") == [
        "Timetable",
        made.SENTENCE,
        "| Port | Fare |",
        "| --- | --- |",
        "| Port: Vigo | Fare: 7.5 |",
        "the end",
        "in a box",
    ]


def test_a_sheet_shows_its_cells_as_the_program_does():
    assert lines_of(made.numbers(), "a.numbers") == [
        "--- Sheet Costs ---",
        "Table: Fares",
        "| Port | Fare | Share | Price | Since | Remark |",
        (
            "| Port: Vigo | Fare: 7.5 | Share: 25% | Price: 12.00 EUR | "
            f"Since: 2025-08-04 09:00 | Remark: {made.SENTENCE} |"
        ),
        "| Port: Cangas | Fare: 1200000 |",
        "beside the table",
    ]


def test_where_the_records_say_nothing_the_preview_is_read():
    nothing = {"Index/Document.iwa": made.records((1, 10_000, b"", ()))}
    with_preview = made._zipped({**nothing, "QuickLook/Preview.pdf": pdf_of("as it was printed")})
    assert "as it was printed" in lines_of(with_preview, "a.pages")
    assert extract(with_preview, "a.pages").remark.startswith("read from its preview")
    with pytest.raises(UnreadableDocument, match="export as PDF from Pages"):
        extract(made._zipped(nothing), "a.pages")


def test_a_file_of_records_that_is_damaged_is_named_and_the_others_are_read():
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(made.keynote())) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["Index/Slide-20.iwa"] = b"\1" + members["Index/Slide-20.iwa"][1:]
    document = extract(made._zipped(members), "a.key")
    assert "welcome" in [line.text for line in document.lines]
    assert document.remark == "not readable: Index/Slide-20.iwa"


def test_snappy_copies_overlap_and_are_bounded():
    # "ab", then six bytes from two bytes ago, then ten from eight bytes ago.
    assert unsnappy(b"\x12\x04ab" + bytes([(6 - 4) << 2 | 1, 2]) + bytes([9 << 2 | 2, 8, 0])) == (
        b"abababab" + b"ababababab"
    )
    for wrong in (b"\x05\x04ab", b"\x04\x04ab\x05\x09", made.varint(MAX_CHUNK_BYTES + 1) + b"\0a"):
        with pytest.raises((ValueError, IndexError), match=r"chunk|nothing|range"):
            unsnappy(wrong)
    bomb = made.varint(2**22) + b"\0a" + (bytes([63 << 2 | 2, 1, 0])) * 65_535 + b"\xfe\x01\0"
    chunk = b"\0" + len(bomb).to_bytes(3, "little") + bomb
    with pytest.raises((UnreadableDocument, ValueError), match=r"too_large_unpacked|length"):
        unpacked(chunk * 3, 2**22)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.key", "b.pages", "a.numbers"])
def test_damaged_records_give_text_or_a_reason(name):
    import io
    import zipfile

    chance = random.Random(name)
    with zipfile.ZipFile(io.BytesIO(made.FILES[name])) as archive:
        members = {each: archive.read(each) for each in archive.namelist()}
    outcomes = Counter()
    for _ in range(150):
        broken = {each: bytearray(data) for each, data in members.items()}
        victim = broken[chance.choice(sorted(broken))]
        for _ in range(chance.choice((1, 3))):
            victim[chance.randrange(len(victim))] = chance.randrange(256)
        try:
            document = extract(
                made._zipped({each: bytes(data) for each, data in broken.items()}), name
            )
        except UnreadableDocument:
            outcomes["reason"] += 1
        else:
            assert any(line.text for line in document.lines)
            outcomes["text"] += 1
    print(outcomes)
    assert outcomes["text"] and outcomes["reason"]
