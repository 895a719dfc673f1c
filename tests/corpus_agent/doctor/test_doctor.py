"""doctor: each check on an index that is sound, and on one damaged in the way it looks for."""

import hashlib
import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from corpus_agent.doctor import checks
from indexer.index import Index
from indexer.store.manifest import read_manifest, write_manifest
from indexer.store.snapshot import Snapshot
from indexer.store.texts import Texts
from tests.support.command import Cli
from tests.support.rows import table_of
from tests.support.toy_index import ENCODER, copied, indexed


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    texts = {
        "a.md": "# Bread\n\nSourdough rises slowly.\n",
        "b.txt": "The boiler pressure is 1.4 bar.\n",
        "p.png": b"\x89PNG\r\n\x1a\n",
    }
    return indexed(tmp_path_factory.mktemp("made"), texts, ".corpus-agent")


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Path:
    return copied(made, tmp_path, ".corpus-agent")


def damage(store: Path, change: Callable[[list[dict[str, Any]]], None], table: str = "chunks"):
    """Put changed rows in the place of those of a table, and commit them as the index."""
    opened = table_of(store, table)
    rows = opened.to_arrow().to_pylist()
    change(rows)
    opened.add(pa.Table.from_pylist(rows, schema=opened.schema), mode="overwrite")
    manifest = read_manifest(store)
    version = {f"{table}_version": opened.version}
    write_manifest(store, replace(manifest, **version))


def embedded_again(store: Path) -> str:
    return checks.embedded_again(Snapshot(store).samples(), ENCODER).state


@pytest.mark.slow
def test_vectors_of_another_model_are_found(store):
    assert embedded_again(store) == "ok"  # the control
    damage(store, lambda rows: rows[0].update(vector=rows[1]["vector"]))
    assert embedded_again(store) == "fail"


def checks_of(done: "subprocess.CompletedProcess[str]") -> dict[str, dict[str, Any]]:
    content = json.loads(done.stdout)
    assert content["doctor"]["passed"] == (done.returncode == 0), done.stderr
    return {check["name"]: check for check in content["doctor"]["checks"]}


@pytest.mark.slow
def test_without_an_index_the_rest_is_looked_at_and_the_command_named(cli: Cli):
    done = cli("doctor", "--json", "--llm", "none")
    found = checks_of(done)
    assert (done.returncode, found["index"]["mend"]) == (0, "corpus-agent index FOLDER")
    assert found["seal"]["found"].startswith("enforced")
    assert "rows" not in found
    assert cli("--store", "nowhere/at/all", "doctor", "--llm", "none").returncode == 0


def poison(store: Path, source: str, text: str) -> None:
    """Write another text into what the store keeps of a document, as one that it made itself."""
    digest = hashlib.sha256((store.parent / "docs" / source).read_bytes()).hexdigest()
    texts = Texts(store)
    kept = texts.get(digest, source)
    assert kept is not None
    old = b"".join(kept.encoding.splitlines(keepends=True)[-1:])
    assert old
    forged = kept.encoding.replace(b"Sourdough rises slowly", text.encode())
    assert forged != kept.encoding
    texts.put(digest, source, replace(kept, encoding=forged))


@pytest.mark.slow
def test_a_text_that_was_written_into_the_store_is_not_believed(store):
    lie = "Sourdough never rises!"
    poison(store, "a.md", lie)
    believing, anew = Index.open(store), Index.open(store, anew=True)
    assert any(lie in line.text for line in believing.read("a.md").lines)  # the control
    assert not any(lie in line.text for line in anew.read("a.md").lines)
    samples = Snapshot(store).samples()
    assert checks.parsed_anew(store, store.parent / "docs", samples).state == "fail"
    assert any(lie in line.text for line in Index.open(store).read("a.md").lines)  # untouched
