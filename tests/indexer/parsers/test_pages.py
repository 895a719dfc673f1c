"""The process that shows pages: its pictures, what it may not do, what it may cost."""

import json
from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.errors import UnreadableDocument
from indexer.parsers import protocol
from indexer.parsers.pages import PageViewer, is_box, png_of
from indexer.records import MAX_POINTS, Box, Points
from tests.attacks.obeying_viewer import FRAMES
from tests.attacks.obeying_worker import attempts
from tests.support.page_pictures import document, drawn, points_of_png

OBEYING = "tests.attacks.obeying_viewer"


@pytest.fixture(scope="module")
def viewer() -> Iterator[PageViewer]:
    with closing(PageViewer()) as viewer:
        yield viewer


@pytest.fixture(scope="module")
def taken_over() -> Iterator[PageViewer]:
    with closing(PageViewer(OBEYING)) as viewer:
        yield viewer


def square(canvas):
    """A red square in the upper left corner of the page."""
    canvas.setFillColorRGB(1, 0, 0)
    canvas.rect(0, 692, 100, 100, stroke=0, fill=1)


# -- what it gives ---------------------------------------------------------------------------------


def test_a_page_is_drawn_as_wide_as_asked_and_in_its_proportions(viewer):
    with document(drawn(square)) as pdf:
        shown = viewer.picture(pdf, 1, 306)
    points = points_of_png(shown.png)
    assert (shown.width, shown.height) == (306, 396)
    assert points.shape == (396, 306, 3)
    assert points[10, 10].tolist() == [255, 0, 0]
    assert points[10, 60].tolist() == points[60, 10].tolist() == [255, 255, 255]


# -- what it may cost ------------------------------------------------------------------------------


@pytest.mark.slow
def test_pages_of_monstrous_sizes_are_small_pictures(viewer):
    sizes = [(14_400, 14_400), (1, 14_400), (14_400, 1)]
    for size in sizes:
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


@pytest.mark.slow
def test_a_page_that_hangs_is_ended():
    with closing(PageViewer(OBEYING, seconds=20)) as viewer:
        with document(b"fine") as file:
            viewer.picture(file, 1, 100)  # the process is there: the time is the page's alone
        viewer._seconds = 0.5
        with document(b"hang") as file, pytest.raises(UnreadableDocument, match="timeout"):
            viewer.picture(file, 1, 100)


# -- what it may not do ----------------------------------------------------------------------------


def test_who_takes_the_process_over_has_no_socket_no_file_and_no_program(taken_over, tmp_path):
    with document(b"attack") as file:
        points = points_of_png(taken_over.picture(file, 1, 4_000).png)
    assert json.loads(points.tobytes()) == {
        "socket": "EPERM",
        "write": "EACCES",
        "read": "EACCES",
        "program": "EPERM",
    }
    free = {"socket": "done", "write": "done", "read": "read", "program": "done"}
    assert attempts(tmp_path) == free  # the control: nothing confines this process


@pytest.mark.slow
@pytest.mark.parametrize("order", FRAMES)
def test_what_no_correct_process_sends_is_not_taken_for_a_picture(taken_over, order):
    with document(order.encode()) as file, pytest.raises(UnreadableDocument, match="crashed"):
        taken_over.picture(file, 1, 100)
    with document(b"fine") as file:  # the control
        assert points_of_png(taken_over.picture(file, 1, 100).png).tolist() == [[7]]


@pytest.mark.slow
@pytest.mark.parametrize(
    "reply",
    [
        {},
        {"boxes": None},
        {"boxes": [[4, 0.1, 0.1, 0.2, 0.2]]},
        {"boxes": [[1, 0, 0, 1, 1]] * 1_001},
    ],
    ids=["nothing", "no list", "a page that is not there", "too many"],
)
def test_what_no_correct_process_sends_is_not_taken_for_boxes(taken_over, reply):
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
    payload = protocol.encoded_points(
        Points(width, height, channels, data[: max(size + surplus, 0)])
    )
    if surplus == 0 and 0 < width <= 4 and height and channels in (1, 3):
        points = protocol.checked_points(payload, 4)
        assert points_of_png(png_of(points)).shape[:2] == (height, width)
    else:
        with pytest.raises(protocol.Malformed):
            protocol.checked_points(payload, 4)
