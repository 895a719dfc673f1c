"""What others bring into an indexed folder is none of the index; no forged source leads out of it.

What is brought, by an archive or a pull, has no marker: the folder keeps the user's own. The
control of each brings the marker, too, and shows what would be believed; commands refuse that one
by the user's record. Sources are forged as a run that was taken over may leave them, in a store
that is trusted: no file outside of the folder is opened, shown, changed or handed to a program."""

import hashlib
import shutil
import stat
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest

from corpus_agent import answering, render
from corpus_agent.answering.records import Answer, Citation
from corpus_agent.fields.lexicon import fields_of
from corpus_agent.fields.table import table_of as table_of_fields
from corpus_agent.render import table_lines
from corpus_agent.service.opening import open_document
from corpus_agent.settings import Settings
from corpus_agent.trust.stores import place_of
from indexer.errors import CorpusError, DamagedStore, UntrustedStore
from indexer.index import Index
from indexer.parsers.pages import RecognisedPage
from indexer.records import Coverage
from indexer.store.folder import MARKER_NAME, version_file
from indexer.store.manifest import FORMER, MANIFEST_NAME, read_manifest, write_manifest
from indexer.store.snapshot import Snapshot
from indexer.store.texts import Texts
from indexer.sync.folder import forget_document
from tests.support.fakes import passages
from tests.support.rows import chunk_rows, table_of
from tests.support.toy_index import own, sync

pytestmark = pytest.mark.slow

STORE = ".corpus-agent"
TRUE, FALSE = "The rent is 900 EUR.\n", "The rent is 150 EUR.\n"
TRUE_SHA256 = hashlib.sha256(TRUE.encode()).hexdigest()


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """The index of this user, of a document that says the truth."""
    return made(tmp_path / "mine", TRUE)


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """A stranger's, whose kept text and page of that document say something else."""
    store = made(tmp_path / "theirs", FALSE)
    false_sha256 = hashlib.sha256(FALSE.encode()).hexdigest()
    texts = Texts(store)
    text = texts.get(false_sha256, "lease.md")
    assert text is not None
    texts.put(TRUE_SHA256, "lease.md", text)
    texts.put_page(TRUE_SHA256, RecognisedPage(1, "engine", (("150 EUR", 0.9),)))
    return store


def made(folder: Path, text: str) -> Path:
    folder.mkdir()
    (folder / "lease.md").write_text(text)
    sync(folder, folder / STORE)
    return folder / STORE


def indexed(mine: Path, colour: str = "green") -> dict[str, str]:
    """What the rows of each document say after a run that has another document to add."""
    (mine.parent / "gate.md").write_text(f"The gate is {colour}.\n")
    sync(mine.parent, mine)
    return {row["source"]: row["lexical"] for row in chunk_rows(Snapshot(mine)).to_pylist()}


def bring(theirs: Path, mine: Path, *, marker: bool) -> None:
    left = shutil.ignore_patterns("writer.lock", *([] if marker else [MARKER_NAME]))
    shutil.copytree(theirs, mine, dirs_exist_ok=True, ignore=left)


def test_a_manifest_that_was_brought_is_none(mine, theirs):
    bring(theirs, mine, marker=False)
    with pytest.raises(DamagedStore, match=r"manifest\.json is not what was written"):
        read_manifest(mine)
    with pytest.raises(DamagedStore):
        Snapshot(mine)
    shutil.copyfile(theirs / MARKER_NAME, mine / MARKER_NAME)  # the control
    assert read_manifest(mine).chunks == 1
    with pytest.raises(UntrustedStore, match="another one is in the place"):
        place_of(mine, Settings())


@pytest.mark.parametrize("marker", [False, True])
def test_what_was_kept_of_a_document_elsewhere_is_not_taken(mine, theirs, marker):
    shutil.rmtree(mine / "texts")
    bring(theirs, mine, marker=marker)
    text = Texts(mine, keep=False).get(TRUE_SHA256, "lease.md")
    assert (text is not None and b"150" in text.encoding) is marker
    assert (Texts(mine).page(TRUE_SHA256, 1) is not None) is marker


