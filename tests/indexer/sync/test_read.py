"""Files -> rows and chunks through real workers, and what is shown of a document afterwards."""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import BinaryIO

import pytest

from indexer.chunk import Chunker
from indexer.errors import Refused, SealUnavailable, UnreadableDocument
from indexer.files.walk import walk
from indexer.index import Index
from indexer.parsers.limits import DocumentLimits
from indexer.parsers.worker import Worker
from indexer.records import Chunk, FileRow, Line
from indexer.store.snapshot import Snapshot
from indexer.store.texts import TEXTS_FOLDER, Texts
from indexer.sync.read import copied, read_all
from tests.attacks.obeying_worker import do
from tests.support.fakes import ToyEncoder
from tests.support.other_user import as_nobody
from tests.support.parsing import OBEYING, READING
from tests.support.pdfs import pdf_of
from tests.support.places import REPOSITORY, SAMPLE
from tests.support.processes import gone
from tests.support.rows import chunk_rows
from tests.support.toy_index import sync

pytestmark = pytest.mark.slow

ENCODER = ToyEncoder()
CHUNKER = Chunker(ENCODER)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    return tmp_path / "docs"


@pytest.fixture
def texts(tmp_path: Path) -> Texts:
    (tmp_path / "store").mkdir()
    return Texts(tmp_path / "store")


def read(root: Path, texts: Texts, **limits: float) -> list[tuple[FileRow, list[Chunk]]]:
    def make_worker() -> Worker:
        return Worker(OBEYING, lambda _: DocumentLimits(**limits))

    with closing(read_all(root, walk(root).files, CHUNKER, texts, make_worker)) as documents:
        return [(row, chunks) for _, row, chunks in documents]


def statuses(root: Path, texts: Texts, **limits: float) -> dict[str, tuple[str, str | None]]:
    return {row.source: (row.status, row.reason) for row, _ in read(root, texts, **limits)}


