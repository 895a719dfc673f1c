"""Filters: against conditions written by hand, what is wrong, and what a search finds."""

import os
import re
from datetime import datetime
from pathlib import Path

import pytest
from pathspec import GitIgnoreSpec

from corpus_agent.service import places
from indexer.errors import Refused, UsageError
from indexer.index import Index
from indexer.records import FileRow, Query
from indexer.store.filters import parse_filter, selector
from tests.support.toy_index import ENCODER, copied, laid, sync


def at(year: int, month: int, day: int) -> int:
    return int(datetime(year, month, day, 12).timestamp()) * 10**9


def row(source: str, extractor: str | None, **more: object) -> FileRow:
    return FileRow(source, extractor=extractor, **{"status": "indexed", **more})


ROWS = [
    row("contracts/a.pdf", "pdf/4", pages=12, lines=400, bytes=90_000, chunks=30, language="en",
        title="Lease of the Mill", mtime_ns=at(2024, 3, 1)),
    row("contracts/b.docx", "docx/4", lines=80, bytes=2_000_000, chunks=9, language="de",
        title="Mietvertrag", mtime_ns=at(2023, 12, 31)),
    row("notes/tax.md", "markdown/2", lines=20, bytes=900, chunks=2, language="en", title="Tax",
        date="2024-03-12", author="Ann Müller", tags="tax/2024 money", mtime_ns=at(2025, 1, 2)),
    row("notes/taxi.md", "markdown/2", lines=5, bytes=100, chunks=1, language="fr", title="taxi",
        date="2023-01-31", tags="taxi", mtime_ns=at(2025, 1, 1)),
    row("mail/one.eml", "eml/6", lines=30, bytes=5_000, chunks=3, language="en",
        title="Your tax bill", date="2024-04-01", author="Bob <bob@x.example>",
        mtime_ns=at(2024, 4, 1)),
    row("scan.PDF", "pdf/4", status="empty", reason="no_text_layer", bytes=10, pages=None),
    row("broken.pdf", "pdf/4", status="failed", reason="malformed", bytes=11),
    row("old.txt", "text/2", status="unreachable", lines=1, bytes=0, chunks=1, title="old"),
    row("new.TXT", "text/2", lines=1, bytes=3, chunks=1, title='the "new" one', language="en"),
]  # fmt: skip


def day(row: FileRow) -> str:
    return datetime.fromtimestamp(row.mtime_ns / 1e9).strftime("%Y-%m-%d")


EXPRESSIONS = [
    ("", lambda r: True),
    ("type=pdf", lambda r: r.source.lower().endswith(".pdf")),
    ("type=pdf,docx", lambda r: r.source.lower().endswith((".pdf", ".docx"))),
    ("type!=pdf", lambda r: not r.source.lower().endswith(".pdf")),
    ("type=md", lambda r: r.source.endswith(".md")),
    ("title:tax", lambda r: "tax" in (r.title or "").lower()),
    ("title=tax", lambda r: r.title == "Tax"),
    ('title:"of the mill"', lambda r: r.title == "Lease of the Mill"),
    ("author:müller", lambda r: r.author == "Ann Müller"),
    ("tag=tax", lambda r: False),
    ("tag:tax", lambda r: "tax/2024" in r.tags),
    ("tag=money,taxi", lambda r: "money" in r.tags or r.tags == "taxi"),
    ("status=empty,failed", lambda r: r.status in ("empty", "failed")),
    ("pages>10", lambda r: (r.pages or 0) > 10),
    ("bytes>=2mb", lambda r: r.bytes >= 2_000_000),
    ("bytes<1k", lambda r: r.bytes < 1_000),
    ("passages=1", lambda r: r.chunks == 1),
    ("date>=2024-03", lambda r: (r.date or "") >= "2024-03-01"),
    ("date>2024-03", lambda r: (r.date or "") >= "2024-04-01"),
    ("date<2024", lambda r: r.date is not None and r.date < "2024"),
    ("date<=2024-03-12", lambda r: r.date is not None and r.date <= "2024-03-12"),
    ("modified<2024", lambda r: day(r) < "2024"),
    ("modified>=2024-04 type=eml", lambda r: r.source == "mail/one.eml"),
    ("type=md date>2023 tag:tax lines<100", lambda r: r.source == "notes/tax.md"),
    ("type=pdf type=docx", lambda r: False),
]


@pytest.mark.parametrize(("written", "by_hand"), EXPRESSIONS)
def test_a_filter_selects_what_is_selected_by_hand(written, by_hand):
    terms = parse_filter(written)
    found = [row.source for row in ROWS if all(term.matches(row) for term in terms)]
    assert found == [row.source for row in ROWS if by_hand(row)]