def test_a_run_over_what_was_brought_gives_the_truth(mine, theirs):
    shutil.rmtree(mine / "texts")
    shutil.copytree(theirs / "texts", mine / "texts")
    (mine.parent / "copy.md").write_text(TRUE)  # the same bytes, read for the first time
    shown = indexed(mine)
    assert "900" in shown["copy.md"] and "150" not in shown["copy.md"]


def test_a_kept_text_under_another_name_is_none(mine):
    """A hard link in an archive gives an entry of ours another name: of their letter, the lease's.

    The same holds for what was recognised.
    """
    (mine.parent / "letter.md").write_text(FALSE)  # a document of theirs, indexed here
    sync(mine.parent, mine)
    texts = Texts(mine)
    letter = hashlib.sha256(FALSE.encode()).hexdigest()
    texts.put_page(letter, RecognisedPage(1, "engine", (("150 EUR", 0.9),)))
    for kept in [*(mine / "texts").rglob(f"{letter}.*")]:
        named = kept.parent.parent / TRUE_SHA256[: len(kept.parent.name)]
        named.mkdir(exist_ok=True)
        (named / f"{TRUE_SHA256}{kept.suffix}").unlink(missing_ok=True)
        (named / f"{TRUE_SHA256}{kept.suffix}").hardlink_to(kept)
    for sha256, ours in ((letter, True), (TRUE_SHA256, False)):  # the first is the control
        assert (Texts(mine, keep=False).get(sha256, "lease.md") is not None) is ours
        assert (Texts(mine).page(sha256, 1) is not None) is ours


@pytest.mark.parametrize("ahead", [1, 1_000])
def test_rows_that_were_brought_are_not_gone_on_from(mine, theirs, ahead):
    """The number in the file is that of the committed version; its name is that of a newer one."""
    own, brought = mine / "lance/chunks.lance", theirs / "lance/chunks.lance"
    committed = read_manifest(mine).chunks_version
    assert read_manifest(theirs).chunks_version == committed
    for part in ("data", "_indices"):
        if (brought / part).is_dir():
            shutil.copytree(brought / part, own / part, dirs_exist_ok=True)
    newer = version_file(mine, "chunks", committed + ahead)
    shutil.copyfile(version_file(theirs, "chunks", committed), newer)
    assert "150" in table_of(mine, "chunks").to_arrow()["lexical"][0].as_py()  # control
    shown = indexed(mine)
    assert shown.keys() == {"lease.md", "gate.md"}
    assert "900" in shown["lease.md"] and "150" not in shown["lease.md"]


def holding(store: Path, word: str) -> set[str]:
    files = [path for path in (store / "lance").rglob("*") if path.is_file()]
    return {path.name for path in files if word.encode() in path.read_bytes()}


@pytest.mark.parametrize("name", [None, "9" * 20, "1" * 16])
def test_a_version_under_another_name_does_not_outlast_what_was_forgotten(mine, name):
    """A hard link in an archive names a manifest of ours as if it had been written last, or first.

    The first case, without a link, is the control.
    """
    if name is not None:
        (mine / FORMER.format(name)).hardlink_to(mine / MANIFEST_NAME)
    indexed(mine, "red")
    assert holding(mine, "is 900 EUR")
    forget_document(mine, mine.parent, "lease.md")
    assert [row.source for row in Snapshot(mine).rows()] == ["gate.md"]
    assert not holding(mine, "is 900 EUR")
    assert name is None or not (mine / FORMER.format(name)).exists()


@pytest.mark.parametrize("brought", [None, "{", '{"version": 77, "manifestSize": 1}'])
def test_a_tag_that_was_brought_stops_no_change(mine, brought):
    """LanceDB reads all tags before it drops a version; the first case is the control."""
    for table in ("chunks", "files"):
        tags = mine / f"lance/{table}.lance/_refs/tags"
        if brought is not None:
            tags.mkdir(parents=True)
            (tags / "held-1.json").write_text(brought)
    indexed(mine)
    forget_document(mine, mine.parent, "lease.md")
    assert not holding(mine, "is 900 EUR")
    assert not list(mine.glob("lance/*/_refs/tags/*"))


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
        rows = table_of(store, table)
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
    made = table_of_fields(corpus, fields_of(["invoice number"]))
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
