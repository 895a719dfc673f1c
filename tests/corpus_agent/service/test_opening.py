"""Documents are opened by a process that was started before the seal, and no others."""

import os
import pty
import signal
import stat
import time
from pathlib import Path
from typing import NoReturn

import pytest

from corpus_agent.render.links import link_below, no_link
from corpus_agent.service import opening
from corpus_agent.service.opening import Opener, named_by, opened
from indexer.errors import CorpusError


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
    for name in ("a b.md", "sub/page.html", "paper.pdf", ".hidden.md"):
        (folder / name).write_text("%PDF-1.7\n" if name == "paper.pdf" else "words\n")
    (folder / "link.md").symlink_to(tmp_path / "outside.md")
    (tmp_path / "outside.md").write_text("secret\n")
    (tmp_path / "bin").mkdir()
    program(tmp_path / "bin/xdg-open", said)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    monkeypatch.setenv("EDITOR", f"{program(tmp_path / 'ed', said)} --wait")
    monkeypatch.delenv("VISUAL", raising=False)
    return folder


@pytest.fixture
def opener(root: Path):
    started = Opener.start({"": root}, lambda source, _, differs: "denied" not in source)
    yield started
    started.close()


def test_text_is_opened_in_the_editor_at_its_line_and_a_pdf_in_its_viewer(opener, root, said):
    assert opener.open("a b.md", 12) == "ed"
    assert said.read_text() == f"/|--wait|+12|{root}/a b.md|"
    assert opener.open("sub/page.html", 3) == "ed"  # a browser would run it
    assert said.read_text() == f"/|--wait|+3|{root}/sub/page.html|"
    assert opener.open("paper.pdf", 80) == "xdg-open"
    assert said.read_text() == f"/|{root}/paper.pdf|"


def test_nothing_is_opened_that_is_no_document_below_the_folder(opener, root, said):
    (root / "denied.md").write_text("x")
    refused = {
        "../outside.md": "is not a path below",
        "/etc/passwd": "is not a path below",
        "link.md": "is now a symbolic link",
        ".hidden.md": "hidden file",
        "gone.md": "No such file",
        "denied.md": "'denied.md' was not opened",
        "": "is not a path below",
    }
    for source, why in refused.items():
        with pytest.raises(CorpusError, match=why):
            opener.open(source, 1)
        assert not said.exists(), source
    for line in (0, -1, 10**12, True):
        with pytest.raises(CorpusError, match="names no document"):
            opener.open("a b.md", line)
    assert not said.exists()
    opener.open("a b.md", 1)  # the control: it would have been
    assert said.exists()


def test_the_command_opens_the_document_that_was_typed_and_no_other(root, monkeypatch):
    roots = {"": root}
    monkeypatch.chdir(root.parent)
    for typed, meant in {
        "a b.md": "a b.md",
        "a b.md:12:3": "a b.md",
        "./docs/sub/page.html:12": "sub/page.html",
        f"{root}/sub/page.html": "sub/page.html",
        "'a b.md'": "a b.md",  # as it is shown
        "a:3": "a:3",  # a document's own name may hold a colon
    }.items():
        agree = named_by(typed, roots)
        assert agree(meant, "vim", ""), typed
        for other in ("b.md", "md", "page.html", "sub", "other/sub/page.html", "a", "x/a b.md"):
            assert not agree(other, "vim", "") or (typed, other) == ("a:3", "a"), (typed, other)
        assert not agree(meant, "vim", "a program"), typed
    of_two = named_by("notes:lease.md:3", {"notes:": root, "home:": root})
    assert of_two("notes:lease.md", "vim", "")
    assert not of_two("home:lease.md", "vim", "") and not of_two("lease.md", "vim", "")


def test_a_document_of_one_of_several_indexes_is_opened_in_its_folder(root, tmp_path, said):
    other = tmp_path / "other"
    other.mkdir()
    (other / "b.md").write_text("words\n")
    roots = {"docs:": root, "docs:x:": other}
    assert opened(roots, "docs:a b.md", 1, lambda *_: True) == "ed"
    assert f"{root}/a b.md" in said.read_text()
    assert opened(roots, "docs:x:b.md", 1, lambda *_: True) == "ed"
    assert f"{other}/b.md" in said.read_text()
    for source in ("b.md", "docs:b.md", "docs:x:a b.md", "docs:../other/b.md", "docs:/etc/passwd"):
        with pytest.raises((CorpusError, OSError)):
            opened(roots, source, 1, lambda *_: True)


@pytest.mark.slow
def test_a_request_that_is_none_is_refused_and_the_next_one_served(opener, said):
    """They come from a process that a document may have taken over."""

    def asked(line: bytes) -> str:
        opener._requests.write(line)
        return opener._replies.readline().decode()

    for request in (
        b"[" * 60_000,
        b'{"a":' * 10_000,
        b'{"source": "a\\u0000b.md", "line": 1}',
        b'{"source": "\\ud800.md", "line": 1}',
        b'{"source": ["a b.md"], "line": 1}',
        b'{"source": "a b.md", "line": "1"}',
        b"\xff\xfe",
        b"",
        b"x" * (3 * opening.MAX_REQUEST_BYTES),  # one reply
        b'{"source": "' + b"n" * 60_000 + b'", "line": 1}',
    ):
        assert "problem" in asked(request + b"\n"), request[:30]
        assert not said.exists()
    assert "started" in asked(b'{"source": "a b.md", "line": 1}\n')  # the control


