"""The processes that show and recognise pages: what they give, may not do, and may cost."""

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.confine import starting
from indexer.errors import UnreadableDocument
from indexer.extract.ocr.reading_order import UNREADABLE
from indexer.parsers import protocol, tesseract
from indexer.parsers.limits import OCR_MEMORY_BYTES, DocumentLimits
from indexer.parsers.pages import (
    PageViewer,
    RecognisedPage,
    Recogniser,
    greyed,
    is_box,
    page_of,
    png_of,
)
from indexer.parsers.tesseract import finished
from indexer.records import MAX_POINTS, Box, Points
from tests.attacks import obeying_recogniser
from tests.attacks.obeying_viewer import FRAMES
from tests.attacks.obeying_worker import attempts
from tests.support.parsing import file_of
from tests.support.pictures import (
    CYRILLIC,
    LEASE,
    as_bytes,
    document,
    drawn,
    in_cyrillic,
    picture,
    points_of_png,
)
from tests.support.processes import gone, until

SHOWING, RECOGNISING = "tests.attacks.obeying_viewer", "tests.attacks.obeying_recogniser"
NOTHING = {"socket": "EPERM", "write": "EACCES", "read": "EACCES", "program": "EPERM"}


@pytest.fixture(scope="module")
def viewer() -> Iterator[PageViewer]:
    with closing(PageViewer()) as viewer:
        yield viewer


@pytest.fixture(scope="module")
def taken_over() -> Iterator[PageViewer]:
    with closing(PageViewer(SHOWING)) as viewer:
        yield viewer


@pytest.fixture(scope="module")
def recogniser() -> Iterator[Recogniser]:
    with closing(Recogniser()) as recogniser:
        yield recogniser


def read(recogniser: Recogniser, data: bytes) -> RecognisedPage:
    with document(data) as copy:
        return recogniser.read(copy, 1)


def texts(page: RecognisedPage) -> list[str]:
    return [text for text, _ in page.lines]


# -- what they give --------------------------------------------------------------------------------


def test_a_page_is_drawn_as_wide_as_asked_and_in_its_proportions(viewer):
    def square(canvas):  # red, in the upper left corner
        canvas.setFillColorRGB(1, 0, 0)
        canvas.rect(0, 692, 100, 100, stroke=0, fill=1)

    with document(drawn(square)) as pdf:
        shown = viewer.picture(pdf, 1, 306)
    points = points_of_png(shown.png)
    assert (shown.width, shown.height) == (306, 396)
    assert points.shape == (396, 306, 3)
    assert points[10, 10].tolist() == [255, 0, 0]
    assert points[10, 60].tolist() == points[60, 10].tolist() == [255, 255, 255]


@pytest.mark.slow
def test_a_picture_is_read_line_by_line_each_with_its_confidence(recogniser):
    page = read(recogniser, as_bytes(picture(LEASE)))
    assert texts(page) == list(LEASE)
    assert all(0.9 < confidence <= 1 for _, confidence in page.lines)


@pytest.mark.slow
def test_a_page_in_letters_that_rapidocr_lacks_is_tesseracts_with_english_beside(recogniser):
    found = read(recogniser, as_bytes(in_cyrillic()))
    assert (tuple(texts(found)), found.by_tesseract, found.in_vain) == (CYRILLIC, True, None)
    assert tesseract.languages_of("Cyrillic", {"eng", "rus", "deu"}) == ("rus", "eng")
    assert tesseract.languages_of("Greek", {"eng", "rus"}) == ()
    assert [word.text for word in found.words] == " ".join(CYRILLIC).split()


@pytest.mark.nightly
@pytest.mark.slow
def test_what_cannot_be_read_surely_is_named_and_not_guessed(recogniser):
    image = picture(LEASE)
    smear = image.crop((0, 90, 620, 150)).resize((26, 5)).resize((620, 60))
    image.paste(smear, (0, 90))
    found = texts(read(recogniser, as_bytes(image)))
    assert found[0] == LEASE[0]
    assert found[-1] == LEASE[2]
    assert found[1:-1] in ([UNREADABLE], [])
    assert not any("1,250.00" in line for line in found)  # which nobody can see there


@pytest.mark.nightly
@pytest.mark.slow
def test_every_kind_of_picture_is_read(recogniser):
    import pillow_heif

    pillow_heif.register_heif_opener()
    image = picture(LEASE[:1], (620, 120))
    kinds = {"JPEG": {"quality": 92}, "WEBP": {"lossless": True}, "HEIF": {"quality": 90}}
    read_as = {kind: as_bytes(image, kind, **options) for kind, options in kinds.items()}
    read_as["TIFF"] = as_bytes(image.convert("1"), "TIFF", compression="group4")
    for kind, data in read_as.items():
        assert texts(read(recogniser, data)) == [LEASE[0]], kind


