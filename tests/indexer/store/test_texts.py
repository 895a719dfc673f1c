"""Kept text: found again, bounded, safe to delete, and never trusted when damaged."""

import json
import os
import shutil
import threading
import time
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from indexer.parsers import protocol
from indexer.parsers.worker import Text
from indexer.records import Line
from indexer.store import texts as kept
from indexer.store.texts import Texts
from tests.support.other_user import as_nobody

NAME = "a.txt"


def text(words: str) -> Text:
    lines = [Line(line, 1) for line in words.split("\n")]
    return Text("text/2", "A title", protocol.encoded(lines), len(lines), len(words) + 1)


def noise(number: int) -> Text:
    """About 3 KB that do not compress."""
    return text("\n".join(os.urandom(500).hex() for _ in range(3)))


def digest(number: int) -> str:
    return f"{number:064x}"


def entries(store: Path) -> list[Path]:
    return [path for path in (store / kept.TEXTS_FOLDER).rglob("*") if path.is_file()]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path


def test_what_was_kept_is_found_by_another_reader_and_under_no_other_name(store):
    Texts(store).put(digest(1), NAME, text("one\ntwo"))
    assert Texts(store).get(digest(1), NAME) == text("one\ntwo")
    assert Texts(store).get(digest(2), NAME) is None
    assert Texts(store).get(digest(1), "b/c.TXT") == text("one\ntwo")
    assert Texts(store).get(digest(1), "a.md") is None  # another extractor may claim it


def test_the_text_of_an_older_extractor_counts_as_none(store):
    Texts(store).put(digest(1), NAME, replace(text("one"), extractor="text/0"))
    Texts(store).put(digest(2), NAME, replace(text("one"), extractor="text/2+other"))
    assert Texts(store).get(digest(1), NAME) is None
    assert Texts(store).get(digest(2), NAME) is not None  # the control


def test_kept_text_is_compressed_and_its_owners(store):
    Texts(store).put(digest(1), NAME, text("the same words again and again\n" * 10_000))
    (entry,) = entries(store)
    assert entry.stat().st_size < 10_000
    assert (store / kept.TEXTS_FOLDER).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("at", [0, 30, 60, 120, -1])
def test_a_damaged_entry_counts_as_none_until_it_is_made_anew(store, at):
    texts = Texts(store)
    texts.put(digest(1), NAME, noise(1))
    (entry,) = entries(store)
    data = bytearray(entry.read_bytes())
    data[at] ^= 1
    entry.write_bytes(data)
    assert texts.get(digest(1), NAME) is None
    texts.put(digest(1), NAME, text("made anew"))
    assert texts.get(digest(1), NAME) == text("made anew")


def test_an_entry_with_the_right_sum_and_a_wrong_content_counts_as_none(store):
    """Who has seen the store may write one."""
    texts = Texts(store)
    texts.put(digest(1), NAME, text("one\ntwo"))
    (entry,) = entries(store)
    sound = entry.read_bytes()
    head, _, lines = zlib.decompress(sound[len(kept.FORMAT) + 32 :]).partition(b"\n")
    about = json.loads(head)
    forged = {
        "the control": (head, lines),
        "a list": (b"[]", lines),
        "no JSON": (b"{", lines),
        "deep": (b"[" * 100_000, lines),
        "no lines": (head, os.urandom(500)),
        "a title that is a number": (json.dumps({**about, "title": 5}).encode(), lines),
        "a reader that is none": (json.dumps({**about, "extractor": []}).encode(), lines),
        "other lines": (json.dumps({**about, "lines": 7}).encode(), lines),
        "a key more": (json.dumps({**about, "x": 1}).encode(), lines),
    }
    for what, (begun, rest) in forged.items():
        texts.put(digest(1), NAME, text("one"))
        (entry,) = entries(store)
        entry.write_bytes(kept.packed(begun + b"\n" + rest, texts.key, entry.name))
        assert (texts.get(digest(1), NAME) is None) == (what != "the control"), what


def test_texts_of_files_that_are_gone_are_dropped(store):
    texts = Texts(store)
    for number in range(3):
        texts.put(digest(number), NAME, text("words"))
    (store / kept.TEXTS_FOLDER / digest(7)[:1] / f"{digest(7)}.{16 * '0'}.1-2.new").write_bytes(
        b"cut"
    )
    texts.keep_only({digest(1), None})
    assert [entry.name.partition(".")[0] for entry in entries(store)] == [digest(1)]


@pytest.mark.slow
def test_it_may_be_deleted_at_any_time(store):
    texts, failed = Texts(store), []

    def work(thread: int) -> None:
        try:
            for number in range(200):
                texts.put(digest(number), NAME, text(f"words {number}"))
                found = texts.get(digest(number), NAME)
                assert found in (None, text(f"words {number}"))
        except BaseException as error:
            failed.append(error)
            raise

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        shutil.rmtree(store / kept.TEXTS_FOLDER, ignore_errors=True)
        time.sleep(0.01)
    for thread in threads:
        thread.join()
    assert not failed


def test_a_store_that_may_only_be_read_is_only_read(open_folder):
    texts = Texts(open_folder)
    texts.put(digest(1), NAME, text("kept before"))
    (open_folder / kept.TEXTS_FOLDER).chmod(0o755)
    for path in (open_folder / kept.TEXTS_FOLDER).rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)

    def work() -> list[object]:
        reader = Texts(open_folder)
        found = reader.get(digest(1), NAME)
        reader.put(digest(2), NAME, text("not kept"))
        reader.keep_only(())
        return [found is not None, len(entries(open_folder))]

    assert as_nobody(work) == [True, 1]
    texts.put(digest(2), NAME, text("kept"))  # the control: who may write, keeps
    assert len(entries(open_folder)) == 2