@pytest.mark.parametrize(
    ("written", "at", "what"),
    [
        ("pdf", 1, "'pdf' is no condition"),
        ("type=pdf size>3", 10, "'size' is no property"),
        ("type=pdf pages>ten", 16, "pages is compared with a number, not 'ten'"),
        ("title>a", 6, "title is not compared by >"),
        ("date>=2024-02-30", 7, "date is compared with"),
        ("type=", 6, "no value is behind type="),
        ("type==pdf", 6, "no value is behind type="),
        ("type=pdf,", 6, "no value is behind type="),
        ('title:"a b"c', 12, "'c' stands behind a value"),
        ("status=fine", 8, "status is compared with one of"),
        ("a" * 2_001, None, "A filter of 2,001 characters"),
    ],
)
def test_a_wrong_filter_is_told_with_its_place_and_what_there_is(written, at, what):
    with pytest.raises(UsageError, match=re.escape(what)) as raised:
        parse_filter(written)
    assert at is None or f"character {at}:" in raised.value.message
    assert "There is: path, type," in raised.value.hint


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("made")
    head = "---\ndate: 2024-03-12\nauthor: Ann\ntags: [money, Tax Office]\n---\n"
    texts = {
        "contracts/lease.txt": "The rent of the mill is 500 euros.\n",
        "contracts/old.md": "---\ndate: 2019-05-01\n---\nThe rent was 400.\n",
        "tax.md": f"{head}The rent, for #tax/2024.\n",
        "empty.pdf": b"",  # there is nothing in it that could not be read
        "broken.pdf": b"%PDF-1.4 cut",
    }
    os.utime(laid(made / "docs", texts) / "tax.md", ns=(at(2020, 1, 1), at(2020, 1, 1)))
    sync(made / "docs", made / "store")
    return made


@pytest.fixture
def root(made: Path, tmp_path: Path) -> Path:
    copied(made, tmp_path)
    return tmp_path / "docs"


@pytest.fixture
def corpus(root: Path) -> Index:
    return Index.open(root.parent / "store", ENCODER, root=root)


def test_properties_are_made_when_a_document_is_indexed(corpus):
    tax = corpus.file("tax.md")
    assert (tax.date, tax.author, tax.tags) == ("2024-03-12", "Ann", "money tax-office tax/2024")
    assert [row.source for row in corpus.files(where="modified=2020")] == ["tax.md"]


@pytest.mark.parametrize(
    "where",
    ["type=md", "type!=md", "date>=2024", "tag:tax", "path:contracts", "path!=contracts",
     "path:*.md date<2020", "type=txt,md lines<5"],
)  # fmt: skip
def test_a_search_finds_the_same_as_one_over_all_that_is_filtered_afterwards(corpus, where):
    every = corpus.search(Query("rent", 100, None))
    inside = {row.source for row in corpus.files(where=where)}
    found = corpus.search(Query("rent", 100, None, among=inside))
    assert {hit.chunk.id for hit in found} == {
        hit.chunk.id for hit in every if hit.chunk.source in inside
    }
    assert 0 < len(found) < len(every)


def test_of_a_bounded_corpus_no_other_document_is_found_listed_or_read(corpus):
    among = places.bounded(corpus, paths=["contracts"], not_paths=["contracts/old.md"])
    assert [row.source for row in among.files()] == ["contracts/lease.txt"]
    assert {hit.chunk.source for hit in among.search(Query("rent", 9))} == {"contracts/lease.txt"}
    assert among.coverage().searched == 1
    with pytest.raises(Refused, match=r"'tax.md' is not in the index"):
        among.read("tax.md")
    assert corpus.read("tax.md").lines  # the control
    assert among.latest() is among


# ---- Paths, compared with what they mean

SOURCES = [
    "a.md",
    "b.txt",
    "notes/a.md",
    "notes/deep/c d.md",
    "notes/deep/it's.txt",
    "notes2/2024-01.md",
    "notes2/2025-[x].md",
    "!loud.md",
    "sub/ä_%.md",
]


def chosen(path):
    selects = selector(path)
    return {source for source in SOURCES if selects(source)}


GLOBS = ["*.md", "notes/*.md", "notes/**", "**/c*", "20??-*", "notes*/**/*.txt", "*[d-i].*", "*_%*"]


@pytest.mark.parametrize("glob", GLOBS)
def test_a_glob_selects_what_the_same_line_of_an_ignore_file_names(glob):
    named = {source for source in SOURCES if GitIgnoreSpec.from_lines([glob]).match_file(source)}
    assert chosen(glob) == named
    assert named not in (set(), set(SOURCES))  # the control: it tells some from others


@pytest.mark.parametrize("start", ["notes", "notes/", "notes/deep/it's", "sub/ä_%", "!l"])
def test_a_plain_path_selects_what_begins_so_and_no_sign_of_it_is_a_pattern(start):
    assert chosen(start) == {s for s in SOURCES if s.startswith(start)} != set()


@pytest.mark.parametrize(
    "glob", ["*[", "*[!", "[[:alpha:]]*", "[a-[b]]*", "[&&a]*", "[a-z--x]*", "\\*"]
)
def test_a_class_that_not_everybody_reads_alike_is_no_pattern(glob):
    with pytest.raises(UsageError, match="is not a pattern of paths"):
        selector(glob)