def test_a_viewer_is_given_what_is_not_what_its_name_says_by_consent_to_that_alone(
    root, said, monkeypatch
):
    monkeypatch.delenv("EDITOR")
    asked = []

    def agrees(source, _, differs):
        asked.append(differs)
        return not differs

    files = {
        "a.pdf": (b"<html><script>", "a page or other mark-up"),
        "b.pdf": (b"\n%PDF-1.4", ""),
        "c.docx": (b"\x7fELF", "a program"),
        "d.png": (b"words", "text"),
        "e.txt": (b"words", ""),
        "f.txt": (b"[Desktop Entry]\nExec=sh", "a launcher"),
        "g.md": (b"<p align=center>", ""),
        "h.csv": (b"MZ;a\n1;2\n", ""),
        "i.jpg": (b"\0\0", "of an unknown kind"),
    }
    for name, (begins, differs) in files.items():
        (root / name).write_bytes(begins)
        if differs:
            with pytest.raises(CorpusError, match=f"was not opened: its bytes are {differs},"):
                opened({"": root}, name, 1, agrees)
        else:
            assert opened({"": root}, name, 1, agrees) == "xdg-open"
        assert asked.pop() == differs, name
        assert said.exists() != bool(differs), name
        said.unlink(missing_ok=True)
    monkeypatch.setenv("EDITOR", str(root.parent / "ed"))
    assert opened({"": root}, "f.txt", 1, agrees) == "ed"  # shown as text, whatever it is


def test_a_link_names_the_file_and_nothing_of_its_text():
    link = link_below(Path("/home/ann/my docs"))
    text = link("notes/ä #1.md:3", "notes/ä #1.md", None)
    assert text == (
        "\x1b]8;;file:///home/ann/my%20docs/notes/%C3%A4%20%231.md\x1b\\notes/ä #1.md:3"
        "\x1b]8;;\x1b\\"
    )
    assert "paper.pdf#page=62\x1b" in link("paper.pdf:80", "paper.pdf", 62)
    hostile = link("x", "a\x1b]8;;http:/evil.example\x07b.md", None)
    assert hostile.count("\x1b") == 4
    assert "http:" not in hostile
    assert link("page.html:1", "page.html", None) == "page.html:1"  # a browser would run it
    assert no_link("a.md:1", "a.md", None) == "a.md:1"


@pytest.mark.parametrize(
    ("before", "typed", "agreed", "differs"),
    [
        (b"", b"\n", True, ""),
        (b"", b"y\n", True, ""),
        (b"", b"\x04", False, ""),
        (b"\n", b"n\n", False, ""),
        (b"", b"\n", False, "a program"),
        (b"", b"y\n", True, "a program"),
    ],
    ids=["enter, the control", "yes, the control", "an end of input", "typed ahead",
         "enter for something else", "yes to something else"],
)  # fmt: skip
def test_only_what_is_typed_after_the_question_agrees(before, typed, agreed, differs):
    pid, terminal = pty.fork()
    if pid == 0:
        os.read(0, 1)  # until what is typed ahead is there
        agreed = opening.asked_at_terminal(os.pipe()[0], "a.md", "editor", differs)
        os._exit(10 if agreed else 20)
    os.write(terminal, b"x\n" + before)
    seen = b""
    while b"/n]" not in seen.lower():
        seen += os.read(terminal, 1000)
    os.write(terminal, typed)
    assert (b"whose bytes are a program," in seen) == bool(differs)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == (10 if agreed else 20)
    os.close(terminal)


@pytest.mark.slow
@pytest.mark.parametrize("interrupted", [True, False], ids=["Ctrl-C", "no Ctrl-C, the control"])
def test_ctrl_c_withdraws_the_question_and_the_terminal_is_read_by_one_process_again(
    root, said, interrupted
):
    pid, terminal = pty.fork()
    if pid == 0:
        converse(Opener.start({"": root}))
    seen = read_until(terminal, b"[Y/n] ")
    if interrupted:
        os.write(terminal, b"\x03")
        seen += read_until(terminal, b"Stopped.")
    for typed in (b"\n", b"a question\n", b"/quit\n"):
        os.write(terminal, typed)
        time.sleep(0.1)  # a line each for whoever reads
    seen += read_until(terminal, b"Over.")
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    os.close(terminal)
    assert said.exists() != interrupted
    if interrupted:
        assert [line in seen for line in (b"<>", b"<a question>", b"</quit>")] == [True] * 3


def converse(opener: Opener) -> NoReturn:
    """Have a document opened, then repeat what is typed until /quit, as a chat would."""
    signal.alarm(20)  # a test that fails leaves nobody behind
    try:
        opener.open("a b.md", 1)
    except KeyboardInterrupt:
        os.write(1, b"Stopped.\n")
    typed = ""
    while typed != "/quit":
        typed = os.read(0, 100).decode().strip()
        os.write(1, f"<{typed}>\n".encode())
    opener.close()
    os.write(1, b"Over.\n")
    os._exit(0)


def read_until(terminal: int, words: bytes) -> bytes:
    seen = b""
    while words not in seen:
        seen += os.read(terminal, 1000)
    return seen
