"""What a document says of itself: dates, authors and tags of its text, or of its file."""

import pytest

from indexer.records import FileRow, Line
from indexer.sync.read import MAX_TAGS, with_properties


def properties_of(lines: list[Line], extractor: str, *of_file: str) -> FileRow:
    return with_properties(FileRow("a", "indexed", extractor=extractor), lines, *of_file)


def said(text: str, extractor: str = "markdown/2") -> tuple[str | None, str | None, str]:
    found = properties_of([Line(line) for line in text.split("\n")], extractor)
    return found.date, found.author, found.tags


@pytest.mark.parametrize(
    ("text", "date", "author", "tags"),
    [
        (
            "---\ndate: 2024-03-12\nauthor: Ann\ntags: [a, B c]\n---\nx",
            "2024-03-12",
            "Ann",
            "a b-c",
        ),
        (
            '---\ncreated: "2024-03-12T10:00"\ntags:\n  - one\n  - two\n---',
            "2024-03-12",
            None,
            "one two",
        ),
        (
            "---\nauthors:\n  - Ann\n  - Bob\nkeywords: tax, money\n---",
            None,
            "Ann, Bob",
            "tax money",
        ),
        ("---\ndate: soon\n---", None, None, ""),
        ("---\ndate: 2024-02-30\n---", None, None, ""),
        ("date: 2024-03-12\n---", None, None, ""),
        ("---\ndate: 2024-03-12\nno end", None, None, ""),
        ("# Title\n\nOf #money and #tax/2024, not#this, #1 or a/#b.", None, None, "money tax/2024"),
        ("```\n#define x\n```\n#real", None, None, "real"),
        ("`#code` ``#a`b`` and #real", None, None, "real"),
        ("", None, None, ""),
    ],
)
def test_markdown(text, date, author, tags):
    assert said(text) == (date, author, tags)


def test_of_another_format_nothing_is_said():
    assert said("---\ndate: 2024-03-12\n---\n#tag", "text/2") == (None, None, "")


def test_what_its_file_says_stands_where_its_text_says_nothing():
    found = properties_of([Line("x")], "pdf/9", "Ann Lee", "2024-03-12")
    assert (found.author, found.date) == ("Ann Lee", "2024-03-12")
    head = [Line("---"), Line("date: 2020-01-01"), Line("---")]
    assert properties_of(head, "markdown/2", "Ann", "2024-03-12").date == "2020-01-01"


def test_tags_are_bounded():
    assert len(said(" ".join(f"#t{number}" for number in range(900)))[2].split()) == MAX_TAGS
    assert said("#" + "x" * 100)[2] == ""
