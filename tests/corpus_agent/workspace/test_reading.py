"""The read tool, text by text: windows, long lines, documents, images, refusals, repeats."""

import shutil
import subprocess
import sys

import pytest

from corpus_agent.workspace import Attachment, FileTools, Workspace
from tests.support.places import SAMPLE
from tests.support.toy_index import laid

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


@pytest.fixture
def tools(tmp_path):
    return FileTools(Workspace(tmp_path))


def test_a_window_ends_with_the_offset_to_go_on_from(tmp_path, tools):
    laid(tmp_path, {"a.txt": "".join(f"line {n}\n" for n in range(1, 11))})
    assert tools.read("a.txt", offset=3, limit=2) == (
        "     3\tline 3\n     4\tline 4\n\nThese are lines 3-4. Use offset=5 to continue"
    )
    assert tools.read("a.txt", offset=9, limit=2) == "     9\tline 9\n    10\tline 10"


@pytest.mark.slow
def test_a_pdf_comes_by_page_marks(tools, tmp_path):
    shutil.copy(SAMPLE / "bike/varda-c7-manual.pdf", tmp_path / "manual.pdf")
    answer = tools.read("manual.pdf", limit=3)
    assert answer.startswith("     1\t--- Page 1 ---\n     2\t")
    assert answer.endswith("\n\nThese are lines 1-3. Use offset=4 to continue")
    assert "\t--- Page 2 ---\n" in tools.read("manual.pdf")
    text = tools.read("manual.pdf", offset=100_000)
    assert text.startswith("Error: offset 100000 is beyond end of file (")


@pytest.mark.slow
def test_a_document_is_parsed_in_a_process_that_can_do_nothing_else(tmp_path):
    shutil.copy(SAMPLE / "bike/varda-c7-manual.pdf", tmp_path / "manual.pdf")
    loaded = """
import sys
from pathlib import Path
from corpus_agent.workspace import FileTools, Workspace
from indexer.extract import open_document
root = Path(sys.argv[1])
shown = FileTools(Workspace(root)).read("manual.pdf")
before = "pypdfium2" in sys.modules
text = list(open_document((root / "manual.pdf").read_bytes(), "manual.pdf").lines)[1].text
print(text in shown, before, "pypdfium2" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", loaded, tmp_path], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True", "False", "True"]  # the last is the control


@pytest.mark.parametrize(
    ("name", "content", "media_type"),
    [
        ("a.png", PNG, "image/png"),
        ("a.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg"),
        ("a.gif", b"GIF89a\1\0\1\0", "image/gif"),
        ("old.gif", b"GIF87a\1\0\1\0", "image/gif"),
        ("a.webp", b"RIFF\x24\0\0\0WEBPVP8 ", "image/webp"),
        ("no-suffix", PNG, "image/png"),
    ],
)
def test_an_image_is_attached_with_a_note(tmp_path, tools, name, content, media_type):
    laid(tmp_path, {name: content})
    assert tools.read(name) == Attachment(
        f"Image {name!r}: {len(content):,} bytes, {media_type}.", media_type, content
    )
    assert tools.read(name).startswith(f"Already given in this conversation: {name!r} ")


NOTICE = (
    "Already given in this conversation: 'a.txt' with offset=1 and limit=2000; "
    "the file has not changed since. See the text above."
)


def test_an_exact_repeat_is_a_notice_of_one_line(tmp_path, tools):
    laid(tmp_path, {"a.txt": "one\n"})
    (tmp_path / "link.txt").symlink_to("a.txt")
    assert tools.read("a.txt") == "     1\tone"
    assert tools.read("./a.txt") == NOTICE
    assert tools.read("link.txt") == NOTICE
    assert tools.read("a.txt", limit=5) == "     1\tone"