# -- what they may cost ----------------------------------------------------------------------------


@pytest.mark.slow
def test_pages_of_monstrous_sizes_are_small_pictures(viewer):
    for size in ((14_400, 14_400), (1, 14_400), (14_400, 1)):
        data = drawn(lambda canvas: canvas.rect(0, 0, 9, 9), size=size)
        for unit in (b"1 /Type /Page", b"75 /Type /Page"):
            assert b"/Type /Page\n" in data
            with document(data.replace(b"/Type /Page\n", b"/UserUnit " + unit + b"\n")) as pdf:
                shown = viewer.picture(pdf, 1, 4_000)
            assert shown.width * shown.height <= MAX_POINTS


@pytest.mark.slow
def test_a_page_that_kills_its_process_costs_itself(taken_over):
    for order, reason in (("die", "crashed"), ("memory", "memory")):
        with document(order.encode()) as file, pytest.raises(UnreadableDocument, match=reason):
            taken_over.picture(file, 1, 100)
        with document(b"fine") as file:
            assert taken_over.picture(file, 1, 100).width == 1
    order, blank = picture(["An order"], (120, obeying_recogniser.DIE)), picture([], (120, 90))
    dying = as_bytes(order, "TIFF", save_all=True, append_images=[blank])
    with closing(recognising(20)) as recogniser, document(dying) as copy:
        with pytest.raises(UnreadableDocument, match="crashed"):
            recogniser.read(copy, 1)
        # The next page is read by a new process, which was handed the document.
        assert recogniser.read(copy, 2).lines == ()


def recognising(seconds: float) -> Recogniser:
    return Recogniser(RECOGNISING, DocumentLimits(OCR_MEMORY_BYTES, wall_seconds=seconds))


@pytest.mark.slow
def test_a_page_that_hangs_is_ended():
    with closing(PageViewer(SHOWING, seconds=20)) as viewer:
        with document(b"fine") as file:
            viewer.picture(file, 1, 100)  # the process is there: the time is the page's alone
        viewer._seconds = 0.5
        with document(b"hang") as file, pytest.raises(UnreadableDocument, match="timeout"):
            viewer.picture(file, 1, 100)
    hanging = as_bytes(picture(["An order"], (120, obeying_recogniser.HANG)))
    with (
        closing(recognising(6)) as recogniser,
        pytest.raises(UnreadableDocument, match="timeout"),
    ):
        read(recogniser, hanging)


def test_tesseract_is_ended_by_its_time_and_by_what_it_prints(monkeypatch):
    def ended(command: str) -> tuple[int, int]:
        with file_of(b"") as given:
            code, output = finished(starting.Command(("/bin/sh", "-c", command)), given, given)
        return code, len(output)

    assert ended("echo words") == (0, 6)  # the control
    assert ended("exec yes") == (-signal.SIGKILL, tesseract.MAX_OUTPUT_BYTES + 1)
    monkeypatch.setattr(tesseract, "SECONDS", 0.2)
    started = time.monotonic()
    assert ended("exec sleep 60") == (-signal.SIGKILL, 0)
    assert time.monotonic() - started < 30


def test_ctrl_c_ends_tesseract(tmp_path):
    waits = starting.Command(("/bin/sh", "-c", f"echo $$ > {tmp_path}/pid; exec sleep 60"))

    def interrupt() -> None:
        until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
        until(lambda: any(isinstance(one, threading.Timer) for one in threading.enumerate()))
        os.kill(os.getpid(), signal.SIGINT)

    started = time.monotonic()
    with ThreadPoolExecutor() as pool, pytest.raises(KeyboardInterrupt), file_of(b"") as given:
        pool.submit(interrupt)
        finished(waits, given, given)
    assert time.monotonic() - started < 30  # at once
    assert gone(int((tmp_path / "pid").read_text()))


# -- what they may not do --------------------------------------------------------------------------


def test_who_takes_the_viewer_over_has_no_socket_no_file_and_no_program(taken_over, tmp_path):
    with document(b"attack") as file:
        points = points_of_png(taken_over.picture(file, 1, 4_000).png)
    assert json.loads(points.tobytes()) == NOTHING
    free = {"socket": "done", "write": "done", "read": "read", "program": "done"}
    assert attempts(tmp_path) == free  # the control: nothing confines this process


@pytest.mark.slow
def test_nor_has_who_takes_the_recogniser_over():
    page = as_bytes(picture(["An order"], (120, obeying_recogniser.ATTACK)))
    with closing(recognising(240)) as taken_over:
        said = {line.split()[0]: line.split()[1] for line in texts(read(taken_over, page))}
    assert said == NOTHING


# -- what no correct process sends -----------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("order", FRAMES)
def test_it_is_not_taken_for_a_picture(taken_over, order):
    with document(order.encode()) as file, pytest.raises(UnreadableDocument, match="crashed"):
        taken_over.picture(file, 1, 100)
    with document(b"fine") as file:  # the control
        assert points_of_png(taken_over.picture(file, 1, 100).png).tolist() == [[7]]


