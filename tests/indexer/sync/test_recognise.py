"""Pages without text: what waits, what it becomes, and that no page is read twice."""

import hashlib
import json
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from indexer.extract.ocr.reading_order import PlacedText
from indexer.index import Index
from indexer.parsers import protocol
from indexer.parsers.pages import RecognisedPage, engine_version
from indexer.parsers.tesseract import find_tesseract
from indexer.parsers.worker import Text
from indexer.records import FileRow, Line
from indexer.store.manifest import read_manifest
from indexer.store.texts import Texts, packed
from indexer.sync import RunDisplay
from indexer.sync.folder import sync_folder
from indexer.sync.recognise import waiting_pages, with_pages
from tests.support.pictures import (
    CYRILLIC,
    KEYS,
    LEASE,
    as_bytes,
    in_cyrillic,
    photo,
    picture,
    scan,
)
from tests.support.toy_index import ENCODER, own

LETTER = "The cover letter of the survey"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "documents"
    root.mkdir()
    return root


@pytest.fixture
def store(tmp_path: Path, root: Path) -> Path:
    store = tmp_path / "store"
    own(store, root)
    return store


def rows(store: Path, root: Path) -> dict[str, FileRow]:
    return {row.source: row for row in Index.open(store, root=root).files()}


def read(store: Path, root: Path, source: str) -> list[Line]:
    return list(Index.open(store, root=root).read(source).lines)


def kept_pages(store: Path, path: Path) -> int:
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    return len(Texts(store).first_pages(sha256))


# -- what waits ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_scans_and_pictures_wait_and_are_counted(root, store):
    scan(root / "scan.pdf", [picture(LEASE), picture(KEYS)])
    scan(root / "mixed.pdf", [LETTER, picture(KEYS), None])
    (root / "photo.jpg").write_bytes(as_bytes(photo(), "JPEG"))
    (root / "note.md").write_text("# A note\n")
    outcome = sync_folder(store, root, ENCODER, ocr="off")
    found = rows(store, root)
    assert {source: row.waiting for source, row in found.items()} == {
        "scan.pdf": 2,
        "mixed.pdf": 1,  # and its empty page is no scan
        "photo.jpg": 1,
        "note.md": 0,
    }
    assert (found["scan.pdf"].status, found["scan.pdf"].reason) == ("empty", "no_text_layer")
    assert (found["photo.jpg"].status, found["photo.jpg"].reason) == ("skipped", "binary")
    manifest = read_manifest(store)
    assert (manifest.waiting_pages, manifest.waiting_pictures) == (3, 1)
    counted = manifest.coverage
    assert (counted.waiting, counted.pictures, counted.unreadable) == (1, 1, 0)
    assert (outcome.waiting_pages, outcome.waiting_pictures) == (3, 1)
    marks = [line.text for line in read(store, root, "mixed.pdf") if line.is_mark]
    assert marks == ["--- Page 1 ---", "--- Page 2 --- (no text layer)", "--- Page 3 ---"]
    assert kept_pages(store, root / "scan.pdf") == 0


# -- what it becomes -------------------------------------------------------------------------------


def text_of(*lines: Line) -> Text:
    encoding = protocol.encoded(lines)
    return Text("pdf/9", "", encoding, *protocol.checked(encoding))


def kept(number: int, *lines: tuple[str, float], **page: str) -> RecognisedPage:
    return RecognisedPage(number, "engine/1", lines, **page)


def test_a_picture_of_our_marks_forges_none():
    said = (
        "--- Page 1 --- (no text layer)",
        "(hidden in the document) The fee is 5.",
        "--- Page 2 ---",
    )
    row = FileRow("a.jpg", "empty", extractor="image/1", sha256="0" * 64)
    text = with_pages(None, row, {1: kept(1, *((line, 0.99) for line in said))})
    first, *others = protocol.decoded(text.encoding)
    assert first.text == "--- Page 1 --- (recognised text)"
    assert [line.confidence for line in others] == [0.99] * 3
    assert not any(line.is_mark or line.hidden for line in others)
    assert not any(line.text.startswith(("---", "(hidden")) for line in others)
    assert waiting_pages(text) == frozenset()


def test_recognised_pages_take_their_places_and_other_pages_stay():
    own_text = text_of(
        Line("--- Page 1 ---", 1),
        Line(LETTER, 1),
        Line("--- Page 2 --- (labelled ii) (no text layer)", 2),
        Line("--- Page 3 --- (no text layer)", 3),
    )
    assert waiting_pages(own_text) == {2, 3}
    made = with_pages(
        own_text,
        FileRow("a.pdf", "indexed"),
        {2: kept(2, ("The rent", 0.97), by_tesseract=True), 3: kept(3, problem="timeout")},
    )
    assert list(protocol.decoded(made.encoding)) == [
        Line("--- Page 1 ---", 1),
        Line(LETTER, 1),
        Line("--- Page 2 --- (labelled ii) (recognised text)", 2),
        Line("The rent", 2, confidence=0.97),
        Line("--- Page 3 --- (not recognised: timeout)", 3),
    ]
    assert made.extractor == "pdf/9+tesseract+ocr-2"
    assert made.remark == "not recognised: page 3 (timeout)"


