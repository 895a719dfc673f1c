"""What a document says of itself: dates, authors, tags and links of its text, or of its file."""

import pytest

from indexer.records import FileRow, Line
from indexer.sync.properties import MAX_TAGS, with_properties


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


def linked(text: str) -> list[str]:
    lines = [Line(line) for line in text.split("\n")]
    return properties_of(lines, "markdown/2").links.splitlines()


def test_links_of_markdown_are_known_by_what_they_lead_to():
    for text, targets in {
        "See [[Rent]].": ["rent"],
        "[[home/Rent#Due|the rent]] and ![[Plan.png]]": ["home/rent", "plan.png"],
        "[[Rent^b1]] [[Rent]] [[ Two  words ]]": ["rent", "two words"],
        "[x](../Rent.md) [y](<my notes/Rent.md>) [z](a%20b.md 'title')": [
            "rent", "my notes/rent", "a b"
        ],
        "---\nrelated: '[[Rent]]'\n---": ["rent"],
        "[a](https://x.example) [b](mailto:x@y) [c](#here) [d](//host/x)": [],
        "`[[code]]` ``[[a`b]]`` \\[[not]]": [],
        "```\n[[code]]\n```\n[[real]]": ["real"],
        "[[]] [[#here]] [[a|b|c]] [[a]b]]": ["a"],
    }.items():  # fmt: skip
        assert linked(text) == targets, text
    assert properties_of([Line("[[Rent]]")], "text/2").links == "", "the control"
