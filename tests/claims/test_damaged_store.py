"""No command is content with a damaged store: each says so, and `index` mends it.

One store is made, with an index of words, one of vectors, deleted rows and two versions, and a copy
of it is damaged for each case. The commands are those of the command line without their printing.
"""

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.doctor import checks as doctor
from corpus_agent.doctor import examine
from corpus_agent.service import session
from corpus_agent.trust.stores import StorePlace, record
from indexer.errors import CorpusError, DamagedStore
from indexer.index import Index
from indexer.records import Query
from indexer.store.manifest import MANIFEST_NAME, read_manifest, write_manifest
from indexer.store.storage import checked_manifest, identity_of
from indexer.sync.folder import sync_folder
from tests.support.toy_index import ENCODER, rows, sync_large

FILES, PASSAGES = 20, 24
CHUNKS = "lance/chunks.lance"
WORD = "w7x3"  # stands in one passage of one file
COMMANDS = ("index", "search", "ask", "read", "files", "status", "doctor", "mcp", "chat")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder, its store, and in `older` the store as the version before left it."""
    folder = tmp_path_factory.mktemp("damage")
    (folder / "docs").mkdir()
    for number in range(FILES):
        words = (" ".join(f"w{number}x{n}y{k}" for k in range(40)) for n in range(PASSAGES))
        (folder / f"docs/{number:02}.txt").write_text("\n\n".join(words))
    sync_large(folder / "docs", folder / "store")
    shutil.copytree(folder / "store", folder / "older")
    (folder / "docs/07.txt").write_text(f"The {WORD} lamp is on the second shelf.\n")
    sync_large(folder / "docs", folder / "store")
    return folder


def copied(made: Path, folder: Path) -> Path:
    for name in ("docs", "store", "older"):
        shutil.copytree(made / name, folder / name)
    record(StorePlace(folder / "store", folder / "docs"), identity_of(folder / "store"))
    return folder


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    return copied(made, tmp_path)


def opened(folder: Path) -> Index:
    return Index.open(folder / "store", ENCODER, root=folder / "docs")


def searched(corpus: Index) -> list[str]:
    return [hit.chunk.source for hit in corpus.search(Query(f"the {WORD} lamp", 3))][:1]


def examined(store: Path) -> list[str]:
    """What `doctor` finds of the tables; raises its first failure as the command exits with 1."""
    checks = [doctor.Check("files", lambda: doctor.as_written(store))]
    for _, finding in examine(checks):
        if finding.state == "fail":
            raise CorpusError(finding.found, finding.mend)
    return ["sound"]


def command(name: str, folder: Path, before: Index) -> Any:
    """What a command comes to; `before` was opened before the damage, as by a server."""
    store, docs = folder / "store", folder / "docs"
    if name == "index":
        return sync_folder(store, docs, ENCODER).repaired
    if name == "status":
        return checked_manifest(store).coverage.indexed
    if name == "doctor":
        return examined(store)
    if name in ("mcp", "chat"):
        return searched(before.latest())
    corpus = opened(folder)
    if name == "search":
        return searched(corpus)
    if name == "files":
        return [row.source for row in corpus.files()]
    if name == "read":
        return [line.text for line in corpus.read("07.txt").lines]
    answer = session.ask(f"Where is the {WORD} lamp?", corpus, ExtractiveAnswerer(ENCODER))
    return [(citation.source, citation.verdict) for citation in answer.citations]


def one(folder: Path, pattern: str) -> Path:
    if pattern == MANIFEST_NAME:
        return folder / "store" / pattern
    kept = [folder / "store" / name for name in read_manifest(folder / "store").contents]
    return max((path for path in kept if path.match(pattern)), key=lambda path: path.stat().st_size)


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x10
    path.write_bytes(data)


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def a_digit(path: Path) -> None:
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "chunks": content["chunks"] + 1}))


def older(path: Path) -> None:
    """A file of the version before in the place of today's, as a mixed restore leaves it."""
    before = path.parents[4] / "older" / CHUNKS / "_versions"
    path.write_bytes(max(before.glob("*.manifest")).read_bytes())


