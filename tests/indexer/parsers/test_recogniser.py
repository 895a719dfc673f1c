"""The process that recognises text: what it reads, what it may not do, what it may cost."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from indexer.errors import UnreadableDocument
from indexer.extract.ocr import UNREADABLE
from indexer.parsers.limits import OCR_MEMORY_BYTES, DocumentLimits
from indexer.parsers.protocol import is_line
from indexer.parsers.recogniser import RecognisedPage, Recogniser
from tests.attacks import obeying_recogniser
from tests.support.parsing import file_of
from tests.support.pictures import LEASE, as_bytes, picture

OBEYING = "tests.attacks.obeying_recogniser"
MEMORY = OCR_MEMORY_BYTES


@pytest.fixture(scope="module")
def recogniser() -> Iterator[Recogniser]:
    with closing(Recogniser()) as recogniser:
        yield recogniser


def read(recogniser: Recogniser, data: bytes, number: int = 1) -> RecognisedPage:
    with file_of(data) as descriptor:
        recogniser.hold(descriptor)
        page = recogniser.read(number)
        assert page is not None
        return page


def texts(page: RecognisedPage) -> list[str]:
    return [text for text, _ in page.lines]


@pytest.mark.slow
def test_a_picture_is_read_line_by_line_each_with_its_confidence(recogniser):
    page = read(recogniser, as_bytes(picture(LEASE)))
    assert texts(page) == list(LEASE)
    assert all(0.9 < confidence <= 1 for _, confidence in page.lines)
    assert page.engine == "rapidocr"


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


# -- what it may not do, and what it may cost ------------------------------------------------------


@pytest.mark.slow
def test_whoever_takes_the_process_over_has_no_socket_no_file_and_no_program():
    page = as_bytes(picture(["An order"], (120, obeying_recogniser.ATTACK)))
    with closing(Recogniser(OBEYING)) as taken_over:
        said = {line.split()[0]: line.split()[1] for line in texts(read(taken_over, page))}
    assert said == {"socket": "EPERM", "write": "EACCES", "read": "EACCES", "program": "EPERM"}


@pytest.mark.slow
def test_a_page_that_kills_its_process_costs_itself():
    order, blank = picture(["An order"], (120, obeying_recogniser.DIE)), picture([], (120, 90))
    dying = as_bytes(order, "TIFF", save_all=True, append_images=[blank])
    with (
        closing(Recogniser(OBEYING, DocumentLimits(MEMORY, wall_seconds=20))) as recogniser,
        file_of(dying) as descriptor,
    ):
        recogniser.hold(descriptor)
        with pytest.raises(UnreadableDocument, match="crashed"):
            recogniser.read(1)
        # The next page is read by a new process, which was handed the document.
        assert recogniser.read(2) == RecognisedPage()


@pytest.mark.slow
def test_a_page_that_hangs_is_ended():
    hanging = as_bytes(picture(["An order"], (120, obeying_recogniser.HANG)))
    with (
        closing(Recogniser(OBEYING, DocumentLimits(MEMORY, wall_seconds=6))) as recogniser,
        file_of(hanging) as descriptor,
    ):
        recogniser.hold(descriptor)
        with pytest.raises(UnreadableDocument, match="timeout"):
            recogniser.read(1)


def test_what_no_engine_returns_is_not_taken():
    wrong = [("two\nlines", 0.5), ("\ud800", 0.5), ("x" * 2_001, 0.5), (7, 0.5)]
    wrong += [("a line", confidence) for confidence in (1.5, -0.1, float("nan"), None)]
    assert [line for line in wrong if is_line([*line])] == []
    assert is_line(["a line", 0.5])  # the control
