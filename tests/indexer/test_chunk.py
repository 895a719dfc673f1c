import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer import Encoder
from indexer.chunk import Chunker, heading_of, heading_paths
from indexer.records import Chunk, Document, Line, page_mark
from tests.support.fakes import ToyEncoder

TOY = ToyEncoder()
SMALL = Chunker(TOY)


def document(*lines: str, extractor: str = "markdown/1", title: str = "T") -> Document:
    return Document("a.md", title, tuple(Line(line) for line in lines), extractor)


def paged(*pages: list[str]) -> Document:
    lines = [
        Line(text, number)
        for number, page in enumerate(pages, start=1)
        for text in [page_mark(number), *page]
    ]
    return Document("a.pdf", "T", tuple(lines), "pdf/1")


def lines_of(doc: Document, chunk: Chunk) -> str:
    return "\n".join(line.text for line in doc.lines[chunk.line_start - 1 : chunk.line_end])


LINES = st.lists(st.text(alphabet="ab #`-.\t日é", max_size=120), min_size=1, max_size=60)


@pytest.mark.slow
@given(LINES, st.sampled_from(["markdown/1", "text/1"]))
def test_chunks_are_the_text_of_their_lines_lose_no_letter_and_fit_the_window(lines, extractor):
    doc = document(*lines, extractor=extractor, title="a title " * 30)
    chunks = SMALL.chunk(doc)
    for chunk in chunks:
        assert chunk.text in lines_of(doc, chunk)
        first, last = doc.lines[chunk.line_start - 1].text, doc.lines[chunk.line_end - 1].text
        assert chunk.text.split("\n")[0] in first and chunk.text.split("\n")[-1] in last
        assert len(TOY.tokenizer.encode(SMALL.embedded_text(chunk)).ids) <= TOY.max_tokens
    found = "".join(chunk.text for chunk in chunks)
    assert sorted(filter(str.isalnum, found)) == sorted(filter(str.isalnum, "".join(lines)))


@pytest.mark.slow
@given(st.lists(LINES, min_size=1, max_size=4))
def test_a_chunk_of_a_paged_document_lies_on_one_page_and_holds_no_mark(pages):
    doc = paged(*pages)
    for chunk in SMALL.chunk(doc):
        lines = doc.lines[chunk.line_start - 1 : chunk.line_end]
        assert {line.page for line in lines} == {chunk.page_start} == {chunk.page_end}
        assert page_mark(chunk.page_start or 0) not in chunk.text.split("\n")


@pytest.mark.slow
def test_the_real_model_counts_as_the_chunker_does():
    encoder = Encoder()
    chunker = Chunker(encoder)
    text = "Der Mietvertrag läuft über 24 Monate; the rent is £1,130.50 a month. 家賃は高い。"
    doc = document(*[line for n in range(80) for line in (f"## Part {n}", text)])
    chunks = chunker.chunk(doc)
    sizes = [len(encoder.tokenizer.encode(chunker.embedded_text(chunk)).ids) for chunk in chunks]
    assert max(sizes) <= encoder.max_tokens
    assert len(chunks) > 10


def test_headings_form_the_path_above_each_line():
    doc = document("# Bread", "intro", "## Rye", "text", "### Oven", "hot", "## White", "x")
    assert heading_paths(doc)[1] == "T > Bread"
    assert heading_paths(doc)[5] == "T > Bread > Rye > Oven"
    assert heading_paths(doc)[7] == "T > Bread > White"


PROSE = "The place lies on the north bank between the tannery and the quay."
PLAIN = f"Old rules (ended 2015)/{PROSE}/• Boats/What we dropped/Option B/{PROSE}/Pears 3 4".split(
    "/"
)


@pytest.mark.parametrize(
    ("name", "lines", "heading"),
    [
        ("a.md", ("# Bread", "intro", "## Rye", PROSE), "T > Bread > Rye"),
        ("t-bread.md", ("# Bread", "intro", "## Rye", PROSE), "Rye"),
        ("a.txt", PLAIN[:2], "T > Old rules (ended 2015)"),
        ("t.txt", PLAIN[:6], "Old rules (ended 2015) > What we dropped > Option B"),
        ("t.txt", PLAIN, "Old rules (ended 2015) > What we dropped > Option B"),
        ("t.txt", (PROSE, "and goes on there", PROSE), ""),
        (
            "t.txt",
            ("Meters", "Date: 3 May", "Water 311 m3", "Rope 4.50", "Age    young", PROSE),
            "Meters",
        ),
        ("t.txt", ("A name of many",) * 5_000 + (PROSE, PROSE), "A name of many"),
        ("t.txt", (), ""),
        ("a.eml", ("From: Ana Berg", "Date: today", PROSE), "T"),
    ],
)
def test_a_line_stands_under_the_title_and_the_headings_of_any_text(name, lines, heading):
    kind = {"md": "markdown/1", "eml": "eml/1"}.get(name.partition(".")[2], "text/2")
    document = Document(name, "T", tuple(map(Line, lines)), kind)
    assert heading_of(document) == heading


def test_a_line_of_a_pdf_stands_under_those_that_look_like_headings():
    for heads, title, heading in (
        (("Option B",), "T", "Option B"),
        (("Anna Berg", "Option B"), "Lease", "Lease > Anna Berg > Option B"),
        (("Anna Berg", "Option B"), "Anna Berg: notes", "Anna Berg: notes > Option B"),
    ):
        lines = tuple(Line(text, 1, heading=text in heads) for text in ("Anna Berg", *PLAIN))
        assert heading_of(Document("t.pdf", title, lines, "pdf/1")) == heading
        cut = lines[: 1 + [line.text for line in lines].index("Option B")]  # the heading itself
        assert heading_of(Document("t.pdf", title, cut, "pdf/1")) == heading


TABLE = [f"| Port: Vigo {n} | Fare: {n}.50 | Line: {n % 3} |" for n in range(30)]


def test_names_that_each_row_repeats_take_no_place_from_rows():
    bare = [f"| Vigo {n} | {n}.50 | {n % 3} |" for n in range(30)]
    named = SMALL.chunk(document(*TABLE, extractor="csv/1"))
    plain = SMALL.chunk(document(*bare, extractor="csv/1"))
    assert len(named) <= len(plain) + 1 < 30
    assert all(line in TABLE for chunk in named for line in chunk.text.split("\n"))
