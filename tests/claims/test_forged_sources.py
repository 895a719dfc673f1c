"""Rows of an index whose sources lead out of its folder, as a run that was taken over may leave.

The store is trusted and its rows are forged by hand: whatever a command does with them, no file
outside of the folder is opened, shown, changed or handed to a program. The control is the
same document under a name of its own.
"""

import stat
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest

from corpus_agent import answering, render
from corpus_agent.answering.records import Answer, Citation
from corpus_agent.fields.lexicon import fields_of
from corpus_agent.fields.table import table_of
from corpus_agent.render import table_lines
from corpus_agent.service.opening import open_document
from indexer.errors import CorpusError
from indexer.index import Index
from indexer.records import Coverage
from indexer.store.manifest import read_manifest, write_manifest
from tests.support import rows as of_store
from tests.support.fakes import passages
from tests.support.toy_index import own, sync

pytestmark = pytest.mark.slow

SECRET = "Invoice number: OUTSIDE-4711\n"
INSIDE = "a0.md"  # the control
LINKS = ("linked/secret.md", "link.md")


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside that of the documents, with what is to be seen nowhere."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret.md").write_text(SECRET)
    return folder


@pytest.fixture
def forged(tmp_path: Path, outside: Path) -> list[str]:
    """The sources of a store whose second version was forged; `a0.md` is what it says it is."""
    root, store = tmp_path / "docs", tmp_path / "store"
    (root / "sub").mkdir(parents=True)
    names = [
        INSIDE, "../outside/secret.md", "sub/../../outside/secret.md",
        "sub//../../outside/secret.md", f"{outside}/secret.md", f"/{outside}/secret.md", *LINKS,
        "./../outside/secret.md", "../outside/secret.md\0.md", "a\0.md", "..", ".", "/", "", "sub/",
        "~/secret.md", "file:///etc/passwd",
    ]  # fmt: skip
    for number in range(len(names)):
        (root / f"a{number}.md").write_text(f"Invoice number: A-{number}\n")
    sync(root, store)
    own(store, root)
    (root / "linked").symlink_to(outside)
    (root / "link.md").symlink_to(outside / "secret.md")
    called = {f"a{number}.md": name for number, name in enumerate(names)}
    manifest = read_manifest(store)
    versions = {}
    for table in ("files", "chunks"):
        rows = of_store.table_of(store, table)
        held = rows.to_arrow().to_pylist()
        for row in held:
            row["source"] = called[row["source"]]
        rows.add(pa.Table.from_pylist(held, schema=rows.schema), mode="overwrite")
        versions[f"{table}_version"] = rows.version
    write_manifest(store, replace(manifest, version=manifest.version + 1, **versions))
    for number in range(1, len(names)):
        (root / f"a{number}.md").unlink()
    return names


def test_no_command_leaves_the_folder_by_a_source_that_was_forged(
    tmp_path, outside, forged, monkeypatch
):
    root, store, log = tmp_path / "docs", tmp_path / "store", tmp_path / "log"
    editor = tmp_path / "ed"
    editor.write_text(f'#!/bin/sh\necho "$@" >> {log}\ncat "$2" >> {log}\n')
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("EDITOR", str(editor))
    corpus = Index.open(store, root=root)
    assert {row.source for row in corpus.files()} == set(forged)
    shown: list[str] = []

    for source in forged[1:]:
        for attempt in (
            lambda source=source: corpus.read(source).lines,
            lambda source=source: corpus.page_picture(source, 1, 100),
            lambda source=source: open_document(source, {"": root}),
        ):
            with pytest.raises((CorpusError, OSError)) as error:
                attempt()
            shown.append(f"{error.value} {getattr(error.value, 'hint', '')}")
    made = table_of(corpus, fields_of(["invoice number"]))
    shown += table_lines(made, 300, quotations=True)
    answer = Answer("q?", "a [1]", "perhaps", "toy", passages(*_cited(forged)), Coverage(1), 1)
    shown.append(render.export_markdown([answer]))
    assert _verdicts(corpus, forged[1:]) == {"not_found"}
    assert not log.exists()
    assert "OUTSIDE" not in "\n".join(shown)

    # The control: the document that is what it says is read, opened and exported.
    assert corpus.read(INSIDE).lines[0].text == "Invoice number: A-0"
    assert open_document(INSIDE, {"": root}) == (INSIDE, "ed")
    assert "number: A-0" in log.read_text()
    assert _verdicts(corpus, [INSIDE]) == {"verified"}  # it stands there
    cells = {row.source: row.cells[0] for row in made.rows}
    assert [value.normal for value in cells[INSIDE].values] == ["A-0"]
    assert {cell.status for source, cell in cells.items() if source != INSIDE} == {"unreadable"}
    (root / "link.md").unlink()
    (root / "link.md").write_text(SECRET)  # had it been a document
    assert "OUTSIDE" in corpus.read("link.md").lines[0].text


def _cited(sources: list[str]) -> tuple[Citation, ...]:
    return tuple(
        Citation(n, source, 1, 1, 1, "Invoice number", "verified")
        for n, source in enumerate(sources, start=1)
    )


def _verdicts(corpus: Index, sources: list[str]) -> set[str]:
    """What a receipt that cites words of the file outside is found to say."""
    answer = Answer("q?", "a", "perhaps", "toy", passages(*_cited(sources)), Coverage(1), 1)
    made = answering.receipt.receipt(
        answer, lambda _: None, seal="off", server=None, started=datetime.now(UTC), seconds=0
    )
    return {each.now.verdict for each in answering.receipt.check(made, corpus, corpus.file)}


def test_a_run_does_not_look_behind_a_forged_source(tmp_path, outside, forged):
    root, store = tmp_path / "docs", tmp_path / "store"
    before = (outside / "secret.md").stat()
    outcome = sync(root, store)
    assert (outcome.unchanged, outcome.added) == (1, 0)  # what is there, and no more
    left = {row.source: row.status for row in Index.open(store, root=root).files()}
    documents = {source: status for source, status in left.items() if status != "skipped"}
    assert documents == {INSIDE: "indexed", LINKS[0]: "unreachable"}  # a link is not looked behind
    assert (outside / "secret.md").stat() == before
    assert (outside / "secret.md").read_text() == SECRET
