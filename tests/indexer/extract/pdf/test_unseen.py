"""What a page of a PDF shows and what is read of it are the same, or marked as hidden.

Content streams written by hand; each way to hide words has controls that show what may look alike.
"""

from __future__ import annotations

from indexer.extract import open_document
from indexer.extract.hidden import HIDDEN_MARK
from indexer.records import Line
from tests.support.pdfs import pdf_of_objects

SHOWN = "BT /F 12 Tf 72 740 Td (The rent is 500 pounds) Tj ET\n"
BLACK_BOX = "0 g 60 590 300 30 re f\n"
SECRET = "BT /F 12 Tf 72 600 Td (secret words) Tj ET\n"
PICTURE = (
    b"<< /Type /XObject /Subtype /Image /Width 2 /Height 2 /BitsPerComponent 8 "
    b"/ColorSpace /DeviceGray /Length 4 >>\nstream\n\x90\x90\x90\x90\nendstream"
)


def page_of(content: str, *more: bytes, page: str = "", catalog: str = "") -> bytes:
    """A page with the font F, the picture P (object 6), and what is given from object 7 on.

    Object 7 is the form X, object 8 the layer L.
    """
    stream = content.encode("latin-1")
    states = "/Clear << /ca 0 >> /Half << /ca 0.5 >> /Multiply << /BM /Multiply >>"
    resources = f"/Font << /F 5 0 R >> /ExtGState << {states} >> /Properties << /L 8 0 R >>"
    return pdf_of_objects(
        f"<< /Type /Catalog /Pages 2 0 R {catalog} >>".encode(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R {page} "
        f"/Resources << {resources} /XObject << /P 6 0 R /X 7 0 R >> >> >>".encode(),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        PICTURE,
        *more,
    )


def form(content: str, more: str = "") -> bytes:
    head = f"<< /Type /XObject /Subtype /Form /BBox [0 0 612 792] {more} /Length {len(content)}"
    resources = "/Resources << /Font << /F 5 0 R >> /XObject << /P 6 0 R >> >> >>"
    return f"{head} {resources}\nstream\n{content}\nendstream".encode()


def lines_of(data: bytes) -> list[Line]:
    return [line for line in open_document(data, "a.pdf").lines if not line.is_mark and line.text]


def shown(data: bytes) -> list[str]:
    return [line.text for line in lines_of(data) if not line.hidden]


def hidden(data: bytes) -> list[str]:
    return [line.text.removeprefix(f"{HIDDEN_MARK} ") for line in lines_of(data) if line.hidden]


UNSEEN = {
    "not painted": SECRET.replace("72 600", "3 Tr 72 600"),
    "not painted, over a picture that is no scan": "q 612 0 0 79 0 0 cm /P Do Q "
    + SECRET.replace("72 600", "3 Tr 72 600"),
    "an outline to clip to, with nothing painted through": "q "
    + SECRET.replace("72 600", "7 Tr 72 600")
    + "Q",
    "under a box": SECRET + BLACK_BOX,
    "under a white box": SECRET + "1 g 60 590 300 30 re f",
    "tiny": SECRET.replace("12 Tf", "0.4 Tf"),
    "flattened to nothing": SECRET.replace("72 600 Td", "1 0 0 0 72 600 Tm"),
    "sheared to a line": SECRET.replace("72 600 Td", "1 1 1 1 72 300 Tm"),
    "squeezed by its scale": SECRET.replace("72 600", "1 Tz 72 600"),
    "under a turned box": SECRET + "q .707 .707 -.707 .707 72 400 cm 0 g 0 0 300 300 re f Q",
    "off the page": SECRET.replace("72 600", "900 600"),
    "white on paper": SECRET.replace("72 600", "1 g 72 600"),
    "black on black": BLACK_BOX + SECRET,
    "nearly black on black": BLACK_BOX + SECRET.replace("72 600", "0.02 0.01 0.02 rg 72 600"),
    "red on red": "1 0 0 rg 60 590 300 30 re f " + SECRET,
    "white on a white box over a black one": BLACK_BOX + "1 g 65 595 290 25 re f " + SECRET,
    "white outlines": SECRET.replace("72 600", "1 Tr 1 G 72 600"),
    "clear": "/Clear gs " + SECRET,
    "in a form, black on black": "/X Do ",
    "in a form without a width": "q 0 0 0 1 300 0 cm /X Do Q",
    "under the box of a moved form": SECRET + "q 1 0 0 1 0 300 cm /X Do Q",
    "under the box of a form in halves": SECRET + "q 2 0 0 2 0 0 cm /X Do Q",
    "in a form of no size": "q 0 0 0 0 0 600 cm /X Do Q",
}
FORMS = {
    "in a form without a width": form(SECRET),
    "under the box of a moved form": form(BLACK_BOX.replace("590", "290")),
    "under the box of a form in halves": form("q .5 0 0 .5 0 0 cm " + BLACK_BOX + "Q"),
    **dict.fromkeys(
        ("under a form that is clipped away", "under a half clear form"), form(BLACK_BOX)
    ),
    "in a form of no size": form(SECRET),
    "in a form, black on black": form(BLACK_BOX + SECRET),
}


def test_words_that_no_reader_of_the_page_sees_are_marked():
    for way, content in UNSEEN.items():
        data = page_of(SHOWN + content, FORMS.get(way, form("")))
        assert (shown(data), hidden(data)) == (["The rent is 500 pounds"], ["secret words"]), way


def test_a_line_is_read_without_the_word_in_it_that_nobody_sees():
    word = "BT /F 12 Tf %s Td (%s) Tj ET\n"
    drawn = (("72 600", "Left"), ("1 g 120 600", "never"), ("0 g 160 600", "right"))
    data = page_of("".join(word % each for each in drawn))
    assert (shown(data), hidden(data)) == (["Left right"], ["never"])


def test_a_page_crowded_with_objects_hides_no_more_than_another():
    crowd = "".join(f"{at % 50 + 300} {at // 50 + 300} 1 1 re f\n" for at in range(2_000))
    assert hidden(page_of(crowd + SHOWN + SECRET + BLACK_BOX)) == ["secret words"]
    letters = "".join(
        f"BT /F 8 Tf {at % 50 * 9 + 60} {at // 50 * 9 + 60} Td (x) Tj ET\n" for at in range(1_200)
    )
    glued = "BT /F 12 Tf 72 740 Td (The rent is 5) Tj (000) Tj ET\nq 1 g 140 735 25 15 re f Q\n"
    assert hidden(page_of(glued)) == hidden(page_of(glued + letters)) == ["000"]


LAYERS = {
    "/OFF [8 0 R]": True,
    "/BaseState /OFF": True,
    "/BaseState /OFF /ON [8 0 R]": False,
    "/OFF []": False,
}


def test_what_stands_in_a_layer_that_is_off_is_hidden():
    for usual, is_off in LAYERS.items():
        catalog = f"/OCProperties << /OCGs [8 0 R] /D << {usual} >> >>"
        for content in (SECRET, "/X Do "):
            more = form(SECRET), b"<< /Type /OCG /Name (Draft) >>"
            data = page_of(f"{SHOWN}/OC /L BDC {content}EMC", *more, catalog=catalog)
            sides = (hidden(data), [text for text in shown(data) if "secret" in text])
            assert sides == ((["secret words"], []) if is_off else ([], ["secret words"])), usual
        covered = page_of(f"{SHOWN}{SECRET}/OC /L BDC {BLACK_BOX}EMC", *more, catalog=catalog)
        assert hidden(covered) == ([] if is_off else ["secret words"]), usual
        # A mark of another kind is no layer, whatever it is called.
        alike = page_of(
            f"{SHOWN}{SECRET}/Span << /Name (Draft) >> BDC {BLACK_BOX}EMC", *more, catalog=catalog
        )
        assert hidden(alike) == ["secret words"], usual


LINE = "72 603 m 142 603 l S "
STRUCK = {
    "a line": SECRET + LINE,
    "a thin box": SECRET + "72 603 70 0.8 re f",
    "drawn before": LINE + SECRET,
    "in two pieces": SECRET + "72 603 m 105 603 l S 105 603 m 142 603 l S",
}
NOT_STRUCK = {
    "underlined": SECRET + "72 597 m 142 597 l S",
    "a line above": SECRET + "72 611 m 142 611 l S",
    "not painted": SECRET + "72 603 m 142 603 l n",
    "in white": SECRET + "1 G 72 603 m 142 603 l S",
    "a white box": SECRET + "1 g 72 603 70 0.8 re f",
    "a frame": SECRET + "70 590 300 30 re S",
    "beside it": SECRET + "160 603 m 300 603 l S",
    "through one letter": SECRET + "72 603 m 76 603 l S",
}


def test_what_a_line_is_drawn_through_is_struck_out():
    for way, content in STRUCK.items():
        assert "~~secret words~~" in shown(page_of(SHOWN + content)), way
    for way, content in NOT_STRUCK.items():
        assert "secret words" in shown(page_of(SHOWN + content)), way


def test_a_comment_strikes_out_what_it_lies_on():
    for kind in ("StrikeOut", "Highlight"):
        note = f"<< /Type /Annot /Subtype /{kind} /Rect [72 598 142 612] "
        note += "/QuadPoints [72 612 142 612 72 598 142 598] >>"
        text = shown(page_of(SHOWN + SECRET, note.encode(), page="/Annots [7 0 R]"))
        assert ("~~secret words~~" in text, "secret words" in text) == (
            kind == "StrikeOut",
            kind == "Highlight",
        )


SEEN = {
    "as they are": SECRET,
    "on a box": "0.9 g 60 590 300 30 re f 0 g " + SECRET,
    "white on a black box": BLACK_BOX + "1 g " + SECRET,
    "in a frame": SECRET + "60 590 300 30 re S",
    "under a box without any area": SECRET + "q 1 1 1 1 0 0 cm 0 0 700 700 re f Q",
    "underlined": SECRET + "72 598 70 1 re f",
    "under a box that one sees through": SECRET + "/Half gs 1 1 0 rg 60 590 300 30 re f",
    "under a clear box": SECRET + "/Clear gs " + BLACK_BOX,
    "under a frame that is filled": SECRET + "0 g 60 590 300 30 re 62 592 296 26 re f*",
    "white on two boxes side by side": "0 g 60 590 40 30 re f 100 590 300 30 re f 1 g " + SECRET,
    "white on a picture": "q 300 0 0 30 60 590 cm /P Do Q 1 g " + SECRET,
    "beside a box": SECRET + "0 g 60 640 300 30 re f",
    "mostly within a clip": "q 60 590 60 30 re W n " + SECRET + "Q",
    "within a clip": "q 60 590 300 30 re W n " + SECRET + "Q",
    "under a box that is clipped away": SECRET + "q 1 1 2 2 re W n " + BLACK_BOX + "Q",
    "under a form that is clipped away": SECRET + "q 1 1 2 2 re W n /X Do Q",
    "under a half clear form": SECRET + "/Half gs /X Do",
    "beside a turned box": SECRET + "q .707 .707 -.707 .707 107 590 cm 0 g 0 0 100 100 re f Q",
    "black on a picture": "q 300 0 0 30 60 590 cm /P Do Q " + SECRET,
    "small": SECRET.replace("12 Tf", "4 Tf"),
    "condensed": SECRET.replace("72 600 Td", "60 Tz 72 600 Td"),
    "turned": SECRET.replace("72 600 Td", "0 1 -1 0 300 400 Tm"),
    "outlines": SECRET.replace("72 600", "1 Tr 72 600"),
    "an outline that a picture is painted through": "q "
    + SECRET.replace("72 600", "7 Tr 72 600")
    + "300 0 0 30 60 590 cm /P Do Q",
    "drawn twice, as bold": SECRET + SECRET.replace("72", "72.3"),
    "drawn twice over a picture": "q 300 0 0 30 60 590 cm /P Do Q " + SECRET + SECRET,
    "in a form": "/X Do",
    "half clear": "/Half gs " + SECRET,
    "multiplied by what is under it": "1 1 0 rg 60 590 300 30 re f 0 g /Multiply gs " + SECRET,
    "not painted, over a scan": "q 612 0 0 792 0 0 cm /P Do Q " + SECRET.replace("72", "3 Tr 72"),
    "under a scan": SECRET + "q 612 0 0 792 0 0 cm /P Do Q",
}


def test_words_that_a_reader_may_see_or_that_a_scan_shows_are_not():
    for way, content in SEEN.items():
        data = page_of(("" if "scan" in way else SHOWN) + content, FORMS.get(way, form(SECRET)))
        assert "secret words" in shown(data) and hidden(data) == [], way


def test_a_field_that_is_not_shown_is_hidden():
    for flags, is_hidden in ((2, True), (32, True), (4, False)):
        field = f"<< /Type /Annot /Subtype /Widget /FT /Tx /T (Sum) /V (500) /F {flags} "
        field += "/Rect [72 500 200 520] >>"
        data = page_of(SHOWN, field.encode(), page="/Annots [7 0 R]")
        assert ("Sum: 500" in hidden(data), "Sum: 500" in shown(data)) == (is_hidden, not is_hidden)


# -- ActualText: the glyphs, what is said of them, what is read


def spoken(text: str) -> bytes:
    said = "FEFF" + text.encode("utf-16-be").hex()
    return page_of(
        f"BT /F 12 Tf 72 740 Td (The rent is ) Tj /Span << /ActualText <{said}> >> BDC "
        "[(9) -1 (00)] TJ EMC ( pounds) Tj ET"
    )


def test_what_the_page_shows_is_read_and_not_what_it_is_said_to_read():
    for text in ("500", "not 900", "900 a day", "9", " ", "-", "\u0662", "क 9", "क x"):
        data = spoken(text)
        assert (shown(data), hidden(data)) == (["The rent is 900 pounds"], []), text
    assert "क्ष" in shown(spoken("क्ष"))[0]  # of letters that their neighbours shape