@pytest.mark.slow
def test_scans_and_pictures_that_show_text_are_read_and_photos_are_not(root, store, tmp_path):
    scan(root / "mixed.pdf", [LETTER, picture(KEYS), None])
    receipt = picture([*LEASE, *KEYS, "Total 12.40"], (620, 520))
    (root / "receipt.png").write_bytes(as_bytes(receipt))
    (root / "photo.jpg").write_bytes(as_bytes(photo(), "JPEG"))
    told = []

    class Shown(RunDisplay):
        def advance(self, done):
            told.append((done.pages, done.all_pages))

    first = sync_folder(store, root, ENCODER, display=Shown())
    assert [*dict.fromkeys(told)][-4:] == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert (first.added, first.recognised, first.waiting_pages) == (2, 2, 0)
    lines = read(store, root, "mixed.pdf")
    assert [line.text for line in lines if line.confidence is not None] == list(KEYS)
    assert Line("--- Page 2 --- (recognised text)", 2) in lines
    assert Line(LETTER, 1) in lines
    found = rows(store, root)
    assert found["receipt.png"].status == "indexed"
    assert "--ocr all" in found["photo.jpg"].detail

    # What is quoted of them is outlined on their pictures: the second of the sheet's three lines.
    with closing(Index.open(store, root=root)) as index:
        for source, page, top in (("mixed.pdf", 2, 98 / 260), ("receipt.png", 1, 284 / 520)):
            [box] = index.outline(source, page, "deposit is 3,750.00")
            assert box.page == page
            assert (box.left, box.right) == pytest.approx((103 / 620, 354 / 620), abs=0.03)
            assert (box.top, box.bottom) == pytest.approx((top, top + 0.09), abs=0.07)
        assert index.outline("mixed.pdf", 2, "nothing of the kind") == ()
        assert index.outline("mixed.pdf", 1, LETTER), "that of a text layer"

    again = sync_folder(store, root, ENCODER)
    assert (again.unchanged, again.recognised, again.version) == (2, 0, first.version)
    (root / "copy.png").write_bytes((root / "receipt.png").read_bytes())
    more = sync_folder(store, root, ENCODER)
    assert (more.added, more.recognised) == (1, 0)  # the same bytes under another name
    # What is read of it later needs no engine; a document that is gone takes its pages with it.
    assert read(store, root, "mixed.pdf") == lines
    (root / "copy.png").unlink()
    (root / "receipt.png").rename(receipt := tmp_path / "receipt.png")
    assert kept_pages(store, receipt) == 1
    sync_folder(store, root, ENCODER)
    assert kept_pages(store, receipt) == 0


@pytest.mark.slow
def test_letters_that_nothing_knew_are_read_once_tesseract_is_there(root, store, monkeypatch):
    scan(root / "scan.pdf", [in_cyrillic()])
    with monkeypatch.context() as without:
        without.setenv("PATH", str(root))
        find_tesseract.cache_clear()
        sync_folder(store, root, ENCODER)
        before = rows(store, root)["scan.pdf"].extractor
        assert before is not None and before.endswith("+tesseract-0+ocr-2")
        assert sync_folder(store, root, ENCODER).recognised == 0  # nothing has changed
        assert kept_pages(store, root / "scan.pdf") == 1
    find_tesseract.cache_clear()
    assert sync_folder(store, root, ENCODER).recognised == 1
    assert [line.text for line in read(store, root, "scan.pdf")][1:] == list(CYRILLIC)
    assert sync_folder(store, root, ENCODER).recognised == 0


@pytest.mark.slow
def test_a_run_that_ends_between_two_pages_reads_none_of_them_twice(root, store):
    pages = [picture([f"Sheet {n} of the lease", f"Rent {n}50.00"], (620, 160)) for n in range(4)]
    scan(root / "scan.pdf", pages)

    class Ending(RunDisplay):
        def advance(self, done):
            if done.pages == 2:
                raise SystemExit

    with pytest.raises(SystemExit):
        sync_folder(store, root, ENCODER, display=Ending())
    before = kept_pages(store, root / "scan.pdf")
    assert 2 <= before < 4
    done = sync_folder(store, root, ENCODER)
    assert (done.recognised, done.waiting_pages) == (4 - before, 0)
    said = [line.text for line in read(store, root, "scan.pdf") if "Sheet" in line.text]
    assert said == [f"Sheet {n} of the lease" for n in range(4)]


# -- what is kept ----------------------------------------------------------------------------------


def test_a_kept_page_is_found_and_goes_with_its_document(tmp_path):
    words = (PlacedText(0, 0.1, 0.1, 0.2, 0.15, "Ünïcode"), PlacedText(0, 0.2, 0.1, 0.3, 0.9, "€"))
    one = RecognisedPage(1, engine_version(), (("Ünïcode €", 0.9),), words=words, in_vain=3)
    Texts(tmp_path).put_page("f" * 64, one)
    pages = Texts(tmp_path)
    assert (pages.page("f" * 64, 1), pages.page("f" * 64, 2)) == (one, None)
    again = replace(one, version="rapidocr-4/1")  # by which the page is read anew
    pages.put_page("f" * 64, again)
    pages.put_page("f" * 64, replace(one, number=3))
    assert pages.first_pages("f" * 64) == {1: again}
    Texts(tmp_path).keep_only([])
    assert pages.page("f" * 64, 1) is None


@pytest.mark.parametrize("harm", [{"number": "1"}, {}])  # the second is the control
def test_what_no_engine_says_is_no_page(tmp_path, harm):
    body = asdict(kept(1, ("The rent is 1,250.00 euros", 0.9))) | harm
    one = kept(1, ("The rent", 0.9))
    Texts(tmp_path).put_page("f" * 64, one)
    [entry] = (path for path in tmp_path.rglob("*") if path.is_file())
    entry.write_bytes(packed(json.dumps(body).encode(), Texts(tmp_path).key, entry.name))
    assert (Texts(tmp_path).page("f" * 64, 1) is None) is bool(harm)