WAYS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "data cut": (f"{CHUNKS}/data/*", cut),
    "data flipped": (f"{CHUNKS}/data/*", flip),
    "data gone": (f"{CHUNKS}/data/*", Path.unlink),
    "words cut": (f"{CHUNKS}/_indices/*/part_*_invert.lance", cut),
    "words gone": (f"{CHUNKS}/_indices/*/part_*_tokens.lance", Path.unlink),
    "vectors' index flipped": (f"{CHUNKS}/_indices/*/*.idx", flip),
    "version flipped": (f"{CHUNKS}/_versions/*", flip),
    "version gone": ("lance/files.lance/_versions/*", Path.unlink),
    "transaction cut": (f"{CHUNKS}/_transactions/*", cut),
    "deletions flipped": (f"{CHUNKS}/_deletions/*", flip),
    "deletions gone": (f"{CHUNKS}/_deletions/*", Path.unlink),
    "file rows empty": ("lance/files.lance/data/*", emptied),
    "older file": (f"{CHUNKS}/_versions/*", older),
    "manifest cut": (MANIFEST_NAME, cut),
    "manifest's digit": (MANIFEST_NAME, a_digit),
    "manifest empty": (MANIFEST_NAME, emptied),
    "manifest gone": (MANIFEST_NAME, Path.unlink),
}


@pytest.fixture(scope="module")
def sound(made: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What each command comes to on a copy that nothing happened to: the control."""
    folder = copied(made, tmp_path_factory.mktemp("sound") / "base")
    before = opened(folder)
    return {name: command(name, folder, before) for name in COMMANDS}


@pytest.mark.slow
def test_every_command_is_content_with_a_sound_copy(sound):
    assert sound["index"] == ""
    assert sound["search"] == sound["mcp"] == sound["chat"] == ["07.txt"]
    assert sound["ask"] == [("07.txt", "verified")]
    assert sound["read"] == [f"The {WORD} lamp is on the second shelf."]
    assert len(sound["files"]) == sound["status"] == FILES
    assert sound["doctor"] == ["sound"]


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_no_command_is_content_with_damage_and_index_mends_it(way, copy, sound):
    written, before = rows(copy / "store"), opened(copy)
    pattern, change = WAYS[way]
    change(one(copy, pattern))
    for name in COMMANDS[1:]:
        with pytest.raises(CorpusError) as raised:
            command(name, copy, before)
        assert "corpus-agent index" in raised.value.hint, (name, raised.value)
    assert command("index", copy, before)  # says what was wrong
    for name in COMMANDS:
        assert command(name, copy, before) == sound[name], name
    assert rows(copy / "store") == written


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("change", [cut, flip, emptied, Path.unlink])
def test_a_damaged_cache_changes_no_answer(change, copy, sound):
    written, before = rows(copy / "store"), opened(copy)
    for path in (copy / "store").glob("texts/*/*"):
        change(path)
    for name in COMMANDS:
        assert command(name, copy, before) == sound[name], name
    # Nor does it change what is made of it.
    one(copy, f"{CHUNKS}/data/*").unlink()
    assert command("index", copy, before)
    assert rows(copy / "store") == written


def test_an_index_without_its_documents_is_not_mended_into_an_empty_one(copy):
    one(copy, f"{CHUNKS}/data/*").unlink()
    shutil.rmtree(copy / "docs")
    (copy / "docs").mkdir()
    with pytest.raises(CorpusError, match=r"damaged.*is empty.*mounted"):
        sync_folder(copy / "store", copy / "docs", ENCODER)


@pytest.mark.slow
def test_a_passage_that_is_not_what_was_embedded_is_not_shown(copy):
    """In a large index a flipped bit may lie between two samples, and in what a search finds."""
    store = copy / "store"
    write_manifest(store, replace(read_manifest(store), contents={}))
    assert searched(opened(copy)) == ["07.txt"]  # the control
    changed = 0
    for path in (store / f"{CHUNKS}/data").iterdir():
        data = path.read_bytes()
        changed += data.count(f"{WORD} lamp".encode())
        path.write_bytes(data.replace(f"{WORD} lamp".encode(), f"{WORD} damp".encode()))
    assert changed
    corpus = opened(copy)
    with pytest.raises(DamagedStore, match=r"a passage of '07.txt' is not what was embedded"):
        corpus.search(Query(f"the {WORD} lamp", 1))
    assert corpus.search(Query("w3x3y3 w3x3y4", 1))  # of another document, which is sound