def test_what_goes_wrong_with_one_file_is_in_its_row_and_the_others_are_read(root, texts):
    orders = {
        "crash.txt": do("crash"),
        "hang.txt": do("wait"),
        "output.txt": do("endless", words="more and more", extractor="rtf/1"),
    }
    for number, (source, order) in enumerate(orders.items()):
        (root / source).write_bytes(order)
        (root / f"good{number}.txt").write_text("words\n")
    (root / "empty.txt").touch()
    (root / "blank.txt").write_text("\n \n")
    (root / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    found = statuses(root, texts, wall_seconds=4, text_chars=1_000_000)
    assert found == {
        "crash.txt": ("failed", "crashed"),
        "hang.txt": ("failed", "timeout"),
        "output.txt": ("failed", "output"),
        "empty.txt": ("empty", "no_bytes"),
        "blank.txt": ("empty", "no_text"),
        "image.png": ("skipped", "binary"),
        **{f"good{number}.txt": ("indexed", None) for number in range(len(orders))},
    }


@contextmanager
def written(target: Path, write: Callable[[BinaryIO], None]) -> Iterator[None]:
    """Within it a thread goes on writing to a file."""
    stop = threading.Event()

    def work() -> None:
        with target.open("r+b", buffering=0) as file:
            while not stop.is_set():
                write(file)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def test_a_file_that_is_written_to_while_it_is_read_has_changed(root):
    target = root / "a.txt"
    target.write_text("One line of a text.\n" * 1_000_000)
    with copied(root, "a.txt", 0) as copy:  # the control
        assert copy.bytes == target.stat().st_size
    with (
        written(target, lambda file: os.pwrite(file.fileno(), os.urandom(9), 0)),
        pytest.raises(UnreadableDocument, match="changed: written to while it was read"),
        copied(root, "a.txt", 0),
    ):
        pass


def test_a_log_that_grows_while_it_is_read_is_read_as_it_was(root):
    target = root / "log.txt"
    target.write_text("One line of a log.\n" * 1_000_000)
    size = target.stat().st_size
    grow = written(target, lambda file: (file.seek(0, 2), file.write(b"One more.\n")))
    with grow, copied(root, "log.txt", 0) as copy:
        assert size <= copy.bytes < target.stat().st_size
        data = os.pread(copy.descriptor, copy.bytes, 0)
    assert hashlib.sha256(data).hexdigest() == copy.sha256
    assert target.read_bytes().startswith(data)


def test_the_copy_that_is_parsed_can_not_be_changed(root):
    (root / "a.txt").write_text("words")
    with copied(root, "a.txt", 5) as copy:
        for change in (
            lambda: os.pwrite(copy.descriptor, b"x", 0),
            lambda: os.ftruncate(copy.descriptor, 0),
        ):
            with pytest.raises(PermissionError):
                change()
        assert os.pread(copy.descriptor, 10, 0) == b"words"


def test_what_is_no_file_for_this_user_has_a_reason(open_folder, tmp_path):
    root = open_folder / "docs"
    root.mkdir()
    (root / "private.txt").write_text("words")
    (root / "private.txt").chmod(0)

    def work() -> list[object]:
        rows = read_all(root, walk(root).files, CHUNKER, Texts(tmp_path))
        return [(row.source, row.status, row.reason) for _, row, _ in rows]

    assert as_nobody(work) == [["private.txt", "failed", "permission"]]


def test_a_file_that_became_something_else_after_the_walk_has_changed(root, texts, tmp_path):
    for name in ("gone", "linked", "piped"):
        (root / f"{name}.txt").write_text("words")
    files = walk(root).files
    for name in ("gone", "linked", "piped"):
        (root / f"{name}.txt").unlink()
    (root / "linked.txt").symlink_to("/etc/passwd")
    os.mkfifo(root / "piped.txt")
    rows = {row.source: row for _, row, _ in read_all(root, files, CHUNKER, texts)}
    assert {row.status for row in rows.values()} == {"failed"}
    reasons = [rows[f"{name}.txt"].reason for name in ("gone", "linked", "piped")]
    assert reasons == ["unreadable", "changed", "changed"]


def test_reading_stops_at_once_when_it_is_interrupted(root, texts, tmp_path):
    """As Ctrl-C does it: a signal to the program alone, since workers have their own session."""
    (root / "a.txt").write_bytes(do("process"))
    for number in range(4):
        (root / f"b{number}.txt").write_bytes(do("wait"))
    script = f"""
import sys
sys.path.insert(0, {str(REPOSITORY)!r})
{READING}
root, store = map(Path, sys.argv[1:])
texts, files = Texts(store), walk(root).files
try:
    with closing(read_all(root, files, CHUNKER, texts, lambda: Worker(OBEYING))) as documents:
        for _, row, chunks in documents:
            print(chunks[0].text, flush=True)
except KeyboardInterrupt:
    print("interrupted")
"""
    command = [sys.executable, "-c", script, root, tmp_path / "store"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        worker = int(process.stdout.readline())
        time.sleep(0.3)
        started = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
        assert process.wait(60) == 0
    assert time.monotonic() - started < 20
    assert gone(worker)


def test_a_run_stops_where_parsers_cannot_be_confined(root, texts):
    for number in range(9):
        (root / f"{number}.txt").write_text("words\n")

    def make_worker() -> Worker:
        return Worker("tests.support.threaded_worker")

    files = walk(root).files
    with (
        pytest.raises(SealUnavailable, match="2 threads run in this process"),
        closing(read_all(root, files, CHUNKER, texts, make_worker)) as documents,
    ):
        list(documents)


def test_a_document_that_can_no_longer_be_read_is_refused_in_words(root, tmp_path):
    (root / "a.txt").write_text("words\n")
    sync(root, tmp_path / "store")
    corpus = Index.open(tmp_path / "store")
    assert corpus.read("a.txt").lines == (Line("words"),)
    for data, why in ((b"\x89PNG\r\n\x1a\n", "binary"), (b"", "no_bytes"), (b"\n", "no_text")):
        (root / "a.txt").write_bytes(data)
        with pytest.raises(Refused, match=rf"'a\.txt' cannot be read now \({why}"):
            corpus.read("a.txt")


# -- windows ---------------------------------------------------------------------------------------


def test_a_window_is_the_same_whether_the_text_is_kept_or_not_and_says_that_its_file_changed(root):
    store, cases = root / ".corpus-agent", [(1, 40), (21, 2_000), (60, 1)]
    (root / "report.pdf").write_bytes(pdf_of(*(f"Page {n}\nsays things" for n in range(1, 31))))
    sync(root, store)
    kept = [Index.open(store).read("report.pdf", *case) for case in cases]
    shutil.rmtree(store / TEXTS_FOLDER)
    corpus = Index.open(store)
    assert [corpus.read("report.pdf", *case) for case in cases] == kept
    assert (kept[0].total, kept[0].next_offset, kept[0].stale) == (90, 41, False)
    (root / "report.pdf").write_bytes(pdf_of(*(f"New page {n}" for n in range(1, 11))))
    window = Index.open(store).read("report.pdf", 1, 10)
    assert (window.total, window.next_offset, window.stale) == (20, 11, True)


# -- what was indexed is what is read --------------------------------------------------------------


def test_the_lines_of_each_chunk_are_the_lines_that_reading_shows(tmp_path):
    store = tmp_path / "store"
    sync(SAMPLE, store)
    corpus, rows = Index.open(store), chunk_rows(Snapshot(store)).to_pylist()
    assert rows
    for row in rows:
        start, end = row["line_start"], row["line_end"]
        window = corpus.read(row["source"], start, end - start + 1)
        shown = "\n".join(line.text for line in window.lines)
        assert row["text"] in shown, row["id"]
        pages = {line.page for line in window.lines}
        assert pages == {row["page_start"]} == {row["page_end"]}
