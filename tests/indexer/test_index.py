"""What a reader is told of files that are no longer what was indexed, and of a folder not there."""

import os
from pathlib import Path

import pytest

from indexer.errors import IncompatibleStore, Refused, Unreachable
from indexer.index import Index
from indexer.records import Query
from indexer.store.manifest import held_versions, read_manifest
from tests.support.fakes import ToyEncoder
from tests.support.pdfs import pdf_of
from tests.support.pictures import points_of_png
from tests.support.toy_index import copied, indexed, laid, sync

NOTES = {
    "bread.md": "# Bread\n\nSourdough rises slowly.\n",
    "lease.txt": "The tenant pays the sourdough.\n",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Notes and their store, made once; and the same with a report in `pages`."""
    made = indexed(tmp_path_factory.mktemp("made"), NOTES)
    report = pdf_of("first page", "The rent is due\non the first day", "third page")
    indexed(made / "pages", {**NOTES, "report.pdf": report})
    return made


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return laid(tmp_path / "docs", NOTES)


@pytest.fixture
def corpus(made: Path, root: Path) -> Index:
    return Index.open(copied(made, root.parent), ToyEncoder())


def stale(corpus: Index) -> dict[str, bool]:
    return {hit.chunk.source: hit.stale for hit in corpus.search(Query("sourdough"))}


def replaced_by_link(path: Path) -> None:
    path.rename(path.parent.parent / "elsewhere")
    path.symlink_to(path.parent.parent / "elsewhere")


def replaced_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.write_text("Everything is different.\n"),
        lambda path: path.write_text("# Bread\n\nSourdough rises boldly.\n"),
        Path.unlink,
        replaced_by_link,
        replaced_by_folder,
    ],
    ids=["changed", "changed in place", "vanished", "a link", "a folder"],
)
def test_a_hit_says_that_its_file_is_no_longer_the_indexed_one(corpus, root, change):
    assert stale(corpus) == {"bread.md": False, "lease.txt": False}  # the control
    os.utime(root / "bread.md", ns=(1, 1))
    change(root / "bread.md")
    assert stale(corpus) == {"bread.md": True, "lease.txt": False}


@pytest.mark.parametrize("how", ["is not there", "is empty"])
def test_a_folder_that_is_not_there_is_said_and_the_index_kept(corpus, root, tmp_path, how):
    root.rename(tmp_path / "moved")
    if how == "is empty":  # as a disk that is not mounted
        root.mkdir()
    with pytest.raises(Unreachable, match=f"{how}: moved, or not mounted"):
        corpus.read("bread.md")
    assert stale(corpus) == {"bread.md": True, "lease.txt": True}
    assert all(hit.unreachable for hit in corpus.search(Query("sourdough")))
    (tmp_path / "moved").rename(root)
    assert corpus.read("bread.md").lines
    assert not any(hit.unreachable for hit in corpus.search(Query("sourdough")))


@pytest.mark.slow
def test_what_lives_long_can_go_on_to_the_newest_version(corpus, root):
    assert corpus.latest() is corpus
    (root / "bread.md").write_text("Rye bread instead.\n")
    sync(root, root.parent / "store")
    assert stale(corpus) == {"bread.md": True, "lease.txt": False}  # the control
    newest = corpus.latest()
    assert len(held_versions(root.parent / "store")) == 1
    corpus.close()
    assert newest.version == read_manifest(root.parent / "store").version == 2
    assert newest.search(Query("rye"))[0].chunk.source == "bread.md"
    assert held_versions(root.parent / "store") == []
    sync(root, root.parent / "store", ToyEncoder(dimension=32))
    with pytest.raises(IncompatibleStore, match="corpus-agent index"):
        newest.latest()


@pytest.fixture
def report(made: Path, root: Path) -> Index:
    return Index.open(copied(made / "pages", root.parent), ToyEncoder())


def test_a_page_is_shown_and_the_words_of_a_quotation_outlined(report):
    picture = report.page_picture("report.pdf", 2, 300)
    assert (picture.width, picture.stale) == (300, False)
    assert points_of_png(picture.png).shape[1] == 300
    found = report.outline("report.pdf", 2, "The rent is due\non the first day", near_line=5)
    assert [box.page for box in found] == [2, 2]
    assert found[0].bottom <= found[1].top
    assert report.outline("report.pdf", 1, "The rent is due") == ()


@pytest.mark.slow
def test_the_picture_of_a_file_that_changed_says_so(report, root):
    assert not report.page_picture("report.pdf", 2, 300).stale
    (root / "report.pdf").write_bytes(pdf_of("first page", "another page altogether"))
    assert report.page_picture("report.pdf", 2, 300).stale
    sync(root, root.parent / "store")
    assert not report.latest().page_picture("report.pdf", 2, 300).stale


def test_pages_of_what_is_not_in_the_index_or_has_none_are_refused(report, root):
    (root / "new.pdf").write_bytes(pdf_of("never indexed"))
    for show in (report.page_picture, lambda source, page: report.outline(source, page, "words")):
        with pytest.raises(Refused, match=r"'new\.pdf' is not in the index"):
            show("new.pdf", 1)
        with pytest.raises(Refused, match=r"'\.\./docs/report.pdf' is not in the index"):
            show("../docs/report.pdf", 1)
        with pytest.raises(Refused, match=r"'bread.md' has no pages that can be shown"):
            show("bread.md", 1)
        with pytest.raises(Refused, match="no page 4: the document has 3 pages"):
            show("report.pdf", 4)
    (root / "report.pdf").unlink()
    with pytest.raises(Refused, match="no longer exists"):
        report.page_picture("report.pdf", 1)
