"""What is nested without end, in every format, is accounted for in seconds and in plain words."""

import gzip
import re
import time
from collections.abc import Callable

import pytest

from indexer.errors import UnreadableDocument
from indexer.extract import open_document
from tests.support.made_files import zipped

DEEP = 20_000
TEXT = "The mill was sold to Anna Berg."
MAIL = "From: a@b.c\nTo: d@e.f\nReceived: x\nMIME-Version: 1.0\nSubject: x\n"
WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def around(opening: str, closing: str, times: int = DEEP, inner: str = TEXT) -> str:
    return opening * times + inner + closing * times


def repeatedly(wrap: Callable[[bytes], bytes], times: int) -> bytes:
    data = TEXT.encode()
    for _ in range(times):
        data = wrap(data)
    return data


def in_zip(data: bytes) -> bytes:
    return zipped({"a.zip" if data[:2] == b"PK" else "a.txt": data})


def word(body: str) -> bytes:
    document = f"<w:document {WORD}><w:body>{body}</w:body></w:document>"
    return zipped({"[Content_Types].xml": "<Types/>", "word/document.xml": document})


def mails(times: int) -> str:
    inner = f"Subject: the last\n\n{TEXT}\n"
    for _ in range(times):
        inner = f"Subject: one\nMIME-Version: 1.0\nContent-Type: message/rfc822\n\n{inner}"
    return MAIL + inner


def parts(times: int) -> str:
    one = "--b{0}\nContent-Type: multipart/mixed; boundary=b{1}\n\n"
    inner = "".join(one.format(n, n + 1) for n in range(times))
    return f"{MAIL}Content-Type: multipart/mixed; boundary=b0\n\n{inner}{TEXT}"


FILES: dict[str, Callable[[], str | bytes]] = {
    "lists.json": lambda: around("[", "]", inner=f'"{TEXT}"'),
    "cells.ipynb": lambda: '{"cells":' * DEEP + TEXT,
    "deep.xml": lambda: around("<a>", "</a>"),
    "at-the-limit.xml": lambda: around("<a>", "</a>", 250),
    "deep.html": lambda: around("<div>", "</div>"),
    "tables.html": lambda: "<table><tr><td>" * DEEP + TEXT,
    "lists.html": lambda: around("<ul><li>", "</li></ul>"),
    "formula.html": lambda: f"<p>{TEXT}</p><math>{around('<mrow>', '</mrow>')}</math>",
    "tags.md": lambda: around("<div title=a>", "</div>"),
    "front.md": lambda: f"---\ntitle: {'[' * 9_000}\n---\n{TEXT}\n",
    "anchors.md": lambda: f"---\na: &a [*a, *a]\ntitle: *a\n---\n{TEXT}\n",
    "lists.yaml": lambda: f"text: {TEXT}\na: {'[' * DEEP}",
    "groups.rtf": lambda: "{\\rtf1 " + around("{", "}") + "}",
    "title.tex": lambda: f"\\title{around('{', '}')}\n{TEXT}",
    "events.ics": lambda: "BEGIN:VCALENDAR\n" + "BEGIN:VEVENT\n" * DEEP + f"SUMMARY:{TEXT}\n",
    "sections.fb2": lambda: f"<FictionBook><body>{'<section>' * DEEP}<p>{TEXT}</p>",
    "mails.eml": lambda: mails(300),
    "parts.eml": lambda: parts(3_000),
    "words.eml": lambda: f"{MAIL}Cc: {'=?utf-8?b?YQ==?= ' * 80_000}\n\n{TEXT}",
    "codec.eml": lambda: (
        f"{MAIL}Content-Type: text/plain; charset=punycode\n\n{TEXT}\n{'abcd-' * 9}{'z9a' * 90_000}"
    ),
    "codec.html": lambda: f"<meta charset=idna><p>{TEXT}</p>{'a.b' * 90_000}",
    "zips.zip": lambda: repeatedly(in_zip, 40),
    "packed.txt.gz": lambda: repeatedly(gzip.compress, 60),
    "tables.docx": lambda: word(around("<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>", 80)),
    "controls.docx": lambda: word(around("<w:sdt><w:sdtContent>", "</w:sdtContent></w:sdt>")),
}
PROGRAMMERS = re.compile(
    r"\w(?:Error|Exception)\b|Traceback|0x[0-9a-f]{6}|recursion|object at|sys\."
)
REASONS = {"malformed", "unsupported", "no_text", "too_large_unpacked", "encoding"}


@pytest.mark.slow
def test_what_is_nested_without_end_is_accounted_for():
    for name, make in FILES.items():
        made = make()
        data = made.encode() if isinstance(made, str) else made
        start = time.process_time()
        try:
            opened = open_document(data, name)
            text = "\n".join(line.text for line in opened.lines)
            assert "mill was sold" in text or opened.remark, name
            said = opened.remark
        except UnreadableDocument as error:
            assert error.reason in REASONS, name
            said = error.detail
        assert time.process_time() - start < 5, name
        assert not PROGRAMMERS.search(said), (name, said)