@pytest.mark.slow
def test_no_document_has_pages_without_end(taken_over):
    with document(b"pages 2147483647") as file, pytest.raises(UnreadableDocument, match="crashed"):
        taken_over.picture(file, 1, 100)
    with document(b"pages 100000") as file:  # the control
        assert taken_over.picture(file, 1, 100).png


@pytest.mark.slow
def test_it_is_not_taken_for_boxes(taken_over):
    replies = [{}, {"boxes": None}, {"boxes": [[4, 0.1, 0.1, 0.2, 0.2]]}]  # a page too many
    replies.append({"boxes": [[1, 0.0, 0.0, 1.0, 1.0]] * 1_001})
    for reply in replies:
        lie = json.dumps(reply).encode()
        with document(lie) as file, pytest.raises(UnreadableDocument, match="crashed"):
            taken_over.outline(file, 1, "words")
        with document(b"fine") as file:  # the control
            assert taken_over.outline(file, 3, "words") == (Box(3, 0.1, 0.1, 0.2, 0.2),)


def test_a_box_lies_on_a_page_that_is_there():
    wrong = [
        *([1, 0.1, 0.1, 0.2], [1, 0.1, 0.1, 0.2, 0.2, 0.3], [0, 0.1, 0.1, 0.2, 0.2]),
        *([4, 0.1, 0.1, 0.2, 0.2], [1.0, 0.1, 0.1, 0.2, 0.2], [True, 0.1, 0.1, 0.2, 0.2]),
        *([1, 0.2, 0.1, 0.1, 0.2], [1, 0.1, 0.2, 0.2, 0.1], [1, -0.1, 0.1, 0.2, 0.2]),
        *([1, 0.1, 0.1, 1.1, 0.2], [1, "0", 0.1, 0.2, 0.2], [1, float("nan"), 0.1, 0.2, 0.2]),
        [1, 0.1, 0.1, 10**400, 0.2],  # no float is as large
    ]
    assert [values for values in wrong if is_box(values, 3)] == []
    assert is_box([1, 0.1, 0.1, 0.2, 0.2], 3)  # the control


def test_what_is_said_of_a_page_is_lines_of_words():
    said = {"lines": [["a line", 0.5]], "words": [], "problem": "a\nb"}
    assert (page_of(said).lines, page_of(said).problem) == ((("a line", 0.5),), "a b")
    wrong = [["two\nlines", 0.5], ["\ud800", 0.5], ["x" * 2_001, 0.5], [7, 0.5]]
    wrong += [["a line", confidence] for confidence in (1.5, -0.1, float("nan"), None)]
    others = [{"problem": 7}, {"problem": "x" * 1_001}, {"version": None}, {"lines": None}]
    others += [{"words": [[0, 0.1, 0.1, 0.2, 1.5, "b"]]}]
    for each in (*({"lines": [line]} for line in wrong), *others):
        with pytest.raises(protocol.Malformed):
            print(each, page_of(said | each))


def test_more_than_a_page_holds_is_not_parsed():
    most = b'"' + b"x" * (protocol.MAX_JSON_BYTES - 2) + b'"'
    assert len(protocol.parsed(most)) == protocol.MAX_JSON_BYTES - 2
    with pytest.raises(protocol.Malformed, match=r"4,194,305 bytes"):
        protocol.parsed(most + b" ")


def test_tesseract_is_given_a_grey_picture_alone():
    fine, wide, coloured = (
        Points(w, 1, n, b"x" * w * n) for w, n in ((4_000, 1), (4_001, 1), (1, 3))
    )
    assert greyed(*protocol.answer_of(fine)) == fine  # the control
    for said in (*map(protocol.answer_of, (wide, coloured)), ({}, b"P5 1 1 255\nx")):
        with pytest.raises(protocol.Malformed):
            greyed(*said)


@pytest.mark.slow
@given(
    width=st.integers(0, 5),
    height=st.integers(0, 5),
    channels=st.sampled_from([0, 1, 2, 3]),
    data=st.binary(min_size=76, max_size=76),
    surplus=st.sampled_from([0, 0, 0, -1, 1]),
)
def test_no_bytes_make_anything_but_a_picture_of_their_size_or_an_error(
    width, height, channels, data, surplus
):
    size = width * height * channels
    sent = protocol.answer_of(Points(width, height, channels, data[: max(size + surplus, 0)]))
    if surplus == 0 and 0 < width <= 4 and height and channels in (1, 3):
        points = protocol.checked_points(*sent, 4)
        assert points_of_png(png_of(points)).shape[:2] == (height, width)
    else:
        with pytest.raises(protocol.Malformed):
            protocol.checked_points(*sent, 4)
