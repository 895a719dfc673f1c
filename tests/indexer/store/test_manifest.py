"""The manifest as a file: its form, what is none, and which one a reader holds.

manifest.json is one as indices have it: who changes the form damages them all, or has a new SCHEMA.
"""

import errno
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from indexer.errors import CorpusError, DamagedStore, IncompatibleStore
from indexer.store.folder import MARKER_NAME, temp_within, translated
from indexer.store.manifest import (
    FORMER,
    MANIFEST_NAME,
    MAX_BYTES,
    held_versions,
    hold,
    read_manifest,
    sum_of,
    write_manifest,
)

OWN = Path(__file__).with_name("manifest.json")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    (tmp_path / MARKER_NAME).write_text(f"corpus-agent store\nid = {'0123456789abcdef' * 2}\n")
    (tmp_path / MANIFEST_NAME).write_bytes(OWN.read_bytes())
    return tmp_path


def test_a_manifest_is_written_byte_for_byte_as_it_was_read(store):
    write_manifest(store, read_manifest(store))
    assert (store / MANIFEST_NAME).read_bytes() == OWN.read_bytes()
    assert not list(store.glob(FORMER.format("*")))  # nobody held it


def test_what_no_writer_wrote_is_damage(store):
    content, path = json.loads(OWN.read_text()), store / MANIFEST_NAME
    bare = {name: value for name, value in content.items() if name != "check"}

    def signed(**values: Any) -> str:
        changed = bare | values
        return json.dumps({"check": sum_of(store, changed), **changed})  # in any order

    path.write_text(signed().ljust(MAX_BYTES))
    assert read_manifest(store).version == 7  # the control: as long as it may be
    counts = ({"de": -1}, {"\x1b[2J": 1}, {"de": True}, {"de": "1"}, [])
    contents = ({"lance/../../a": "1 00c0ffee"}, {"a": "1 00c0ffee"}, {"lance/a": "1"})
    forged = [
        *((text, "is no JSON") for text in ("", "{", "[" * 100_000)),
        *((text, "is no manifest") for text in ("[]", "{}", '{"schema": "10"}')),
        (signed().ljust(MAX_BYTES + 1), "is no manifest"),
        (json.dumps(content | {"version": 8}), "is not what was written"),
        (json.dumps(bare), "is not what was written"),
        (json.dumps({"schema": 1, "root": "/"}), "is of an earlier release"),
        *((signed(languages=each), "languages is no dict") for each in counts),
        *((signed(contents=each), "contents are no sums") for each in contents),
        (signed(updated="\x1b[2J"), "updated is no str"),
        (signed(another=1), "another"),
    ]
    for text, why in forged:
        path.write_text(text)
        with pytest.raises(DamagedStore, match=why):
            print(text[:200], read_manifest(store))
    path.write_text(signed(schema=99))
    with pytest.raises(IncompatibleStore, match="schema 99"):
        read_manifest(store)
    for make in (os.mkfifo, lambda path: path.symlink_to(OWN)):
        path.unlink()
        make(path)
        with pytest.raises(DamagedStore, match=MANIFEST_NAME):
            read_manifest(store)


def test_what_a_reader_holds_stays_until_it_is_let_go(store):
    first, held = hold(store)
    for number in (20, 21):
        write_manifest(store, replace(first, chunks_version=number))
    assert held_versions(store) == [(12, 9)]
    held.close()
    assert held_versions(store) == []
    assert not list(store.glob(FORMER.format("*")))


@pytest.mark.timeout(60)
def test_temporary_files_go_into_the_store_and_with_the_writer(store, monkeypatch):
    """What a killed writer left goes, too; what others put there stays, and stops no writer."""
    monkeypatch.setenv("TMPDIR", "/before")
    *left, outside = (store / f"{of}/.tmpA1b2C3" for of in ("tmp/lance", "tmp/lance-2b", "docs"))
    for path in (*left, outside):
        path.mkdir(parents=True)
        (path / "shuffle_data.spill").touch()
    notes, pipe, link = (store / "tmp" / n for n in ("lance-2b/notes.md", "lance-p", "lance-l"))
    notes.touch()
    os.mkfifo(pipe)
    link.symlink_to(outside.parent)
    with temp_within(store):
        given = Path(os.environ["TMPDIR"])
        (given / "vectors").touch()
        assert (given.parent, given.stat().st_mode & 0o777) == (store / "tmp", 0o700)
        assert not any(path.exists() for path in left)
    assert (os.environ["TMPDIR"], given.exists()) == ("/before", False)
    assert {*(store / "tmp").rglob("*")} == {notes, notes.parent, pipe, link}
    assert outside.exists()


def test_an_error_of_the_disk_is_said_in_plain_words(store):
    said = {"ENOSPC": "is full. What", "EROFS": "a read-only file", "EACCES": "may not write",
            "EPERM": "may not write", "EIO": "is damaged .Input/output error"}  # fmt: skip
    for name, words in said.items():
        code = getattr(errno, name)
        with pytest.raises(CorpusError, match=words), translated(store):
            raise OSError(code, os.strerror(code))
