"""One contract, two corpora: the real one over LanceDB and files, and the one in memory."""

import os
from pathlib import Path

import pytest

from corpus_agent.text.delimiters import Frame
from corpus_agent.tools import search
from corpus_agent.tools.corpus import CorpusView
from corpus_agent.tools.toolbox import Toolbox
from indexer.errors import Refused
from indexer.index import Index
from indexer.records import Line, Query
from indexer.window import MAX_WINDOW_BYTES, cut_window, fills_window
from tests.support.fakes import MemoryCorpus, ToyEncoder
from tests.support.pdfs import pdf_of
from tests.support.toy_index import copied, indexed, sync

TEXTS = {
    "bread.md": "# Bread\n\nSourdough rises slowly.\n\nRye needs more water.\n",
    "home/lease.txt": "\n".join(f"Clause {n}: the tenant pays." for n in range(1, 41)) + "\n",
}


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents and their index."""
    return indexed(tmp_path_factory.mktemp("original"), {**TEXTS, "scan.pdf": pdf_of("")})


@pytest.fixture
def folder(original: Path, tmp_path: Path) -> Path:
    """Documents that are indexed."""
    copied(original, tmp_path)
    return tmp_path / "docs"


def local(root: Path) -> Index:
    return Index.open(root.parent / "store", ToyEncoder())


@pytest.fixture(params=["local", "memory"])
def corpus(request: pytest.FixtureRequest, folder: Path) -> CorpusView:
    return local(folder) if request.param == "local" else MemoryCorpus(TEXTS, unreadable=1)


def test_search_gives_the_passage_with_its_place(corpus):
    hit = corpus.search(Query("sourdough rises"))[0]
    assert hit.chunk.source == "bread.md"
    assert "Sourdough rises" in hit.chunk.text
    assert hit.chunk.line_start <= 3 <= hit.chunk.line_end
    assert 0 < hit.score <= 1
    assert not hit.stale


@pytest.mark.slow
def test_a_model_is_shown_five_passages_and_two_of_a_document(tmp_path):
    long = "\n\n".join(f"# Part {n}\n\n" + f"The zebra of part {n}. " * 20 for n in range(9))
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/long.md").write_text(long)
    sync(tmp_path / "docs", tmp_path / "store")
    assert len(local(tmp_path / "docs").search(Query("zebra", 100, None))) > 5  # the control
    for name in ("a.md", "b.md", "c.md", "d.md"):
        (tmp_path / "docs" / name).write_text("A zebra and a lion.")
    sync(tmp_path / "docs", tmp_path / "store")
    found = search.run(local(tmp_path / "docs"), Frame("7f3a91"), "zebra of part")
    sources = [passage.source for passage in found.passages]
    assert (len(sources), sources.count("long.md")) == (5, 2)


def test_a_window_is_lines_of_the_document_and_says_where_to_go_on(corpus):
    window = corpus.read("home/lease.txt", offset=3, limit=2)
    assert [line.text for line in window.lines] == TEXTS["home/lease.txt"].splitlines()[2:4]
    assert (window.total, window.next_offset, window.stale) == (40, 5, False)
    assert corpus.read("home/lease.txt", offset=40).next_offset is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("bread.md", 0), "offset must be 1 or more, not 0"),
        (("secret.txt", 0), "offset must be"),  # numbers come before membership
        (("bread.md", 1, 0), "limit must be 1 or more, not 0"),
        (("bread.md", 6), r"Line 6 is beyond the end of 'bread.md' \(5 lines\)"),
        (("secret.txt",), "'secret.txt' is not in the index"),
        (("bread",), "Did you mean 'bread.md'"),
        (("../docs/bread.md",), "is not in the index"),
        (("/etc/passwd",), "is not in the index"),
    ],
)
def test_what_may_not_be_read_is_refused_with_the_reason(corpus, arguments, message):
    with pytest.raises(Refused, match=message):
        corpus.read(*arguments)


def test_membership_comes_before_any_disk_access(folder):
    corpus = local(folder)
    os.mkfifo(folder / "trap")  # opening it for reading would wait for ever
    with pytest.raises(Refused, match="'trap' is not in the index"):
        corpus.read("trap")


@pytest.mark.slow
def test_a_document_that_changed_since_it_was_read_is_no_repeat(folder):
    toolbox = Toolbox(local(folder), Frame("7f3a91"))

    def again():
        return toolbox.call("vectordb_read", {"source": "bread.md"})

    assert "Sourdough rises slowly." in again().text
    assert again().outcome == "repeated"  # the control
    (folder / "bread.md").write_text("# Bread\n\nSpelt rises fast.\n")
    changed = again()
    assert changed.text.startswith("Note: bread.md changed after it was indexed")
    assert "Spelt rises fast." in changed.text
    assert again().outcome == "repeated"
    (folder / "bread.md").unlink()
    assert again().text.startswith("Error: ")


def test_a_window_ends_at_its_lines_or_its_bytes_and_never_before_its_first_line():
    lines = [Line("é" * 10_000)] * 5  # 20,001 bytes each
    window = cut_window("a", lines, 1, 2_000)
    assert len(window.lines) == MAX_WINDOW_BYTES // 20_001
    assert window.next_offset == 3
    huge = cut_window("a", [Line("x" * (MAX_WINDOW_BYTES + 1)), Line("y")], 1, 5)
    assert (len(huge.lines), huge.next_offset) == (1, 2)
    window = cut_window("a", [Line("x")] * 2_001, 1, 9_999)
    assert (len(window.lines), window.next_offset) == (2_000, 2_001)
    assert cut_window("a", [Line("x")] * 2_000, 1, 9_999).next_offset is None
    half = Line("x" * (MAX_WINDOW_BYTES // 2 - 1))  # with its line end
    assert len(cut_window("a", [half] * 3, 1, 9).lines) == 2


def test_enough_is_read_once_the_window_is_full():
    first, later = fills_window(1, 5), fills_window(3, 5)
    for enough, read, full in (
        (first, (0, MAX_WINDOW_BYTES - 1), False), (first, (0, MAX_WINDOW_BYTES), True),
        (first, (5, 0), True), (first, (4, 9), False), (later, (1, 99_999), False),
        (later, (2, 100), False), (later, (2, 99 + MAX_WINDOW_BYTES), False),
        (later, (2, 100 + MAX_WINDOW_BYTES), True), (later, (7, 101), True),
    ):  # fmt: skip
        assert enough(*read) is full, read
