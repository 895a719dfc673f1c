"""Documents are named in each way, and opened in a program of the user's; nothing else is."""

import os
import stat
from pathlib import Path

import pytest

from corpus_agent.service.opening import SAMPLE_BYTES, open_document
from corpus_agent.service.places import selected, sources_of
from corpus_agent.settings import CONFIG_NAME
from indexer import CorpusError, Index
from indexer.files.paths import INDEX_MARKER
from tests.support import toy_index
from tests.support.toy_index import copied, sync


def program(path: Path, said: Path, code: int = 0) -> Path:
    """A program that writes down its arguments and its working folder."""
    path.write_text(f'#!/bin/sh\nprintf "%s|" "$(pwd)" "$@" > {said}\nexit {code}\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def said(tmp_path: Path) -> Path:
    return tmp_path / "said"


@pytest.fixture
def root(tmp_path: Path, said: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "docs"
    (folder / "sub").mkdir(parents=True)
    for name in ("a b.md", "a:3", "sub/page.html", "paper.pdf", ".hidden.md"):
        (folder / name).write_text("%PDF-1.7\n" if name == "paper.pdf" else "words\n")
    (folder / "link.md").symlink_to(tmp_path / "outside.md")
    (tmp_path / "outside.md").write_text("secret\n")
    (tmp_path / "bin").mkdir()
    program(tmp_path / "bin/xdg-open", said)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    monkeypatch.setenv("EDITOR", f"{program(tmp_path / 'ed', said)} --wait")
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.chdir(tmp_path)
    return folder


def test_text_is_opened_in_the_editor_at_its_line_and_a_pdf_in_its_viewer(root, said):
    for place, shown, line in (
        ("a b.md:12", "a b.md", 12),
        ("a b.md:12:3", "a b.md", 12),
        ("a:3", "a:3", 1),  # a document's own name may hold a colon
        ("sub/page.html:3", "sub/page.html", 3),  # a browser would run it
        ("./docs/sub/page.html:3", "sub/page.html", 3),
        (f"{root}/sub/page.html", "sub/page.html", 1),
    ):
        assert open_document(place, {"": root}) == (shown, "ed")
        assert said.read_text() == f"/|--wait|+{line}|{root}/{shown}|"
    assert open_document("paper.pdf:80", {"": root}) == ("paper.pdf", "xdg-open")
    assert said.read_text() == f"/|{root}/paper.pdf|"


@pytest.mark.parametrize(
    "place",
    ["../outside.md", "/etc/passwd", "link.md", ".hidden.md", "gone.md", "", "a\0b.md", "\ud800"],
)
def test_nothing_is_opened_that_is_no_document_below_the_folder(root, said, place):
    with pytest.raises(CorpusError):
        open_document(place, {"": root})
    assert not said.exists()
    open_document("a b.md", {"": root})  # the control: it would have been
    assert said.exists()


def test_a_document_without_a_program_for_it_is_named_and_can_be_read(root, tmp_path, monkeypatch):
    (tmp_path / "bin/xdg-open").write_text("#!/bin/sh\nexit 3\n")
    for path in (os.environ["PATH"], str(root)):  # one that has no viewer, then no xdg-open
        monkeypatch.setenv("PATH", path)
        with pytest.raises(CorpusError) as caught:
            open_document("paper.pdf", {"": root})
        assert caught.value.message.startswith("paper.pdf was not opened")
        assert caught.value.hint == "Try: corpus-agent read paper.pdf"


def test_a_viewer_is_given_nothing_that_is_not_what_its_name_says(root, said, monkeypatch):
    monkeypatch.delenv("EDITOR")
    files = {
        "a.pdf": (b"<html><script>", False),
        "b.pdf": (b"\n%PDF-1.4", True),
        "c.docx": (b"\x7fELF", False),
        "d.png": (b"words", False),
        "e.txt": (b"words", True),
        "f.txt": (b"[Desktop Entry]\nExec=sh", False),
        "g.md": (b"#!/bin/sh\n", False),
        "h.csv": (b"MZ;a\n1;2\n", True),
        "i.jpg": (b"\0\0", False),
    }
    for name, (begins, opens) in files.items():
        (root / name).write_bytes(begins)
        if opens:
            assert open_document(name, {"": root}) == (name, "xdg-open")
        else:
            with pytest.raises(CorpusError, match="is not what its name says"):
                open_document(name, {"": root})
        assert said.exists() == opens, name
        said.unlink(missing_ok=True)
    monkeypatch.setenv("EDITOR", str(root.parent / "ed"))
    assert open_document("f.txt", {"": root}) == ("f.txt", "ed")  # shown as text, whatever it is


def test_1024_bytes_of_a_document_are_read(root, said):
    """By what the kernel counts: more of a large document would be seen beside a small one."""

    def read_while(step, name):
        def count():
            return int(Path("/proc/self/io").read_text().split()[1])

        before = count()
        step(name)
        return count() - before

    def opened(name):
        open_document(name, {"": root})

    (root / "large.md").write_text("words\n" * 500_000)
    opened("a b.md")  # what is read only once
    small, large = (read_while(opened, name) for name in ("a b.md", "large.md"))
    assert large - small <= SAMPLE_BYTES == 1_024
    assert read_while(lambda name: (root / name).read_bytes(), "large.md") > 1_000_000


@pytest.mark.slow
def test_no_index_is_read(cli, root, said):
    store = root.parent / ".corpus-agent"
    sync(root, store)
    assert cli("read", "a b.md").returncode == 0
    for path in store.rglob("*"):
        if path.is_file() and path.name not in (INDEX_MARKER, CONFIG_NAME):
            path.write_bytes(b"no index\n")
    done = cli("open", "a b.md:2")
    assert (done.returncode, said.exists()) == (0, True), done.stderr
    assert cli("read", "a b.md").returncode != 0


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    sources = ("lease.md", "docs/lease.md", "tax/2024.md", "Bücher/a.md")
    texts = {source: f"# About {source}\n" for source in sources}
    return toy_index.indexed(tmp_path_factory.mktemp("made"), texts)


@pytest.fixture
def indexed(made, tmp_path, monkeypatch):
    """A corpus in `docs`, seen from the folder above it; a folder of it is named as itself."""
    copied(made, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "docs"


@pytest.fixture
def corpus(indexed, tmp_path):
    return Index.open(tmp_path / "store", root=indexed)


def test_a_plain_path_is_a_source_first_and_a_dotted_one_a_place_on_disk(indexed):
    assert sources_of("docs/lease.md", {"": indexed}) == ["docs/lease.md", "lease.md"]
    assert sources_of("./docs/lease.md", {"": indexed}) == ["lease.md", "docs/lease.md"]
    assert sources_of(str(indexed / "tax") + "/", {"": indexed}) == ["tax/"]
    assert sources_of("./docs", {"": indexed}) == ["", "docs"]
    assert sources_of("tax/../lease.md", {"": indexed})[0] == "lease.md"
    assert sources_of("../elsewhere", {"": indexed}) == []
    assert sources_of("/etc/passwd", {"": indexed}) == []


def test_a_path_that_selects_nothing_is_an_error_that_names_what_is_near(corpus):
    with pytest.raises(CorpusError, match=r"No document of the index is at 'lease\.txt'") as caught:
        selected(corpus, ["lease.md", "lease.txt"])
    assert "Did you mean 'lease.md'" in caught.value.hint
    with pytest.raises(CorpusError, match="No document of the index is at 'tax-1/'") as caught:
        selected(corpus, ["tax-1/"])
    assert "Did you mean 'tax/'" in caught.value.hint
    with pytest.raises(CorpusError) as caught:  # the control: what has an ending is a file
        selected(corpus, ["tax.old"])
    assert "'tax/'" not in caught.value.hint
    with pytest.raises(CorpusError, match="lies outside of the indexed folder"):
        selected(corpus, ["/etc"])
